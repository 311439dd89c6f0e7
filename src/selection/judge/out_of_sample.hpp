#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/model/costs.hpp"
#include "credence/selection/score.hpp"
#include "credence/selection/selector.hpp"

/// What the average of several cells says of rows that its machines had not seen.
namespace credence::selection {

/// Positions of the margins, from the smallest on.
std::vector<std::uint32_t> ascending(std::span<const double> margins);

/// Weights of pairs of a row of the second class and one of the first.
struct OrderedPairs {
  double ordered = 0;  ///< whose margins are in the right order; half of those with equal margins
  double all = 0;
  /// The AUC; NaN where one class has no weight.
  double area() const { return ordered / all; }
};

/// Of the positions in `order`, along which margins ascend. Cost: linear.
/// @param labels   0 or 1 of each position
/// @param weights  of each position; nullptr: all 1
OrderedPairs pairs_in_order(std::span<const std::uint32_t> order, const double* margins, const int* labels,
                            const double* weights);

/// What of some rows makes a score, in numbers that add up over parts of the rows: of labels LabelCounts::sums; of
/// margins the pairs in the right order, and all pairs; of losses their sum, and that of the weights.
using ScoreSums = std::vector<double>;

/// @param weights  of each loss; empty: all 1
ScoreSums sums_of_losses(std::span<const double> losses, std::span<const double> weights = {});
/// Pairs are of these margins alone: those of another part are margins of another model.
ScoreSums sums_of_margins(std::span<const double> margins, std::span<const int> labels,
                          std::span<const double> weights = {});

/// Both, number by number; either may be empty.
ScoreSums together(const ScoreSums& one, const ScoreSums& other);

/// What is to be small (loss_of) for the rows with these sums; sums of losses with Score::accuracy are of errors. NaN
/// where the score is undefined.
double loss_of_sums(Score score, const ScoreSums& sums);

/// The loss of all parts together.
struct PooledLoss {
  double loss = 0;  ///< NaN where the score is undefined
  /// What each part adds: their mean is `loss`, and their deviation over the root of their number is the jackknife's
  /// standard error of the loss. For parts of equal size and a score that is a mean, they are the losses of the parts.
  /// NaN for a part without a score, which does not count.
  std::vector<double> values;
};

/// With L the loss of all m parts and L_k that of all but part k, values are L + (m - 1) (mean of L_j - L_k).
PooledLoss pooled_loss(Score score, std::span<const ScoreSums> parts);

/// The scores of places under every cell, clipped, as floats. Of two classes the score of the second one is kept alone.
class ClippedScores {
 public:
  /// Keeps nothing.
  ClippedScores() = default;
  /// Room for the scores, all 0. Memory: 4 bytes x places x cells, and times the classes if there are more than two.
  ClippedScores(std::size_t places, std::size_t cells, std::size_t classes);

  bool empty() const { return values_.empty(); }
  std::size_t classes() const { return classes_; }
  /// Bytes of the scores of so many places, cells and classes.
  static std::size_t bytes_of(std::size_t places, std::size_t cells, std::size_t classes) {
    return places * cells * (classes == 2 ? 1 : classes) * sizeof(float);
  }
  /// @param score  of class c, not clipped yet; of two classes that of the first one is passed over
  void set(std::size_t place, std::size_t cell, std::size_t c, double score);
  /// The mean scores of all classes over the members.
  void mean(std::size_t place, std::span<const std::size_t> members, std::span<double> scores) const;

 private:
  std::size_t width() const { return classes_ == 2 ? 1 : classes_; }

  std::size_t cells_ = 0;
  std::size_t classes_ = 0;
  std::vector<float> values_;  ///< (place, class, cell), cell fastest
};

/// What is kept of the predictions of rows that models had not seen: as little as score and rule need.
enum class Kept {
  nothing,  ///< the sums over rows of JudgedGrid are enough
  labels,
  margins,  ///< of the second of two classes
  losses,
};

/// Out-of-sample predictions of every cell. A place is a row that a resample held out; the places of a resample follow
/// each other. A row that is held out several times has several places, which together count as one row.
struct OutOfSample {
  Score score = Score::accuracy;
  Kept kept = Kept::nothing;
  std::size_t classes = 0;
  std::size_t cells = 0;
  std::vector<std::uint32_t> rows;  ///< of each place
  std::vector<int> truth;           ///< class of each place; empty for a regression
  /// Sample weight of each place's row; empty: all 1, or the losses of an accuracy, which are weighted already
  /// (ErrorWeights).
  std::vector<double> weights;
  std::vector<std::size_t> starts;    ///< first place of each resample, and the end
  std::vector<std::uint16_t> labels;  ///< (cell, place), place fastest
  std::vector<double> values;         ///< (cell, place): margins or losses
  ClippedScores clipped;              ///< what averages of cells are made of; empty unless the rule wants them
  bool by_rows = false;               ///< standard errors of means are taken over rows, not over resamples
  bool soft = false;                  ///< with Score::accuracy: the soft loss counts, not the error
  std::vector<double> costs;          ///< with Score::accuracy and clipped scores: of each place; empty: all 1

  model::DecisionCosts label_costs{};  ///< with Score::cost, whose losses are the costs of labels

  bool empty() const { return kept == Kept::nothing; }
  /// Whether set_label says all that is kept of a prediction.
  bool takes_labels() const { return kept == Kept::labels || score == Score::cost; }
  /// Keeps the label of a place, or its cost.
  void set_label(std::size_t cell, std::size_t place, std::size_t label);
  std::size_t places() const { return rows.size(); }
  std::size_t resamples() const { return starts.size() - 1; }
  std::span<const double> values_of(std::size_t cell) const { return {values.data() + cell * places(), places()}; }
  std::span<const std::uint16_t> labels_of(std::size_t cell) const {
    return {labels.data() + cell * places(), places()};
  }
  /// How often each of n rows is held out.
  std::vector<std::uint32_t> times(std::size_t n) const;
  /// What makes the score of a cell on the places of one resample.
  /// @param other  weights of the places of all resamples; empty: their own
  ScoreSums sums_in(std::size_t cell, std::size_t resample, std::span<const double> other = {}) const;
  /// What is to be small (loss_of) of them; NaN where the score is undefined.
  double loss_in(std::size_t cell, std::size_t resample, std::span<const double> other = {}) const;
};

/// What the score and the rule of the options need.
Kept kept_of(const Options& options);

/// Whether cells are compared by the scores of rows, not by their labels alone.
bool compares_scores(const Options& options);

/// Room for the predictions; clipped scores have none yet. @param held_out  rows of each resample, ascending
/// @param labels  of all rows  @param weights  likewise; empty: all 1
/// @throws Error as label_costs
OutOfSample room_for(const Options& options, std::span<const std::vector<std::size_t>> held_out,
                     std::span<const int> labels, std::span<const double> weights,
                     const std::vector<std::string>& classes, std::size_t cells);

/// The cells of `first`, then those of `second`, judged on the same resamples.
OutOfSample joined(const OutOfSample& first, const OutOfSample& second);

/// Turns the margins of SVMs into log losses, by sigmoids that are cross-fitted: the sigmoid that judges a resample is
/// fitted to the margins of rows that other resamples hold out and this one does not. Where resamples hold out one row
/// each, where there is one resample, or where no other rows are left, the rows are dealt to ten stratified folds (or
/// as many as there are rows), which take the resamples' place.
/// Cost: about ten passes over the margins for each fold and cell.
void judge_by_sigmoids(std::uint64_t seed, const core::Context& context, OutOfSample& said);

/// Score and spread of a cell. The score is that of the predictions of all resamples together, for one that lacks a
/// class says little of a balanced accuracy or an F1, and the mean over such resamples is biased. Pairs of an AUC are
/// of one resample each. The spread is over the resamples in which the score is defined.
void set_score(const OutOfSample& said, std::size_t which, Cell& cell);

/// A mean over rows, each of which counts by the mean of its places.
struct RowsLoss {
  double mean = 0;            ///< NaN without rows
  double standard_error = 0;  ///< deviation over the root of the number of rows; 0 for one row
};
/// Of the losses of a cell (Kept::losses). @param weights  of the places; empty: each row counts once
RowsLoss loss_over_rows(const OutOfSample& said, std::size_t cell, std::span<const double> weights = {});

/// The standard error of a cell's score over rows: that of loss_over_rows where losses are kept, else that of the
/// jackknife, which leaves out the places in ten parts (or as many as there are places): each tenth place is in one
/// part. A part without which the score is undefined does not count. Unlike in pooled_loss, pairs of an AUC cross the
/// parts.
/// @param weights  of the places; empty: their own
double error_over_rows(const OutOfSample& said, std::size_t cell, std::span<const double> weights = {});

/// The spread of a cell whose losses in the resamples are known; NaN where a resample does not count.
void set_spread(std::span<const double> losses, Cell& cell);

/// Bootstrap bias correction of a choice by the pooled score: the drawn rows choose a cell by the score of all their
/// places, and the places of the rows that were not drawn judge the cell. Rule::one_se and Rule::average take their
/// standard error from the losses of the drawn rows in each resample, or from the drawn rows (error_over_rows); with
/// the latter rule the average of the cells within reach is judged. A row counts once, however often it was held out.
/// Cost: resamples x places x cells.
/// @param groups  of all rows, as in bootstrap_bias_corrected
HonestEstimate bbc_of_scores(const OutOfSample& said, std::size_t row_count, std::span<const std::size_t> preference,
                             Rule rule, std::span<const int> groups, const BbcOptions& options,
                             const core::Context& context);

/// The predictions of the average of the members, as those of a grid of one cell. Log losses come from sigmoids that
/// are cross-fitted as those of single cells (judge_by_sigmoids).
/// Cost: places x members.
/// @param said  with clipped scores
OutOfSample averaged(const OutOfSample& said, std::span<const std::size_t> members, std::uint64_t seed,
                     const core::Context& context);

/// The same without the sigmoids: of log losses the values are margins of the second class.
/// @param weights  of the places: those without weight are left at 0; empty: all are made
OutOfSample averaged_margins(const OutOfSample& said, std::span<const std::size_t> members,
                             std::span<const double> weights = {});

/// What the average says of one place.
struct RowLosses {
  bool error = false;
  double soft = 0;
};
std::vector<RowLosses> losses_of_average(const OutOfSample& said, std::span<const std::size_t> members);

/// With Rule::average, gives the selection its average: the cells within reach of the best one, and the error of their
/// average. Nothing where no cell is complete, or the monitor says stop.
void add_average(const OutOfSample& said, const Options& options, const core::Context& context, Selection& selection);

}  // namespace credence::selection
