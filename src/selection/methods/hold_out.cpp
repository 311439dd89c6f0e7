#include "selection/methods/hold_out.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/predictions.hpp"
#include "selection/methods/methods.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Trains the models of each kernel and scaling, and names their settings. Returns whether there is one to judge.
bool train_grid(const data::Dataset& dataset, const data::Dataset& training, const Options& options,
                const core::Context& context, HeldOutRun& run) {
  std::vector<Setting>& grid = run.selection.grid;
  const std::vector<Options> spaces = spaces_of(options);
  for (const Options& own : spaces) {
    std::vector<Setting> settings = named_settings(reported_gammas(training, own), own);
    TrainedFamily trained = train_family(dataset, run.part, own, context, settings);
    for (const std::size_t setting : trained.settings) run.settings.push_back(grid.size() + setting);
    if (trained.family) run.members.parts.push_back({std::move(trained.preprocessing), std::move(trained.family)});
    grid.insert(grid.end(), settings.begin(), settings.end());
  }
  if (run.members.parts.size() < spaces.size() && context.monitor.should_stop()) {  // a part of a grid chooses nothing
    run.members.parts.clear();
    run.settings.clear();
  }
  return !run.members.empty();
}

/// What the models say of the validation rows. @param training  by whose rows errors are weighted
Predictions predictions_of(const HeldOutRun& run, const data::Dataset& training, const data::Dataset& validation,
                           const Options& options, const core::Context& context) {
  const std::vector<std::size_t> every = core::numbers_below(validation.rows());
  Predictions predictions = room_for(options, std::span(&every, 1), validation.labels, validation.weights,
                                     validation.schema.classes, run.settings.size());
  if (run.selection.weighted) predictions.error_weights = error_weights(validation, class_costs(training, options));
  const std::size_t classes = predictions.classes;
  if (options.rule == Rule::average && classes > 2)
    predictions.class_scores = ClassScores(predictions.places(), 0, predictions.settings, classes);
  const bool probabilities = options.score == Score::log_loss && options.learner() == Learner::rvm;
  for (std::size_t k = 0; k < predictions.settings; ++k) {
    for (std::size_t i = 0; i < predictions.places(); ++i) {
      const std::size_t at = predictions.at(k, i);
      const double* const scores = run.scores.at(i, k);
      const auto truth = static_cast<std::size_t>(validation.labels[i]);
      predictions.labels[at] = static_cast<std::uint16_t>(run.scores.label(i, k));
      predictions.scores[at] = classes > 2 ? scores[truth] : truth == 1 ? scores[1] : -scores[1];
      if (probabilities) predictions.log_losses[at] = rvm::log_loss_of_scores({scores, classes}, validation.labels[i]);
      if (predictions.class_scores.any())
        std::ranges::transform(scores, scores + classes, predictions.class_scores.at(k, i).begin(),
                               [](double score) { return static_cast<float>(score); });
    }
  }
  if (options.score == Score::log_loss && !probabilities) judge_by_sigmoids(options.seed, context, predictions);
  return predictions;
}

/// Gives the settings their scores on the validation rows, over which standard errors are taken.
void judge_settings(const HeldOutRun& run, const Options& options, std::vector<Setting>& settings) {
  for (std::size_t k = 0; k < run.settings.size(); ++k) {
    Setting& setting = settings[run.settings[k]];
    set_score(run.predictions, k, setting);
    if (options.rule_or_best() != Rule::best) setting.error_se = error_over_rows(run.predictions, k);
    setting.split_scores.clear();
  }
}

}  // namespace

std::size_t default_validation_rows(std::size_t n) {
  constexpr std::size_t few = 500;
  return n <= few ? std::min<std::size_t>(n / 5, 50) : std::min<std::size_t>(n / 10, 10000);
}

std::vector<bool> validation_split(const data::Dataset& given, const Options& options) {
  const RowsInUse used = rows_in_use(given, options);
  const data::Dataset& dataset = *used.rows;
  const std::size_t n = dataset.rows();
  const std::size_t count = options.validation_rows.value_or(default_validation_rows(n));
  if (count < 1 || count + 2 > n) {
    refuse_data(fmt::format("{} of {} rows cannot be held out for validation: at least 1 is needed, and 2 must be left",
                            count, n),
                {dataset.source});
  }
  return used.of_given(data::random_hold_out(n, count, dataset.together(), options.seed));
}

HeldOutRun hold_out(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  check_data(dataset, options);
  HeldOutRun run;
  run.selection = begin_report(dataset, options, context);
  run.selection.score = score_name("validation", run.selection);
  run.selection.resamples = 1;
  Resample& part = run.part = all_rows(dataset.rows());
  const std::vector<bool> held_out_rows = validation_split(dataset, options);
  for (std::size_t i = 0; i < held_out_rows.size(); ++i) part.drawn[i] = held_out_rows[i] ? 0 : 1;
  const data::Dataset training = dataset.select_rows(part.training_rows());
  data::check_trainable(training);
  const data::Dataset validation = dataset.select_rows(part.held_out());
  run.labels = validation.labels;
  run.clusters = validation.clusters();
  run.selection.validation_rows = validation.rows();
  if (train_grid(dataset, training, options, context, run)) {
    run.scores = run.members.score_all(validation, {}, context);
    run.predictions = predictions_of(run, training, validation, options, context);
    judge_settings(run, options, run.selection.grid);
  } else {
    for (Setting& setting : run.selection.grid) setting.complete = false;  // trained or not, nothing has judged it
  }
  return run;
}

Ensemble HeldOutRun::predictor(const data::Dataset& dataset) const {
  auto names = core::mapped(settings, [&](std::size_t setting) { return name_of(selection.grid[setting]); });
  Ensemble result = ensemble_of(dataset, part, selection, members, std::move(names));
  result.validation_rows = labels.size();
  return result;
}

namespace {

/// Settings of the family that have the fewest errors on the drawn validation rows, in order of preference.
std::vector<std::uint32_t> fewest_errors(const HeldOutRun& run, std::span<const std::uint32_t> order,
                                         std::span<const std::uint32_t> drawn) {
  std::vector<std::size_t> errors(run.settings.size(), 0);
  for (std::size_t i = 0; i < run.labels.size(); ++i)
    for (std::size_t k = 0; drawn[i] > 0 && k < errors.size(); ++k)
      errors[k] += run.scores.label(i, k) != run.labels[i] ? drawn[i] : 0U;
  const std::size_t fewest = *std::ranges::min_element(errors);
  std::vector<std::uint32_t> members;
  std::ranges::copy_if(order, std::back_inserter(members), [&](std::uint32_t k) { return errors[k] == fewest; });
  return members;
}

/// The models of the family in the order in which ties are settled.
std::vector<std::uint32_t> family_order(const HeldOutRun& run, const Options& options) {
  return core::mapped(preference(run.selection, options, true), [&](std::size_t setting) {
    return static_cast<std::uint32_t>(std::ranges::find(run.settings, setting) - run.settings.begin());
  });
}

double resampled_vote(const HeldOutRun& run, std::span<const std::uint32_t> order,
                      std::span<const std::uint32_t> drawn) {
  const VoteRule rule{fewest_errors(run, order, drawn)};
  std::size_t errors = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < run.labels.size(); ++i) {
    if (drawn[i] == 0) {
      errors += majority(rule, run.scores, i) != run.labels[i] ? 1U : 0U;
      ++rows;
    }
  }
  return static_cast<double>(errors) / static_cast<double>(rows);
}

/// The setting with the smallest error on rows held out once, or the vote of all that attain it.
class HoldOutError {
 public:
  HoldOutError(const Options& options, bool vote) : options_(options), vote_(vote) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    HeldOutRun run = hold_out(dataset, options_, context);
    choose(options_, run.selection);
    if (!run.members.empty()) {
      add_average_of_family(run, context);
      const std::vector<std::uint32_t> order = family_order(run, options_);
      if (!vote_) run.selection.calibration = calibration(run);
      keep_models(dataset, run, order);
      add_bbc(
          options_, context, run.labels.size(), run.clusters,
          [&](const core::Context& part) { return estimate(run, order, part); }, run.selection);
    }
    conclude(dataset, context, run.selection);
    if (run.selection.stopped != core::StopReason::none) run.selection.calibration = {};
    return std::move(run.selection);
  }

 private:
  /// Whether the model that was judged is returned, not another one trained on all rows.
  bool keeps_judged() const { return options_.refit == Refit::training_rows || options_.learner() == Learner::knn; }

  /// The family's models are the settings that could be trained.
  void add_average_of_family(HeldOutRun& run, const core::Context& context) const {
    Selection of_family = run.selection;
    of_family.grid = core::picked(run.selection.grid, run.settings);
    add_average(run.predictions, options_, context, of_family);
    run.selection.average = of_family.average;
    if (!run.selection.average) return;
    for (std::size_t& member : run.selection.average->members) member = run.settings[member];
  }

  /// The models of the family that take part in the average.
  AverageRule average_rule(const HeldOutRun& run) const {
    AverageRule rule;
    for (std::size_t k = 0; k < run.settings.size(); ++k)
      if (std::ranges::binary_search(run.selection.average->members, run.settings[k]))
        rule.members.push_back(static_cast<std::uint32_t>(k));
    return rule;
  }

  /// What the chosen model, or the average, says of the validation rows.
  model::Calibration calibration(const HeldOutRun& run) const {
    AverageRule rule;
    if (run.selection.average) rule = average_rule(run);
    const auto chosen = std::ranges::find(run.settings, *run.selection.best);
    const auto k = static_cast<std::size_t>(chosen - run.settings.begin());
    model::Calibration result;
    result.source = "held-out";
    // The rows that judge a single setting choose nothing.
    if (keeps_judged() && run.selection.grid.size() == 1) result.p_values = model::PValues::split;
    result.labels = run.labels;
    data::DenseMatrix scores(run.labels.size(), run.scores.classes);
    for (std::size_t i = 0; i < run.labels.size(); ++i) {
      if (rule.members.empty())
        std::copy_n(run.scores.at(i, k), run.scores.classes, scores.row(i).begin());
      else
        average(rule, run.scores, i, scores.row(i));
      result.nonconformity_scores.push_back(-scores.row(i)[static_cast<std::size_t>(run.labels[i])]);
    }
    if (run.scores.classes > 2) result.scores = std::move(scores);
    return result;
  }

  /// The models themselves are returned where they are what was judged, or there is nothing to retrain them with.
  void keep_models(const data::Dataset& dataset, HeldOutRun& run, std::span<const std::uint32_t> order) const {
    if (!vote_ && !keeps_judged()) return;
    VoteRule rule{fewest_errors(run, order, std::vector<std::uint32_t>(run.labels.size(), 1))};
    if (!vote_) rule.members.resize(1);
    auto predictor = std::make_shared<Ensemble>(run.predictor(dataset));
    predictor->record.selected_error = selected_error(run.selection);
    predictor->calibration = run.selection.calibration;
    if (run.selection.average)
      predictor->rule = average_rule(run);
    else
      predictor->rule = std::move(rule);
    run.selection.predictor = std::move(predictor);
  }

  HonestEstimate estimate(const HeldOutRun& run, std::span<const std::uint32_t> order,
                          const core::Context& context) const {
    const std::vector<std::size_t> settings(order.begin(), order.end());
    const BbcOptions bbc = bbc_options(options_, run.selection.weighted);
    const std::size_t rows = run.labels.size();
    if (!compares_sums(options_))
      return bbc_of_scores(run.predictions, rows, settings, options_.rule_or_best(), run.clusters, bbc, context);
    LossTable losses(rows, run.settings.size());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < losses.settings; ++k)
        losses.row(i)[k] = static_cast<float>(run.predictions.loss(k, i));
    if (!vote_) return bbc_of_smallest_loss(losses, settings, run.clusters, bbc, context);
    return bootstrap_bias_corrected(
        rows, run.clusters, [&](std::span<const std::uint32_t> drawn) { return resampled_vote(run, order, drawn); },
        bbc, context);
  }

  const Options& options_;
  bool vote_;
};

}  // namespace

Selection select_by(const HoldOut&, const data::Dataset& dataset, const Options& options, const core::Context& context,
                    const Forecast*) {
  return HoldOutError(options, false).select(dataset, context);
}

Selection select_by(const HoldOutVote&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  return HoldOutError(options, true).select(dataset, context);
}

}  // namespace credence::selection
