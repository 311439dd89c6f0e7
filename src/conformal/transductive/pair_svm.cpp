#include "conformal/transductive/pair_svm.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

using core::infinity;

bool is_free(const qp::Problem& problem, const qp::State& state, std::size_t i) {
  return state.beta[i] > problem.lower[i] && state.beta[i] < problem.upper[i];
}

void append(double sign, double C, qp::Problem& problem) {
  problem.linear.push_back(sign);
  problem.lower.push_back(sign > 0 ? 0 : -C);
  problem.upper.push_back(sign > 0 ? C : 0);
}

void throw_if_stopped(qp::Status status) {
  if (status == qp::Status::cancelled || status == qp::Status::time_budget)
    throw Error(ErrorCode::interrupted, "transductive prediction was stopped before it was done");
}

}  // namespace

PairSvm::PairSvm(const std::array<RowRange, 2>& ranges, const std::array<double, 2>& signs,
                 const TransductiveSvmOptions& options)
    : ranges_(ranges), signs_(signs), options_(options) {
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}})
    for (std::size_t i = 0; i < ranges[side].count; ++i) append(signs[side], options.C, problem_);
  state_ = qp::zero_state(problem_);
  for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
    extended_[side] = problem_;
    append(signs[side], options.C, extended_[side]);
  }
}

void PairSvm::train(kernel::Rows& all, const core::Monitor& monitor) {
  if (both_occur()) {
    ExtendedRows rows(all, ranges_);
    const qp::Status status = qp::solve(rows, problem_, state_, options_.solver, monitor).status;
    throw_if_stopped(status);
    converged_ = status == qp::Status::converged;
  }
  take(all, std::move(state_.beta));
}

void PairSvm::take(kernel::Rows& all, std::vector<double> beta) {
  state_ = qp::zero_state(problem_);
  state_.beta = std::move(beta);
  support_.clear();
  any_free_ = false;
  for (std::size_t s = 0; s < size(); ++s) {
    if (state_.beta[s] == 0) continue;
    support_.push_back(s);
    any_free_ = any_free_ || is_free(problem_, state_, s);
    const float* values = all.row(row(s));
    for (std::size_t i = 0; i < size(); ++i) state_.gradient[i] += state_.beta[s] * double{values[row(i)]};
  }
  least_growing_ = infinity;
  largest_shrinking_ = -infinity;
  for (std::size_t i = 0; i < size(); ++i) {
    if (state_.beta[i] < problem_.upper[i]) least_growing_ = std::min(least_growing_, state_.gradient[i]);
    if (state_.beta[i] > problem_.lower[i]) largest_shrinking_ = std::max(largest_shrinking_, state_.gradient[i]);
  }
  // The fresh gradient may put the gap a rounding above the tolerance; a gap far above it was never closed.
  const double gap = largest_shrinking_ - least_growing_;
  const double tolerance = options_.solver.tolerance;
  allowed_ = gap <= 2 * tolerance ? std::max(gap, tolerance) : -infinity;
  bias_ = qp::bias(problem_, state_);
  measure(problem_, state_, margins_);
}

/// In the order of `take`, so that an example that equals a known one has its gradient to the last bit.
double PairSvm::new_gradient(std::span<const float> values, double sign) const {
  double gradient = -sign;
  for (const std::size_t s : support_) gradient += state_.beta[s] * double{values[row(s)]};
  return gradient;
}

/// Whether a variable at 0 that may move to the side of `sign` breaks the KKT conditions.
bool PairSvm::violates(double gradient, double sign) const {
  const double violation = sign > 0 ? largest_shrinking_ - gradient : gradient - least_growing_;
  return !(violation <= allowed_);
}

/// y f(x) = 1 + y (g + bias), as f(x) = g + y + bias; to the nearest multiple of twice the tolerance, counted from 1.
double PairSvm::margin(double y, double gradient, double bias, bool is_free) const {
  const double cell = 2 * options_.solver.tolerance;
  return is_free ? 1 : 1 + cell * std::nearbyint(y * (gradient + bias) / cell);
}

void PairSvm::measure(const qp::Problem& problem, const qp::State& state, std::vector<double>& margins) const {
  const double bias = qp::bias(problem, state);
  margins.resize(state.beta.size());
  for (std::size_t i = 0; i < margins.size(); ++i)
    margins[i] = margin(problem.linear[i], state.gradient[i], bias, is_free(problem, state, i));
}

void PairSvm::extend(kernel::Rows& all, const NewExample& example, std::size_t side, const core::Monitor& monitor,
                     TransductiveCost& cost, Extension& extension) const {
  const double sign = signs_[side];
  const double gradient = new_gradient(example.values, sign);
  const bool changed = violates(gradient, sign);
  ++cost.problems;
  cost.unchanged += changed ? 0U : 1U;
  if (!changed && any_free_) {
    extension.margins = margins_;
    extension.margins.push_back(margin(sign, gradient, bias_, false));
    return;
  }
  // Without free variables the bias is the middle of an interval that the new example may cut.
  extension.state = state_;
  extension.state.beta.push_back(0);
  extension.state.gradient.push_back(gradient);
  if (changed) solve(all, example, side, monitor, cost, extension.state);
  measure(extended_[side], extension.state, extension.margins);
}

void PairSvm::solve(kernel::Rows& all, const NewExample& example, std::size_t side, const core::Monitor& monitor,
                    TransductiveCost& cost, qp::State& state) const {
  ExtendedRows rows(all, ranges_, example.values, example.own);
  const qp::Statistics statistics = qp::solve(rows, extended_[side], state, options_.solver, monitor);
  throw_if_stopped(statistics.status);
  cost.steps += statistics.steps;
  cost.factorisations += statistics.factorisations;
  cost.unconverged += qp::is_approximate(statistics.status) ? 1U : 0U;
}

}  // namespace credence::conformal
