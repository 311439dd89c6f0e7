#include "credence/selection/bound_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

void check_sizes(const model::Prediction& prediction, std::span<const int> labels, std::size_t rows, const char* what) {
  if (rows != prediction.label.size()) {
    throw Error(ErrorCode::invalid_argument, fmt::format("the prediction has no {}", what));
  }
  if (labels.size() != rows) {
    throw Error(ErrorCode::invalid_argument, fmt::format("there are {} labels for {} rows", labels.size(), rows));
  }
}

}  // namespace

std::vector<BoundPoint> bound_curve(const model::Prediction& prediction, std::span<const int> labels) {
  const std::vector<double>& eps = prediction.eps_crit;
  check_sizes(prediction, labels, std::min({eps.size(), prediction.bound_vc.size(), prediction.bound_dkw.size()}),
              "bounds");
  std::vector<std::size_t> order(eps.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return eps[a] < eps[b]; });

  std::vector<BoundPoint> curve;
  for (const std::size_t i : order) {
    if (curve.empty() || curve.back().eps_crit < eps[i]) {
      BoundPoint next = curve.empty() ? BoundPoint{} : curve.back();
      next.eps_crit = eps[i];
      next.bound_vc = prediction.bound_vc[i];
      next.bound_dkw = prediction.bound_dkw[i];
      curve.push_back(next);
    }
    ++curve.back().rows;
    curve.back().errors += prediction.label[i] != labels[i] ? 1U : 0U;
  }
  return curve;
}

RegionCounts count_regions(const model::Prediction& prediction, std::span<const int> labels, double eps) {
  check_sizes(prediction, labels, prediction.p_value.rows, "p-values");
  RegionCounts counts;
  counts.eps = eps;
  counts.rows = labels.size();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::vector<int> region = prediction.region(i, eps);
    const bool covers = std::find(region.begin(), region.end(), labels[i]) != region.end();
    counts.errors += covers ? 0U : 1U;
    counts.empty += region.empty() ? 1U : 0U;
    counts.single += region.size() == 1 ? 1U : 0U;
    counts.multiple += region.size() > 1 ? 1U : 0U;
    counts.single_errors += region.size() == 1 && !covers ? 1U : 0U;
  }
  return counts;
}

}  // namespace credence::selection
