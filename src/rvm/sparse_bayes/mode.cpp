#include "rvm/sparse_bayes/mode.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "blas/calls.hpp"
#include "credence/core/list.hpp"
#include "rvm/likelihood.hpp"
#include "rvm/sparse_bayes/value_search.hpp"

namespace credence::rvm {
namespace {

constexpr int most_steps = 50;
constexpr double smallest_newton_step = 1.0 / (1 << 20);
constexpr double sufficient_newton_rise = 1e-4;
/// A Hessian of earlier weights is used as long as each step multiplies the decrement by at most this factor.
constexpr double serving = 0.3;
/// A search with this tolerance or a larger one is coarse.
constexpr double coarse = 1e-3;
/// Number of rows or columns for one task.
constexpr std::size_t size_of_share = 256;

std::size_t shares_of(std::size_t n) {
  return (n + size_of_share - 1) / size_of_share;
}

double dot(std::span<const double> x, std::span<const double> y) {
  return blas::dot(blas::size(x.size()), x.data(), 1, y.data(), 1);
}

}  // namespace

Mode::Mode(const Basis& basis, std::span<const std::uint32_t> columns, std::span<const double> alpha,
           const Likelihoods& likelihoods, double noise_variance, const core::Context& context)
    : basis_(basis),
      likelihoods_(likelihoods),
      context_(context),
      rows_(basis.rows),
      columns_(columns.begin(), columns.end()),
      alpha_(alpha.begin(), alpha.end()),
      noise_variance_(noise_variance),
      weights_(columns.size(), 0.0),
      at_(evaluate(std::vector<double>(basis.rows, 0.0))) {}

/// Each task takes a share of the rows whose values stay in the first-level cache while all columns pass.
std::vector<double> Mode::values_at(std::span<const double> weights) const {
  std::vector<double> values(rows_, 0.0);
  context_.threads.for_each(shares_of(rows_), [&](std::size_t s) {
    const std::size_t first = s * size_of_share;
    const blasint count = blas::size(std::min(size_of_share, rows_ - first));
    for (std::size_t m = 0; m < size(); ++m) blas::axpy(count, weights[m], phi(m) + first, 1, values.data() + first, 1);
  });
  return values;
}

Mode::Evaluation Mode::evaluate(std::vector<double> values) const {
  Evaluation result;
  result.values = std::move(values);
  result.slopes.resize(rows_);
  result.curvatures.resize(rows_);
  const auto set_derivatives = [&](std::size_t n, const auto& row) {
    result.slopes[n] = row.slope;
    result.curvatures[n] = row.curvature;
  };
  if (!regression()) {
    SumOfLogs logs;
    for (std::size_t n = 0; n < rows_; ++n) {
      const Logistic row = logistic_parts(result.values[n], likelihoods_.targets[n]);
      set_derivatives(n, row);
      result.log_likelihood -= row.linear;
      logs.add(row.small);
    }
    result.log_likelihood -= logs.value();
  } else {
    for (std::size_t n = 0; n < rows_; ++n) {
      const Likelihood row = gaussian(result.values[n], likelihoods_.targets[n], noise_variance_);
      set_derivatives(n, row);
      result.log_likelihood += row.value;
    }
  }
  return result;
}

/// 0.5 u'u.
double Mode::half_penalty(std::span<const double> weights) const {
  double sum = 0;
  for (std::size_t m = 0; m < weights.size(); ++m) sum += alpha_[m] * weights[m] * weights[m];
  return 0.5 * sum;
}

void Mode::move_to(Evaluation there) {
  at_ = std::move(there);
  if (!regression()) has_products_ = false;
}

void Mode::set_noise_variance(double value) {
  noise_variance_ = value;
  at_ = evaluate(std::move(at_.values));
}

/// d(log Q)/du at the present weights.
std::vector<double> Mode::gradient() const {
  std::vector<double> result(size());
  context_.threads.for_each(shares_of(size()), [&](std::size_t s) {
    for (std::size_t m = s * size_of_share; m < std::min((s + 1) * size_of_share, size()); ++m) {
      const double root = std::sqrt(alpha_[m]);
      result[m] = blas::dot(blas::size(rows_), phi(m), 1, at_.slopes.data(), 1) / root - root * weights_[m];
    }
  });
  return result;
}

/// Products are kept for the next Hessian. Those of a regression depend neither on alpha nor on the noise; those of a
/// classification hold as long as the weights stay, while an alpha changes or a column joins. A classification with
/// many columns is a batch, which changes the weights before each Hessian: there a copy would serve nothing.
bool Mode::keeps_products() const {
  constexpr std::size_t few = 256;
  return regression() || size() <= few;
}

/// Sets the triangle to F Phi' B Phi F, F the diagonal matrix of the factors. B is 1 in a regression, where whitening
/// takes care of the noise.
void Mode::set_products(std::span<const double> factors, Triangle& products) {
  std::vector<double> roots(rows_, 1.0);
  if (!regression()) std::ranges::transform(at_.curvatures, roots.begin(), [](double h) { return std::sqrt(h); });
  scaled_.resize(rows_ * size());
  context_.threads.for_each(shares_of(size()), [&](std::size_t s) {
    for (std::size_t m = s * size_of_share; m < std::min((s + 1) * size_of_share, size()); ++m) {
      const double* in = phi(m);
      double* out = scaled_.data() + m * rows_;
      for (std::size_t n = 0; n < rows_; ++n) out[n] = in[n] * roots[n] * factors[m];
    }
  });
  products.resize(size());
  products.set_product(scaled_.data(), rows_, context_.threads);
}

/// Adds the row of a column that has just joined at this place.
void Mode::grow_products(std::size_t at) {
  Triangle larger(size());
  for (std::size_t j = 0; j < size(); ++j)
    for (std::size_t i = j; i < size(); ++i)
      if (i != at && j != at) larger.column(j)[i] = products_.at(i - (i > at ? 1 : 0), j - (j > at ? 1 : 0));
  std::vector<double> weighted(rows_);
  for (std::size_t n = 0; n < rows_; ++n) weighted[n] = phi(at)[n] * (regression() ? 1 : at_.curvatures[n]);
  for (std::size_t m = 0; m < size(); ++m)
    larger.column(std::min(m, at))[std::max(m, at)] = blas::dot(blas::size(rows_), phi(m), 1, weighted.data(), 1);
  products_ = std::move(larger);
}

/// Sets factor_ to I + Psi' B Psi.
void Mode::set_hessian() {
  const std::vector<double> whitening = core::made(
      size(), [&](std::size_t m) { return 1 / std::sqrt(regression() ? alpha_[m] * noise_variance_ : alpha_[m]); });
  if (keeps_products()) {
    if (!has_products_) set_products(std::vector<double>(size(), 1.0), products_);
    if (regression()) scaled_ = {};  // hardly any Hessian needs it again
    has_products_ = true;
    factor_.resize(size());
    for (std::size_t j = 0; j < size(); ++j)
      for (std::size_t i = j; i < size(); ++i) factor_.column(j)[i] = products_.at(i, j) * whitening[i] * whitening[j];
  } else {
    set_products(whitening, factor_);
  }
  factor_.add_identity();
}

bool Mode::factorise() {
  set_hessian();
  factor_curvatures_ = at_.curvatures;
  ++work_.factorisations;
  const double part = static_cast<double>(size()) / static_cast<double>(basis_.columns);
  work_.full_factorisations += part * part;
  return factor_.factorise(context_.threads);
}

/// Takes the longest of the steps 1, 1/2, 1/4, ... that raises the objective enough; false if no step does.
bool Mode::step_along(const NewtonStep& newton) {
  const double here = at_.log_likelihood - half_penalty(weights_);
  std::vector<double> moved(size());
  for (double length = 1; length >= smallest_newton_step; length /= 2) {
    for (std::size_t m = 0; m < size(); ++m)
      moved[m] = weights_[m] + length * newton.direction[m] / std::sqrt(alpha_[m]);
    Evaluation there = evaluate(values_at(moved));
    if (there.log_likelihood - half_penalty(moved) >= here + sufficient_newton_rise * length * newton.decrement) {
      weights_ = moved;
      move_to(std::move(there));
      return true;
    }
  }
  return false;
}

Mode::Search Mode::search(double tolerance) {
  if (size() == 0) return Search::found;
  if (worth_searching_values()) {
    const Search found = search_values(tolerance);
    if (found != Search::found || tolerance >= coarse)
      return found != Search::found || factorise() ? found : Search::indefinite;
    // The way from the values to the weights loses digits, which a fine search wins back with weight steps.
  }
  return search_weights(tolerance);
}

/// In a coarse search Newton steps share a Hessian while that works: the gradient is always exact, and an old Hessian
/// changes the direction alone. A fine search makes a new Hessian for each step, because quadratic convergence leaves
/// an error far below the tolerance after its last step.
Mode::Search Mode::search_weights(double tolerance) {
  const int most = regression() ? 2 : most_steps;
  double last = 0;
  for (int step = 0; step < most; ++step) {
    if (context_.monitor.should_stop()) return Search::stopped;
    const bool is_new = step == 0 || (!regression() && tolerance < coarse);
    if (is_new && !factorise()) return Search::indefinite;
    NewtonStep newton = newton_step();
    if (!is_new && !regression() && newton.decrement > serving * last) {
      if (!factorise()) return Search::indefinite;
      newton = newton_step();
    }
    if (!std::isfinite(newton.decrement)) return Search::indefinite;
    last = newton.decrement;
    ++work_.newton_steps;
    // The step is taken even if the decrement is small: otherwise the weights would freeze while alpha moves.
    if (!step_along(newton) || newton.decrement < tolerance) break;
  }
  return Search::found;
}

/// The step with the present gradient and the factor at hand, which may belong to earlier weights.
Mode::NewtonStep Mode::newton_step() const {
  const std::vector<double> rise = gradient();
  NewtonStep newton{rise, 0};
  factor_.solve(newton.direction);
  newton.decrement = dot(rise, newton.direction);
  return newton;
}

/// From weights of 0 the way to the mode is longest. With nearly as many columns as rows, its steps are cheaper over
/// the values, where a step costs N^3 / 3. A search over values always starts at y = 0.
bool Mode::worth_searching_values() const {
  return !regression() && 4 * size() >= 3 * rows_ && std::ranges::all_of(weights_, [](double w) { return w == 0; });
}

Mode::Search Mode::search_values(double tolerance) {
  core::UninitializedVector<double> transposed(size() * rows_);
  constexpr std::size_t strip = 32;
  context_.threads.for_each((rows_ + strip - 1) / strip, [&](std::size_t s) {
    for (std::size_t m = 0; m < size(); ++m) {
      const double whitening = 1 / std::sqrt(alpha_[m]);
      for (std::size_t n = s * strip; n < std::min((s + 1) * strip, rows_); ++n)
        transposed[n * size() + m] = phi(m)[n] * whitening;
    }
  });
  Triangle covariance(rows_);
  covariance.set_product(transposed.data(), size(), context_.threads);
  ValueSearch search(covariance, likelihoods_.targets, context_);
  const ValueSearch::End end = search.run(tolerance, most_steps);
  work_.newton_steps += search.steps();
  work_.factorisations += search.steps();
  work_.full_factorisations += static_cast<double>(search.steps());
  if (end != ValueSearch::End::found) return end == ValueSearch::End::stopped ? Search::stopped : Search::indefinite;
  for (std::size_t m = 0; m < size(); ++m)
    weights_[m] = blas::dot(blas::size(rows_), phi(m), 1, search.duals().data(), 1) / alpha_[m];
  move_to(evaluate(values_at(weights_)));
  return Search::found;
}

std::vector<double> Mode::gammas() const {
  std::vector<double> result(size());
  // alpha_i C_ii is the i-th diagonal entry of the inverse in the whitened form.
  factor_.inverse_diagonal(result, context_.threads);
  for (double& value : result) value = std::clamp(1 - value, 0.0, 1.0);
  return result;
}

double Mode::log_evidence() const {
  return at_.log_likelihood - half_penalty(weights_) - factor_.half_log_determinant();
}

double Mode::squared_residual() const {
  double sum = 0;
  for (std::size_t n = 0; n < rows_; ++n) {
    const double residual = likelihoods_.targets[n] - at_.values[n];
    sum += residual * residual;
  }
  return sum;
}

void Mode::keep(const std::vector<bool>& keep) {
  const std::vector<std::size_t> kept = core::numbers_where(size(), [&](std::size_t m) { return keep[m]; });
  if (kept.size() == size()) return;
  // The products of the columns kept are among the old ones. Those of a classification do not hold at the new weights.
  if (has_products_ && regression()) {
    Triangle smaller(kept.size());
    for (std::size_t j = 0; j < kept.size(); ++j)
      for (std::size_t i = j; i < kept.size(); ++i) smaller.column(j)[i] = products_.at(kept[i], kept[j]);
    products_ = std::move(smaller);
  }
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const std::size_t m = kept[k];
    columns_[k] = columns_[m];
    alpha_[k] = alpha_[m];
    weights_[k] = weights_[m];
  }
  columns_.resize(kept.size());
  alpha_.resize(kept.size());
  weights_.resize(kept.size());
  move_to(evaluate(values_at(weights_)));
}

std::size_t Mode::add(std::uint32_t column, double alpha) {
  const auto at = static_cast<std::size_t>(std::ranges::lower_bound(columns_, column) - columns_.begin());
  const auto place = static_cast<std::ptrdiff_t>(at);
  columns_.insert(columns_.begin() + place, column);
  alpha_.insert(alpha_.begin() + place, alpha);
  weights_.insert(weights_.begin() + place, 0.0);
  if (has_products_) grow_products(at);
  return at;
}

void Mode::restore(State state) {
  columns_ = std::move(state.columns);
  alpha_ = std::move(state.alpha);
  weights_ = std::move(state.weights);
  has_products_ = false;
  move_to(evaluate(values_at(weights_)));
}

Posterior Mode::posterior(bool with_covariance) const {
  Posterior result;
  result.columns = columns_;
  result.weights = weights_;
  result.alpha = alpha_;
  result.gamma = gammas();
  result.noise_variance = noise_variance_;
  result.log_likelihood = at_.log_likelihood;
  double log_alpha = 0;
  for (const double value : alpha_) log_alpha += std::log(value);
  const double constant = 0.5 * static_cast<double>(size()) * std::log(2 * std::numbers::pi);
  result.log_posterior = at_.log_likelihood - half_penalty(weights_) + 0.5 * log_alpha - constant;
  result.log_hessian = log_alpha + 2 * factor_.half_log_determinant();
  result.log_evidence = log_evidence();
  if (!with_covariance) return result;
  // C = A^-1/2 (L L')^-1 A^-1/2, as X'X with X = L^-1 A^-1/2.
  result.covariance = data::DenseMatrix(size(), size());
  core::AlignedVector<double> inverse(size() * size(), 0.0);
  for (std::size_t m = 0; m < size(); ++m) inverse[m * size() + m] = 1 / std::sqrt(alpha_[m]);
  factor_.solve_lower(inverse.data(), size(), context_.threads);
  Triangle product(size());
  product.set_product(inverse.data(), size(), context_.threads);
  for (std::size_t j = 0; j < size(); ++j)
    for (std::size_t i = j; i < size(); ++i)
      result.covariance.row(i)[j] = result.covariance.row(j)[i] = product.at(i, j);
  return result;
}

}  // namespace credence::rvm
