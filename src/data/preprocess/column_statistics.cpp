#include "data/preprocess/column_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/core/list.hpp"

namespace credence::data::detail {

namespace {

/// mean = sum w x / n with n = sum w, then corrected by the mean of the remainders; variance about it, of which the
/// square of their sum is taken off (Chan, Golub and LeVeque 1983, equation 1.7).
Moments two_pass(const Sample& sample) {
  const double n = sample.total_weight();
  const double zeros = sample.zero_weight();
  double sum = 0;
  for (std::size_t k = 0; k < sample.values.size(); ++k) sum += sample.weight_at(k) * sample.values[k];
  const double mean = sum / n;
  double squares = zeros * mean * mean;
  double remainder = -zeros * mean;
  for (std::size_t k = 0; k < sample.values.size(); ++k) {
    const double distance = sample.values[k] - mean;
    squares += sample.weight_at(k) * (distance * distance);
    remainder += sample.weight_at(k) * distance;
  }
  const double variance = (squares - remainder * remainder / n) / n;
  return {mean + remainder / n, std::sqrt(std::max(0.0, variance))};
}

/// A half is met or passed by no more than rounding: weights of 0.1 have the median of weights of 1.
double weighted_median(const Sample& sample) {
  struct Weighted {
    double value;
    double weight;
  };
  std::vector<Weighted> sorted =
      core::made(sample.values.size(), [&](std::size_t k) { return Weighted{sample.values[k], sample.weights[k]}; });
  if (sample.zeros > 0) sorted.push_back({0.0, sample.weight_of_zeros});
  std::ranges::sort(sorted, {}, &Weighted::value);
  const double total = sample.total_weight();
  const double rounding = 1e-12 * total;
  double below = 0;
  std::size_t lower = sorted.size();
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    below += sorted[k].weight;
    if (lower == sorted.size() && below >= total / 2 - rounding) lower = k;
    if (below > total / 2 + rounding) return std::midpoint(sorted[lower].value, sorted[k].value);
  }
  return sorted.back().value;
}

}  // namespace

double Sample::total_weight() const {
  if (weights.empty()) return static_cast<double>(size());
  return std::accumulate(weights.begin(), weights.end(), weight_of_zeros);
}

void Sample::append(double value, std::size_t times, double weight) {
  if (times == 0) return;
  if (weights.empty()) {
    values.insert(values.end(), times, value);
  } else {
    values.push_back(value);
    weights.push_back(weight);
  }
}

double median(Sample& sample) {
  const std::size_t n = sample.size();
  if (n == 0) return 0;
  if (!sample.weights.empty()) return weighted_median(sample);
  std::ranges::sort(sample.values);
  const auto first_above =
      static_cast<std::size_t>(std::ranges::lower_bound(sample.values, 0.0) - sample.values.begin());
  const auto at = [&](std::size_t rank) {
    if (rank < first_above) return sample.values[rank];
    return rank < first_above + sample.zeros ? 0.0 : sample.values[rank - sample.zeros];
  };
  return n % 2 == 1 ? at(n / 2) : std::midpoint(at(n / 2 - 1), at(n / 2));
}

double minimum(const Sample& sample) {
  const double start = sample.zeros > 0 ? 0.0 : sample.values.front();
  return std::accumulate(sample.values.begin(), sample.values.end(), start,
                         [](double a, double b) { return std::min(a, b); });
}

double maximum(const Sample& sample) {
  const double start = sample.zeros > 0 ? 0.0 : sample.values.front();
  return std::accumulate(sample.values.begin(), sample.values.end(), start,
                         [](double a, double b) { return std::max(a, b); });
}

Moments moments(const Sample& sample) {
  const Moments plain = two_pass(sample);
  const double smallest_square = std::sqrt(std::numeric_limits<double>::min());
  if (std::isfinite(plain.mean) && std::isfinite(plain.deviation) && plain.deviation > smallest_square) return plain;
  // Squares overflow or vanish: do it on the unit interval, where the stored zeros are numbers like others.
  const double low = minimum(sample);
  const double range = maximum(sample) - low;
  if (range == 0) return {low, 0};
  Sample unit;
  unit.values.reserve(sample.size());
  for (const double x : sample.values) unit.values.push_back((x - low) / range);
  unit.weights = sample.weights;
  unit.append(-low / range, sample.zeros, sample.weight_of_zeros);
  const Moments scaled = two_pass(unit);
  return {low + range * scaled.mean, range * scaled.deviation};
}

}  // namespace credence::data::detail
