#include "selection/partition/region_size.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "selection/partition/prepared_rows.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
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
  large.as<Regions>().region_rows = rows_of_block;
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
  method.region_rows = size;
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

std::size_t chosen_region_rows(const data::Dataset& dataset, const RowSource& source, const Options& options,
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
