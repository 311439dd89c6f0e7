#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "credence/data/features.hpp"
#include "credence/qp/solver.hpp"

namespace credence::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A point of the quadratic programme, with everything about it computed from the matrix alone, in double.
struct PointReport {
  std::vector<double> product;   ///< K b
  std::vector<double> gradient;  ///< K b - p
  double objective = 0;          ///< 1/2 b'Kb - p'b
  double sum = 0;                ///< |sum(b)|, 0 if feasible
  double outside = 0;            ///< how far the worst variable is outside its box, 0 if feasible
  double gap = 0;                ///< max over {b<u} of -g minus min over {b>l} of -g
  double bias = 0;               ///< by the contract of qp::bias
  double suboptimality = 0;      ///< upper bound on objective - optimum, for positive semidefinite K

  /// Upper bound on |(Kb)_i - (Kb*)_i| / sqrt(K_ii), since 1/2 |b - b*|_K^2 <= objective - optimum.
  double distance_to_optimum() const { return std::sqrt(2 * suboptimality); }
};

inline PointReport report(const data::DenseMatrix& k, const qp::Problem& problem, const std::vector<double>& beta) {
  const std::size_t n = beta.size();
  PointReport result;
  result.product.assign(n, 0);
  result.gradient.assign(n, 0);
  double highest = -infinity;
  double lowest = infinity;
  double free_sum = 0;
  double free_count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) result.product[i] += beta[j] == 0 ? 0 : k.row(i)[j] * beta[j];
    const double g = result.gradient[i] = result.product[i] - problem.linear[i];
    result.objective += 0.5 * beta[i] * result.product[i] - problem.linear[i] * beta[i];
    result.sum += beta[i];
    result.outside = std::max({result.outside, problem.lower[i] - beta[i], beta[i] - problem.upper[i]});
    if (beta[i] < problem.upper[i]) highest = std::max(highest, -g);
    if (beta[i] > problem.lower[i]) lowest = std::min(lowest, -g);
    if (problem.lower[i] < beta[i] && beta[i] < problem.upper[i]) {
      free_sum += g;
      ++free_count;
    }
  }
  result.sum = std::abs(result.sum);
  result.gap = highest - lowest;
  result.bias = free_count > 0 ? -free_sum / free_count : (highest + lowest) / 2;
  // Lagrangian bound: optimum >= objective - sum_i max over the box of (g_i + multiplier) (b_i - z).
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = result.gradient[i] + (std::isfinite(result.bias) ? result.bias : 0);
    result.suboptimality += slope > 0 ? slope * (beta[i] - problem.lower[i]) : -slope * (problem.upper[i] - beta[i]);
  }
  return result;
}

/// Sequential minimal optimisation as in the textbook: one matrix, doubles, no caches, no shrinking.
inline std::vector<double> reference_solution(const data::DenseMatrix& k, const qp::Problem& problem,
                                              double tolerance = 1e-10, std::size_t max_steps = 3'000'000) {
  const std::size_t n = k.rows;
  std::vector<double> beta(n, 0);
  std::vector<double> g(n);
  for (std::size_t i = 0; i < n; ++i) g[i] = -problem.linear[i];
  for (std::size_t step = 0; step < max_steps; ++step) {
    std::size_t up = n;
    for (std::size_t i = 0; i < n; ++i)
      if (beta[i] < problem.upper[i] && (up == n || -g[i] > -g[up])) up = i;
    if (up == n) break;
    std::size_t down = n;
    double lowest = infinity;
    double best_gain = -1;
    double best_curvature = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (beta[j] <= problem.lower[j]) continue;
      lowest = std::min(lowest, -g[j]);
      const double violation = g[j] - g[up];
      const double curvature = std::max(k.row(up)[up] + k.row(j)[j] - 2 * k.row(up)[j], 1e-12);
      if (violation > 0 && violation * violation / curvature > best_gain) {
        best_gain = violation * violation / curvature;
        best_curvature = curvature;
        down = j;
      }
    }
    if (down == n || -g[up] - lowest <= tolerance) break;
    const double room = std::min(problem.upper[up] - beta[up], beta[down] - problem.lower[down]);
    const double move = std::min(room, (g[down] - g[up]) / best_curvature);
    beta[up] = move == problem.upper[up] - beta[up] ? problem.upper[up] : beta[up] + move;
    beta[down] = move == beta[down] - problem.lower[down] ? problem.lower[down] : beta[down] - move;
    for (std::size_t t = 0; t < n; ++t) g[t] += move * (k.row(up)[t] - k.row(down)[t]);
  }
  return beta;
}

/// The problem of a C-SVC: p = y, box [0, C_i] or [-C_i, 0] by the sign of y_i.
inline qp::Problem classification_problem(const std::vector<double>& y, const std::vector<double>& bounds) {
  qp::Problem problem{y, std::vector<double>(y.size(), 0), std::vector<double>(y.size(), 0)};
  for (std::size_t i = 0; i < y.size(); ++i) (y[i] > 0 ? problem.upper[i] : problem.lower[i]) = y[i] * bounds[i];
  return problem;
}

inline qp::Problem classification_problem(const std::vector<double>& y, double C) {
  return classification_problem(y, std::vector<double>(y.size(), C));
}

inline double largest(std::span<const double> values) {
  double result = 0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

}  // namespace credence::test
