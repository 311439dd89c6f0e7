#include "selection/estimate/set_aside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/quantile.hpp"
#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/core/text.hpp"
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
  std::vector<std::vector<std::size_t>> units;
  if (judged.clusters().empty()) {
    for (std::size_t i = 0; i < judged.rows(); ++i) units.push_back({i});
    return units;
  }
  for (std::size_t i = 0; i < judged.rows(); ++i) clusters[judged.clusters()[i]].push_back(i);
  for (auto& [cluster, rows] : clusters) units.push_back(std::move(rows));
  return units;
}

/// The loss of the rows at some places of the judged rows, which may repeat; NaN where the score is undefined.
using LossOf = std::function<double(std::span<const std::size_t> places)>;

template <class Loss>
double mean_loss_of(std::span<const std::size_t> places, const Loss& loss) {
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
  std::vector<FoldErrors> counts;
  for (const auto& [cluster, own] : clusters) counts.push_back(own);
  add_binomial_ends(trials_of_folds(counts, estimate), true, estimate);
}

/// The places of a prediction in another order.
model::Prediction pick(const model::Prediction& prediction, std::span<const std::size_t> places) {
  model::Prediction part;
  if (prediction.score.rows > 0) part.score = data::DenseMatrix(places.size(), prediction.score.columns);
  for (std::size_t i = 0; i < places.size(); ++i) {
    part.label.push_back(prediction.label[places[i]]);
    if (prediction.score.rows > 0) std::ranges::copy(prediction.score.row(places[i]), part.score.row(i).begin());
  }
  return part;
}

data::Dataset labels_of(const data::Dataset& judged, std::span<const std::size_t> places) {
  data::Dataset part;
  part.schema.classes = judged.schema.classes;
  part.features = data::DenseMatrix(places.size(), 0);
  for (const std::size_t place : places) {
    part.labels.push_back(judged.labels[place]);
    if (!judged.weights.empty()) part.weights.push_back(judged.weights[place]);
  }
  return part;
}

/// @param costs  what an error on a row of each class costs, with the options' error; empty: errors count alike
HonestEstimate judged_by(const data::Dataset& judged, const model::Predictor& predictor, const Options& options,
                         std::span<const double> costs, const core::Context& context) {
  const model::Prediction prediction = predictor.predict(judged, context);
  HonestEstimate estimate;
  estimate.method = "hold-out";
  estimate.delta = options.delta;
  estimate.resamples = 1;
  estimate.rows = judged.rows();
  std::vector<std::size_t> every(judged.rows());
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = i;
  if (judged.is_regression()) {
    const LossOf mean_square = [&](std::span<const std::size_t> places) {
      return mean_loss_of(places, [&](std::size_t i) { return std::pow(prediction.mean[i] - judged.targets[i], 2); });
    };
    estimate.score = "mean squared error";
    estimate.error = mean_square(every);
    add_percentiles(judged, mean_square, options, context, estimate);
    return estimate;
  }
  if (!costs.empty()) {
    const std::vector<double> of_rows = error_costs(judged, costs);
    const LossOf weighted_error = [&](std::span<const std::size_t> places) {
      const auto error = [&](std::size_t i) { return prediction.label[i] != judged.labels[i] ? of_rows[i] : 0; };
      return mean_loss_of(places, error) / mean_loss_of(places, [&](std::size_t i) { return of_rows[i]; });
    };
    estimate.score = "weighted error";
    estimate.error = weighted_error(every);
    add_percentiles(judged, weighted_error, options, context, estimate);
    return estimate;
  }
  if (options.score == Score::accuracy) {
    std::erase_if(every, [&](std::size_t i) { return prediction.label[i] == judged.labels[i]; });
    estimate.error = static_cast<double>(every.size()) / static_cast<double>(judged.rows());
    add_count_interval(judged, every, options, estimate);
    return estimate;
  }
  const std::vector<double> losses =
      is_mean_loss(options.score) ? outer_losses(options, predictor, prediction, judged) : std::vector<double>{};
  const auto weight = [&](std::size_t i) { return judged.weights.empty() ? 1 : judged.weights[i]; };
  const LossOf loss_of_places = [&](std::span<const std::size_t> places) {
    if (!losses.empty())
      return mean_loss_of(places, [&](std::size_t i) { return weight(i) * losses[i]; }) / mean_loss_of(places, weight);
    return loss_of_sums(options.score,
                        outer_sums(options, predictor, pick(prediction, places), labels_of(judged, places)));
  };
  estimate.score = loss_title(options.score);
  estimate.error = loss_of_places(every);
  add_percentiles(judged, loss_of_places, options, context, estimate);
  return estimate;
}

/// Hands over the machine that was judged, which compares new rows with the rows set aside (Trust::split).
void keep_judged(const data::Dataset& judged, const std::shared_ptr<const model::Predictor>& predictor,
                 const core::Context& context, Selection& selection) {
  const model::Prediction said = predictor->predict(judged, context);
  model::Calibration kept;
  kept.source = "held-out";
  kept.trust = model::Trust::split;
  kept.labels = judged.labels;
  kept.region_of = said.region_of;
  for (std::size_t i = 0; i < judged.rows(); ++i)
    kept.strangeness.push_back(judged.is_regression() ? std::abs(judged.targets[i] - said.mean[i])
                                                      : -said.score.row(i)[static_cast<std::size_t>(judged.labels[i])]);
  if (said.score.columns > 2) kept.scores = said.score;
  selection.calibration = std::move(kept);
  // The machine was trained here, and is nobody else's.
  const auto model = std::const_pointer_cast<model::Predictor>(predictor);
  model->calibration = selection.calibration;
  model->siblings = {};  // of regions, or of folds of an evidence: rows are compared by the machine itself
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
        fmt::format("the time limit left no time to train the machines on the {} that judged them: the model is the "
                    "one that was judged",
                    core::count_of(judged, "row")));
  }
}

}  // namespace

Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                     const Choosing& choose, const SetAsideElsewhere* elsewhere) {
  const double begun = context.monitor.seconds();
  check_data(dataset, options);
  if (!dataset.splits.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "the hold-out estimate sets rows aside, and the splits of the data are about all rows",
                {dataset.source, 0, ""});
  }
  const data::Dataset training = rows_not_set_aside(dataset, options);
  const data::Dataset judged = elsewhere != nullptr ? elsewhere->judged : rows_set_aside(dataset, options);
  Options choosing = options;
  choosing.estimate = Estimate::none;
  choosing.trust = model::Trust::measured;  // the rows are set aside already
  Selection selection = choose(training, choosing);
  selection.options.estimate = Estimate::holdout;
  selection.options.trust = options.trust;
  selection.n = dataset.rows();
  selection.set_aside = judged.rows();
  for (const int label : judged.labels) ++selection.class_counts[static_cast<std::size_t>(label)];
  const bool has_choice = selection.best.has_value() || selection.predictor != nullptr;
  if (selection.stopped == core::StopReason::none && has_choice) {
    try {
      const double start = context.monitor.seconds();
      // Partitions are a model, which a time limit leaves: it is judged beyond the limit too, in a second or two.
      core::Monitor within(context.monitor, 0);
      core::Monitor beyond;
      const core::Context part = context.with(selection.partition() ? beyond : within);
      const std::shared_ptr<const model::Predictor> predictor = machine_of(training, selection, part);
      const std::vector<double> costs =
          weighs_errors(dataset, options) ? class_costs(training, options) : std::vector<double>{};
      selection.honest = judged_by(judged, *predictor, options, costs, part);
      selection.honest->seconds = context.monitor.seconds() - start;
      if (options.trust == model::Trust::split) {
        keep_judged(judged, predictor, part, selection);
        selection.seconds = context.monitor.seconds() - begun;
        return selection;
      }
      if (elsewhere != nullptr)
        elsewhere->train_on_all_rows(selection);
      else if (selection.partition())
        train_regions_in_time(dataset, judged.rows(), context, selection);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      selection.stopped = context.monitor.stop_reason();
    }
    if (options.traits().evidence && selection.honest && selection.best) {
      Options chosen = choosing;
      if (chosen.kernels.shape().uses_gamma())
        chosen.kernels.gamma = {{kernel::GammaRule::Kind::value, selection.grid[*selection.best].gamma}};
      chosen.machines.further = 0;
      const Selection again = choose(dataset, chosen);
      selection.predictor = again.predictor;
      selection.calibration = again.calibration;
      if (again.stopped != core::StopReason::none) selection.stopped = again.stopped;
    }
    // Of a regression the method keeps the machine of the rows that it saw; the one to hand over has seen all.
    if (dataset.is_regression() && selection.honest) {
      selection.predictor = nullptr;
      selection.memorised = false;
      selection.effective.reset();
      keep_regression(dataset, options, context, selection);
      std::vector<std::string> warnings;
      for (std::string& warning : selection.warnings)
        if (std::ranges::find(warnings, warning) == warnings.end()) warnings.push_back(std::move(warning));
      selection.warnings = std::move(warnings);
    }
  }
  selection.seconds = context.monitor.seconds() - begun;
  return selection;
}

}  // namespace credence::selection
