#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/text.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/partition.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/partition/merged_regions.hpp"
#include "selection/partition/near_cells.hpp"
#include "selection/partition/prepared_rows.hpp"
#include "selection/partition/region_size.hpp"
#include "selection/partition/score_of_average.hpp"
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

/// The complete results, region after region.
std::vector<RegionResult> in_order(std::vector<RegionResult> results) {
  std::erase_if(results, [](const RegionResult& region) { return !region.complete; });
  std::ranges::sort(results, {}, &RegionResult::region);
  return results;
}

/// The folds that all partitions of an average hold out: those of whole groups, or stratified ones.
std::vector<int> common_folds(const data::Dataset& dataset, const Options& options) {
  const std::size_t folds = std::min(options.resample_count(dataset.rows()), dataset.units());
  return data::folds_of(dataset, static_cast<int>(folds), options.seed, 2, options.name());
}

std::vector<double> weights_of_errors(const data::Dataset& dataset, const Options& options) {
  if (!weighs_errors(dataset, options)) return {};
  return error_weights(dataset, class_costs(dataset, options));
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

bool falls(std::span<const double> before, std::span<const double> after) {
  const auto rows = static_cast<double>(before.size());
  const double fall = mean(before) - mean(after);
  double squares = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double difference = before[i] - after[i] - fall;
    squares += difference * difference;
  }
  return fall > std::sqrt(squares / std::max(rows - 1, 1.0) / rows);
}

RegionCourse::RegionCourse(const data::Dataset& dataset, const Options& options, const core::Context& context)
    : RegionCourse(dataset, RowSource::of(dataset), options, context) {}

RegionCourse::RegionCourse(const data::Dataset& dataset, RowSource source, const Options& options,
                           const core::Context& context)
    : dataset_(dataset),
      source_(std::move(source)),
      options_(options),
      average_(weights_of_errors(dataset, options)),
      unknown_(dataset.rows(), true) {
  auto& method = options_.as<Regions>();
  // The bootstrap correction repeats the choices of one partition, and adds errors up.
  if (method.averages() || options_.score != Score::accuracy) options_.estimate = Estimate::none;
  if (method.averages()) folds_ = common_folds(dataset, options_);
  if (options_.score == Score::balanced_accuracy) {
    Options alike = options_;
    alike.costs.class_weights = {.balanced = true, .named = {}};
    balance_ = class_costs(dataset, alike);
  }
  if (!method.region_rows) method.region_rows = chosen_region_rows(dataset, source_, options_, context);
  of_partition_ = core::Stopwatch();
  fitted_ = first_partition(dataset, source_, options_, context);
  route_if_here(context);
}

void RegionCourse::route(std::vector<std::uint32_t> region_of) {
  if (region_of.size() != dataset_.rows() || *std::ranges::max_element(region_of) >= fitted_.regions())
    throw Error(ErrorCode::invalid_argument, "the regions of the rows are not those of this partition");
  fitted_.region_of = std::move(region_of);
  rows_ = model::rows_by_region(fitted_.region_of, fitted_.regions());
}

void RegionCourse::route_if_here(const core::Context& context) {
  if (source_.whole == nullptr) return;
  route(regions_of_rows(*source_.whole, fitted_.preprocessing, fitted_.partition, context));
}

RegionTask RegionCourse::task(std::size_t region) const {
  RegionTask task = task_without_rows(region);
  task.rows = prepared_rows(*source_.whole, fitted_, rows_[region]);
  return task;
}

RegionTask RegionCourse::task_without_rows(std::size_t region) const {
  RegionTask task{fitted_.number, region, {}};
  task.balance = balance_;
  for (const std::size_t i : rows_[region])
    if (!folds_.empty()) task.fold_of.push_back(folds_[i]);
  if (judged_.empty()) return task;
  const FittedPartition& first = judged_.front().fitted;
  std::vector<std::size_t> shared(first.regions(), 0);
  for (const std::size_t i : rows_[region]) ++shared[first.region_of[i]];
  task.wanted = near_cells(judged_.front().results, shared, options_.costs.C.size());
  return task;
}

void RegionCourse::take(std::vector<RegionResult> results, const core::Context& context) {
  check_results(fitted_, results);
  results = in_order(std::move(results));
  const bool complete = results.size() == fitted_.regions();
  done_ = !complete;
  if (!complete && !judged_.empty()) {
    cut_short_ = context.monitor.stop_reason() == core::StopReason::time_budget;
    return;
  }
  judged_.push_back({std::move(fitted_), std::move(results)});
  if (!complete) return;
  average_.add(judged_.back(), dataset_);
  note_known_classes(dataset_, judged_.back(), unknown_);
  if (judged_.size() > 1) std::vector<std::uint32_t>().swap(judged_.back().fitted.region_of);
  if (losses_.size() == 3) losses_.erase(losses_.begin());
  losses_.push_back(average_.losses(Loss::soft));
  curve_.push_back(options_.score == Score::accuracy ? mean(average_.losses(judging_loss(options_)))
                                                     : score_of_average(average_, dataset_, options_, context).error);
  done_ = !wants_more();
  const std::optional<double> left = context.monitor.seconds_left();
  cut_short_ = !done_ && left && *left < 2 * of_partition_.seconds();
  done_ = done_ || cut_short_;
  if (!done_) split_again(context);
}

bool RegionCourse::wants_more() const {
  const auto& method = options_.as<Regions>();
  if (judged_.front().fitted.regions() == 1) return false;  // a further partition would be the same
  if (method.partitions || judged_.size() < 3)
    return judged_.size() < static_cast<std::size_t>(method.partitions.value_or(Regions::most_partitions));
  return judged_.size() < Regions::most_partitions && falls(losses_.front(), losses_.back());
}

void RegionCourse::split_again(const core::Context& context) {
  of_partition_ = core::Stopwatch();
  try {
    fitted_ = next_partition(dataset_, source_, options_.seed, judged_.back().fitted, context);
    route_if_here(context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !context.monitor.should_stop()) throw;
    done_ = true;  // the partitions so far are a model
    cut_short_ = context.monitor.stop_reason() == core::StopReason::time_budget;
  }
}

Selection RegionCourse::merged(const core::Context& context) && {
  if (judged_.empty()) throw Error(ErrorCode::invalid_argument, "no region has answered yet");
  const std::size_t partitions = judged_.size();
  FoundInRegions found{std::move(judged_), average_, std::move(curve_), unknown_};
  Selection selection = merged_regions(dataset_, source_, options_, std::move(found), context);
  if (cut_short_)
    selection.warnings.push_back(
        fmt::format("the time limit ended the averaging after {}; more of them lower the error further",
                    core::count_of(partitions, "partition")));
  return selection;
}

}  // namespace credence::selection
