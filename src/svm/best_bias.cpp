#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "credence/svm/ivanov.hpp"

namespace credence::svm {

/// As the bias grows, the loss of a row of label +1 falls from -1 - o to 1 - o with slope -1 and is flat elsewhere;
/// that of a row of label -1 rises there with slope 1. Far to the left the loss is 2 n+.
double best_bias(std::span<const int> labels, std::span<const double> offsets, double preferred) {
  std::vector<std::pair<double, double>> kinks;  // where, change of slope
  kinks.reserve(2 * labels.size());
  double value = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double step = labels[i] > 0 ? -1 : 1;
    kinks.emplace_back(-1 - offsets[i], step);
    kinks.emplace_back(1 - offsets[i], -step);
    value += labels[i] > 0 ? 2 : 0;
  }
  std::sort(kinks.begin(), kinks.end());
  // Sums of differences carry rounding; values this close are equal.
  const double equal = 1e-12 * static_cast<double>(labels.size() + 1);
  double best = preferred;
  double least = 2.0 * static_cast<double>(labels.size()) + 1;
  double slope = 0;
  double last = kinks.empty() ? 0 : kinks.front().first;
  for (const auto& [where, change] : kinks) {
    value += slope * (where - last);
    const bool nearer = std::abs(where - preferred) < std::abs(best - preferred);
    if (value < least - equal || (value <= least + equal && nearer)) {
      least = std::min(least, value);
      best = where;
    }
    // On a flat stretch of least values the preferred bias itself is the nearest.
    last = where;
    slope += change;
  }
  return best;
}

}  // namespace credence::svm
