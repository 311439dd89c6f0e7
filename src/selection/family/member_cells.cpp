#include "selection/family/member_cells.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "selection/choose/choose.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Returns the costs at which some of the gammas were judged, and the last cost of a member.
std::vector<std::size_t> path_costs(const std::vector<Cell>& grid, const std::set<std::size_t>& gammas,
                                    std::size_t costs, std::size_t last) {
  std::vector<std::size_t> path;
  for (std::size_t cost = 0; cost <= last; ++cost) {
    const auto judged = [&](std::size_t gamma) { return is_on_path(grid[gamma * costs + cost]); };
    if (cost == last || std::ranges::any_of(gammas, judged)) path.push_back(cost);
  }
  return path;
}

}  // namespace

std::size_t MemberCells::costs() const {
  return costs_of(options);
}

bool any_wanted(const std::vector<bool>& wanted, std::size_t from, std::size_t end) {
  while (from < end && !wanted.empty() && !wanted[from]) ++from;
  return from < end;
}

namespace {

/// @param members  of one space, ascending
MemberCells rectangle_of(const Selection& selection, const std::vector<std::size_t>& members) {
  MemberCells rectangle{options_of_cell(selection.options, selection.grid[members.front()]), {}, {}, {}};
  Options& options = rectangle.options;
  const std::size_t costs = costs_of(options);
  std::size_t last_cost = 0;
  std::set<std::size_t> gammas;
  for (const std::size_t cell : members) {
    last_cost = std::max(last_cost, cell % costs);
    gammas.insert(cell / costs);
  }
  const std::vector<std::size_t> path = path_costs(selection.grid, gammas, costs, last_cost);
  if (costs > 1) {
    std::vector<double>& axis = options.costs.nu.empty() ? options.costs.C : options.costs.nu;
    std::vector<double> kept;
    for (const std::size_t cost : path) kept.push_back(axis[cost]);
    axis = std::move(kept);
  }
  std::vector<double> values;
  for (const std::size_t gamma : gammas) values.push_back(selection.grid[gamma * costs].gamma);
  if (options.kernels.shape().uses_gamma()) {
    options.kernels.gamma.clear();
    for (const double value : values) options.kernels.gamma.push_back({kernel::GammaRule::Kind::value, value});
  }
  rectangle.cells = named_cells(values, options);
  for (const std::size_t gamma : gammas) {
    for (const std::size_t cost : path) {
      rectangle.of_grid.push_back(gamma * costs + cost);
      rectangle.members.push_back(std::ranges::binary_search(members, gamma * costs + cost));
    }
  }
  return rectangle;
}

}  // namespace

std::vector<MemberCells> member_cells(const Selection& selection) {
  const std::vector<std::size_t> members =
      selection.average ? selection.average->members : std::vector<std::size_t>{selection.best.value()};
  std::vector<MemberCells> rectangles;
  for (auto first = members.begin(); first != members.end();) {
    const auto last = std::find_if(first, members.end(), [&](std::size_t cell) {
      return !same_space(selection.grid[*first], selection.grid[cell]);
    });
    rectangles.push_back(rectangle_of(selection, {first, last}));
    first = last;
  }
  return rectangles;
}

}  // namespace credence::selection
