#include "selection/partition/near_cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace credence::selection {
namespace {

/// The cell with the least sum of losses; ties go to the first.
/// @param rows  that count of each region
template <class Rows>
std::optional<std::size_t> best_cell(std::span<const RegionResult> regions, const Rows& rows) {
  std::vector<double> sums;
  for (const RegionResult& region : regions) {
    const double weight = rows(region);
    if (region.cell_losses.empty() || weight == 0) continue;
    sums.resize(region.cell_losses.size(), 0.0);
    for (std::size_t cell = 0; cell < sums.size(); ++cell) {
      const double loss = region.cell_losses[cell];
      sums[cell] += std::isfinite(loss) ? weight * loss : std::numeric_limits<double>::infinity();
    }
  }
  if (sums.empty()) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
}

}  // namespace

std::vector<std::uint8_t> near_cells(std::span<const RegionResult> first, std::span<const std::size_t> shared,
                                     std::size_t costs) {
  const auto everywhere = best_cell(first, [](const RegionResult& region) { return region.weight; });
  if (!everywhere) return {};
  const auto here = best_cell(first, [&](const RegionResult& region) {
    return region.weight * static_cast<double>(shared[region.region]) / static_cast<double>(region.rows);
  });
  std::size_t cells = 0;
  for (const RegionResult& region : first) cells = std::max(cells, region.cell_losses.size());
  std::vector<std::uint8_t> wanted(cells, 0);
  const std::size_t centre = here.value_or(*everywhere);
  const std::size_t gammas = cells / costs;
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

}  // namespace credence::selection
