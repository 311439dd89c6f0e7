#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/methods/methods.hpp"
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

/// The report of a selection that was stopped before the rows were split.
/// @param start  of the selection, by the monitor's clock
Selection stopped_before_regions(const data::Dataset& dataset, const Options& options, double start,
                                 const core::Context& context) {
  Selection selection = begin_report(dataset, options, context);
  selection.score = score_name("CV", selection);
  selection.resamples = static_cast<int>(options.resample_count(dataset.rows()));
  selection.found.emplace<PartitionReport>().size = options.as<Regions>().size();
  selection.grid = {Setting()};
  selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

}  // namespace

Selection select_in_regions(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const double start = context.monitor.seconds();
  auto course = core::unless_stopped(context.monitor, [&] { return RegionCourse(dataset, options, context); });
  if (!course) return stopped_before_regions(dataset, options, start, context);
  while (!course->done()) course->take(run_regions(*course, true, context), context);
  Selection selection = std::move(*course).merged(context);
  selection.seconds = context.monitor.seconds() - start;
  return selection;
}

Selection select_by(const Regions&, const data::Dataset& dataset, const Options& options, const core::Context& context,
                    const Forecast*) {
  check_data(dataset, options);
  return select_in_regions(dataset, options, context);
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

namespace {

/// The machines of one partition, trained on all rows that lie in its regions.
/// @param chosen  of the regions of the partition
std::vector<RegionResult> train_partition(const data::Dataset& dataset, const FittedPartition& fitted,
                                          std::span<const RegionReport> chosen, const core::Context& context) {
  const auto own_rows = model::rows_by_region(fitted.region_of, fitted.regions());
  std::vector<RegionResult> trained(chosen.size());
  const core::Threads one(1);
  context.threads.for_each(chosen.size(), [&](std::size_t p) {
    if (context.monitor.should_stop()) return;
    core::Monitor monitor(context.monitor, 0);
    const core::Context own{one, monitor, context.memory_budget / static_cast<std::size_t>(context.threads.count()),
                            context.checkpoint};
    trained[p] = retrain_region(prepared_rows(dataset, fitted, own_rows[p]), chosen[p], fitted.options, own);
  });
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the regions of the feature space on all rows was stopped");
  return trained;
}

/// The model of the regions that were judged, and its family.
struct JudgedModel {
  std::shared_ptr<const Ensemble> ensemble;
  const svm::RegionFamily* family = nullptr;
};

JudgedModel judged_model(const Selection& selection) {
  JudgedModel judged{std::dynamic_pointer_cast<const Ensemble>(selection.predictor)};
  if (judged.ensemble) judged.family = dynamic_cast<const svm::RegionFamily*>(judged.ensemble->members.alone());
  if (judged.family == nullptr) refuse("there is no model of regions to train on all rows");
  return judged;
}

}  // namespace

void train_regions_on_all_rows(const data::Dataset& dataset, const core::Context& context, Selection& selection) {
  const JudgedModel judged = judged_model(selection);
  const std::span<const RegionReport> chosen = std::get<PartitionReport>(selection.found).of_region;
  std::vector<std::vector<RegionResult>> trained;
  std::size_t first = 0;
  for (const svm::RoutedRegions& routed : judged.family->partitions) {
    FittedPartition fitted;
    fitted.number = trained.size();
    fitted.preprocessing = judged.ensemble->preprocessing;
    fitted.scaling = routed.scaling;
    fitted.partition = routed.router;
    fitted.options = selection.options;
    fix_balance(dataset, fitted.options.costs.class_weights);
    fitted.region_of = regions_of_rows(dataset, fitted, context);
    trained.push_back(train_partition(dataset, fitted, chosen.subspan(first, fitted.regions()), context));
    first += fitted.regions();
  }
  take_trained_regions(dataset.rows(), RowSource::of(dataset), std::move(trained), selection);
}

void take_trained_regions(std::size_t rows, const RowSource& source, std::vector<std::vector<RegionResult>> trained,
                          Selection& selection) {
  const JudgedModel judged = judged_model(selection);
  auto& chosen = std::get<PartitionReport>(selection.found).of_region;
  Setting& setting = selection.grid.front();
  auto predictor = std::make_shared<Ensemble>(*judged.ensemble);
  auto family = std::make_shared<svm::RegionFamily>(*judged.family);
  predictor->record.violation.reset();
  std::size_t place = 0;
  for (std::size_t k = 0; k < trained.size(); ++k) {
    predictor->record.violation = std::max(predictor->record.violation, violation_of(trained[k]));
    for (std::size_t p = 0; p < trained[k].size(); ++p, ++place) {
      RegionResult& one = trained[k][p];
      chosen[place].converged = chosen[place].converged && one.converged;
      chosen[place].support = one.machine.support_count();
      add_work(one, setting);
      family->partitions[k].regions[p] = std::move(one.machine);
    }
  }
  predictor->set_family(std::move(family));
  keep_rows(rows, source, *predictor);
  selection.predictor = std::move(predictor);
}

}  // namespace credence::selection
