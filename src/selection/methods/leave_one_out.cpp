#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "credence/core/list.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/fit/fit_grid.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/methods/methods.hpp"
#include "selection/resample/error_weights.hpp"

namespace credence::selection {
namespace {

/// The resamples of one training on all rows, from which rows are left out one by one. Each leaves out a share of the
/// rows, so that threads stay busy: to follow the path of all rows again costs little beside that.
std::vector<Resample> shares_of_rows(std::size_t n) {
  constexpr std::size_t shares = 4;
  std::vector<Resample> resamples(std::min(shares, n), all_rows(n));
  for (std::size_t i = 0; i < n; ++i) resamples[i % shares].one_by_one.push_back(i);
  return resamples;
}

/// Computes the scores of all rows when they are left out, for the chosen setting. The grid did not leave out
/// misclassified support vectors; here they are left out too, along the same path to the C of the setting. Empty if the
/// monitor says stop.
model::Calibration left_out_margins(const data::Dataset& dataset, const Options& options, const Selection& selection,
                                    std::span<const Resample> parts, const core::Context& context) {
  const std::size_t costs = options.costs.C.size();
  const std::size_t chosen = *selection.best % costs;
  const Options to_setting = narrowed(options, *selection.best / costs, chosen + 1);
  model::Calibration result{"left-one-out", model::PValues::cross, std::vector<double>(dataset.rows()), dataset.labels};
  if (dataset.class_count() > 2) result.scores = data::DenseMatrix(dataset.rows(), dataset.class_count());
  const auto begin = [&](std::size_t, std::size_t share) {
    return TaskWants{
        .judged = parts[share].held_out(), .class_scores = result.scores.rows > 0, .left_out = LeftOutRows::margins};
  };
  const auto end = [&](std::size_t, std::size_t, const FittedTask& found) {
    for (std::size_t h = 0; found.costs[chosen].usable() && h < found.judged.size(); ++h) {
      const std::size_t i = found.judged[h];
      result.nonconformity_scores[i] = -found.scores[chosen * found.judged.size() + h];
      if (result.scores.rows > 0)
        std::copy_n(found.scores_of(chosen, h, result.scores.columns), result.scores.columns,
                    result.scores.row(i).begin());
    }
  };
  GridRun run(dataset, to_setting, parts, context);
  fit_grid(run, {.begin = begin, .end = end});
  return context.monitor.should_stop() ? model::Calibration{} : result;
}

class LeaveOneOutRun {
 public:
  explicit LeaveOneOutRun(const Options& options) : options_(options) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    check_data(dataset, options_);
    Selection selection = begin_report(dataset, options_, context);
    selection.score = score_name("leave-one-out", selection);
    selection.resamples = static_cast<int>(dataset.rows());
    const std::vector<Resample> parts = shares_of_rows(dataset.rows());
    const bool fast = leaves_boxes_only(dataset, parts, context);
    JudgedGrid judged = fast ? judge_grid(dataset, options_, parts, context, {}, ScoredSettings::none)
                             : judge_grid(dataset, options_, each_left_out(dataset.rows()), context);
    judged.predictions.starts = {0, dataset.rows()};  // one resample, over which a score is taken at once
    selection.grid = settings_of(judged, dataset, options_);
    set_spreads(judged, selection.grid);
    add_average(judged.predictions, options_, context, selection);
    Options concluding = options_;
    if (!dataset.clusters().empty()) {
      const bool copies = dataset.copies_count_once;
      const char* cluster = dataset.folds.empty() ? "group" : "fixed fold";
      selection.warnings.push_back(
          fmt::format("leave-one-out does not know {}: {} judge each other, so that bootstrap correction has no honest "
                      "estimate, and no margins are kept for p-values",
                      copies ? "copies" : fmt::format("{}s", cluster),
                      copies ? "copies of a row" : fmt::format("rows of a {}", cluster)));
      concluding.estimate = options_.estimate == Estimate::bbc ? Estimate::none : options_.estimate;
    }
    finish(dataset, concluding, context, judged, selection);
    if (selection.best && selection.stopped == core::StopReason::none) {
      const double begun = context.monitor.seconds();
      // A grid that leaves support vectors out one by one keeps the scores of the true classes alone.
      const bool margins_missing = fast && (!compares_scores(options_) || dataset.class_count() > 2);
      if (selection.average)
        add_estimation_of_average(dataset, judged, selection);
      else
        add_estimation(dataset, judged, margins_missing, parts, context, selection);
      if (!dataset.clusters().empty()) selection.calibration = {};
      selection.seconds += context.monitor.seconds() - begun;
    }
    return selection;
  }

 private:
  /// Whether leaving a row out closes its box and changes nothing else. A fitted preprocessing, balanced weights and a
  /// nu would change too, because they depend on all rows.
  bool leaves_boxes_only(const data::Dataset& dataset, std::span<const Resample> parts,
                         const core::Context& context) const {
    return GridRun(dataset, options_, parts, context).same_preprocessing() && !options_.costs.class_weights.balanced &&
           options_.costs.nu.empty();
  }

  /// Spreads over the rows; the shares in which rows were left out are no resamples.
  void set_spreads(const JudgedGrid& judged, std::vector<Setting>& settings) const {
    for (std::size_t k = 0; k < settings.size(); ++k) {
      const bool is_mean = judged.predictions.basis == ScoreBasis::losses;
      set_spread(is_mean && settings[k].complete ? judged.predictions.values(k) : std::vector<double>{}, settings[k]);
      if (!is_mean && options_.rule_or_best() != Rule::best && settings[k].complete)
        settings[k].error_se = error_over_rows(judged.predictions, k);
      settings[k].split_scores.clear();
      settings[k].fit_seconds.clear();
      settings[k].score_seconds.clear();
    }
  }

  /// The same as `add_estimation`, of the average of settings.
  void add_estimation_of_average(const data::Dataset& dataset, const JudgedGrid& judged, Selection& selection) const {
    const std::vector<std::size_t>& members = selection.average->members;
    selection.calibration = judged.calibration_of_average(members, "left-one-out");
    const Predictions average = averaged(judged.predictions, members);
    auto judgements = core::made(dataset.rows(), [&](std::size_t i) {
      return Judgement{1, average.error(0, i) ? 1U : 0U, svm::soft_loss(average.scores[i]), std::nullopt};
    });
    selection.found = estimation_of("leave-one-out", std::move(judgements), false, options_);
  }

  /// Adds what the chosen setting says of each row: scores as the calibration, losses as n judgements, models as
  /// classifiers to draw from.
  /// @param margins_missing  the grid did not leave out all support vectors, or did not keep all scores
  void add_estimation(const data::Dataset& dataset, const JudgedGrid& judged, bool margins_missing,
                      std::span<const Resample> parts, const core::Context& context, Selection& selection) const {
    const std::size_t best = *selection.best;
    model::Calibration left_out = margins_missing
                                      ? left_out_margins(dataset, options_, selection, parts, context)
                                      : chosen_calibration(dataset, options_, judged, "left-one-out",
                                                           each_left_out(dataset.rows()), context, selection);
    if (left_out.empty()) {
      selection.stopped = context.monitor.stop_reason();
      return;
    }
    auto judgements = core::made(dataset.rows(), [&](std::size_t i) {
      return Judgement{1, judged.predictions.error(best, i) ? 1U : 0U,
                       svm::soft_loss(-left_out.nonconformity_scores[i]), best};
    });
    if (options_.final_classifier == FinalClassifier::retrained)
      selection.calibration = std::move(left_out);
    else if (!draw_from_all(dataset, context, selection))
      return;
    // The judgements are not independent, because every row took part in the choice of the setting.
    selection.found = estimation_of("leave-one-out", std::move(judgements), false, options_);
  }

  /// @return false if the monitor said stop
  bool draw_from_all(const data::Dataset& dataset, const core::Context& context, Selection& selection) const {
    const auto choices = core::made(dataset.rows(), [&](std::size_t i) { return Chosen{i, *selection.best}; });
    const ChosenModels models = train_chosen(dataset, options_, each_left_out(dataset.rows()), choices, true, context);
    if (!models.complete) {
      selection.stopped = context.monitor.stop_reason();
      return false;
    }
    selection.predictor = random_predictor(dataset, models, options_, selection);
    return true;
  }

  static std::vector<Resample> each_left_out(std::size_t n) {
    return resamples_of_folds(core::made(n, [](std::size_t i) { return static_cast<int>(i); }));
  }

  const Options& options_;
};

}  // namespace

Selection select_by(const LeaveOneOut&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return LeaveOneOutRun(options).select(dataset, context);
}

}  // namespace credence::selection
