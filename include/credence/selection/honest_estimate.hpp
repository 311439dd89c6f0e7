#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/score.hpp"

namespace credence::selection {

struct PairedTest {
  double mean_difference = 0;  ///< first - second
  double t = 0;                ///< 0 if all differences are 0; +-infinity if they are equal and not 0
  double p_value = 1;          ///< two-sided
  double half_width = 0;       ///< the mean difference +- this is its interval at confidence 95 %
};

/// The corrected resampled t-test on the errors of two methods over the same J >= 2 splits:
/// t = mean(d) / sqrt((1 / J + test_ratio) var(d)), J - 1 degrees of freedom, var with J - 1.
/// @param test_ratio  n_test / n_train (1/9 for ten folds)
/// @throws Error invalid_argument if sizes differ or are below 2, an error is not finite, or the ratio is not finite
/// and above 0
/// Source: Nadeau and Bengio, Machine Learning 52 (2003).
PairedTest corrected_resampled_t_test(std::span<const double> first, std::span<const double> second, double test_ratio);

using model::HonestEstimate;

// How many independent trials a row counts as, in an interval around an honest estimate. One trial for each row would
// be too many, because the error of the selected model also differs from sample to sample: the intervals would cover
// the true error in 86 to 94 % of samples instead of 95 (docs/selection.md).

/// For models that were trained on nearly all rows: 1 / (e - 1), which makes the interval as wide as the percentiles of
/// losses on the rows that bootstrap samples leave out.
inline constexpr double worth_of_a_row = 0.58;
/// Out of bag, where models saw 63 % of the rows and err more than those trained on all; and in nested
/// cross-validation, each fold of which has a choice of its own.
inline constexpr double worth_of_a_row_refitted = 0.5;

struct BbcOptions {
  std::size_t resamples = 1000;  ///< >= 2
  double delta = 0.05;           ///< in (0, 1)
  std::uint64_t seed = 0;
  /// A judgement is a mean of losses in [0, 1]; false for squared errors, log losses, and 1 - a score that is no mean.
  bool bounded = true;
  double worth = worth_of_a_row;  ///< trials that a row counts as in the interval, in (0, 1]
  bool of_copies = false;         ///< groups are copies of one row each, which count as one trial
};

/// Out-of-sample losses of every setting on every row.
struct LossTable {
  std::size_t rows = 0;
  std::size_t settings = 0;
  std::vector<float> values;  ///< (row, setting), setting fastest; usually 0 or 1; NaN where a row was never held out

  LossTable() = default;
  LossTable(std::size_t row_count, std::size_t setting_count)
      : rows(row_count), settings(setting_count), values(row_count * setting_count) {}
  float* row(std::size_t i) { return values.data() + i * settings; }
  const float* row(std::size_t i) const { return values.data() + i * settings; }
};

/// Errors on an outer fold.
struct FoldErrors {
  std::size_t rows = 0;
  std::size_t errors = 0;
};

/// Sets the ends at the confidence of the estimate, for an error that was seen in `trials` independent trials.
void add_binomial_ends(double trials, bool clustered, HonestEstimate& estimate);
/// Returns how many trials the rows of an estimate count as, if folds or other clusters are drawn as a whole; at least
/// 2.
double trials_of_folds(std::span<const FoldErrors> folds, const HonestEstimate& estimate);

/// The estimate "nested": all errors over all rows. The interval is the binomial one of bootstrap_bias_corrected, with
/// worth_of_a_row_refitted trials for each row. If folds hold whole groups, the spread of the folds decides how many
/// trials the rows count as.
/// @param delta  in (0, 1)  @param share  share of the rows that counts as trials (data::Dataset::share_that_counts)
HonestEstimate estimate_of_folds(std::span<const FoldErrors> folds, bool whole_groups, double delta, double share = 1);

/// The mean loss of the rows of an outer fold.
struct FoldMean {
  std::size_t rows = 0;
  double mean = 0;
};

/// The estimate "nested" of squared errors: their mean over all rows, with Student's t over the means of the folds, as
/// if there were worth_of_a_row_refitted times as many rows; cut off at 0. Folds that all agree have no interval.
/// @param folds  each with a row  @param delta  in (0, 1)
HonestEstimate estimate_of_fold_means(std::span<const FoldMean> folds, double delta);

/// A score on an outer fold.
struct FoldScore {
  std::size_t rows = 0;
  std::vector<double> sums;  ///< OuterFold::sums
};

/// The estimate "nested" of other scores than the accuracy: the score of the predictions of all folds together. A mean
/// over folds would be wrong, because a fold that lacks a class says little of a balanced accuracy or an F1 (Forman and
/// Scholz, SIGKDD Explorations 12, 2010). Margins of different folds come from different models, so an AUC counts the
/// pairs within folds; a fold without a pair does not count. The interval is Student's t with the jackknife over folds,
/// as if there were worth_of_a_row_refitted times as many rows; cut off at 0 and, except for the log loss, at 1. Folds
/// that all agree have no interval.
/// @param score  with Score::accuracy, `sums` are those of weighted errors
/// @param delta  in (0, 1)
HonestEstimate estimate_of_fold_scores(std::span<const FoldScore> folds, Score score, double delta);

/// A selection rule that can be repeated on a bootstrap sample of the rows it was made on. Given how often each row
/// was drawn, selects on the drawn rows and returns the mean loss on the rows that were not drawn.
using ResampledRule = std::function<double(std::span<const std::uint32_t> drawn)>;

/// Bootstrap bias correction (Tsamardinos, Greasidou, Borboudakis, Machine Learning 107, 2018, algorithm 4) of any
/// selection rule: the mean over bootstrap samples of the loss on the rows left out. With groups, whole groups are
/// drawn.
/// The interval of bounded losses is that of an error rate of this size seen in `worth` independent trials for each row
/// (bounds::binomial_interval). Rows of groups count for less if their groups differ (bounds::effective_trials, with
/// the variance of the resamples' losses minus the part that drawing adds). Losses that are not BbcOptions::bounded
/// have the percentiles of the resamples' losses (quantiles interpolated between order statistics, R's type 7), and no
/// interval where all of them agree. Where a few resamples drag the mean beyond these percentiles, the estimate is the
/// nearer end instead of the mean. Nothing is proved of either interval; docs/selection.md has their coverage by
/// simulation. A draw that leaves no row out is made again; a draw for which the rule returns NaN does not count. The
/// rule is called from several threads. Results do not depend on their number. Announces its resamples to the monitor.
/// Where the monitor says stop, the estimate rests on the resamples made so far: HonestEstimate::resamples says how
/// many count. If none counts, the error is NaN; if fewer than 2 count, there is no interval.
/// @param groups  group code of each row; empty if each row is a group of its own
/// @throws Error invalid_argument for options out of range, fewer than 2 rows (groups), or a wrong number of codes
HonestEstimate bootstrap_bias_corrected(std::size_t rows, std::span<const int> groups, const ResampledRule& rule,
                                        const BbcOptions& options, const core::Context& context);

/// The same for the rule of cross-validation: the setting with the smallest mean loss; ties go to the first of
/// `preference` (settings in the order in which ties are broken; a setting that is not named is never chosen). A row
/// with NaN for a setting does not count for this setting. Rows with NaN for every setting are not drawn at all, and
/// HonestEstimate::rows counts the other rows. Losses are summed in double: means of losses 0 and 1 are compared
/// exactly.
/// Cost: resamples * rows * settings additions, SIMD.
/// @throws Error invalid_argument also if `preference` is empty or names a setting that is not there
HonestEstimate bbc_of_smallest_loss(const LossTable& losses, std::span<const std::size_t> preference,
                                    std::span<const int> groups, const BbcOptions& options,
                                    const core::Context& context);

}  // namespace credence::selection
