#include "credence/model/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "credence/core/aligned.hpp"
#include "credence/core/error.hpp"
#include "kernel/base_block.hpp"

namespace credence::model {
namespace {

constexpr std::size_t rows_of_block = 1024;
constexpr std::size_t strip_rows = 64;

void stop_if_asked(const core::Context& context) {
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "the rows were not yet split into regions when the run was stopped");
}

}  // namespace

std::vector<std::uint32_t> Partition::regions_of(const data::Features& rows, const core::Context& context) const {
  if (rows.columns() != centres.columns()) {
    refuse_data(fmt::format("the centres of the regions have {} columns, but the rows have {}", centres.columns(),
                            rows.columns()));
  }
  std::vector<std::uint32_t> nearest(rows.rows(), 0);
  if (regions() < 2) return nearest;
  const kernel::BaseBlock distances(kernel::KernelType::rbf, centres, rows.is_sparse());
  const std::size_t blocks = (rows.rows() + rows_of_block - 1) / rows_of_block;
  context.threads.for_each(blocks, [&](std::size_t b) {
    stop_if_asked(context);
    core::AlignedVector<double> squared(strip_rows * distances.width());
    const std::size_t last = std::min((b + 1) * rows_of_block, rows.rows());
    for (std::size_t first = b * rows_of_block; first < last; first += strip_rows) {
      const std::size_t count = std::min(strip_rows, last - first);
      distances.compute(rows, first, count, squared.data());
      for (std::size_t r = 0; r < count; ++r) {
        const double* const own = squared.data() + r * distances.width();
        nearest[first + r] = static_cast<std::uint32_t>(std::min_element(own, own + regions()) - own);
      }
    }
  });
  return nearest;
}

std::vector<std::vector<std::size_t>> rows_by_region(std::span<const std::uint32_t> region_of, std::size_t regions) {
  std::vector<std::size_t> counts(regions, 0);
  for (const std::uint32_t region : region_of) ++counts[region];
  std::vector<std::vector<std::size_t>> rows(regions);
  for (std::size_t p = 0; p < regions; ++p) rows[p].reserve(counts[p]);
  for (std::size_t i = 0; i < region_of.size(); ++i) rows[region_of[i]].push_back(i);
  return rows;
}

}  // namespace credence::model
