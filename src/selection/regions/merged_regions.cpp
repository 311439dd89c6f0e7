#include "selection/regions/merged_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "credence/bounds/binomial.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Rows of the regions, one region after the other.
std::size_t rows_of(const std::vector<RegionResult>& results) {
  return std::accumulate(results.begin(), results.end(), std::size_t{0},
                         [](std::size_t sum, const RegionResult& region) { return sum + region.rows; });
}

double weight_of(const std::vector<RegionResult>& results) {
  return std::accumulate(results.begin(), results.end(), 0.0,
                         [](double sum, const RegionResult& region) { return sum + region.weight; });
}

/// One setting of a grid that stands for the choices of all regions.
Setting pooled_setting(const std::vector<RegionResult>& results) {
  Setting setting;
  const double weight = weight_of(results);
  double variance = 0;
  for (const RegionResult& region : results) {
    const double share = weight > 0 ? region.weight / weight : 0;
    setting.error += share * region.error;
    variance += share * share * region.error_se * region.error_se;
    setting.n_sv += region.n_sv;
    add_work(region, setting);
  }
  setting.error_se = std::sqrt(variance);
  return setting;
}

/// What the losses of each group, which may lie in several regions, exceed those of as many rows on average.
std::vector<double> excess_of_groups(const data::Dataset& dataset, const FittedPartition& fitted,
                                     const std::vector<RegionResult>& results, double error) {
  const auto own = model::rows_by_region(fitted.region_of, fitted.regions());
  std::vector<double> excess(static_cast<std::size_t>(*std::ranges::max_element(dataset.groups)) + 1, 0.0);
  for (const RegionResult& region : results)
    for (std::size_t a = 0; a < region.rows; ++a)
      excess[static_cast<std::size_t>(dataset.groups[own[region.region][a]])] +=
          static_cast<double>(region.losses[a]) - error;
  return excess;
}

/// The corrections of the regions added up; the interval is that of all rows.
/// @param weighted  errors count by weights: there is no interval of a count
HonestEstimate pooled_estimate(const data::Dataset& dataset, const FittedPartition& fitted, const Options& options,
                               bool weighted, const std::vector<RegionResult>& results) {
  HonestEstimate estimate{.method = "bbc",
                          .score = options.loss == Loss::soft ? "soft loss"
                                   : weighted                 ? "weighted error"
                                                              : "error",
                          .delta = options.delta,
                          .resamples = options.estimate_samples,
                          .rows = rows_of(results)};
  const double weight = weight_of(results);
  for (const RegionResult& region : results) {
    const double error = region.honest ? region.honest->error : region.error;
    estimate.error += weight > 0 ? error * region.weight / weight : 0;
    estimate.seconds += region.honest ? region.honest->seconds : 0;
  }
  if (options.loss == Loss::soft || weighted) return estimate;
  const double error = std::clamp(estimate.error, 0.0, 1.0);
  const bool grouped = !dataset.groups.empty();
  const double trials = grouped ? bounds::effective_trials(error, excess_of_groups(dataset, fitted, results, error),
                                                           estimate.rows, options.delta)
                                : static_cast<double>(estimate.rows) * dataset.share_that_counts();
  add_binomial_ends(worth_of_a_row * trials, grouped, estimate);
  return estimate;
}

/// The machines of all regions, or those of their folds, which are taken out of the results.
/// @param models  at least
std::shared_ptr<svm::RegionFamily> taken(std::vector<JudgedPartition>& judged, svm::Region RegionResult::*which,
                                         std::size_t classes, std::size_t models) {
  auto family = std::make_shared<svm::RegionFamily>();
  family->class_count = classes;
  family->model_count = models;
  for (JudgedPartition& one : judged) {
    svm::RoutedRegions& routed =
        family->partitions.emplace_back(svm::RoutedRegions{one.fitted.scaling, one.fitted.partition, {}});
    for (RegionResult& result : one.results) {
      if (const auto& own = (result.*which).family) family->model_count = std::max(family->model_count, own->models());
      routed.regions.push_back(std::move(result.*which));
    }
  }
  return family;
}

void add_regions(const JudgedPartition& judged, PartitionReport& report) {
  const Options space = spaces_of(judged.fitted.options)[judged.fitted.space];
  for (const RegionResult& region : judged.results) {
    report.of_region.push_back({region, report.judged_as.size(), region.machine.classes, space.kernels.shape().type,
                                space.preparation.scaling(),
                                region.honest ? std::optional(region.honest->error) : std::nullopt,
                                region.machine.support_count()});
  }
  report.judged_as.push_back(judged.fitted.number);
}

/// @param unknown  rows of classes that no region in which they lie tells apart from others
void warn_of_unknown_classes(const FittedPartition& first, const std::vector<bool>& unknown, Selection& selection) {
  const auto rows = static_cast<std::size_t>(std::ranges::count(unknown, true));
  if (rows == 0) return;
  std::set<std::uint32_t> regions;
  for (std::size_t i = 0; i < unknown.size(); ++i)
    if (unknown[i]) regions.insert(first.region_of[i]);
  selection.warnings.push_back(
      fmt::format("in {} of the feature space a class has fewer than {} rows and is never predicted there, so that {} "
                  "{} as {}",
                  core::count_of(regions.size(), "region"), least_rows_of_class, core::count_of(rows, "row"),
                  rows == 1 ? "counts" : "count", rows == 1 ? "an error" : "errors"));
}

/// One setting of a grid that stands for the choices of all regions of all partitions.
Setting setting_of_average(const data::Dataset& dataset, const Options& options, const FoundInRegions& found,
                           const core::Context& context) {
  const bool by_score = options.score != Score::accuracy;
  Setting setting = by_score ? score_of_average(found.average, dataset, options, context) : Setting();
  for (const JudgedPartition& one : found.judged) {
    const Setting pooled = pooled_setting(one.results);
    setting.n_sv += pooled.n_sv;
    add_work(pooled, setting);
  }
  if (by_score) return setting;
  const std::vector<double> losses = found.average.losses(judging_loss(options));
  const auto rows = static_cast<double>(losses.size());
  setting.error = core::mean_of(losses);
  double squares = 0;
  for (const double value : losses) squares += (value - setting.error) * (value - setting.error);
  setting.error_se = std::sqrt(squares / std::max(rows - 1, 1.0) / rows);
  return setting;
}

/// What the partitions found, region after region.
PartitionReport report_of(const Options& options, const std::vector<JudgedPartition>& judged) {
  PartitionReport report;
  const auto& method = options.as<Regions>();
  report.size = method.size();
  report.by_default = method.by_default;
  report.partitions = judged.size();
  for (const RegionResult& one : judged.front().results) report.settings = std::max(report.settings, one.setting_count);
  report.settings *= spaces_of(options).size();
  for (const JudgedPartition& one : judged) {
    report.regions += one.fitted.regions();
    add_regions(one, report);
  }
  return report;
}

}  // namespace

void note_known_classes(const data::Dataset& dataset, const JudgedPartition& judged, std::vector<bool>& unknown) {
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const std::vector<int>& classes = judged.results[judged.fitted.region_of[i]].machine.classes;
    if (std::ranges::find(classes, dataset.labels[i]) != classes.end()) unknown[i] = false;
  }
}

std::optional<double> violation_of(const std::vector<RegionResult>& results) {
  std::optional<double> most;
  for (const RegionResult& result : results) most = std::max(most, result.violation);
  return most;
}

std::shared_ptr<Ensemble> merged_predictor(const data::Dataset& dataset, const RowSource& source,
                                           const Options& options, std::vector<JudgedPartition>& judged,
                                           const MeanOfPartitions* average) {
  auto predictor = std::make_shared<Ensemble>();
  set_head(*predictor, dataset, judged.front().fitted.preprocessing, options, false);
  keep_rows(dataset.rows(), source, *predictor);
  for (const JudgedPartition& one : judged)
    predictor->record.violation = std::max(predictor->record.violation, violation_of(one.results));
  predictor->set_family(taken(judged, &RegionResult::machine, dataset.class_count(), 1));
  if (average == nullptr) return predictor;
  predictor->calibration = average->calibration();
  // The folds of an average are those of all rows, whichever of them the rows of a region have.
  const std::size_t folds = options.as<Regions>().averages() ? options.resample_count(dataset.rows()) : 1;
  predictor->fold_models.parts = {{.family = taken(judged, &RegionResult::folds, dataset.class_count(), folds)}};
  return predictor;
}

Selection merged_regions(const data::Dataset& dataset, const RowSource& source, const Options& options,
                         FoundInRegions found, const core::Context& context) {
  std::vector<JudgedPartition>& judged = found.judged;
  const JudgedPartition& first = judged.front();
  Selection selection = begin_report(dataset, options, context);
  selection.options.estimate = first.fitted.options.estimate;
  selection.score = score_name("CV", selection);
  selection.resamples = static_cast<int>(options.resample_count(dataset.rows()));
  PartitionReport report = report_of(options, judged);
  report.curve = std::move(found.curve);
  const bool complete = first.results.size() == first.fitted.regions();
  if (!complete) report.partitions = 0;
  selection.found = std::move(report);
  const bool adds_up = judged.size() == 1 && options.score == Score::accuracy;
  selection.grid = {adds_up || !complete ? pooled_setting(first.results)
                                         : setting_of_average(dataset, options, found, context)};
  selection.grid.front().complete = complete;
  if (!first.results.empty()) selection.best = 0;
  add_warnings(dataset, selection, first.fitted.preprocessing.constant);
  if (complete) {
    warn_of_unknown_classes(first.fitted, found.unknown, selection);
    if (selection.options.estimate == Estimate::bbc)
      selection.honest = pooled_estimate(dataset, first.fitted, options, selection.weighted, first.results);
    auto predictor = merged_predictor(dataset, source, options, judged, &found.average);
    predictor->record.selected_error = selected_error(selection);
    predictor->record.resamples = selection.resamples;
    selection.calibration = predictor->calibration;
    selection.predictor = std::move(predictor);
  } else {
    selection.stopped = context.monitor.stop_reason();
  }
  selection.seconds = context.monitor.seconds() - selection.seconds;
  return selection;
}

MeanOfPartitions::MeanOfPartitions(std::vector<double> weights) : weights_(std::move(weights)) {}

void MeanOfPartitions::add(JudgedPartition& judged, const data::Dataset& dataset) {
  const std::size_t rows = dataset.rows();
  const std::size_t classes = dataset.class_count();
  if (partitions_ == 0) {
    sum_.source = "out-of-fold";
    sum_.region_of.assign(judged.fitted.region_of.begin(), judged.fitted.region_of.end());
    sum_.nonconformity_scores.resize(rows, 0.0);
    sum_.labels = dataset.labels;
    sum_.fold_model_of.resize(rows);
    if (classes > 2) sum_.scores = data::DenseMatrix(rows, classes);
    of_first_.resize(rows);
  }
  ++partitions_;
  const auto rows_of_region = model::rows_by_region(judged.fitted.region_of, judged.fitted.regions());
  for (RegionResult& region : judged.results) {
    const model::Calibration own = std::exchange(region.calibration, {});
    for (std::size_t a = 0; a < own.labels.size(); ++a) {
      const std::size_t row = rows_of_region[region.region][a];
      sum_.fold_model_of[row] = own.fold_model_of[a];
      if (partitions_ == 1) of_first_[row] = region.labels[a];
      sum_.nonconformity_scores[row] += own.nonconformity_scores[a];
      for (std::size_t c = 0; c < own.scores.columns; ++c) sum_.scores.row(row)[c] += own.scores.row(a)[c];
    }
  }
}

model::Calibration MeanOfPartitions::calibration() const {
  model::Calibration mean = sum_;
  if (partitions_ < 2) return mean;
  const auto count = static_cast<double>(partitions_);
  for (double& value : mean.nonconformity_scores) value /= count;
  for (double& value : mean.scores.values) value /= count;
  return mean;
}

std::vector<int> MeanOfPartitions::labels() const {
  if (partitions_ < 2) return of_first_;
  std::vector<int> labels = sum_.labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (sum_.scores.rows > 0) {
      const auto scores = sum_.scores.row(i);
      labels[i] = static_cast<int>(std::ranges::max_element(scores) - scores.begin());
    } else if (sum_.nonconformity_scores[i] > 0 || (sum_.nonconformity_scores[i] == 0 && labels[i] == 1)) {
      labels[i] = 1 - labels[i];
    }
  }
  return labels;
}

std::vector<double> MeanOfPartitions::losses(Loss loss) const {
  if (partitions_ == 0) refuse("no partition has been judged yet");
  std::vector<double> losses;
  losses.reserve(sum_.labels.size());
  for (std::size_t i = 0; i < sum_.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(sum_.labels[i]);
    const double own = -sum_.nonconformity_scores[i] / static_cast<double>(partitions_);
    if (loss == Loss::soft) {
      losses.push_back(svm::soft_loss(own));
    } else if (sum_.scores.rows == 0) {
      losses.push_back(own > 0 || (own == 0 && label == 0) ? 0 : 1);
    } else {
      const auto scores = sum_.scores.row(i);
      losses.push_back(static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin()) == label ? 0 : 1);
    }
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) losses[i] *= weights_[i];
  return losses;
}

}  // namespace credence::selection
