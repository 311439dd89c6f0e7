#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/partition/prepared_rows.hpp"

namespace credence::selection {

namespace {

/// The machines of one partition, trained on all rows that lie in its regions.
/// @param chosen  of the regions of the partition, which learn how the training went
std::vector<RegionResult> train_partition(const data::Dataset& dataset, const FittedPartition& fitted,
                                          std::span<RegionReport> chosen, const core::Context& context) {
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
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    chosen[p].converged = chosen[p].converged && trained[p].converged;
    chosen[p].support = trained[p].machine.machine ? trained[p].machine.machine->support_count() : 0;
  }
  return trained;
}

}  // namespace

void train_regions_on_all_rows(const data::Dataset& dataset, const core::Context& context, Selection& selection) {
  const auto judged = std::dynamic_pointer_cast<const svm::PartitionPredictor>(selection.predictor);
  if (judged == nullptr) throw Error(ErrorCode::invalid_argument, "there is no model of regions to train on all rows");
  // Copies, so that an interrupted training changes nothing.
  std::vector<RegionReport> chosen = std::get<PartitionReport>(selection.found).of_region;
  Cell cell = selection.grid.front();
  const bool converged_before = unconverged_regions(chosen).empty();
  auto predictor = std::make_shared<svm::PartitionPredictor>(*judged);
  predictor->partitions.clear();
  const data::Features features = judged->preprocessing.apply(dataset, data::UnknownLevel::ignore);
  std::size_t first = 0;
  for (const auto& partition : judged->partitions) {
    FittedPartition fitted{
        predictor->partitions.size(), judged->preprocessing, partition->partition, {}, selection.options};
    fix_balance(dataset, fitted.options.costs().class_weights);
    fitted.region_of = fitted.partition.regions_of(features, context);
    std::vector<RegionResult> trained =
        train_partition(dataset, fitted, std::span(chosen).subspan(first, fitted.regions()), context);
    first += fitted.regions();
    auto family = std::make_shared<svm::PartitionFamily>(*partition);
    for (std::size_t p = 0; p < trained.size(); ++p) {
      cell.steps += trained[p].steps;
      cell.factorisations += trained[p].factorisations;
      cell.unconverged += trained[p].unconverged;
      family->regions[p] = std::move(trained[p].machine);
    }
    predictor->partitions.push_back(std::move(family));
  }
  if (const std::string unfinished = unconverged_regions(chosen); converged_before && !unfinished.empty())
    selection.warnings.push_back(unfinished + ", so that the model is approximate there");
  std::get<PartitionReport>(selection.found).of_region = std::move(chosen);
  selection.grid.front() = std::move(cell);
  predictor->record.note_rows(dataset);
  predictor->keep_known_rows(dataset);
  selection.predictor = std::move(predictor);
}

}  // namespace credence::selection
