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

/// Predictions for rows that the models had not seen, and the scores that are made of them.
namespace credence::selection {

/// Positions of the margins, from the smallest on.
std::vector<std::uint32_t> ascending(std::span<const double> margins);

/// Summed weights of the pairs of a row of the second class and one of the first.
struct OrderedPairs {
  double ordered = 0;  ///< of pairs whose margins are in the right order; pairs with equal margins count half
  double all = 0;
};

/// Weighs the pairs of the positions in `order`, along which margins ascend. Cost: linear.
/// @param labels   0 or 1 of each position
/// @param weights  of each position; nullptr: all 1
OrderedPairs pairs_in_order(std::span<const std::uint32_t> order, const double* margins, const int* labels,
                            const double* weights);

/// Sums that make a score of rows; those of parts of the rows can be added. For labels these are LabelCounts::sums;
/// for margins the pairs in the right order, and all pairs; for losses their sum, and that of the weights.
using ScoreSums = std::vector<double>;

/// @param weights  of each loss; empty: all 1
ScoreSums sums_of_losses(std::span<const double> losses, std::span<const double> weights = {});
/// Pairs are of these margins alone: those of another part are margins of another model.
ScoreSums sums_of_margins(std::span<const double> margins, std::span<const int> labels,
                          std::span<const double> weights = {});

/// Adds both, number by number; either may be empty.
ScoreSums together(const ScoreSums& one, const ScoreSums& other);

/// The loss (loss_of) of the rows with these sums. With Score::accuracy, sums of losses are sums of errors. NaN where
/// the score is undefined.
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

/// Scores of all classes at places (JudgedPlaces), as floats, for more than two classes: those of two classes follow
/// from the score of the true class, and a regression has none.
class ClassScores {
 public:
  /// Keeps nothing.
  ClassScores() = default;
  /// Room for the scores of the settings from `first` on, all 0.
  ClassScores(std::size_t places, std::size_t first, std::size_t end, std::size_t classes)
      : places_(places), first_(first), settings_(end), classes_(classes), values_(places * (end - first) * classes) {}

  bool any() const { return !values_.empty(); }
  bool has(std::size_t setting) const { return any() && setting >= first_ && setting < settings_; }
  std::span<float> at(std::size_t setting, std::size_t place) {
    return {values_.data() + start(setting, place), classes_};
  }
  std::span<const float> at(std::size_t k, std::size_t place) const {
    return {values_.data() + start(k, place), classes_};
  }
  /// Adds further settings; keeps nothing if either lacks some of its settings.
  void append(const ClassScores& further);

  /// The scores of a grid that is not averaged may take memory_budget / share bytes.
  static constexpr std::size_t share = 8;

 private:
  std::size_t start(std::size_t setting, std::size_t place) const {
    return ((setting - first_) * places_ + place) * classes_;
  }

  std::size_t places_ = 0;
  std::size_t first_ = 0;  ///< setting that is kept
  std::size_t settings_ = 0;
  std::size_t classes_ = 0;
  std::vector<float> values_;  ///< (setting, place, class), class fastest
};

/// What a score is made of.
enum class ScoreBasis {
  losses,   ///< their mean is the loss
  labels,   ///< counts of labels
  margins,  ///< of the second of two classes
};

/// The rows that a table of predictions is about, and how they are judged. A place is a row that a resample held out;
/// the places of a resample follow each other. A row that is held out several times has several places, which together
/// count as one row.
struct JudgedPlaces {
  Score score = Score::accuracy;
  ScoreBasis basis = ScoreBasis::losses;
  bool soft = false;     ///< with Score::accuracy: the soft loss counts, not the error
  bool by_rows = false;  ///< standard errors of means are taken over rows, not over resamples
  std::size_t classes = 0;
  model::DecisionCosts label_costs{};   ///< with Score::cost, whose losses are the costs of labels
  std::vector<std::uint32_t> rows{};    ///< of each place
  std::vector<int> truth{};             ///< class of each place; empty for a regression
  std::vector<double> weights{};        ///< sample weight of each place's row; empty: all 1, as with Score::accuracy
  std::vector<double> error_weights{};  ///< with Score::accuracy: weight of an error at each place; empty: all are 1
  std::vector<std::size_t> starts{};    ///< first place of each resample, and the end

  std::size_t places() const { return rows.size(); }
  std::size_t resamples() const { return starts.size() - 1; }
  /// How often each of n rows is held out.
  std::vector<std::uint32_t> times(std::size_t n) const;
};

/// The predictions for rows that the models had not seen, for every setting of a grid. Scores, honest estimates, the
/// average of settings and p-values are functions of this table.
struct Predictions : JudgedPlaces {
  std::size_t settings = 0;
  std::vector<std::uint16_t> labels{};  ///< (setting, place), place fastest, as the next two
  std::vector<double> scores{};         ///< RowJudgement::score; empty where labels alone are compared
  std::vector<double> log_losses{};     ///< with Score::log_loss
  ClassScores class_scores{};           ///< where an average, or p-values, need them

  std::size_t at(std::size_t setting, std::size_t place) const { return setting * places() + place; }
  bool error(std::size_t setting, std::size_t place) const { return labels[at(setting, place)] != truth[place]; }
  /// The margin of the second of two classes.
  double margin(std::size_t setting, std::size_t place) const {
    const double own = scores[at(setting, place)];
    return truth[place] == 1 ? own : -own;
  }
  /// Squared error of a regression; log loss; cost; else the error or soft loss, times its weight.
  double loss(std::size_t setting, std::size_t place) const;
  /// The losses or margins of some places of a setting; `basis` must not be labels.
  std::vector<double> values(std::size_t setting, std::size_t first, std::size_t count) const;
  std::vector<double> values(std::size_t setting) const { return values(setting, 0, places()); }
  /// The mean clipped scores of all classes over some settings.
  void mean_scores(std::size_t place, std::span<const std::size_t> members, std::span<double> mean) const;
  /// The sums that make the score of a setting on the places of one resample.
  /// @param other  weights of the places of all resamples; empty: their own
  ScoreSums sums_in(std::size_t setting, std::size_t resample, std::span<const double> other = {}) const;

  /// Bytes of this number of places and settings, with the scores of all classes.
  static std::size_t bytes_of(std::size_t places, std::size_t settings, std::size_t classes);
};

/// Whether settings are compared by the mean loss of each row, so that sums over resamples suffice.
bool compares_sums(const Options& options);

/// Whether settings are compared by the scores of rows, not by their labels alone.
bool compares_scores(const Options& options);

/// Makes room for the predictions, without class_scores.  @param held_out  rows of each resample, ascending
/// @param labels  of all rows  @param weights  likewise; empty: all 1  @param scored  with Predictions::scores
/// @throws Error as label_costs
Predictions room_for(const Options& options, std::span<const std::vector<std::size_t>> held_out,
                     std::span<const int> labels, std::span<const double> weights,
                     const std::vector<std::string>& classes, std::size_t settings, bool scored = true);

/// Adds settings that were judged on the same resamples.
void append(const Predictions& further, Predictions& predictions);

/// Turns the margins of SVMs into log losses, by sigmoids that are cross-fitted: the sigmoid that judges a resample is
/// fitted to the margins of rows that other resamples hold out and this one does not. Where resamples hold out one row
/// each, where there is one resample, or where no other rows are left, the rows are dealt to ten stratified folds (or
/// as many as there are rows), which take the resamples' place.
/// Cost: about ten passes over the margins for each fold and setting.
void judge_by_sigmoids(std::uint64_t seed, const core::Context& context, Predictions& predictions);

/// Score and spread of a setting. The score is that of the predictions of all resamples together, because a resample
/// that lacks a class says little of a balanced accuracy or an F1, and the mean over such resamples is biased. Pairs of
/// an AUC are of one resample each. The spread is over the resamples in which the score is defined.
void set_score(const Predictions& predictions, std::size_t which, Setting& setting);

/// A mean over rows, each of which counts by the mean of its places.
struct RowsLoss {
  double mean = 0;            ///< NaN without rows
  double standard_error = 0;  ///< deviation over the root of the number of rows; 0 for one row
};
/// The mean loss of a setting (ScoreBasis::losses).  @param weights  of the places; empty: each row counts once
RowsLoss loss_over_rows(const Predictions& predictions, std::size_t setting, std::span<const double> weights = {});

/// The standard error of a setting's score over rows: that of loss_over_rows where losses are kept, else that of the
/// jackknife, which leaves out the places in ten parts (or as many as there are places): each tenth place is in one
/// part. A part without which the score is undefined does not count. Unlike in pooled_loss, pairs of an AUC cross the
/// parts.
/// @param weights  of the places; empty: their own
double error_over_rows(const Predictions& predictions, std::size_t setting, std::span<const double> weights = {});

/// The spread of a setting whose losses in the resamples are known; NaN where a resample does not count.
void set_spread(std::span<const double> losses, Setting& setting);

/// Bootstrap bias correction of a choice by the pooled score: the drawn rows choose a setting by the score of all their
/// places, and the places of the rows that were not drawn judge the setting. Rule::one_se and Rule::average take their
/// standard error from the losses of the drawn rows in each resample, or from the drawn rows (error_over_rows); with
/// the latter rule the average of the settings within reach is judged. A row counts once, however often it was held
/// out. Cost: resamples x places x settings.
/// @param groups  of all rows, as in bootstrap_bias_corrected
HonestEstimate bbc_of_scores(const Predictions& predictions, std::size_t row_count,
                             std::span<const std::size_t> preference, Rule rule, std::span<const int> groups,
                             const BbcOptions& options, const core::Context& context);

/// The predictions of the average of the members, as those of a grid of one setting. Log losses are not made.
/// Cost: places x members.
/// @param weights  of the places: those without weight are left at 0; empty: all are made
Predictions averaged(const Predictions& predictions, std::span<const std::size_t> members,
                     std::span<const double> weights = {});

/// With Rule::average, gives the selection its average: the settings within reach of the best one, and the error of
/// their average. Nothing where no setting is complete, or the monitor says stop.
void add_average(const Predictions& predictions, const Options& options, const core::Context& context,
                 Selection& selection);

}  // namespace credence::selection
