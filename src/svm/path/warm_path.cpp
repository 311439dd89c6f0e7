#include "svm/path/warm_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace credence::svm {
namespace {

/// The boxes for C; the problem is that of another C, or not yet made.
void set_boxes(const qp::Problem& unit, double C, qp::Problem& problem) {
  const std::size_t n = unit.linear.size();
  if (problem.linear.size() != n) problem = unit;
  for (std::size_t i = 0; i < n; ++i) {
    problem.lower[i] = unit.lower[i] * C;
    problem.upper[i] = unit.upper[i] * C;
  }
}

qp::Problem part_of(const qp::Problem& problem, std::span<const std::size_t> keep) {
  qp::Problem part;
  for (const std::size_t i : keep) {
    part.linear.push_back(problem.linear[i]);
    part.lower.push_back(problem.lower[i]);
    part.upper.push_back(problem.upper[i]);
  }
  return part;
}

/// The state of all rows, given that of the open ones: gradient = K beta - p, one product with the support rows.
qp::State widened(kernel::Rows& rows, const qp::Problem& problem, std::span<const std::size_t> open,
                  const qp::State& part, const core::Monitor& monitor) {
  qp::State state = qp::zero_state(problem);
  for (std::size_t a = 0; a < open.size() && !monitor.should_stop(); ++a) {
    const double beta = part.beta[a];
    if (beta == 0) continue;
    state.beta[open[a]] = beta;
    const float* row = rows.row(open[a]);
    for (std::size_t i = 0; i < state.gradient.size(); ++i) state.gradient[i] += beta * double{row[i]};
  }
  for (std::size_t a = 0; a < open.size(); ++a) state.gradient[open[a]] = part.gradient[a];
  return state;
}

std::size_t count_support(const qp::State& state) {
  return state.beta.size() - static_cast<std::size_t>(std::ranges::count(state.beta, 0.0));
}

/// The straight line from one solution to another, at C; what sits at one bound in both sits there.
qp::State between(const qp::Problem& unit, const WarmPath::Point& low, const WarmPath::Point& high, double C) {
  const double t = (C - low.C) / (high.C - low.C);
  qp::State state = low.state;
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    const double a = low.state.beta[i];
    const double b = high.state.beta[i];
    const double lower = unit.lower[i] * C;
    const double upper = unit.upper[i] * C;
    const bool above = a == unit.upper[i] * low.C && b == unit.upper[i] * high.C;
    const bool below = a == unit.lower[i] * low.C && b == unit.lower[i] * high.C;
    state.beta[i] = above ? upper : below ? lower : std::clamp((1 - t) * a + t * b, lower, upper);
    state.gradient[i] = (1 - t) * low.state.gradient[i] + t * high.state.gradient[i];
  }
  return state;
}

}  // namespace

bool worth_a_copy(std::size_t open, std::size_t rows) {
  // The solver's passes run over closed rows too.
  constexpr double enough_closed = 0.2;
  return static_cast<double>(open) < (1 - enough_closed) * static_cast<double>(rows);
}

WarmPath::WarmPath(kernel::Rows& rows, const qp::Problem& unit_problem, const qp::Options& options,
                   const core::Monitor& monitor)
    : rows_(rows), unit_of_all_(unit_problem), options_(options), monitor_(monitor) {
  for (std::size_t i = 0; i < unit_problem.lower.size(); ++i)
    if (unit_problem.upper[i] > unit_problem.lower[i]) open_.push_back(i);
  open_rows_ = worth_a_copy(open_.size(), rows.size()) && !open_.empty() ? rows.subset(open_) : nullptr;
  unit_ = open_rows_ ? part_of(unit_problem, open_) : unit_problem;
}

bool WarmPath::solve() {
  statistics_ = qp::solve(solved_rows(), problem_, point_.state, options_, monitor_, workspace_);
  settled_ = statistics_.status == qp::Status::converged;
  look_at_point();
  return statistics_.status != qp::Status::cancelled && statistics_.status != qp::Status::time_budget;
}

void WarmPath::look_at_point() {
  meets_bound_ = qp::meets_bound(problem_, point_.state);
  bias_ = qp::bias(problem_, point_.state);
  support_ = count_support(point_.state);
}

bool WarmPath::restart_at(double C) {
  set_boxes(unit_, C, problem_);
  point_ = {C, qp::zero_state(unit_)};
  return solve();
}

void WarmPath::carry_to(double C) {
  const double ratio = C / point_.C;
  qp::State& state = point_.state;
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    const double lower = unit_.lower[i] * C;
    const double upper = unit_.upper[i] * C;
    const double before = state.beta[i];
    const int bound = (before == problem_.upper[i] ? 1 : 0) - (before == problem_.lower[i] ? 1 : 0);
    state.beta[i] = bound > 0 ? upper : bound < 0 ? lower : std::clamp(before * ratio, lower, upper);
    state.gradient[i] = ratio * (state.gradient[i] + unit_.linear[i]) - unit_.linear[i];
    problem_.lower[i] = lower;
    problem_.upper[i] = upper;
  }
}

bool WarmPath::go_to(double C) {
  if (point_.C == 0) return restart_at(C);
  const bool kept = C >= point_.C && !meets_bound_;
  if (kept)
    set_boxes(unit_, C, problem_);
  else
    carry_to(C);
  point_.C = C;
  if (kept && settled_) {
    statistics_ = {.gap = statistics_.gap};
    return !monitor_.should_stop();
  }
  return solve();
}

void WarmPath::adopt(Point point) {
  point_ = std::move(point);
  set_boxes(unit_, point_.C, problem_);
  settled_ = false;
  look_at_point();
}

bool WarmPath::solve_between(const Point& low, const Point& high, double C) {
  set_boxes(unit_, C, problem_);
  point_ = {C, between(unit_, low, high, C)};
  return solve();
}

double WarmPath::typical_distance() const {
  kernel::Rows& rows = solved_rows();
  const std::size_t n = rows.size();
  const float* diagonal = rows.diagonal();
  double smallest = std::numeric_limits<double>::infinity();
  for (const std::size_t i : {std::size_t{0}, n / 2, n - 1}) {
    const float* row = rows.row(i);
    std::vector<double> distances(n);
    for (std::size_t j = 0; j < n; ++j) distances[j] = double{diagonal[i]} + double{diagonal[j]} - 2 * double{row[j]};
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    smallest = *middle > 0 ? std::min(smallest, *middle) : smallest;
  }
  return std::isfinite(smallest) ? smallest : 1;
}

bool WarmPath::show(std::size_t index, const qp::Statistics& statistics,
                    const std::function<void(const PathPoint&)>& visit) const {
  if (!open_rows_) {
    visit({index, point_.C, problem_, point_.state, bias_, statistics, support_});
    return true;
  }
  qp::Problem whole;
  set_boxes(unit_of_all_, point_.C, whole);
  const qp::State all = widened(rows_, whole, open_, point_.state, monitor_);
  if (monitor_.should_stop()) return false;
  visit({index, point_.C, whole, all, bias_, statistics, support_});
  return true;
}

}  // namespace credence::svm
