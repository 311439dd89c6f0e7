#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "bounds/distributions.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

constexpr std::size_t most_exact_one_sided = 100'000;
constexpr std::size_t most_exact_two_sided = 1'000;

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) refuse("a test of uniformity needs at least one number");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] >= 0 && values[i] <= 1) continue;
    refuse(fmt::format("number {} (numbered from 0) is {}, but must lie in [0, 1] for a test of uniformity", i,
                       values[i]));
  }
  std::vector<double> ascending(values.begin(), values.end());
  std::ranges::sort(ascending);
  return ascending;
}

/// D+ = max i / n - x_(i), counted from 1; if `both` are asked for, the larger of it and of D- = max x_(i) - (i - 1) /
/// n.
double largest_difference(const std::vector<double>& ascending, bool both) {
  const auto n = static_cast<double>(ascending.size());
  double largest = 0;
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    largest = std::max(largest, static_cast<double>(i + 1) / n - ascending[i]);
    if (both) largest = std::max(largest, ascending[i] - static_cast<double>(i) / n);
  }
  return largest;
}

/// P(D+ >= d) = d sum_{j=0}^{n(1-d)} (n choose j) (d + j/n)^(j-1) (1 - d - j/n)^(n-j): no term is negative, and each is
/// a binomial probability times d / (d + j/n).
double birnbaum_tingey(std::size_t n, double d) {
  const auto size = static_cast<double>(n);
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double p = d + static_cast<double>(j) / size;
    if (p >= 1) break;
    sum += d / p * bounds::binomial_at(size, p, static_cast<double>(j));
  }
  return sum;
}

/// P(D+ >= d). Beyond the exact formula Smirnov's limit, at d + 1 / (6 n), which leaves an error of order 1 / n.
double one_sided_tail(std::size_t n, double d) {
  if (d <= 0) return 1;
  if (d >= 1) return 0;
  const double shifted = d + 1 / (6 * static_cast<double>(n));
  const double tail =
      n <= most_exact_one_sided ? birnbaum_tingey(n, d) : std::exp(-2 * static_cast<double>(n) * shifted * shifted);
  return std::min(1.0, tail);
}

/// Durbin's matrix: H_ij = 1 / (i - j + 1)! on and below the line above the diagonal, but for the first column and the
/// last row, where the band ends within a step.
class BandMatrix {
 public:
  BandMatrix(std::size_t order, double rest) : order_(order), inverse_factorial_(order + 1, 1), edge_(order) {
    for (std::size_t i = 1; i <= order; ++i) inverse_factorial_[i] = inverse_factorial_[i - 1] / static_cast<double>(i);
    for (std::size_t i = 0; i < order; ++i) {
      const auto power = static_cast<double>(i + 1);
      edge_[i] = (1 - std::pow(rest, power)) * inverse_factorial_[i + 1];
    }
    const auto power = static_cast<double>(order);
    corner_ =
        (1 - 2 * std::pow(rest, power) + std::pow(std::max(0.0, 2 * rest - 1), power)) * inverse_factorial_[order];
  }

  double at(std::size_t i, std::size_t j) const {
    if (j > i + 1) return 0;
    if (j == 0) return i + 1 == order_ ? corner_ : edge_[i];
    return i + 1 == order_ ? edge_[order_ - 1 - j] : inverse_factorial_[i + 1 - j];
  }
  std::size_t order() const { return order_; }

 private:
  std::size_t order_;
  std::vector<double> inverse_factorial_;
  std::vector<double> edge_;  ///< the first column from the top, the last row from the right
  double corner_ = 0;
};

/// P(D < d) = n! / n^n (H^n)_kk, k - rest = n d. Every step is divided by e, so that the vector holds probabilities of
/// a Poisson process within the band and neither overflows nor needs rescaling. Cost: n steps of (2 n d)^2.
double matrix_formula(std::size_t n, double d) {
  const double reach = static_cast<double>(n) * d;
  const auto k = static_cast<std::size_t>(reach) + 1;
  const BandMatrix band(2 * k - 1, static_cast<double>(k) - reach);
  std::vector<double> dense(band.order() * band.order());
  for (std::size_t i = 0; i < band.order(); ++i)
    for (std::size_t j = 0; j < band.order(); ++j) dense[i * band.order() + j] = band.at(i, j) / std::numbers::e;
  std::vector<double> state(band.order(), 0);
  std::vector<double> next(band.order());
  state[k - 1] = 1;
  for (std::size_t step = 0; step < n; ++step) {
    std::ranges::fill(next, 0);
    for (std::size_t i = 0; i < band.order(); ++i) {
      const double* const row = dense.data() + i * band.order();
      const std::size_t width = std::min(i + 2, band.order());
      for (std::size_t j = 0; j < width; ++j) next[j] += state[i] * row[j];
    }
    state.swap(next);
  }
  // Poisson probability of n at rate n: what the process of n points was conditioned on.
  return state[k - 1] / bounds::poisson_at_rate(static_cast<double>(n));
}

/// The limit of P(D+ >= d and D- >= d) as n grows: 2 sum_{k=2} (-1)^k exp(-2 k^2 n d^2); with the shift as above.
double both_sides_tail(std::size_t n, double d) {
  const double shifted = d + 1 / (6 * static_cast<double>(n));
  const double exponent = -2 * static_cast<double>(n) * shifted * shifted;
  double sum = 0;
  double term = 1;
  for (int k = 2; term > 1e-17; ++k) {
    term = 2 * std::exp(exponent * k * k);
    sum += k % 2 == 0 ? term : -term;
  }
  return sum;
}

/// P(D >= d) = P(D+ >= d) + P(D- >= d) - P(both). Both at once is impossible from d = 1/2 on, and rarer than 4e-11 of
/// either from n d^2 = 4 on.
double two_sided_tail(std::size_t n, double d) {
  const bool both_possible = d < 0.5 && static_cast<double>(n) * d * d < 4;
  if (both_possible && n <= most_exact_two_sided) return std::clamp(1 - matrix_formula(n, d), 0.0, 1.0);
  const double either = 2 * one_sided_tail(n, d);
  return std::clamp(both_possible ? either - both_sides_tail(n, d) : either, 0.0, 1.0);
}

}  // namespace

UniformityTest test_uniform(std::span<const double> values) {
  const std::vector<double> ascending = sorted(values);
  const double d = largest_difference(ascending, true);
  return {d, two_sided_tail(ascending.size(), d), false};
}

UniformityTest test_dominates_uniform(std::span<const double> values) {
  const std::vector<double> ascending = sorted(values);
  const double d = largest_difference(ascending, false);
  return {d, one_sided_tail(ascending.size(), d), true};
}

}  // namespace credence::conformal
