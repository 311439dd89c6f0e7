#include "credence/selection/paired_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "bounds/distributions.hpp"
#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

void check_pairs(std::span<const double> first, std::span<const double> second, double test_ratio) {
  const auto all_finite = [](std::span<const double> errors) {
    return std::all_of(errors.begin(), errors.end(), [](double error) { return std::isfinite(error); });
  };
  std::vector<std::string> problems;
  if (first.size() != second.size()) {
    problems.push_back(
        fmt::format("a paired test needs errors on the same splits, but there are {} of one and {} of "
                    "the other method",
                    first.size(), second.size()));
  } else if (first.size() < 2) {
    problems.emplace_back("a paired test needs at least 2 splits");
  }
  if (!all_finite(first) || !all_finite(second))
    problems.emplace_back("the errors of a paired test must be finite numbers");
  if (!(test_ratio > 0 && std::isfinite(test_ratio))) {
    problems.push_back(
        fmt::format("the ratio of test to training rows must be finite and above 0, not {}", test_ratio));
  }
  throw_if_any(problems);
}

double sum_of_differences(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Of differences that are all the same: no variance to divide by.
PairedTest test_of_constant(double difference) {
  if (difference == 0) return {};
  return {difference, std::copysign(std::numeric_limits<double>::infinity(), difference), 0, 0};
}

}  // namespace

PairedTest corrected_resampled_t_test(std::span<const double> first, std::span<const double> second,
                                      double test_ratio) {
  check_pairs(first, second, test_ratio);
  std::vector<double> d(first.size());
  std::transform(first.begin(), first.end(), second.begin(), d.begin(), std::minus{});
  if (std::all_of(d.begin(), d.end(), [&](double difference) { return difference == d.front(); }))
    return test_of_constant(d.front());
  const auto J = static_cast<double>(d.size());
  const double mean = sum_of_differences(d) / J;
  std::vector<double> squares;
  for (const double difference : d) squares.push_back((difference - mean) * (difference - mean));
  const double variance = sum_of_differences(squares) / (J - 1);
  const double standard_error = std::sqrt((1 / J + test_ratio) * variance);
  const double t = mean / standard_error;
  constexpr double tail = 0.025;
  return {mean, t, 2 * bounds::students_above(J - 1, std::abs(t)),
          standard_error * bounds::students_quantile(J - 1, tail)};
}

}  // namespace credence::selection
