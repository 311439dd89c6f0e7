#include "credence/svm/ivanov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/svm/loss.hpp"
#include "svm/ivanov/fixed_norm.hpp"
#include "svm/ivanov/rows_with_origin.hpp"

namespace credence::svm {
namespace {

void check_rho(double rho) {
  if (!(rho >= 0 && std::isfinite(rho))) refuse(fmt::format("rho must be a finite number from 0 on, not {}", rho));
}

/// Returns the bias with the least hinge loss of the hint alone. As a function of the bias the loss falls left of n+
/// kinks t - f0 and rises right of them. The result is the middle between the n+-th kink and the next, or the one end
/// that exists.
double bias_of_hint(const IvanovData& data, std::span<const RowLoss> losses) {
  std::vector<double> kinks;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (losses[i] == RowLoss::hinge) {
      kinks.push_back(data.labels[i] - data.hint[i]);
      positive += data.labels[i] > 0 ? 1U : 0U;
    }
  }
  std::ranges::sort(kinks);
  if (kinks.empty()) return 0;
  if (positive == 0 || positive == kinks.size()) return positive == 0 ? kinks.front() : kinks.back();
  return (kinks[positive - 1] + kinks[positive]) / 2;
}

/// Minimises the hinge loss of some rows at a norm. `loss` of the result is a sum over these rows, not a mean.
class HingeProblem {
 public:
  HingeProblem(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
               const IvanovOptions& options, const core::Monitor& monitor)
      : data_(rows.size(), labels, hint), options_(options), monitor_(monitor) {
    throw_if_any(options.validate());
    if (!options.bias) with_origin_ = std::make_unique<RowsWithOrigin>(rows, options.solver.tolerance);
    rows_ = with_origin_ ? with_origin_.get() : &rows;
  }

  IvanovSolution solve(double rho, const std::vector<RowLoss>& losses) {
    IvanovSolution found;
    if (rho == 0) {
      found.beta.assign(data_.size(), 0.0);
      found.decisions = data_.hint;
      found.bias = options_.bias ? bias_of_hint(data_, losses) : 0;
    } else {
      FixedNorm problem(*rows_, data_, losses, options_, monitor_, work_);
      problem.solve(rho);
      problem.read(found.beta, found.decisions, found.bias);
      found.norm = problem.norm();
      found.C = problem.C();
      found.binding = problem.binding();
    }
    for (std::size_t i = 0; i < data_.size(); ++i) {
      found.decisions[i] += found.bias;
      found.loss += losses[i] == RowLoss::hinge ? hinge_loss(data_.labels[i] * found.decisions[i]) : 0;
    }
    return found;
  }

  std::size_t size() const { return data_.size(); }
  const std::vector<double>& labels() const { return data_.labels; }

 private:
  IvanovData data_;
  const IvanovOptions& options_;
  const core::Monitor& monitor_;
  std::unique_ptr<RowsWithOrigin> with_origin_;
  kernel::Rows* rows_ = nullptr;
  IvanovWork work_;
};

/// Returns all sets of rows; smaller sets come first, so that the search can end at a set that is too large to win.
std::vector<std::uint32_t> sets_by_size(std::size_t n) {
  std::vector<std::uint32_t> sets(std::size_t{1} << n);
  for (std::uint32_t set = 0; set < sets.size(); ++set) sets[set] = set;
  std::ranges::stable_sort(sets, [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); });
  return sets;
}

}  // namespace

std::vector<std::string> IvanovOptions::validate() const {
  std::vector<std::string> problems = solver.validate();
  if (!(norm_tolerance > 0 && norm_tolerance < 1))
    problems.push_back(fmt::format("the tolerance on the norm must lie between 0 and 1, not {}", norm_tolerance));
  return problems;
}

IvanovSolution ivanov_hinge(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint, double rho,
                            const IvanovOptions& options, const core::Monitor& monitor) {
  check_rho(rho);
  HingeProblem problem(rows, labels, hint, options, monitor);
  IvanovSolution found = problem.solve(rho, std::vector<RowLoss>(problem.size(), RowLoss::hinge));
  found.loss /= static_cast<double>(problem.size());
  return found;
}

IvanovSolution ivanov_soft_exact(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
                                 double rho, const IvanovOptions& options, const core::Monitor& monitor) {
  check_rho(rho);
  if (rows.size() > most_rows_enumerated) {
    refuse(fmt::format("sets of rows given up are enumerated for {} rows at most, not {}", most_rows_enumerated,
                       rows.size()));
  }
  IvanovOptions exact = options;
  // Sets are compared by their losses, which must not differ by the tolerance of a norm.
  exact.norm_tolerance = std::min(options.norm_tolerance, 1e-10);
  exact.solver.tolerance = std::min(options.solver.tolerance, 1e-10);
  HingeProblem problem(rows, labels, hint, exact, monitor);
  const std::size_t n = problem.size();
  IvanovSolution best;
  double least = std::numeric_limits<double>::infinity();
  std::vector<RowLoss> losses(n);
  for (const std::uint32_t set : sets_by_size(n)) {
    const double given_up = 2.0 * std::popcount(set);
    // A set alone costs 2 |S|, so no later set, which is at least as large, can win.
    if (given_up >= least) break;
    for (std::size_t i = 0; i < n; ++i) losses[i] = (set >> i & 1U) != 0 ? RowLoss::none : RowLoss::hinge;
    IvanovSolution found = problem.solve(rho, losses);
    if (given_up + found.loss < least) {
      least = given_up + found.loss;
      best = std::move(found);
    }
  }
  best.loss = 0;
  for (std::size_t i = 0; i < n; ++i)
    best.loss += soft_loss(problem.labels()[i] * best.decisions[i]) / static_cast<double>(n);
  return best;
}

}  // namespace credence::svm
