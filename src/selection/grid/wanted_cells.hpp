#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace credence::selection {

/// Which cells of a grid of gammas and costs are to be judged, and the order in which the gammas are worked on.
class WantedCells {
 public:
  /// All cells, the gammas in the order of the grid.
  static WantedCells all(std::size_t gammas, std::size_t costs) {
    std::vector<std::size_t> order(gammas);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return {std::vector<bool>(gammas * costs, true), costs, order};
  }
  /// @param wanted  for each cell, gamma-major  @param order  gammas, each once; those without a wanted cell fall out
  WantedCells(const std::vector<bool>& wanted, std::size_t costs, std::span<const std::size_t> order)
      : costs_(wanted.size() / costs), costs_of_grid_(costs) {
    for (std::size_t cell = 0; cell < wanted.size(); ++cell)
      if (wanted[cell]) costs_[cell / costs].push_back(cell % costs);
    for (const std::size_t gamma : order)
      if (!costs_[gamma].empty()) gammas_.push_back(gamma);
  }

  /// Says how much work the cells of each gamma are, in whatever unit: progress is counted by work.
  /// @param work  for each cell of the grid, such as the solver's steps on fewer rows
  void weigh(std::span<const double> work) {
    constexpr double all = 10000;
    double sum = 0;
    std::vector<double> of_gamma(costs_.size(), 0);
    for (const std::size_t gamma : gammas_)
      for (const std::size_t c : costs_[gamma]) of_gamma[gamma] += work[gamma * costs_of_grid_ + c];
    for (const double one : of_gamma) sum += one;
    units_.assign(costs_.size(), 1);
    for (std::size_t gamma = 0; gamma < costs_.size(); ++gamma)
      if (sum > 0) units_[gamma] += static_cast<std::size_t>(all * of_gamma[gamma] / sum);
  }
  /// Units of progress that one resample of a gamma is worth.
  std::size_t units(std::size_t gamma) const { return units_.empty() ? 1 : units_[gamma]; }

  /// Gammas of which a cell is wanted, in the order of work.
  std::span<const std::size_t> gammas() const { return gammas_; }
  /// Ascending.
  std::span<const std::size_t> costs_of(std::size_t gamma) const { return costs_[gamma]; }
  bool wants(std::size_t cell) const {
    const std::vector<std::size_t>& costs = costs_[cell / costs_of_grid_];
    return std::binary_search(costs.begin(), costs.end(), cell % costs_of_grid_);
  }
  std::size_t cell(std::size_t gamma, std::size_t cost) const { return gamma * costs_of_grid_ + costs_[gamma][cost]; }

 private:
  std::vector<std::vector<std::size_t>> costs_;
  std::size_t costs_of_grid_;
  std::vector<std::size_t> gammas_;
  std::vector<std::size_t> units_;  ///< per gamma; empty: 1
};

}  // namespace credence::selection
