#include "data/column_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace credence::data::detail {

namespace {

/// mean = sum x / n, then corrected by the mean of the remainders; variance about it, of which the square of their
/// sum is taken off (Chan, Golub and LeVeque 1983, equation 1.7).
Moments two_pass(const Sample& sample) {
  const auto n = static_cast<double>(sample.size());
  const auto zeros = static_cast<double>(sample.zeros);
  double sum = 0;
  for (const double x : sample.values) sum += x;
  const double mean = sum / n;
  double squares = zeros * mean * mean;
  double remainder = -zeros * mean;
  for (const double x : sample.values) {
    squares += (x - mean) * (x - mean);
    remainder += x - mean;
  }
  const double variance = (squares - remainder * remainder / n) / n;
  return {mean + remainder / n, std::sqrt(std::max(0.0, variance))};
}

}  // namespace

double median(Sample& sample) {
  const std::size_t n = sample.size();
  if (n == 0) return 0;
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
  unit.values.insert(unit.values.end(), sample.zeros, -low / range);
  const Moments scaled = two_pass(unit);
  return {low + range * scaled.mean, range * scaled.deviation};
}

}  // namespace credence::data::detail
