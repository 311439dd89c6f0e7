#include "rvm/machine_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rvm/likelihood.hpp"

namespace credence::rvm {

bool is_absent(const std::vector<double>& targets) {
  return std::ranges::none_of(targets, [](double target) { return target > 0.5; });
}

Fit constant_fit(std::size_t rows, bool with_covariance) {
  constexpr int steps = 200;  // each step about halves the error, or better
  const auto n = static_cast<double>(rows);
  double v = std::log(n);
  for (int step = 0; step < steps; ++step) v = std::log(n * (1 + v * expit(v)));
  const double alpha = expit(v) / (v * (1 + v * expit(v)));
  const Likelihood one = logistic(-v, 0);
  const double hessian = n * one.curvature + alpha;
  Fit fit;
  fit.columns = {0};
  fit.weights = {-v};
  fit.alpha = {alpha};
  fit.gamma = {1 - alpha / hessian};
  fit.log_likelihood = n * one.value;
  fit.log_posterior =
      fit.log_likelihood - 0.5 * alpha * v * v + 0.5 * std::log(alpha) - 0.5 * std::log(2 * std::numbers::pi);
  fit.log_hessian = std::log(hessian);
  fit.log_evidence = fit.log_posterior + 0.5 * std::log(2 * std::numbers::pi) - 0.5 * fit.log_hessian;
  if (with_covariance) {
    fit.covariance = data::DenseMatrix(1, 1);
    fit.covariance.values = {1 / hessian};
  }
  fit.status = Status::converged;
  fit.null_model = true;
  return fit;
}

}  // namespace credence::rvm
