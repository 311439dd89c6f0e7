#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "support/rvm_dense.hpp"

/// The batch algorithm of sparse Bayesian learning once more, as slowly and plainly as it can be written: M. E.
/// Tipping, Sparse Bayesian learning and the relevance vector machine, JMLR 1 (2001).
namespace credence::test {

/// Basis functions on the rows (N x M, row-major) and what is to be predicted.
struct SparseProblem {
  DenseMatrix phi;
  Vector targets;
  data::Task task = data::Task::classification;

  std::size_t rows() const { return phi.rows; }
  bool is_regression() const { return task == data::Task::regression; }
};

struct SlowModel {
  std::vector<std::uint32_t> columns;
  Vector weights;
  Vector alpha;
  Vector gamma;
  double noise = 1;
  double log_evidence = 0;
  int iterations = 0;
  rvm::Status status = rvm::Status::iteration_limit;
};

/// The chosen columns of phi, N x M.
inline DenseMatrix columns_of(const DenseMatrix& phi, const std::vector<std::uint32_t>& columns) {
  DenseMatrix part(phi.rows, columns.size());
  for (std::size_t n = 0; n < phi.rows; ++n)
    for (std::size_t m = 0; m < columns.size(); ++m) part.row(n)[m] = phi.row(n)[columns[m]];
  return part;
}

/// l, dl/dy and -d^2l/dy^2 of all rows.
struct SlowLikelihood {
  double value = 0;
  Vector g;
  Vector h;
};

inline SlowLikelihood slow_likelihood(const SparseProblem& problem, const Vector& y, double noise) {
  SlowLikelihood result;
  for (std::size_t n = 0; n < y.size(); ++n) {
    const double t = problem.targets[n];
    if (problem.is_regression()) {
      const double r = t - y[n];
      result.value -= r * r / (2 * noise) + 0.5 * std::log(2 * std::numbers::pi * noise);
      result.g.push_back(r / noise);
      result.h.push_back(1 / noise);
      continue;
    }
    const double sign = t == 1 ? 1 : -1;
    const double v = -sign * y[n];
    const double wrong = 1 / (1 + std::exp(-v));  // probability of the other class
    result.value -= std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v)));
    result.g.push_back(sign * wrong);
    result.h.push_back(1 / ((1 + std::exp(-v)) * (1 + std::exp(v))));
  }
  return result;
}

/// Mode of sum l - u'u / 2 over u = A^1/2 w, and the evidence there.
class SlowMode {
 public:
  SlowMode(const SparseProblem& problem, const std::vector<std::uint32_t>& columns, const Vector& alpha, double noise,
           const Vector& start, double tolerance)
      : problem_(problem), alpha_(alpha), noise_(noise), psi_(columns_of(problem.phi, columns)) {
    for (std::size_t n = 0; n < psi_.rows; ++n)
      for (std::size_t m = 0; m < alpha.size(); ++m) psi_.row(n)[m] /= std::sqrt(alpha[m]);
    for (std::size_t m = 0; m < alpha.size(); ++m) u_.push_back(std::sqrt(alpha[m]) * start[m]);
    for (int step = 0; step < 50; ++step)
      if (newton_step() < tolerance) break;
    factor_ = cholesky(hessian(slow_likelihood(problem_, times(psi_, u_), noise_).h));
  }

  Vector weights() const {
    Vector w = u_;
    for (std::size_t m = 0; m < w.size(); ++m) w[m] /= std::sqrt(alpha_[m]);
    return w;
  }
  Vector gamma() const {
    const DenseMatrix covariance = inverse(factor_);
    Vector result;
    for (std::size_t m = 0; m < u_.size(); ++m) result.push_back(std::clamp(1 - covariance.row(m)[m], 0.0, 1.0));
    return result;
  }
  double log_evidence() const { return value(u_) - 0.5 * log_determinant(factor_); }
  Vector y() const { return times(psi_, u_); }

 private:
  double value(const Vector& u) const {
    return slow_likelihood(problem_, times(psi_, u), noise_).value - 0.5 * dot(u, u);
  }
  /// I + Psi' diag(h) Psi.
  DenseMatrix hessian(const Vector& h) const {
    DenseMatrix result = weighted_gram(psi_, h);
    for (std::size_t m = 0; m < result.rows; ++m) result.row(m)[m] += 1;
    return result;
  }
  /// @return the Newton decrement before the step
  double newton_step() {
    const SlowLikelihood likelihood = slow_likelihood(problem_, times(psi_, u_), noise_);
    Vector gradient = transposed_times(psi_, likelihood.g);
    for (std::size_t m = 0; m < u_.size(); ++m) gradient[m] -= u_[m];
    const Vector p = solve(cholesky(hessian(likelihood.h)), gradient);
    const double decrement = dot(gradient, p);
    const double before = value(u_);
    for (double length = 1; length >= std::ldexp(1.0, -20); length /= 2) {
      Vector moved = u_;
      for (std::size_t m = 0; m < u_.size(); ++m) moved[m] += length * p[m];
      if (value(moved) < before + 1e-4 * length * decrement) continue;
      u_ = moved;
      return decrement;
    }
    return 0;
  }

  const SparseProblem& problem_;
  const Vector& alpha_;
  double noise_;
  DenseMatrix psi_;
  Vector u_;
  DenseMatrix factor_;
};

inline double variance_of(const Vector& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(values.size());
}

/// Tipping's batch algorithm with the safeguards and the stopping rule of rvm/sparse_bayes.hpp.
class SlowBatch {
 public:
  SlowBatch(const SparseProblem& problem, const rvm::FitOptions& options, double first_alpha)
      : problem_(problem), options_(options) {
    for (std::uint32_t m = 0; m < problem.phi.columns; ++m) model_.columns.push_back(m);
    model_.alpha.assign(problem.phi.columns, first_alpha);
    model_.weights.assign(problem.phi.columns, 0);
    if (problem.is_regression())
      model_.noise = options.noise_variance.value_or(options.noise_start * variance_of(problem.targets));
  }

  SlowModel run() {
    int quiet = 0;
    double previous = -std::numeric_limits<double>::infinity();
    while (model_.iterations < options_.max_iterations) {
      ++model_.iterations;
      find_mode(options_.inner_tolerance);
      const double change = std::abs(model_.log_evidence - previous);
      previous = model_.log_evidence;
      const Moves moves = re_estimate();
      quiet = !moves.pruned && change < options_.evidence_tolerance && moves.noise < 1e-3 ? quiet + 1 : 0;
      if (moves.alpha < options_.alpha_tolerance && !moves.pruned) model_.status = rvm::Status::converged;
      if (quiet >= 3) model_.status = rvm::Status::plateau;
      if (model_.status != rvm::Status::iteration_limit) break;
    }
    find_mode(options_.final_tolerance);
    return std::move(model_);
  }

 private:
  struct Moves {
    double alpha = 0;  ///< largest |change of log alpha| of those that stay
    double noise = 0;  ///< |change of log noise|
    bool pruned = false;
  };

  void find_mode(double tolerance) {
    const SlowMode mode(problem_, model_.columns, model_.alpha, model_.noise, model_.weights, tolerance);
    model_.weights = mode.weights();
    model_.gamma = mode.gamma();
    model_.log_evidence = mode.log_evidence();
    y_ = mode.y();
  }

  Moves re_estimate() {
    Moves moves;
    moves.noise = re_estimate_noise();
    Vector alpha = model_.alpha;
    for (std::size_t m = 0; m < alpha.size(); ++m) {
      const double w2 = std::max(model_.weights[m] * model_.weights[m], 1e-300);
      alpha[m] = std::clamp(std::max(model_.gamma[m], 1e-15) / w2, options_.alpha_min, 1e30);
      if (alpha[m] >= options_.alpha_max) continue;
      moves.alpha = std::max(moves.alpha, std::abs(std::log(alpha[m] / model_.alpha[m])));
    }
    moves.pruned = prune(alpha);
    return moves;
  }

  double re_estimate_noise() {
    if (!problem_.is_regression() || options_.noise_variance) return 0;
    double residual = 0;
    double free = static_cast<double>(problem_.rows());
    for (std::size_t n = 0; n < y_.size(); ++n)
      residual += (problem_.targets[n] - y_[n]) * (problem_.targets[n] - y_[n]);
    for (const double gamma : model_.gamma) free -= gamma;
    free = std::max(free, 1e-3 * static_cast<double>(problem_.rows()));
    const double noise = std::max(residual / free, 1e-12 * variance_of(problem_.targets));
    return std::abs(std::log(noise / std::exchange(model_.noise, noise)));
  }

  bool prune(const Vector& alpha) {
    const auto smallest = std::min_element(alpha.begin(), alpha.end()) - alpha.begin();
    SlowModel kept;
    for (std::size_t m = 0; m < alpha.size(); ++m) {
      if (alpha[m] >= options_.alpha_max && m != static_cast<std::size_t>(smallest)) continue;
      kept.columns.push_back(model_.columns[m]);
      kept.alpha.push_back(alpha[m]);
      kept.weights.push_back(model_.weights[m]);
    }
    const bool pruned = kept.columns.size() < model_.columns.size();
    model_.columns = kept.columns;
    model_.alpha = kept.alpha;
    model_.weights = kept.weights;
    return pruned;
  }

  const SparseProblem& problem_;
  const rvm::FitOptions& options_;
  SlowModel model_;
  Vector y_;
};

/// The fit from alpha = first_alpha, by default 1/N^2.
inline SlowModel slow_fit(const SparseProblem& problem, const rvm::FitOptions& options,
                          std::optional<double> first_alpha = {}) {
  const double n = static_cast<double>(problem.rows());
  return SlowBatch(problem, options, first_alpha.value_or(1 / (n * n))).run();
}

}  // namespace credence::test
