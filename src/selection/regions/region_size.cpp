#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// The setting with the least sum of losses; ties go to the first.
/// @param rows  that count of each region
std::optional<std::size_t> best_setting(std::span<const RegionResult> regions, const auto& rows) {
  std::vector<double> sums;
  for (const RegionResult& region : regions) {
    const double weight = rows(region);
    if (region.setting_losses.empty() || weight == 0) continue;
    sums.resize(region.setting_losses.size(), 0.0);
    for (std::size_t setting = 0; setting < sums.size(); ++setting) {
      const double loss = region.setting_losses[setting];
      sums[setting] += std::isfinite(loss) ? weight * loss : std::numeric_limits<double>::infinity();
    }
  }
  if (sums.empty()) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
}

}  // namespace

std::vector<std::uint8_t> near_settings(std::span<const RegionResult> first, std::span<const std::size_t> shared,
                                        std::size_t costs) {
  const auto everywhere = best_setting(first, [](const RegionResult& region) { return region.weight; });
  if (!everywhere) return {};
  const auto here = best_setting(first, [&](const RegionResult& region) {
    return region.weight * static_cast<double>(shared[region.region]) / static_cast<double>(region.rows);
  });
  std::size_t settings = 0;
  for (const RegionResult& region : first) settings = std::max(settings, region.setting_losses.size());
  std::vector<std::uint8_t> wanted(settings, 0);
  const std::size_t centre = here.value_or(*everywhere);
  const std::size_t gammas = settings / costs;
  const auto near = [](std::size_t at, std::size_t count) {
    return std::pair(at == 0 ? 0 : at - 1, std::min(at + 2, count));
  };
  const auto [first_gamma, last_gamma] = near(centre / costs, gammas);
  const auto [first_cost, last_cost] = near(centre % costs, costs);
  for (std::size_t g = first_gamma; g < last_gamma; ++g)
    for (std::size_t c = first_cost; c < last_cost; ++c) wanted[g * costs + c] = 1;
  wanted[*everywhere] = 1;
  return wanted;
}

namespace {

constexpr std::uint64_t block_purpose = 0x5041'5254'0000'0003;
constexpr std::size_t rows_of_block = 4000;
constexpr std::size_t least_blocks = 2;
constexpr std::size_t most_tried_rows = most_learnt_rows;  // so that all of them are here

/// Rows of some regions of 4,000 rows: a tenth of all regions that have two classes.
std::vector<data::Dataset> blocks_of(const RowSource& source, std::size_t all, const Options& options,
                                     const core::Context& context) {
  std::optional<data::Dataset> own;
  if (source.whole == nullptr) own = source.select(learnt_rows(all, options.seed));
  const data::Dataset& dataset = own ? *own : *source.whole;
  Options large = options;
  large.as<Regions>().region_size = rows_of_block;
  large.seed = core::mixed(options.seed ^ block_purpose);
  const FittedPartition fitted = first_partition(dataset, RowSource::of(dataset), large, context);
  const auto rows = model::rows_by_region(regions_of_rows(dataset, fitted, context), fitted.regions());
  const std::size_t count = std::min(rows.size(), std::max(least_blocks, rows.size() / 10));
  std::vector<data::Dataset> blocks;
  for (std::size_t k = 0; k < count; ++k) {
    data::Dataset block = dataset.select_rows(rows[k * rows.size() / count]);
    if (std::set<int>(block.labels.begin(), block.labels.end()).size() > 1) blocks.push_back(std::move(block));
  }
  return blocks;
}

/// The soft out-of-fold losses of the rows of all blocks, with regions of `size` rows; empty if the monitor says stop.
std::vector<double> losses_of_size(const std::vector<data::Dataset>& blocks, std::size_t size, Options options,
                                   const core::Context& context) {
  auto& method = options.as<Regions>();
  method.region_size = size;
  method.partitions = 2;
  std::vector<double> losses;
  for (const data::Dataset& block : blocks) {
    RegionCourse course(block, options, context);
    while (!course.done()) course.take(run_regions(course, true, context), context);
    if (context.monitor.should_stop()) return {};
    const std::vector<double> own = course.average().losses(Loss::soft);
    losses.insert(losses.end(), own.begin(), own.end());
  }
  return losses;
}

}  // namespace

std::size_t chosen_region_size(const data::Dataset& dataset, const RowSource& source, const Options& options,
                               const core::Context& context) {
  if (!dataset.groups.empty() || dataset.rows() > most_tried_rows) return Regions::usual_rows;
  if (dataset.rows() < least_blocks * rows_of_block) return 2 * Regions::usual_rows;
  core::Monitor monitor(context.monitor, 0);
  const core::Context apart = context.with(monitor);
  const Options one = spaces_of(options).front();
  const std::vector<data::Dataset> blocks = blocks_of(source, dataset.rows(), one, apart);
  const auto losses = [&](std::size_t size) { return losses_of_size(blocks, size, one, apart); };
  const std::vector<double> usual = losses(Regions::usual_rows);
  const std::vector<double> twice = losses(2 * Regions::usual_rows);
  if (usual.empty() || twice.size() != usual.size()) return Regions::usual_rows;
  if (falls(usual, twice)) {
    const std::vector<double> four_times = losses(4 * Regions::usual_rows);
    const bool larger = four_times.size() == twice.size() && falls(twice, four_times);
    return (larger ? 4 : 2) * Regions::usual_rows;
  }
  const std::vector<double> half = losses(Regions::usual_rows / 2);
  return half.size() == usual.size() && falls(usual, half) ? Regions::usual_rows / 2 : Regions::usual_rows;
}

}  // namespace credence::selection
