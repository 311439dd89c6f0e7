#include "svm/warm_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace credence::svm {
namespace {

qp::Problem scaled(const qp::Problem& unit, double C) {
  qp::Problem problem = unit;
  for (double& bound : problem.lower) {
    bound *= C;
  }
  for (double& bound : problem.upper) {
    bound *= C;
  }
  return problem;
}

void scale(double ratio, const qp::Problem& problem, qp::State& state) {
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    state.beta[i] *= ratio;
    state.gradient[i] = ratio * (state.gradient[i] + problem.linear[i]) - problem.linear[i];
  }
}

/// Carries the state over to boxes of another size; variables at a bound land exactly on the new one.
void warm_start(const qp::Problem& before, const qp::Problem& now, double ratio, qp::State& state) {
  std::vector<signed char> bound(state.beta.size(), 0);
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    bound[i] = static_cast<signed char>((state.beta[i] == before.upper[i] ? 1 : 0) -
                                        (state.beta[i] == before.lower[i] ? 1 : 0));
  }
  if (ratio < 1) {
    scale(ratio, before, state);
  } else if (qp::rescale(before, ratio, state)) {
    return;
  }
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    state.beta[i] = bound[i] > 0 ? now.upper[i] : bound[i] < 0 ? now.lower[i] : state.beta[i];
    state.beta[i] = std::clamp(state.beta[i], now.lower[i], now.upper[i]);
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
    if (beta == 0) {
      continue;
    }
    state.beta[open[a]] = beta;
    const float* row = rows.row(open[a]);
    for (std::size_t i = 0; i < state.gradient.size(); ++i) {
      state.gradient[i] += beta * double{row[i]};
    }
  }
  for (std::size_t a = 0; a < open.size(); ++a) {
    state.gradient[open[a]] = part.gradient[a];
  }
  return state;
}

std::size_t count_support(const qp::State& state) {
  return state.beta.size() - static_cast<std::size_t>(std::count(state.beta.begin(), state.beta.end(), 0.0));
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
  for (std::size_t i = 0; i < unit_problem.lower.size(); ++i) {
    if (unit_problem.upper[i] > unit_problem.lower[i]) {
      open_.push_back(i);
    }
  }
  open_rows_ = worth_a_copy(open_.size(), rows.size()) && !open_.empty() ? rows.subset(open_) : nullptr;
  unit_ = open_rows_ ? part_of(unit_problem, open_) : unit_problem;
}

bool WarmPath::solve() {
  statistics_ = qp::solve(solved_rows(), problem_, point_.state, options_, monitor_);
  return statistics_.status != qp::Status::cancelled && statistics_.status != qp::Status::time_budget;
}

bool WarmPath::restart_at(double C) {
  problem_ = scaled(unit_, C);
  point_ = {C, qp::zero_state(unit_)};
  return solve();
}

bool WarmPath::go_to(double C) {
  if (point_.C == 0) {
    return restart_at(C);
  }
  const qp::Problem before = std::exchange(problem_, scaled(unit_, C));
  warm_start(before, problem_, C / point_.C, point_.state);
  point_.C = C;
  return solve();
}

void WarmPath::adopt(Point point) {
  point_ = std::move(point);
  problem_ = scaled(unit_, point_.C);
}

bool WarmPath::solve_between(const Point& low, const Point& high, double C) {
  problem_ = scaled(unit_, C);
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
    for (std::size_t j = 0; j < n; ++j) {
      distances[j] = double{diagonal[i]} + double{diagonal[j]} - 2 * double{row[j]};
    }
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    smallest = *middle > 0 ? std::min(smallest, *middle) : smallest;
  }
  return std::isfinite(smallest) ? smallest : 1;
}

bool WarmPath::show(std::size_t index, const qp::Statistics& statistics,
                    const std::function<void(const PathPoint&)>& visit) const {
  const double bias = qp::bias(problem_, point_.state);
  const std::size_t support = count_support(point_.state);
  if (!open_rows_) {
    visit({index, point_.C, problem_, point_.state, bias, statistics, support});
    return true;
  }
  const qp::Problem whole = scaled(unit_of_all_, point_.C);
  const qp::State all = widened(rows_, whole, open_, point_.state, monitor_);
  if (monitor_.should_stop()) {
    return false;
  }
  visit({index, point_.C, whole, all, bias, statistics, support});
  return true;
}

}  // namespace credence::svm
