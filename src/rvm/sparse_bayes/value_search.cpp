#include "rvm/sparse_bayes/value_search.hpp"

#include <algorithm>
#include <cmath>

#include "blas/calls.hpp"
#include "rvm/likelihood.hpp"

namespace credence::rvm {
namespace {

constexpr double smallest_value_step = 1.0 / (1 << 20);
constexpr double sufficient_value_rise = 1e-4;
/// Number of columns for one task.
constexpr std::size_t columns_of_strip = 64;

}  // namespace

ValueSearch::ValueSearch(const Triangle& covariance, std::span<const double> targets, const core::Context& context)
    : covariance_(covariance),
      targets_(targets),
      context_(context),
      duals_(targets.size(), 0.0),
      values_(targets.size(), 0.0),
      inner_(targets.size()) {}

ValueSearch::End ValueSearch::run(double tolerance, int most_steps) {
  for (int count = 0; count < most_steps; ++count) {
    if (context_.monitor.should_stop()) return End::stopped;
    Step step;
    if (!newton_step(step)) return End::indefinite;
    if (!step_along(step) || step.decrement < tolerance) break;
  }
  return End::found;
}

/// The step goes to a + change = (I - B^1/2 (I + B^1/2 K B^1/2)^-1 B^1/2 K) (B y + g). False if rounding makes the step
/// useless.
bool ValueSearch::newton_step(Step& step) {
  const std::size_t rows = targets_.size();
  std::vector<double> slope(rows);
  std::vector<double> root(rows);
  std::vector<double> wanted(rows);
  for (std::size_t n = 0; n < rows; ++n) {
    const Likelihood l = logistic(values_[n], targets_[n]);
    slope[n] = l.slope;
    root[n] = std::sqrt(l.curvature);
    wanted[n] = l.curvature * values_[n] + l.slope;
  }
  context_.threads.for_each((rows + columns_of_strip - 1) / columns_of_strip, [&](std::size_t s) {
    for (std::size_t j = s * columns_of_strip; j < std::min((s + 1) * columns_of_strip, rows); ++j)
      for (std::size_t i = j; i < rows; ++i) inner_.column(j)[i] = covariance_.at(i, j) * root[i] * root[j];
  });
  inner_.add_identity();
  ++steps_;
  if (!inner_.factorise(context_.threads)) return false;
  std::vector<double> correction = times_covariance(wanted);
  for (std::size_t n = 0; n < rows; ++n) correction[n] *= root[n];
  inner_.solve(correction);
  step.duals.resize(rows);
  for (std::size_t n = 0; n < rows; ++n) step.duals[n] = wanted[n] - root[n] * correction[n] - duals_[n];
  step.values = times_covariance(step.duals);
  for (std::size_t n = 0; n < rows; ++n) step.decrement += (slope[n] - duals_[n]) * step.values[n];
  return std::isfinite(step.decrement);
}

/// Takes the longest of the steps 1, 1/2, 1/4, ... that raises the objective enough; false if no step does.
bool ValueSearch::step_along(const Step& step) {
  const double here = objective(values_, duals_);
  std::vector<double> duals(targets_.size());
  std::vector<double> values(targets_.size());
  for (double length = 1; length >= smallest_value_step; length /= 2) {
    for (std::size_t n = 0; n < targets_.size(); ++n) {
      duals[n] = duals_[n] + length * step.duals[n];
      values[n] = values_[n] + length * step.values[n];
    }
    if (objective(values, duals) >= here + sufficient_value_rise * length * step.decrement) {
      duals_ = std::move(duals);
      values_ = std::move(values);
      return true;
    }
  }
  return false;
}

double ValueSearch::objective(std::span<const double> values, std::span<const double> duals) const {
  double sum = 0;
  for (std::size_t n = 0; n < targets_.size(); ++n)
    sum += logistic(values[n], targets_[n]).value - 0.5 * duals[n] * values[n];
  return sum;
}

std::vector<double> ValueSearch::times_covariance(std::span<const double> x) const {
  const auto rows = blas::size(x.size());
  std::vector<double> product(x.size());
  blas::symv(CblasColMajor, CblasLower, rows, 1, covariance_.column(0), rows, x.data(), 1, 0, product.data(), 1);
  return product;
}

}  // namespace credence::rvm
