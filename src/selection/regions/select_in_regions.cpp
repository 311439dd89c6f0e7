#include <algorithm>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
std::vector<RegionResult> run_regions(const RegionCourse& course, bool judged, const core::Context& context) {
  std::vector<RegionResult> results(course.regions());
  const core::Threads one(1);
  const auto threads = static_cast<std::size_t>(context.threads.count());
  const bool apart = course.regions() >= threads;
  const auto run = [&](std::size_t p) {
    results[p].region = p;
    results[p].rows = course.rows_in(p);
    if (context.monitor.should_stop()) return;
    const RegionTask task = course.task(p);
    core::Monitor monitor(context.monitor, task.rows.rows());
    const core::Context own{apart ? one : context.threads, monitor,
                            apart ? context.memory_budget / threads : context.memory_budget, context.checkpoint};
    results[p] = run_region(task, course.options(), own, judged);
  };
  context.monitor.expect(course.fitted().region_of.size());
  if (apart)
    context.threads.for_each(course.regions(), run);
  else
    for (std::size_t p = 0; p < course.regions(); ++p) run(p);
  return results;
}

namespace {

/// None if the monitor says stop.
std::optional<RegionCourse> begun(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  try {
    return RegionCourse(dataset, options, context);
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
  selection.found.emplace<PartitionReport>().size = options.as<Regions>().size();
  selection.grid = {Cell()};
  selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

}  // namespace

Selection select_in_regions(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const double start = context.monitor.seconds();
  std::optional<RegionCourse> course = begun(dataset, options, context);
  if (!course) return stopped_before_regions(dataset, options, start, context);
  while (!course->done()) course->take(run_regions(*course, true, context), context);
  Selection selection = std::move(*course).merged(context);
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

std::shared_ptr<Ensemble> train_in_regions(const data::Dataset& given, const Options& options, bool judged,
                                           const core::Context& context) {
  const RowsInUse used = rows_in_use(given, options);
  const data::Dataset& dataset = *used.rows;
  const RegionCourse course(dataset, options, context);
  std::vector<RegionResult> results = run_regions(course, judged, context);
  if (!std::ranges::all_of(results, &RegionResult::complete))
    throw Error(ErrorCode::interrupted, "training was stopped before all regions of the feature space were complete");
  std::vector<JudgedPartition> one;
  one.push_back({course.fitted(), std::move(results)});
  MeanOfPartitions scores;
  if (judged) scores.add(one.front(), dataset);
  auto predictor = merged_predictor(dataset, RowSource::of(dataset), options, one, judged ? &scores : nullptr);
  predictor->record.method = "train";
  predictor->record.C = options.costs.C.front();
  return predictor;
}

}  // namespace credence::selection
