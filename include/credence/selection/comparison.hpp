#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/honest_estimate.hpp"
#include "credence/selection/selector.hpp"

namespace credence::selection {

/// The methods that are compared by default.
inline constexpr std::array usual_contestants{"cv", "loo", "holdout", "nonconformity"};

struct ComparisonOptions {
  int outer_folds = 10;    ///< not used where the data set brings fixed folds or the caller gives them
  std::uint64_t seed = 0;  ///< the folds of repeat r are drawn with `seed` + r
  /// Differences between methods vary less with stratified folds. But test rows then depend on training rows: a
  /// classifier that learnt the sample's majority errs less on them than on new rows.
  bool stratified = true;
  /// How often the outer folds are drawn. With more draws the mean depends less on one draw, and the test has more
  /// folds; its correction allows for the overlap of their training rows.
  int repeats = 1;

  static void describe(auto&& field) {
    field("outer_folds", &ComparisonOptions::outer_folds,
          "how many folds judge all methods; not used where the data fix the folds", core::at_least(2));
    field("repeats", &ComparisonOptions::repeats, "how often the outer folds are drawn; each draw takes the next seed",
          core::at_least(1));
    field("stratified", &ComparisonOptions::stratified, "give each outer fold its share of each class");
    field("seed", &ComparisonOptions::seed, "seed of the outer folds and of the methods");
  }

  /// All problems that do not depend on the data; empty if none. All repeats together have at most 100,000 folds.
  std::vector<std::string> validate() const;
};

/// One method on one outer fold: selected and trained on the rows of the other folds, judged on the rows of this one.
struct OuterFold {
  bool complete = false;
  std::size_t rows = 0;
  std::size_t errors = 0;
  double loss = 0;                       ///< loss_of(Options::score()) of its rows; NaN where it is undefined
  std::vector<double> sums;              ///< from which the score is computed; those of folds can be added (ScoreSums)
  double seconds = 0;                    ///< wall time: selection, training and prediction, but not the honest estimate
  std::optional<double> selected_score;  ///< by which the method chose (optimistic); none if it is a bound or an index
  std::optional<double> honest;  ///< its honest estimate, if one was asked for; kfold-nested: the one that it makes
  std::vector<std::string> warnings;  ///< of the selection
  std::optional<double> bound;        ///< Selection::error_bound
  std::optional<Setting> chosen;      ///< the setting, where one was chosen
  double error() const { return rows == 0 ? 0 : static_cast<double>(errors) / static_cast<double>(rows); }
};

struct MethodResult {
  std::string name;
  Options options;               ///< resolved
  std::vector<OuterFold> folds;  ///< repeat after repeat
  // Over the complete folds:
  /// The mean over folds of the error rate; for another Comparison::score, the loss of the predictions of all folds of
  /// a repeat together, averaged over repeats (see estimate_of_fold_scores).
  double mean_error = 0;
  double error_std = 0;  ///< over the folds, n - 1: of the error rates, or of what each fold adds to the score
  double seconds = 0;    ///< summed
  std::optional<double> mean_selected_score;
  std::optional<double> mean_honest;
  std::optional<double> mean_bound;
  std::vector<std::string> warnings;  ///< of any fold's selection, each once
};

struct Comparison {
  std::vector<MethodResult> methods;
  Score score = Score::accuracy;  ///< of all contestants
  ComparisonOptions options;
  std::size_t n = 0;
  int outer_folds = 0;  ///< of one repeat, as they were drawn or fixed
  /// Row-major methods x methods over the folds that both completed; none on the diagonal or with fewer than 2 folds.
  std::vector<std::optional<PairedTest>> tests;
  core::StopReason stopped = core::StopReason::none;
  int threads = 0;
  double seconds = 0;
  std::string version;
};

/// One contestant: a name for the table, its options, and optionally another way to make the training rows of a fold.
struct Contestant {
  std::string name;
  Options options;
  /// Returns the data set that the method gets, given the training rows of an outer fold; empty: all of them.
  std::function<data::Dataset(const data::Dataset&)> narrow = {};
};

/// The runs of a comparison, which do not depend on each other. A run is a contestant on an outer fold: run k is
/// contestant k % contestants on fold k / contestants, with the folds of all repeats numbered one after the other.
class OuterRuns {
 public:
  OuterRuns() = default;
  /// @param dataset  which must outlive the object  @throws Error as compare
  OuterRuns(const data::Dataset& dataset, std::vector<Contestant> contestants, const ComparisonOptions& options);

  std::size_t size() const { return contestants_.size() * static_cast<std::size_t>(folds()); }
  /// Announces units_of_a_run units to the monitor. @return a fold that is not complete if the monitor stopped it
  /// @throws Error of the selection, with the fold and the name of the contestant before its sentence
  OuterFold run(std::size_t which, const core::Context& context) const;
  /// Every contestant counts as this many units of the monitor on a fold, whatever units its method itself counts.
  static constexpr std::size_t units_of_a_run = 1000;

  /// Does some runs of one fold, and splits its rows only once. Announces nothing to the monitor.
  std::vector<OuterFold> run_fold(int fold, std::span<const std::size_t> contestants,
                                  const core::Context& context) const;
  /// The number of folds of all repeats together.
  int folds() const { return folds_ * options_.repeats; }
  /// The comparison, from all runs in their order. @param seconds  that it took
  Comparison merged(std::vector<OuterFold> runs, double seconds, const core::Context& context) const;

 private:
  std::shared_ptr<const data::Dataset> dataset_;  ///< the rows, after Options::copies of the first contestant
  std::string note_;                              ///< of copies
  std::vector<Contestant> contestants_;
  ComparisonOptions options_;
  int folds_ = 0;  ///< of one repeat
};

/// Runs every contestant on the same outer splits (stratified; grouped if there are groups; fixed folds if there are),
/// fold by fold, one after the other, each with all threads. Preprocessing is fitted on training rows. A method that
/// makes folds uses the fixed folds of the training rows. Each selection has the seed of its options. Contestants that
/// choose by another score than the accuracy are compared by this score, which has to be the same for all of them. The
/// log loss of an SVM is that of a sigmoid fitted to the calibration of the selection. Data sets with splits of their
/// own are refused, because outer folds would separate rows that the splits keep together.
/// Cost: repeats x outer folds x contestants selections.
/// @throws Error invalid_argument (ComparisonOptions::validate, and repeats of folds that can be drawn in one way only:
/// fixed folds, one fold for each row or group, groups whose sizes fix the folds), invalid_data
Comparison compare(const data::Dataset& dataset, const std::vector<Contestant>& contestants,
                   const ComparisonOptions& options, const core::Context& context);

/// Nested cross-validation of a whole selection. It has as many outer folds as the selection has folds. If that has
/// none there are 10, or one for each row or group if these are fewer. The estimate is all errors over all rows
/// (estimate_of_folds); for weighted errors and other scores it is estimate_of_fold_scores. Fixed folds and groups stay
/// whole. Other outer folds ignore the labels. Over random samples the mean estimate is then the mean error of
/// selections from as many rows as an outer fold leaves for training. If the class counts of samples are fixed by
/// design, the estimate is too large: an outer fold with more rows of a class leaves fewer of them for training. If in
/// each of 20 draws all rows of a class (two or more) lie in one fold, outer folds are stratified. If the estimate is
/// stopped, it rests on the folds that were complete (`rows`, `resamples`), possibly none.
HonestEstimate nested_estimate(const data::Dataset& dataset, const Options& options, const core::Context& context);
/// The runs of a nested estimate, and the estimate that they make.
OuterRuns nested_runs(const data::Dataset& dataset, const Options& options);
HonestEstimate nested_estimate_of(const data::Dataset& dataset, const Options& options, const Comparison& comparison);

}  // namespace credence::selection
