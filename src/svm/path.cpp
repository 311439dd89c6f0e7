#include <algorithm>
#include <memory>

#include "credence/svm/train.hpp"

namespace credence::svm {
namespace {

/// The solver's passes run over closed rows too; from this share of them on, the open rows are worth a copy.
constexpr double worth_a_copy = 0.2;

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

/// Carries the state of the smaller boxes over to the larger ones; variables at a bound land exactly on the new one.
void warm_start(const qp::Problem& before, const qp::Problem& now, double ratio, qp::State& state) {
  std::vector<signed char> bound(state.beta.size(), 0);
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    bound[i] = static_cast<signed char>((state.beta[i] == before.upper[i] ? 1 : 0) -
                                        (state.beta[i] == before.lower[i] ? 1 : 0));
  }
  if (qp::rescale(before, ratio, state)) {
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

}  // namespace

void c_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> ascending_C,
            const qp::Options& options, const core::Monitor& monitor,
            const std::function<void(const PathPoint&)>& visit) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < unit_problem.lower.size(); ++i) {
    if (unit_problem.upper[i] > unit_problem.lower[i]) {
      open.push_back(i);
    }
  }
  const bool copied = static_cast<double>(open.size()) < (1 - worth_a_copy) * static_cast<double>(rows.size());
  const std::unique_ptr<kernel::Rows> open_rows = copied && !open.empty() ? rows.subset(open) : nullptr;
  kernel::Rows& solved_rows = open_rows ? *open_rows : rows;
  const qp::Problem unit = open_rows ? part_of(unit_problem, open) : unit_problem;

  qp::State state = qp::zero_state(unit);
  qp::Problem before;
  for (std::size_t c = 0; c < ascending_C.size(); ++c) {
    const qp::Problem problem = scaled(unit, ascending_C[c]);
    if (c > 0) {
      warm_start(before, problem, ascending_C[c] / ascending_C[c - 1], state);
    }
    const qp::Statistics statistics = qp::solve(solved_rows, problem, state, options, monitor);
    if (statistics.status == qp::Status::cancelled || statistics.status == qp::Status::time_budget) {
      return;
    }
    const double bias = qp::bias(problem, state);
    const std::size_t support = count_support(state);
    if (open_rows) {
      const qp::Problem whole = scaled(unit_problem, ascending_C[c]);
      const qp::State all = widened(rows, whole, open, state, monitor);
      if (monitor.should_stop()) {
        return;
      }
      visit({c, ascending_C[c], whole, all, bias, statistics, support});
    } else {
      visit({c, ascending_C[c], problem, state, bias, statistics, support});
    }
    before = problem;
  }
}

}  // namespace credence::svm
