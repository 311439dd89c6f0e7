#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "credence/bounds/binomial.hpp"
#include "credence/core/error.hpp"
#include "credence/core/text.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/head.hpp"
#include "selection/frame/warnings.hpp"
#include "selection/partition/prepared_rows.hpp"
#include "selection/score/error_weights.hpp"

namespace credence::selection {
namespace {

void check_results(const FittedPartition& fitted, const std::vector<RegionResult>& results) {
  std::vector<std::size_t> rows(fitted.regions(), 0);
  for (const std::uint32_t region : fitted.region_of) ++rows[region];
  std::vector<bool> seen(fitted.regions(), false);
  for (const RegionResult& result : results) {
    if (result.region >= fitted.regions() || seen[result.region] || result.rows != rows[result.region])
      throw Error(ErrorCode::invalid_argument, "the results of regions are not those of this partition");
    seen[result.region] = true;
  }
}

/// Rows of the regions, one region after the other.
std::size_t rows_of(const std::vector<RegionResult>& results) {
  return std::accumulate(results.begin(), results.end(), std::size_t{0},
                         [](std::size_t sum, const RegionResult& region) { return sum + region.rows; });
}

/// One cell of a grid that stands for the choices of all regions.
Cell pooled_cell(const std::vector<RegionResult>& results) {
  Cell cell;
  const auto rows = static_cast<double>(rows_of(results));
  double variance = 0;
  for (const RegionResult& region : results) {
    const double share = static_cast<double>(region.rows) / rows;
    cell.error += share * region.error;
    variance += share * share * region.error_se * region.error_se;
    cell.n_sv += region.n_sv;
    cell.steps += region.steps;
    cell.factorisations += region.factorisations;
    cell.unconverged += region.unconverged;
  }
  cell.error_se = std::sqrt(variance);
  return cell;
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
HonestEstimate pooled_estimate(const data::Dataset& dataset, const FittedPartition& fitted, const Options& options,
                               const std::vector<RegionResult>& results) {
  HonestEstimate estimate;
  estimate.method = "bbc";
  estimate.score = options.loss() == Loss::soft ? "soft loss" : "error";
  estimate.delta = options.delta;
  estimate.resamples = options.estimate_samples;
  estimate.rows = rows_of(results);
  for (const RegionResult& region : results) {
    const double error = region.honest ? region.honest->error : region.error;
    estimate.error += error * static_cast<double>(region.rows) / static_cast<double>(estimate.rows);
    estimate.seconds += region.honest ? region.honest->seconds : 0;
  }
  if (options.loss() == Loss::soft) return estimate;
  const double error = std::clamp(estimate.error, 0.0, 1.0);
  const bool grouped = !dataset.groups.empty();
  const double trials = grouped ? bounds::effective_trials(error, excess_of_groups(dataset, fitted, results, error),
                                                           estimate.rows, options.delta)
                                : static_cast<double>(estimate.rows);
  add_binomial_ends(worth_of_a_row * trials, grouped, estimate);
  return estimate;
}

/// The scores of all regions in the order of the rows, which are taken out of the results.
model::Calibration pooled_calibration(const FittedPartition& fitted, std::vector<RegionResult>& results,
                                      std::size_t classes) {
  model::Calibration pooled;
  pooled.source = "out-of-fold";
  const std::size_t rows = fitted.region_of.size();
  pooled.region_of.assign(fitted.region_of.begin(), fitted.region_of.end());
  pooled.strangeness.resize(rows);
  pooled.sibling_of.resize(rows);
  pooled.labels.resize(rows);
  if (classes > 2) pooled.scores = data::DenseMatrix(rows, classes);
  const auto rows_of_region = model::rows_by_region(fitted.region_of, fitted.regions());
  for (RegionResult& region : results) {
    const model::Calibration own = std::exchange(region.calibration, {});
    for (std::size_t a = 0; a < own.labels.size(); ++a) {
      const std::size_t row = rows_of_region[region.region][a];
      pooled.sibling_of[row] = own.sibling_of[a];
      pooled.strangeness[row] = own.strangeness[a];
      pooled.labels[row] = own.labels[a];
      if (classes > 2) std::ranges::copy(own.scores.row(a), pooled.scores.row(row).begin());
    }
  }
  return pooled;
}

/// The machines of the folds of all regions, which are taken out of the results.
model::Siblings pooled_siblings(const FittedPartition& fitted, std::vector<RegionResult>& results,
                                std::size_t classes) {
  auto family = std::make_shared<svm::RegionSiblings>();
  family->partition = fitted.partition;
  family->class_count = classes;
  family->folds = 1;
  for (RegionResult& region : results) {
    family->regions.push_back(std::move(region.folds));
    if (const auto& folds = family->regions.back().family) family->folds = std::max(family->folds, folds->models());
  }
  model::Siblings siblings;
  siblings.parts.push_back({std::nullopt, std::move(family), {}});
  return siblings;
}

PartitionReport report_of(const FittedPartition& fitted, const Options& options,
                          const std::vector<RegionResult>& results) {
  PartitionReport report;
  report.size = options.region_rows();
  report.regions = fitted.regions();
  for (const RegionResult& region : results) report.settings = std::max(report.settings, region.cells);
  for (const RegionResult& region : results) {
    RegionReport& one = report.of_region.emplace_back();
    one.region = region.region;
    one.rows = region.rows;
    one.class_counts = region.class_counts;
    one.classes = region.machine.classes;
    one.C = region.C;
    one.gamma = region.gamma;
    one.error = region.error;
    if (region.honest) one.honest = region.honest->error;
    one.converged = region.converged;
    one.support = region.machine.machine ? region.machine.machine->support_count() : 0;
  }
  return report;
}

std::shared_ptr<svm::PartitionPredictor> merged_predictor(const data::Dataset& dataset, const FittedPartition& fitted,
                                                          const Options& options,
                                                          const std::vector<RegionResult>& results) {
  auto family = std::make_shared<svm::PartitionFamily>();
  family->partition = fitted.partition;
  family->class_count = dataset.class_count();
  for (const RegionResult& region : results) family->regions.push_back(region.machine);
  auto predictor = std::make_shared<svm::PartitionPredictor>();
  set_head(*predictor, dataset, fitted.preprocessing, options);
  predictor->family = std::move(family);
  return predictor;
}

/// Rows of classes that their region does not tell apart from others.
void warn_of_unknown_classes(const std::vector<RegionResult>& results, Selection& selection) {
  std::size_t rows = 0;
  std::size_t regions = 0;
  for (const RegionResult& region : results) {
    std::size_t known = 0;
    for (const int c : region.machine.classes) known += region.class_counts[static_cast<std::size_t>(c)];
    rows += region.rows - known;
    regions += region.rows > known ? 1U : 0U;
  }
  if (rows == 0) return;
  selection.warnings.push_back(
      fmt::format("in {} of the feature space a class has fewer than {} rows and is never predicted there, so that {} "
                  "{} as {}",
                  core::count_of(regions, "region"), least_rows_of_class, core::count_of(rows, "row"),
                  rows == 1 ? "counts" : "count", rows == 1 ? "an error" : "errors"));
}

/// The complete results, region after region.
std::vector<RegionResult> in_order(std::vector<RegionResult> results) {
  std::erase_if(results, [](const RegionResult& region) { return !region.complete; });
  std::ranges::sort(results, {}, &RegionResult::region);
  return results;
}

}  // namespace

std::string unconverged_regions(const std::vector<RegionReport>& regions) {
  const auto first = std::ranges::find(regions, false, &RegionReport::converged);
  if (first == regions.end()) return {};
  const auto count = static_cast<std::size_t>(std::ranges::count(regions, false, &RegionReport::converged));
  return fmt::format("the training did not converge in {} of the feature space, the first of them number {}",
                     core::count_of(count, "region"), first->region + 1);
}

Selection merge_regions(const data::Dataset& dataset, const FittedPartition& fitted, const Options& options,
                        std::vector<RegionResult> results, const core::Context& context) {
  check_results(fitted, results);
  results = in_order(std::move(results));
  Selection selection = begin_report(dataset, options, context);
  selection.options.estimate = fitted.options.estimate;
  selection.score = score_name("CV", selection);
  selection.resamples = static_cast<int>(options.resample_count(dataset.rows()));
  selection.found = report_of(fitted, options, results);
  const bool complete = results.size() == fitted.regions();
  selection.grid = {pooled_cell(results)};
  selection.grid.front().complete = complete;
  if (!results.empty()) selection.best = 0;
  add_warnings(dataset, selection);
  warn_of_unknown_classes(results, selection);
  if (complete) {
    if (fitted.options.estimate == Estimate::bbc) selection.honest = pooled_estimate(dataset, fitted, options, results);
    selection.calibration = pooled_calibration(fitted, results, dataset.class_count());
    const std::string unfinished = unconverged_regions(std::get<PartitionReport>(selection.found).of_region);
    if (!unfinished.empty()) selection.warnings.push_back(unfinished + ", so that the model is approximate there");
    auto predictor = merged_predictor(dataset, fitted, options, results);
    predictor->record.selected_error = selected_error(selection);
    predictor->record.resamples = selection.resamples;
    predictor->calibration = selection.calibration;
    predictor->siblings = pooled_siblings(fitted, results, dataset.class_count());
    selection.predictor = std::move(predictor);
  } else {
    selection.stopped = context.monitor.stop_reason();
  }
  selection.seconds = context.monitor.seconds() - selection.seconds;
  return selection;
}

namespace {

/// Whole regions in parallel, each on one thread; where they are fewer than the threads, one after the other on all.
std::vector<RegionResult> run_regions(const data::Dataset& dataset, const FittedPartition& fitted, bool judged,
                                      const core::Context& context) {
  std::vector<RegionResult> results(fitted.regions());
  const auto own_rows = model::rows_by_region(fitted.region_of, fitted.regions());
  const core::Threads one(1);
  const auto threads = static_cast<std::size_t>(context.threads.count());
  const bool apart = fitted.regions() >= threads;
  const auto run = [&](std::size_t p) {
    results[p].region = p;
    const data::Dataset rows = prepared_rows(dataset, fitted, own_rows[p]);
    results[p].rows = rows.rows();
    if (context.monitor.should_stop()) return;
    core::Monitor monitor(context.monitor, rows.rows());
    const core::Context own{apart ? one : context.threads, monitor,
                            apart ? context.memory_budget / threads : context.memory_budget, context.checkpoint};
    results[p] = run_region(rows, p, fitted.options, own, judged);
  };
  context.monitor.expect(dataset.rows());
  if (apart)
    context.threads.for_each(fitted.regions(), run);
  else
    for (std::size_t p = 0; p < fitted.regions(); ++p) run(p);
  return results;
}

}  // namespace

namespace {

/// None if the monitor says stop.
std::optional<ExactBeside> exact_beside(const data::Dataset& dataset, const Options& options,
                                        const Selection& in_regions, const core::Context& context) {
  Options whole = options.on_all_rows();
  whole.estimate = Estimate::none;
  if (weighs_errors(dataset, whole)) return std::nullopt;  // errors in regions count alike
  const Selection exact = Selector(whole).select(dataset, context);
  if (!exact.best || exact.stopped != core::StopReason::none) return std::nullopt;
  const Cell& best = exact.grid[*exact.best];
  return ExactBeside{best.C, best.gamma, best.error, in_regions.grid[*in_regions.best].error - best.error,
                     exact.seconds};
}

}  // namespace

namespace {

/// None if the monitor says stop.
std::optional<FittedPartition> parted(const data::Dataset& dataset, const Options& options,
                                      const core::Context& context) {
  try {
    return fit_partition(dataset, options, context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !context.monitor.should_stop()) throw;
    return std::nullopt;
  }
}

/// The report of a selection that was stopped before the rows were parted.
/// @param start  of the selection, by the monitor's clock
Selection stopped_before_regions(const data::Dataset& dataset, const Options& options, double start,
                                 const core::Context& context) {
  Selection selection = begin_report(dataset, options, context);
  selection.score = score_name("CV", selection);
  selection.resamples = static_cast<int>(options.resample_count(dataset.rows()));
  selection.found = report_of({}, options, {});
  selection.grid = {Cell()};
  selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

}  // namespace

Selection select_in_regions(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const double start = context.monitor.seconds();
  const std::optional<FittedPartition> made = parted(dataset, options, context);
  if (!made) return stopped_before_regions(dataset, options, start, context);
  const FittedPartition& fitted = *made;
  Selection selection = merge_regions(dataset, fitted, options, run_regions(dataset, fitted, true, context), context);
  if (dataset.rows() < exact_beside_rows && selection.best && fitted.regions() > 1)
    std::get<PartitionReport>(selection.found).exact = exact_beside(dataset, options, selection, context);
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

std::shared_ptr<svm::PartitionPredictor> train_in_regions(const data::Dataset& dataset, const Options& options,
                                                          bool judged, const core::Context& context) {
  const FittedPartition fitted = fit_partition(dataset, options, context);
  std::vector<RegionResult> results = in_order(run_regions(dataset, fitted, judged, context));
  if (results.size() < fitted.regions())
    throw Error(ErrorCode::interrupted, "training was stopped before all regions of the feature space were complete");
  const std::string unfinished = unconverged_regions(report_of(fitted, options, results).of_region);
  if (!unfinished.empty()) throw Error(ErrorCode::interrupted, unfinished);
  auto predictor = merged_predictor(dataset, fitted, options, results);
  predictor->record.method = "train";
  predictor->record.C = options.costs().C.front();
  if (!judged) return predictor;
  predictor->calibration = pooled_calibration(fitted, results, dataset.class_count());
  predictor->siblings = pooled_siblings(fitted, results, dataset.class_count());
  return predictor;
}

}  // namespace credence::selection
