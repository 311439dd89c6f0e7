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

void check_results(const FittedPartition& fitted, const std::vector<PartResult>& results) {
  std::vector<std::size_t> rows(fitted.parts(), 0);
  for (const std::uint32_t part : fitted.part_of) ++rows[part];
  std::vector<bool> seen(fitted.parts(), false);
  for (const PartResult& result : results) {
    if (result.part >= fitted.parts() || seen[result.part] || result.rows != rows[result.part])
      throw Error(ErrorCode::invalid_argument, "the results of cells are not those of this partition");
    seen[result.part] = true;
  }
}

/// Rows of the parts, one part after the other.
std::size_t rows_of(const std::vector<PartResult>& results) {
  return std::accumulate(results.begin(), results.end(), std::size_t{0},
                         [](std::size_t sum, const PartResult& part) { return sum + part.rows; });
}

/// One cell of a grid that stands for the choices of all parts.
Cell pooled_cell(const std::vector<PartResult>& results) {
  Cell cell;
  const auto rows = static_cast<double>(rows_of(results));
  double variance = 0;
  for (const PartResult& part : results) {
    const double share = static_cast<double>(part.rows) / rows;
    cell.error += share * part.error;
    variance += share * share * part.error_se * part.error_se;
    cell.n_sv += part.n_sv;
    cell.steps += part.steps;
    cell.factorisations += part.factorisations;
    cell.unconverged += part.unconverged;
  }
  cell.error_se = std::sqrt(variance);
  return cell;
}

/// What the losses of each group, which may lie in several parts, exceed those of as many rows on average.
std::vector<double> excess_of_groups(const data::Dataset& dataset, const FittedPartition& fitted,
                                     const std::vector<PartResult>& results, double error) {
  const auto own = model::rows_by_part(fitted.part_of, fitted.parts());
  std::vector<double> excess(static_cast<std::size_t>(*std::ranges::max_element(dataset.groups)) + 1, 0.0);
  for (const PartResult& part : results)
    for (std::size_t a = 0; a < part.rows; ++a)
      excess[static_cast<std::size_t>(dataset.groups[own[part.part][a]])] +=
          static_cast<double>(part.losses[a]) - error;
  return excess;
}

/// The corrections of the parts added up; the interval is that of all rows.
HonestEstimate pooled_estimate(const data::Dataset& dataset, const FittedPartition& fitted, const Options& options,
                               const std::vector<PartResult>& results) {
  HonestEstimate estimate;
  estimate.method = "bbc";
  estimate.score = options.loss() == Loss::soft ? "soft loss" : "error";
  estimate.delta = options.delta;
  estimate.resamples = options.estimate_samples;
  estimate.rows = rows_of(results);
  for (const PartResult& part : results) {
    const double error = part.honest ? part.honest->error : part.error;
    estimate.error += error * static_cast<double>(part.rows) / static_cast<double>(estimate.rows);
    estimate.seconds += part.honest ? part.honest->seconds : 0;
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

/// The scores of all parts in the order of the rows, which are taken out of the results.
model::Calibration pooled_calibration(const FittedPartition& fitted, std::vector<PartResult>& results,
                                      std::size_t classes) {
  model::Calibration pooled;
  pooled.source = "out-of-fold";
  const std::size_t rows = fitted.part_of.size();
  pooled.part.assign(fitted.part_of.begin(), fitted.part_of.end());
  pooled.strangeness.resize(rows);
  pooled.labels.resize(rows);
  if (classes > 2) pooled.scores = data::DenseMatrix(rows, classes);
  const auto rows_of_part = model::rows_by_part(fitted.part_of, fitted.parts());
  for (PartResult& part : results) {
    const model::Calibration own = std::exchange(part.calibration, {});
    for (std::size_t a = 0; a < own.labels.size(); ++a) {
      const std::size_t row = rows_of_part[part.part][a];
      pooled.strangeness[row] = own.strangeness[a];
      pooled.labels[row] = own.labels[a];
      if (classes > 2) std::ranges::copy(own.scores.row(a), pooled.scores.row(row).begin());
    }
  }
  return pooled;
}

PartitionReport report_of(const FittedPartition& fitted, const Options& options,
                          const std::vector<PartResult>& results) {
  PartitionReport report;
  report.size = options.region_rows();
  report.parts = fitted.parts();
  for (const PartResult& part : results) report.settings = std::max(report.settings, part.cells);
  for (const PartResult& part : results) {
    PartReport& one = report.of_part.emplace_back();
    one.part = part.part;
    one.rows = part.rows;
    one.class_counts = part.class_counts;
    one.classes = part.machine.classes;
    one.C = part.C;
    one.gamma = part.gamma;
    one.error = part.error;
    if (part.honest) one.honest = part.honest->error;
    one.converged = part.converged;
    one.support = part.machine.machine ? part.machine.machine->support_count() : 0;
  }
  return report;
}

std::shared_ptr<svm::PartitionPredictor> merged_predictor(const data::Dataset& dataset, const FittedPartition& fitted,
                                                          const Options& options,
                                                          const std::vector<PartResult>& results) {
  auto family = std::make_shared<svm::PartitionFamily>();
  family->partition = fitted.partition;
  family->class_count = dataset.class_count();
  for (const PartResult& part : results) family->parts.push_back(part.machine);
  auto predictor = std::make_shared<svm::PartitionPredictor>();
  set_head(*predictor, dataset, fitted.preprocessing, options);
  predictor->family = std::move(family);
  return predictor;
}

/// Rows of classes that their part does not tell apart from others.
void warn_of_unknown_classes(const std::vector<PartResult>& results, Selection& selection) {
  std::size_t rows = 0;
  std::size_t parts = 0;
  for (const PartResult& part : results) {
    std::size_t known = 0;
    for (const int c : part.machine.classes) known += part.class_counts[static_cast<std::size_t>(c)];
    rows += part.rows - known;
    parts += part.rows > known ? 1U : 0U;
  }
  if (rows == 0) return;
  selection.warnings.push_back(
      fmt::format("in {} of the feature space a class has fewer than {} rows and is never predicted there, so that {} "
                  "{} as {}",
                  core::count_of(parts, "cell"), least_rows_of_class, core::count_of(rows, "row"),
                  rows == 1 ? "counts" : "count", rows == 1 ? "an error" : "errors"));
}

/// The complete results, part after part.
std::vector<PartResult> in_order(std::vector<PartResult> results) {
  std::erase_if(results, [](const PartResult& part) { return !part.complete; });
  std::ranges::sort(results, {}, &PartResult::part);
  return results;
}

}  // namespace

std::string unconverged_parts(const std::vector<PartReport>& parts) {
  const auto first = std::ranges::find(parts, false, &PartReport::converged);
  if (first == parts.end()) return {};
  const auto count = static_cast<std::size_t>(std::ranges::count(parts, false, &PartReport::converged));
  return fmt::format("the training did not converge in {} of the feature space, the first of them number {}",
                     core::count_of(count, "cell"), first->part + 1);
}

Selection merge_parts(const data::Dataset& dataset, const FittedPartition& fitted, const Options& options,
                      std::vector<PartResult> results, const core::Context& context) {
  check_results(fitted, results);
  results = in_order(std::move(results));
  Selection selection = begin_report(dataset, options, context);
  selection.options.estimate = fitted.options.estimate;
  selection.score = score_name("CV", selection);
  selection.folds = static_cast<int>(options.resample_count(dataset.rows()));
  selection.found = report_of(fitted, options, results);
  const bool complete = results.size() == fitted.parts();
  selection.grid = {pooled_cell(results)};
  selection.grid.front().complete = complete;
  if (!results.empty()) selection.best = 0;
  add_warnings(dataset, selection);
  warn_of_unknown_classes(results, selection);
  if (complete) {
    if (fitted.options.estimate == Estimate::bbc) selection.honest = pooled_estimate(dataset, fitted, options, results);
    selection.calibration = pooled_calibration(fitted, results, dataset.class_count());
    const std::string unfinished = unconverged_parts(std::get<PartitionReport>(selection.found).of_part);
    if (!unfinished.empty()) selection.warnings.push_back(unfinished + ", so that the model is approximate there");
    auto predictor = merged_predictor(dataset, fitted, options, results);
    predictor->record.selected_error = selected_error(selection);
    predictor->record.folds = selection.folds;
    predictor->calibration = selection.calibration;
    selection.predictor = std::move(predictor);
  } else {
    selection.stopped = context.monitor.stop_reason();
  }
  selection.seconds = context.monitor.seconds() - selection.seconds;
  return selection;
}

namespace {

/// Whole parts in parallel, each on one thread; where they are fewer than the threads, one after the other on all.
std::vector<PartResult> run_parts(const data::Dataset& dataset, const FittedPartition& fitted, bool judged,
                                  const core::Context& context) {
  std::vector<PartResult> results(fitted.parts());
  const auto own_rows = model::rows_by_part(fitted.part_of, fitted.parts());
  const core::Threads one(1);
  const auto threads = static_cast<std::size_t>(context.threads.count());
  const bool apart = fitted.parts() >= threads;
  const auto run = [&](std::size_t p) {
    results[p].part = p;
    const data::Dataset rows = prepared_rows(dataset, fitted, own_rows[p]);
    results[p].rows = rows.rows();
    if (context.monitor.should_stop()) return;
    core::Monitor monitor(context.monitor, rows.rows());
    const core::Context own{apart ? one : context.threads, monitor,
                            apart ? context.memory_budget / threads : context.memory_budget, context.checkpoint};
    results[p] = run_part(rows, p, fitted.options, own, judged);
  };
  context.monitor.expect(dataset.rows());
  if (apart)
    context.threads.for_each(fitted.parts(), run);
  else
    for (std::size_t p = 0; p < fitted.parts(); ++p) run(p);
  return results;
}

}  // namespace

namespace {

/// None if the monitor says stop.
std::optional<ExactBeside> exact_beside(const data::Dataset& dataset, const Options& options, const Selection& in_cells,
                                        const core::Context& context) {
  Options whole = options.on_all_rows();
  whole.estimate = Estimate::none;
  if (weighs_errors(dataset, whole)) return std::nullopt;  // errors in cells count alike
  const Selection exact = Selector(whole).select(dataset, context);
  if (!exact.best || exact.stopped != core::StopReason::none) return std::nullopt;
  const Cell& best = exact.grid[*exact.best];
  return ExactBeside{best.C, best.gamma, best.error, in_cells.grid[*in_cells.best].error - best.error, exact.seconds};
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
Selection stopped_before_parts(const data::Dataset& dataset, const Options& options, double start,
                               const core::Context& context) {
  Selection selection = begin_report(dataset, options, context);
  selection.score = score_name("CV", selection);
  selection.folds = static_cast<int>(options.resample_count(dataset.rows()));
  selection.found = report_of({}, options, {});
  selection.grid = {Cell()};
  selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

}  // namespace

Selection select_in_parts(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const double start = context.monitor.seconds();
  const std::optional<FittedPartition> made = parted(dataset, options, context);
  if (!made) return stopped_before_parts(dataset, options, start, context);
  const FittedPartition& fitted = *made;
  Selection selection = merge_parts(dataset, fitted, options, run_parts(dataset, fitted, true, context), context);
  if (dataset.rows() < exact_beside_rows && selection.best && fitted.parts() > 1)
    std::get<PartitionReport>(selection.found).exact = exact_beside(dataset, options, selection, context);
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

std::shared_ptr<svm::PartitionPredictor> train_in_parts(const data::Dataset& dataset, const Options& options,
                                                        bool judged, const core::Context& context) {
  const FittedPartition fitted = fit_partition(dataset, options, context);
  std::vector<PartResult> results = in_order(run_parts(dataset, fitted, judged, context));
  if (results.size() < fitted.parts())
    throw Error(ErrorCode::interrupted, "training was stopped before all cells of the feature space were complete");
  const std::string unfinished = unconverged_parts(report_of(fitted, options, results).of_part);
  if (!unfinished.empty()) throw Error(ErrorCode::interrupted, unfinished);
  auto predictor = merged_predictor(dataset, fitted, options, results);
  predictor->record.method = "train";
  predictor->record.C = options.costs().C.front();
  if (judged) predictor->calibration = pooled_calibration(fitted, results, dataset.class_count());
  return predictor;
}

}  // namespace credence::selection
