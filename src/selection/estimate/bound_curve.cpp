#include "credence/selection/bound_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/core/error.hpp"

namespace credence::selection {

std::vector<BoundPoint> bound_curve(const model::Prediction& prediction, std::span<const int> labels) {
  const std::vector<double>& eps = prediction.eps_crit;
  const std::size_t rows = prediction.label.size();
  if (std::min({eps.size(), prediction.bound_vc.size(), prediction.bound_dkw.size()}) != rows)
    throw Error(ErrorCode::invalid_argument, "the prediction has no bounds");
  if (labels.size() != rows)
    throw Error(ErrorCode::invalid_argument, fmt::format("there are {} labels for {} rows", labels.size(), rows));
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

}  // namespace credence::selection
