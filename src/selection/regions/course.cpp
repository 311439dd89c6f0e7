#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/partition.hpp"
#include "credence/svm/loss.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

void check_results(const FittedPartition& fitted, const std::vector<RegionResult>& results) {
  std::vector<std::size_t> rows(fitted.regions(), 0);
  for (const std::uint32_t region : fitted.region_of) ++rows[region];
  std::vector<bool> seen(fitted.regions(), false);
  for (const RegionResult& result : results) {
    if (result.region >= fitted.regions() || seen[result.region] || result.rows != rows[result.region])
      refuse("the results of regions are not those of this partition");
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

/// What the machines of the folds say of the true class of each row.
std::vector<double> own_scores(const JudgedPartition& judged, std::size_t rows) {
  const auto rows_of_region = model::rows_by_region(judged.fitted.region_of, judged.fitted.regions());
  std::vector<double> scores(rows);
  for (const RegionResult& region : judged.results)
    for (std::size_t a = 0; a < region.calibration.nonconformity_scores.size(); ++a)
      scores[rows_of_region[region.region][a]] = -region.calibration.nonconformity_scores[a];
  return scores;
}

/// The soft loss of the mean of some scores.
double loss_of_mean(const std::vector<std::vector<double>>& scores, std::span<const std::size_t> which,
                    std::span<const double> weights) {
  double sum = 0;
  for (std::size_t i = 0; i < scores.front().size(); ++i) {
    double score = 0;
    for (const std::size_t k : which) score += scores[k][i];
    sum += (weights.empty() ? 1 : weights[i]) * svm::soft_loss(score / static_cast<double>(which.size()));
  }
  return sum;
}

/// The one with the least loss, and then always the one that lowers the loss of the mean most, while one does and at
/// most so many. Ascending.
std::vector<std::size_t> least_together(const std::vector<std::vector<double>>& scores, std::span<const double> weights,
                                        std::size_t most) {
  std::vector<std::size_t> kept;
  double least = std::numeric_limits<double>::infinity();
  for (bool fell = true; fell && kept.size() < most;) {
    fell = false;
    std::vector<std::size_t> best;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (std::ranges::find(kept, k) != kept.end()) continue;
      std::vector<std::size_t> more = kept;
      more.push_back(k);
      const double loss = loss_of_mean(scores, more, weights);
      if (!(loss < least)) continue;
      least = loss;
      best = std::move(more);
      fell = true;
    }
    if (fell) kept = std::move(best);
  }
  std::ranges::sort(kept);
  return kept;
}

}  // namespace

bool falls(std::span<const double> before, std::span<const double> after) {
  const auto rows = static_cast<double>(before.size());
  const double fall = core::mean_of(before) - core::mean_of(after);
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
  spaces_ = spaces_of(options_).size();
  partitions_ = method.partitions;
  if (!method.region_size) method.region_size = chosen_region_size(dataset, source_, options_, context);
  of_partition_ = core::Stopwatch();
  fitted_ = first_partition(dataset, source_, options_, context);
  route_if_here(context);
}

void RegionCourse::route(std::vector<std::uint32_t> region_of) {
  if (region_of.size() != dataset_.rows() || *std::ranges::max_element(region_of) >= fitted_.regions())
    refuse("the regions of the rows are not those of this partition");
  fitted_.region_of = std::move(region_of);
  rows_ = model::rows_by_region(fitted_.region_of, fitted_.regions());
}

void RegionCourse::route_if_here(const core::Context& context) {
  if (source_.whole == nullptr) return;
  route(regions_of_rows(*source_.whole, fitted_, context));
}

RegionTask RegionCourse::task(std::size_t region) const {
  RegionTask task = task_without_rows(region);
  task.rows = prepared_rows(*source_.whole, fitted_, rows_[region]);
  return task;
}

RegionTask RegionCourse::task_without_rows(std::size_t region) const {
  RegionTask task{fitted_.number, region, fitted_.space, {}};
  task.balance = balance_;
  for (const std::size_t i : rows_[region])
    if (!folds_.empty()) task.fold_of.push_back(folds_[i]);
  const auto same =
      std::ranges::find_if(judged_, [&](const JudgedPartition& one) { return one.fitted.space == fitted_.space; });
  if (same == judged_.end()) return task;
  const FittedPartition& first = same->fitted;
  std::vector<std::size_t> shared(first.regions(), 0);
  for (const std::size_t i : rows_[region]) ++shared[first.region_of[i]];
  task.wanted = near_settings(same->results, shared, options_.costs.C.size());
  return task;
}

void RegionCourse::take(std::vector<RegionResult> results, const core::Context& context) {
  check_results(fitted_, results);
  results = in_order(std::move(results));
  const bool complete = results.size() == fitted_.regions();
  const bool first = tried_.empty() && judged_.empty();
  JudgedPartition taken{fitted_, std::move(results)};
  if (complete && fitted_.number < spaces_)
    tried_.push_back(std::move(taken));
  else if (complete)
    add(std::move(taken), context);
  else if (first)
    judged_.push_back(std::move(taken));
  cut_short_ = !complete && !first && context.monitor.stop_reason() == core::StopReason::time_budget;
  done_ = !complete;
  if (!done_ && tries_kernels()) done_ = cut_short_ = lacks_time(context);
  if (!tried_.empty() && (done_ || !tries_kernels())) settle(context);
  if (!done_ && !tries_kernels()) {
    done_ = !wants_more();
    if (!done_) done_ = cut_short_ = lacks_time(context);
  }
  if (!done_) split_again(context);
}

/// For a further partition.
bool RegionCourse::lacks_time(const core::Context& context) const {
  const std::optional<double> left = context.monitor.seconds_left();
  return left && *left < 2 * of_partition_.seconds();
}

void RegionCourse::add(JudgedPartition judged, const core::Context& context) {
  judged_.push_back(std::move(judged));
  average_.add(judged_.back(), dataset_);
  note_known_classes(dataset_, judged_.back(), unknown_);
  if (judged_.back().fitted.number >= spaces_) std::vector<std::uint32_t>().swap(judged_.back().fitted.region_of);
  if (losses_.size() == 3) losses_.erase(losses_.begin());
  losses_.push_back(average_.losses(Loss::soft));
  curve_.push_back(options_.score == Score::accuracy ? core::mean_of(average_.losses(judging_loss(options_)))
                                                     : score_of_average(average_, dataset_, options_, context).error);
}

void RegionCourse::settle(const core::Context& context) {
  const auto scores =
      core::mapped(tried_, [&](const JudgedPartition& one) { return own_scores(one, dataset_.rows()); });
  for (const std::size_t kept : least_together(scores, weights_of_errors(dataset_, options_), most_partitions()))
    add(std::move(tried_[kept]), context);
  kept_ = judged_.size();
  left_ = tried_.size() - kept_;
  tried_.clear();
}

bool RegionCourse::wants_more() const {
  if (judged_.front().fitted.regions() == 1) return false;  // a further partition would be the same
  const bool asks_the_loss = !partitions_ && judged_.size() >= 3;
  return judged_.size() < most_partitions() && (!asks_the_loss || falls(losses_.front(), losses_.back()));
}

void RegionCourse::split_again(const core::Context& context) {
  of_partition_ = core::Stopwatch();
  const std::size_t next = fitted_.number + 1;
  const std::size_t space = next < spaces_ ? next : judged_[(next - spaces_) % kept_].fitted.space;
  try {
    fitted_ = next_partition(dataset_, source_, options_.seed, fitted_, space, context);
    route_if_here(context);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !context.monitor.should_stop()) throw;
    done_ = true;  // the partitions so far are a model
    cut_short_ = context.monitor.stop_reason() == core::StopReason::time_budget;
    if (!tried_.empty()) settle(context);
  }
}

Selection RegionCourse::merged(const core::Context& context) && {
  if (judged_.empty()) refuse("no region has answered yet");
  const std::size_t partitions = judged_.size();
  FoundInRegions found{std::move(judged_), average_, std::move(curve_), unknown_};
  Selection selection = merged_regions(dataset_, source_, options_, std::move(found), context);
  if (left_ > 0)
    selection.notes.push_back(fmt::format("{} judged, {} dropped: the average has less soft loss without them",
                                          core::count_of(partitions + left_, "partition"), left_));
  if (cut_short_)
    selection.warnings.push_back(
        fmt::format("the time limit ended the averaging after {}; more of them lower the error further",
                    core::count_of(partitions, "partition")));
  return selection;
}

}  // namespace credence::selection
