#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/selector.hpp"
#include "selection/fit/fit_task.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/fit/shared_gram.hpp"
#include "selection/judge/predictions.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {

/// Every setting of the grid judged on the rows that each resample left out.
struct JudgedGrid {
  std::vector<std::size_t> held_out;  ///< number of rows left out, for each resample
  std::vector<std::uint32_t> judged;  ///< number of resamples that left the row out, for each row
  std::vector<TaskResult> results;    ///< (setting, resample), resample fastest
  /// For each row the weight of its loss, with mean 1 over all judgements (error_weights); empty: all are 1.
  std::vector<double> weights;
  /// For every row left out. Where rows are left out several times and their mean losses suffice (compares_sums), the
  /// predictions of one resample are kept for each row.
  Predictions predictions;
  /// For each row the place of the prediction that p-values rest on, drawn by the seed from all places of the row. The
  /// mean over all places would vary less than the score of a single model, and p-values from it promise too much.
  std::vector<std::uint32_t> place_of;
  /// Where some row is left out several times: the sum of the losses of each (setting, row), row fastest; else empty.
  std::vector<double> sums;
  /// (setting, resample), resample fastest: the SVMs that judged; empty unless they were asked for.
  ModelMachines machines;

  std::span<const TaskResult> of_setting(std::size_t setting) const {
    return {results.data() + setting * held_out.size(), held_out.size()};
  }
  std::size_t settings() const { return results.size() / held_out.size(); }
  /// The sum of the losses of a row (judging_loss, times its weight) over the resamples that left it out.
  double sum(std::size_t row, std::size_t setting) const {
    return sums.empty() ? predictions.loss(setting, place_of[row]) : sums[setting * judged.size() + row];
  }
  /// For each row and setting, the mean loss over the resamples that left the row out.
  LossTable losses() const;
  /// Returns the nonconformity scores of one complete setting for the rows that were left out: minus the score of the
  /// true class (svm::class_scores), or |target - mean|. Each is by the model at `place_of`, which had not seen the
  /// row. The scores of all classes are there if they are kept for this setting (ClassScores).
  model::Calibration calibration(std::size_t setting, const std::string& source) const;
  /// The same of the average of some settings, from clipped scores (Rule::average).
  model::Calibration calibration_of_average(std::span<const std::size_t> members, const std::string& source) const;
};

/// Called once for each held-out row of each usable setting. Calls come from several threads; those for one pair
/// (resample, setting) come one after the other, in the order of the rows.
using JudgementVisitor =
    std::function<void(std::size_t resample, std::size_t setting, std::size_t row, bool error, double soft)>;

/// The loss by which the grid was judged; weighted errors are stored as Loss::soft too.
Loss judging_loss(const Options& options, const JudgedGrid& judged);

/// The settings of a grid for which the scores of all classes are kept.
enum class ScoredSettings {
  if_they_fit,  ///< all, if their scores take no more than a share of the memory budget, or there is one setting; else
                ///< none
  last,         ///< the last
  none,
};

/// Returns a grid in which nothing is judged yet, with room for all results.
/// @throws Error memory if the rule is average, and the predictions do not fit into the budget
JudgedGrid empty_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      std::size_t settings, ScoredSettings scored, std::size_t memory_budget);

/// The settings of two grids that were judged on the same resamples, those of `first` before those of `second`.
/// SVMs are left out.
JudgedGrid joined(JudgedGrid first, const JudgedGrid& second);

/// Trains the whole grid on every resample. The SVMs of a resample use the kernel matrix of all rows: the variables of
/// rows left out are fixed at 0, and decision values are computed for these rows. Relevance vector machines are fitted
/// one by one.
/// @param scored  of which settings the scores of all classes are kept
/// @param wanted  which settings are trained; none: all. The others are not complete.
/// @param keeps_machines  the SVMs are kept, unless a checkpoint is in use, which holds none
JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context, const JudgementVisitor& visit = {},
                      ScoredSettings scored = ScoredSettings::if_they_fit,
                      const std::optional<WantedSettings>& wanted = std::nullopt, bool keeps_machines = false);

/// The same in several calls of `judge`, each of which trains some settings on some resamples. A setting is complete
/// once every resample has judged it.
class GridJudge {
 public:
  /// The arguments must outlive the object.
  GridJudge(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
            const core::Context& context, const JudgementVisitor& visit = {},
            ScoredSettings scored = ScoredSettings::if_they_fit);
  ~GridJudge();

  /// @param which  resamples, ascending, that come after those of earlier calls
  void judge(const WantedSettings& wanted, std::vector<std::size_t> which, bool keeps_machines = false);
  const JudgedGrid& judged() const { return judged_; }
  /// What has been judged; to be called once, at the end.
  JudgedGrid take();

 private:
  class Recorder;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  const core::Context& context_;
  bool visits_;
  JudgedGrid judged_;
  std::unique_ptr<Recorder> recorder_;
  HandedOn handed_on_;  ///< between calls for some resamples
};

/// The labels that the whole grid, trained on all rows, gives to these same rows.
/// @param settings  of the grid: those without a solution are not complete
Predictions training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context,
                            std::vector<Setting>& settings);

/// The settings with all that does not depend on the method: hyper-parameters, counts, completeness, the spread of
/// errors over resamples, and Setting::error. The error is the mean loss (Options::loss) of rows left out, which a
/// method may replace, or the loss of the score.
std::vector<Setting> settings_of(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options);

/// Whether the SVM was solved, or found infeasible, on all rows; those of one gamma are solved in the order of C.
inline bool is_on_path(const Setting& setting) {
  return setting.rung == 0 && (setting.complete || setting.infeasible);
}

/// The calibration of the chosen setting; empty if the monitor says stop. Of more than two classes, the setting is
/// judged once more where the scores of all classes of the whole grid did not fit (ClassScores).
/// @param resamples  on which the grid was judged
model::Calibration chosen_calibration(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                                      const std::string& source, std::span<const Resample> resamples,
                                      const core::Context& context, const Selection& selection);

/// Gives the selection the calibration of its chosen setting, if the selection is complete.
void calibrate(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
               const std::string& source, std::span<const Resample> resamples, const core::Context& context,
               Selection& selection);

}  // namespace credence::selection
