#include "selection/estimate/set_aside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <ranges>
#include <utility>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/quantile.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/frame/frame.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
namespace {

constexpr std::uint64_t purpose_of_resamples = 0x5345'5441'5349'4402;

/// What is drawn as a whole: the places of the rows of each cluster, or of each row.
std::vector<std::vector<std::size_t>> judged_units(const data::Dataset& judged) {
  std::map<int, std::vector<std::size_t>> clusters;
  for (std::size_t i = 0; i < judged.rows(); ++i)
    clusters[judged.clusters().empty() ? static_cast<int>(i) : judged.clusters()[i]].push_back(i);
  return core::mapped(std::views::values(clusters), std::identity());
}

/// The loss of the rows at some places of the judged rows, which may repeat; NaN where the score is undefined.
using LossOf = std::function<double(std::span<const std::size_t> places)>;

double mean_loss_of(std::span<const std::size_t> places, const auto& loss) {
  double sum = 0;
  for (const std::size_t i : places) sum += loss(i);
  return sum / static_cast<double>(places.size());
}

/// Percentiles of the loss over bootstrap samples of the judged rows, or of their clusters.
void add_percentiles(const data::Dataset& judged, const LossOf& loss_of_places, const Options& options,
                     const core::Context& context, HonestEstimate& estimate) {
  const std::vector<std::vector<std::size_t>> units = judged_units(judged);
  if (units.size() < least_clusters) return;
  std::vector<double> losses(options.estimate_samples);
  context.threads.for_each(losses.size(), [&](std::size_t sample) {
    core::RandomStream random(options.seed, purpose_of_resamples + sample);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const std::vector<std::size_t>& unit = units[static_cast<std::size_t>(random.below(units.size()))];
      places.insert(places.end(), unit.begin(), unit.end());
    }
    losses[sample] = loss_of_places(places);
  });
  std::erase_if(losses, [](double loss) { return std::isnan(loss); });
  if (losses.size() < 2 || std::ranges::adjacent_find(losses, std::not_equal_to<>{}) == losses.end()) return;
  std::ranges::sort(losses);
  estimate.interval = "percentile";
  estimate.lower = bounds::quantile(losses, options.delta / 2);
  estimate.upper = bounds::quantile(losses, 1 - options.delta / 2);
}

/// Clopper-Pearson for rows that stand alone; Korn-Graubard for whole clusters, as estimate_of_folds has it; of
/// distinct rows where copies count once.
void add_count_interval(const data::Dataset& judged, const std::vector<std::size_t>& wrong, const Options& options,
                        HonestEstimate& estimate) {
  const std::size_t errors = wrong.size();
  if (judged.clusters().empty()) {
    const bounds::Interval ends = bounds::clopper_pearson(errors, judged.rows(), options.delta);
    estimate.interval = "Clopper-Pearson";
    estimate.trials = static_cast<double>(judged.rows());
    estimate.lower = ends.lower;
    estimate.upper = ends.upper;
    return;
  }
  if (judged.copies_count_once) {
    add_binomial_ends(static_cast<double>(judged.units()), false, estimate);
    return;
  }
  std::map<int, FoldErrors> clusters;
  for (const int cluster : judged.clusters()) ++clusters[cluster].rows;
  for (const std::size_t row : wrong) ++clusters[judged.clusters()[row]].errors;
  if (clusters.size() < 2) return;
  const auto counts = core::mapped(std::views::values(clusters), std::identity());
  add_binomial_ends(trials_of_folds(counts, estimate), true, estimate);
}

/// The places of a prediction in another order.
model::Prediction pick(const model::Prediction& prediction, std::span<const std::size_t> places) {
  model::Prediction part;
  part.label = core::picked(prediction.label, places);
  if (prediction.score.rows > 0) part.score = prediction.score.select_rows(places);
  return part;
}

data::Dataset labels_of(const data::Dataset& judged, std::span<const std::size_t> places) {
  data::Dataset part;
  part.schema.classes = judged.schema.classes;
  part.features = data::DenseMatrix(places.size(), 0);
  part.labels = core::picked(judged.labels, places);
  part.weights = core::picked(judged.weights, places);
  return part;
}

/// The loss of each judged row, where the score is a mean of such losses, and what a row counts in it.
struct LossesOfRows {
  std::string title;
  std::vector<double> losses{};   ///< empty: the score is none of single rows
  std::vector<double> weights{};  ///< empty: each row counts 1
};

/// @param costs  what an error on a row of each class costs, with the options' error; empty: errors count alike
LossesOfRows losses_of_rows(const data::Dataset& judged, const model::Predictor& predictor,
                            const model::Prediction& prediction, const Options& options,
                            std::span<const double> costs) {
  LossesOfRows found{loss_title(options.score)};
  if (judged.is_regression()) {
    found.title = "mean squared error";
    for (std::size_t i = 0; i < judged.rows(); ++i)
      found.losses.push_back(std::pow(prediction.mean[i] - judged.targets[i], 2));
  } else if (!costs.empty()) {
    found.title = "weighted error";
    for (std::size_t i = 0; i < judged.rows(); ++i)
      found.losses.push_back(prediction.label[i] != judged.labels[i] ? 1 : 0);
    found.weights = error_costs(judged, costs);
  } else if (is_mean_loss(options.score)) {
    found.losses = outer_losses(options, predictor, prediction, judged);
    found.weights = judged.weights;
  }
  return found;
}

/// @param costs  as of losses_of_rows
HonestEstimate judged_by(const data::Dataset& judged, const model::Predictor& predictor, const Options& options,
                         std::span<const double> costs, const core::Context& context) {
  const model::Prediction prediction = predictor.predict(judged, context);
  HonestEstimate estimate{.method = "hold-out", .delta = options.delta, .resamples = 1, .rows = judged.rows()};
  std::vector<std::size_t> every = core::numbers_below(judged.rows());
  if (!judged.is_regression() && costs.empty() && options.score == Score::accuracy) {
    std::erase_if(every, [&](std::size_t i) { return prediction.label[i] == judged.labels[i]; });
    estimate.error = static_cast<double>(every.size()) / static_cast<double>(judged.rows());
    add_count_interval(judged, every, options, estimate);
    return estimate;
  }
  const LossesOfRows rows = losses_of_rows(judged, predictor, prediction, options, costs);
  const auto weight = [&](std::size_t i) { return rows.weights.empty() ? 1 : rows.weights[i]; };
  const LossOf loss_of_places = [&](std::span<const std::size_t> places) {
    if (rows.losses.empty())
      return loss_of_sums(options.score,
                          outer_sums(options, predictor, pick(prediction, places), labels_of(judged, places)));
    return mean_loss_of(places, [&](std::size_t i) { return weight(i) * rows.losses[i]; }) /
           mean_loss_of(places, weight);
  };
  estimate.score = rows.title;
  estimate.error = loss_of_places(every);
  add_percentiles(judged, loss_of_places, options, context, estimate);
  return estimate;
}

/// Returns the machine that was judged, which compares new rows with the rows set aside (PValues::split).
void keep_judged(const data::Dataset& judged, const std::shared_ptr<const model::Predictor>& predictor,
                 const core::Context& context, Selection& selection) {
  const model::Prediction said = predictor->predict(judged, context);
  model::Calibration kept{.source = "held-out", .p_values = model::PValues::split, .labels = judged.labels};
  kept.region_of = said.region_of;
  for (std::size_t i = 0; i < judged.rows(); ++i)
    kept.nonconformity_scores.push_back(judged.is_regression()
                                            ? std::abs(judged.targets[i] - said.mean[i])
                                            : -said.score.row(i)[static_cast<std::size_t>(judged.labels[i])]);
  if (said.score.columns > 2) kept.scores = said.score;
  selection.calibration = std::move(kept);
  // Safe: the predictor was made here, without const, and nothing else refers to it.
  const auto model = std::const_pointer_cast<model::Predictor>(predictor);
  model->calibration = selection.calibration;
  model->fold_models = {};  // of regions, or of folds of an evidence: rows are compared by the machine itself
  selection.predictor = model;
}

bool time_is_over(const core::Context& context) {
  return context.monitor.stop_reason() == core::StopReason::time_budget;
}

/// Where the time limit ends before that, the model stays the one that was judged.
void train_regions_in_time(const data::Dataset& dataset, std::size_t judged, const core::Context& context,
                           Selection& selection) {
  try {
    train_regions_on_all_rows(dataset, context, selection);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !time_is_over(context)) throw;
    selection.warnings.push_back(
        fmt::format("the time limit left no time to train the models on the {} that judged them: the model is the "
                    "one that was judged",
                    core::count_of(judged, "row")));
  }
}

/// Judges the choice, trained on the rows that chose, by the rows set aside. @return what was judged
std::shared_ptr<const model::Predictor> judge_choice(const data::Dataset& training, const data::Dataset& judged,
                                                     bool weighted, const Options& options,
                                                     const core::Context& context, Selection& selection) {
  const double start = context.monitor.seconds();
  const std::shared_ptr<const model::Predictor> predictor = model_without_folds(training, selection, context);
  const std::vector<double> costs = weighted ? class_costs(training, options) : std::vector<double>{};
  selection.honest = judged_by(judged, *predictor, options, costs, context);
  if (!judged.is_regression()) selection.judged_shares = class_shares(judged, costs);
  selection.honest->seconds = context.monitor.seconds() - start;
  return predictor;
}

/// The evidence of all rows, at the setting that was chosen.
void choose_again(const data::Dataset& dataset, Options options, const Choosing& choose, Selection& selection) {
  if (options.kernels.shape().uses_gamma())
    options.kernels.gamma = {{kernel::GammaRule::Kind::value, selection.grid[*selection.best].gamma}};
  options.rvms.further = 0;
  const Selection again = choose(dataset, options);
  selection.predictor = again.predictor;
  selection.calibration = again.calibration;
  if (again.stopped != core::StopReason::none) selection.stopped = again.stopped;
}

/// Of a regression the method keeps the machine of the rows that it saw; the one to return has seen all.
void keep_regression_of_all_rows(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                 Selection& selection) {
  selection.predictor = nullptr;
  selection.memorised = false;
  selection.effective.reset();
  std::vector<std::string> before = std::exchange(selection.warnings, {});
  keep_regression(dataset, options, context, selection);
  for (std::string& warning : selection.warnings)
    if (std::ranges::find(before, warning) == before.end()) before.push_back(std::move(warning));
  selection.warnings = std::move(before);
}

}  // namespace

Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                     const Choosing& choose, const SetAsideElsewhere* elsewhere) {
  const double begun = context.monitor.seconds();
  check_data(dataset, options);
  if (!dataset.splits.empty())
    refuse("the hold-out estimate sets rows aside, and the splits of the data are about all rows", {dataset.source});
  const data::Dataset training = rows_not_set_aside(dataset, options);
  const data::Dataset judged = elsewhere != nullptr ? elsewhere->judged : rows_set_aside(dataset, options);
  Options choosing = options;
  choosing.estimate = Estimate::none;
  choosing.p_values = model::PValues::cross;  // the rows are set aside already
  Selection selection = choose(training, choosing);
  selection.options.estimate = Estimate::holdout;
  selection.options.p_values = options.p_values;
  selection.n = dataset.rows();
  selection.set_aside = judged.rows();
  for (const int label : judged.labels) ++selection.class_counts[static_cast<std::size_t>(label)];
  const bool has_choice = selection.best.has_value() || selection.predictor != nullptr;
  const bool split = options.p_values == model::PValues::split;
  if (selection.stopped == core::StopReason::none && has_choice) {
    try {
      // Partitions are a model, which a time limit leaves: it is judged beyond the limit too, in a second or two.
      core::Monitor within(context.monitor, 0);
      core::Monitor beyond;
      const core::Context part = context.with(selection.partition() ? beyond : within);
      const auto predictor = judge_choice(training, judged, weighs_errors(dataset, options), options, part, selection);
      if (split)
        keep_judged(judged, predictor, part, selection);
      else if (elsewhere != nullptr)
        elsewhere->train_on_all_rows(selection);
      else if (selection.partition())
        train_regions_in_time(dataset, judged.rows(), context, selection);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      selection.stopped = context.monitor.stop_reason();
    }
  }
  if (selection.honest && !split) {
    if (options.traits().evidence && selection.best) choose_again(dataset, choosing, choose, selection);
    if (dataset.is_regression()) keep_regression_of_all_rows(dataset, options, context, selection);
  }
  selection.seconds = context.monitor.seconds() - begun;
  return selection;
}

}  // namespace credence::selection
