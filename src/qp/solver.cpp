#include "credence/qp/solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "qp/newton.hpp"
#include "qp/sweep.hpp"
#include "qp/workspace.hpp"

namespace credence::qp {
namespace {

using core::infinity;
/// Of LIBSVM: a gap that rounding errors hide is no reason for a warning below it.
constexpr double loose_tolerance = 1e-3;

/// A factor of this many free variables takes at most a quarter of the memory of the kernel matrix, so that the limit
/// may grow with the matrix.
std::size_t most_free(const Options& options, std::size_t n) {
  constexpr std::size_t rows_of_limit = 6144;
  return n <= rows_of_limit ? options.newton_max_free : options.newton_max_free * n / rows_of_limit;
}

std::uint64_t step_limit(const Options& options, std::size_t n) {
  return options.max_steps != 0 ? options.max_steps : std::max<std::uint64_t>(10'000'000, 100 * n);
}

/// A variable's part in the size of all products K_ij beta_j, of which |K_ij| <= sqrt(K_ii K_jj).
double share_of(const float* diagonal, const Iterate& iterate, std::size_t j) {
  return iterate.beta[j] == 0 ? 0 : std::abs(iterate.beta[j]) * std::sqrt(std::abs(double{diagonal[j]}));
}

/// Counts how many gaps in a row were hardly below the smallest before them.
class Stall {
 public:
  int after(double gap) {
    waited_ = gap < 0.9 * smallest_ ? 0 : waited_ + 1;
    smallest_ = std::min(smallest_, gap);
    return waited_;
  }

 private:
  double smallest_ = infinity;
  int waited_ = 0;
};

/// The end of a descent that has stalled: bursts of one step, each from gradients in double. As a step then costs about
/// three, they may be as many as the steps before. The point with the smallest gap is kept.
class LastSteps {
 public:
  bool begun() const { return until_ > 0; }
  /// @param taken  by this descent so far
  void begin(std::uint64_t steps, std::uint64_t taken) { until_ = steps + std::max<std::uint64_t>(taken, 1); }
  void look_at(const Iterate& iterate, double gap) {
    if (!begun() || gap >= gap_) return;
    gap_ = gap;
    beta_ = iterate.beta;
    gradient_ = iterate.gradient;
  }
  bool over(std::uint64_t steps) const { return begun() && steps >= until_; }
  /// Puts the point back. @return its gap
  double restore(Iterate& iterate) const {
    iterate.beta = beta_;
    iterate.gradient = gradient_;
    iterate.update_sides();
    return gap_;
  }

 private:
  std::uint64_t until_ = 0;
  double gap_ = infinity;
  core::AlignedVector<double> beta_;
  core::AlignedVector<double> gradient_;
};

/// One descent on one set of variables. Shrinking descends on a part of the variables as a problem of its own.
class Descent {
 public:
  /// @param n  of the whole problem
  Descent(const Options& options, std::size_t n, const core::Monitor& monitor, Statistics& statistics)
      : options_(options),
        most_steps_(step_limit(options, n)),
        steps_to_come_near_(4 * n),
        most_free_(most_free(options, n)),
        monitor_(monitor),
        statistics_(statistics) {}

  struct Goal {
    double tolerance;
    /// The descent also ends where the gap is as large as this after four steps for each variable; infinite: never.
    double far = infinity;
    bool is_last = true;  ///< a descent that stalls goes on with single steps; the others end
  };
  /// @return false if the gap was still far
  bool run(kernel::Rows& rows, Iterate& iterate, const Goal& goal) {
    // A burst is so short that a cancellation takes effect within a fraction of a second, even if every step computes
    // two long rows.
    constexpr std::uint64_t most_numbers = 4'000'000;
    const std::uint64_t most = std::clamp<std::uint64_t>(most_numbers / (iterate.n + 1), 16, 1024);
    const std::uint64_t longest = std::clamp<std::uint64_t>(iterate.n, 64, std::max<std::uint64_t>(most, 64));
    std::uint64_t burst = 64;  // a good start needs few SMO steps, or Newton steps alone
    double shrink_below = 0.5;
    const std::uint64_t steps_before = statistics_.steps;
    Stall stall;
    LastSteps last;
    Violation violation = find_violation(iterate);
    while (violation.gap > goal.tolerance && !stopped()) {
      const double gap_before = violation.gap;
      const std::uint64_t wanted = last.begun() ? 1 : burst;
      const std::uint64_t steps =
          smo_burst(rows, iterate, violation, goal.tolerance, std::min(wanted, most_steps_ - statistics_.steps));
      violation = find_violation(iterate);
      burst = std::min(2 * burst, longest);
      statistics_.steps += steps;
      steps_since_factorisation_ += steps;
      if (!(violation.gap > goal.tolerance) || violation.gap == infinity) break;
      if (violation.gap >= goal.far && statistics_.steps >= steps_to_come_near_) return false;
      const bool stalls =
          !last.begun() && is_lost_in_rounding(violation.gap, stall.after(violation.gap), rows, iterate);
      if (stalls && goal.is_last) last.begin(statistics_.steps, statistics_.steps - steps_before);
      last.look_at(iterate, violation.gap);
      if (last.over(statistics_.steps)) violation.gap = last.restore(iterate);
      if ((stalls && !goal.is_last) || last.over(statistics_.steps)) {
        statistics_.status = violation.gap <= loose_tolerance ? Status::converged : Status::rounding;
        break;
      }
      if (!last.begun() && shrink(shrink_below, violation, rows, iterate, goal)) {
        violation = find_violation(iterate);
        shrink_below *= 0.7;  // shrinking that brought no end must drop more variables the next time
        continue;
      }
      if (!options_.newton || !positive_definite_ || violation.gap < 0.3 * gap_before) continue;
      const std::size_t free_count = newton_.find_free(iterate).size();
      if (free_count >= 2 && free_count <= most_free_ && newton_pays(iterate, free_count)) {
        positive_definite_ = newton_.step(rows, iterate, monitor_);
        steps_since_factorisation_ = 0;
        violation = find_violation(iterate);
      }
    }
    statistics_.newton_steps = newton_.directions();
    statistics_.factorisations = newton_.factorisations();
    return true;
  }

  /// Descends in boxes that grow fourfold up to those of the problem, from where nearly every variable meets its bound.
  /// Each solution, four times as large, is the start in the next boxes. @param iterate  any feasible point
  void run_in_growing_boxes(kernel::Rows& rows, const Problem& problem, Iterate& iterate) {
    constexpr double growth = 4;
    const auto set_boxes = [&](double size) {
      for (std::size_t i = 0; i < iterate.n; ++i) {
        iterate.lower[i] = size * problem.lower[i];
        iterate.upper[i] = size * problem.upper[i];
        iterate.beta[i] = std::clamp(iterate.beta[i], iterate.lower[i], iterate.upper[i]);
        iterate.update_side(i);
      }
    };
    const auto start = [&](std::size_t i) {
      iterate.beta[i] = 0;
      iterate.gradient[i] = -problem.linear[i];
    };
    const auto scale = [&](std::size_t i) {
      iterate.beta[i] *= growth;
      iterate.gradient[i] = growth * (iterate.gradient[i] + problem.linear[i]) - problem.linear[i];
    };
    const double widest = *std::ranges::max_element(problem.upper) *
                          double{*std::max_element(rows.diagonal(), rows.diagonal() + iterate.n)};
    double size = 1;
    while (size * widest > 1) size /= growth;
    for (std::size_t i = 0; i < iterate.n; ++i) start(i);
    while (size < 1) {
      set_boxes(size);
      run(rows, iterate, {std::max(options_.tolerance, loose_tolerance), infinity, false});
      if (statistics_.status == Status::rounding) statistics_.status = Status::converged;  // larger boxes come
      if (statistics_.status != Status::converged) return set_boxes(1);
      bool meets_bound = false;
      for (std::size_t i = 0; i < iterate.n; ++i) meets_bound |= iterate.beta[i] != 0 && !iterate.is_free(i);
      if (!meets_bound) break;  // the solution in all larger boxes too
      for (std::size_t i = 0; i < iterate.n; ++i) scale(i);
      size *= growth;
    }
    set_boxes(1);
    run(rows, iterate, {options_.tolerance});
  }

 private:
  bool stopped() {
    switch (monitor_.stop_reason()) {
      case core::StopReason::cancelled:
        statistics_.status = Status::cancelled;
        return true;
      case core::StopReason::time_budget:
        statistics_.status = Status::time_budget;
        return true;
      case core::StopReason::none:
        break;
    }
    if (statistics_.steps >= most_steps_) {
      statistics_.status = Status::step_limit;
      return true;
    }
    return false;
  }

  /// Whether a Newton step pays: SMO may first spend as much as a factorisation of the present free set would cost. The
  /// costs are fixed, rough figures in nanoseconds, so that results do not depend on the speed of the machine.
  bool newton_pays(const Iterate& iterate, std::size_t free_count) const {
    const auto m = static_cast<double>(free_count);
    const double factorisation = m * m * m / 3 * 0.03 + m * m;
    constexpr std::size_t rows_in_cache = 4096;  // of a larger matrix, most rows come from main memory
    const double step = (iterate.n <= rows_in_cache ? 0.35 : 1.4) * static_cast<double>(iterate.n) + 60;
    return static_cast<double>(steps_since_factorisation_) * step >= factorisation;
  }

  /// Returns all variables except those that stay at a bound: no other variable could form a pair with them that
  /// violates the KKT conditions.
  std::vector<std::size_t> active(const Iterate& iterate, const Violation& violation) const {
    const double smallest = iterate.gradient[violation.grow];
    const double largest = iterate.gradient[violation.shrink];
    std::vector<std::size_t> keep;
    list_where(iterate.n, keep, [&](std::size_t i) {
      const double gradient = iterate.gradient[i];
      return (iterate.may_grow(i) & (gradient <= largest)) | (iterate.may_shrink(i) & (gradient >= smallest));
    });
    return keep;
  }

  /// Descends on the active variables, if they are less than this share of all. @return whether it did
  bool shrink(double below, const Violation& violation, kernel::Rows& rows, Iterate& iterate, const Goal& goal) {
    if (!options_.shrinking || iterate.n <= 64) return false;
    const std::vector<std::size_t> keep = active(iterate, violation);
    if (!(static_cast<double>(keep.size()) < below * static_cast<double>(iterate.n))) return false;
    const std::unique_ptr<kernel::Rows> part_rows = rows.subset(keep);
    Iterate part(keep.size());
    // The gradient of the variables left out is old until move_gradient adds the change of the part.
    const core::AlignedVector<double> before = iterate.beta;
    for (std::size_t a = 0; a < keep.size(); ++a) {
      part.beta[a] = iterate.beta[keep[a]];
      part.gradient[a] = iterate.gradient[keep[a]];
      part.lower[a] = iterate.lower[keep[a]];
      part.upper[a] = iterate.upper[keep[a]];
    }
    part.update_sides();
    const double left_out = left_out_;
    double kept = 0;
    for (std::size_t i = 0; i < iterate.n; ++i) left_out_ += share_of(rows.diagonal(), iterate, i);
    for (const std::size_t i : keep) kept += share_of(rows.diagonal(), iterate, i);
    left_out_ = std::max(0.0, left_out_ - kept);
    run(*part_rows, part, {goal.tolerance, goal.far, false});
    left_out_ = left_out;
    for (std::size_t a = 0; a < keep.size(); ++a) {
      iterate.beta[keep[a]] = part.beta[a];
      iterate.update_side(keep[a]);
    }
    move_gradient(rows, iterate, before);
    if (statistics_.status == Status::rounding) statistics_.status = Status::converged;  // the whole may yet be
    return true;
  }

  /// Bounds the sum of |K_ij beta_j| over j, of which every gradient is made.
  double size_of_products(const float* diagonal, const Iterate& iterate) const {
    double sum = left_out_;
    double widest = 0;
    for (std::size_t i = 0; i < iterate.n; ++i) {
      sum += share_of(diagonal, iterate, i);
      widest = std::max(widest, std::abs(double{diagonal[i]}));
    }
    return sum * std::sqrt(widest);
  }

  /// Whether a gap that has not fallen for so many rounds is within the rounding errors of the kernel values in float,
  /// which leave the matrix not quite definite, or of the gradients in double, which are smaller.
  bool is_lost_in_rounding(double gap, int waited, kernel::Rows& rows, const Iterate& iterate) const {
    constexpr int most_rounds = 1000;
    constexpr double rounding = std::numeric_limits<float>::epsilon();
    return waited >= most_rounds && gap <= rounding * size_of_products(rows.diagonal(), iterate);
  }

  const Options& options_;
  std::uint64_t most_steps_;
  std::uint64_t steps_to_come_near_;
  std::size_t most_free_;
  const core::Monitor& monitor_;
  Statistics& statistics_;
  Newton newton_;
  bool positive_definite_ = true;
  std::uint64_t steps_since_factorisation_ = 0;
  double left_out_ = 0;  ///< sum of |beta_j| sqrt(K_jj) over the variables that shrinking has left out
};

struct Range {
  double smallest_growing = infinity;
  double largest_shrinking = -infinity;
};

Range gradient_range(const Problem& problem, const State& state) {
  Range range;
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    const double growing = state.beta[i] < problem.upper[i] ? state.gradient[i] : infinity;
    const double shrinking = state.beta[i] > problem.lower[i] ? state.gradient[i] : -infinity;
    range.smallest_growing = std::min(range.smallest_growing, growing);
    range.largest_shrinking = std::max(range.largest_shrinking, shrinking);
  }
  return range;
}

/// Moves variables within rounding of a bound to the bound. Otherwise such a variable would count as free, and its
/// gradient would enter the bias. Rounding is relative to the values that the variables reached, not to the box: beside
/// a box of 1e12, 1 is a value like any other. A move is also too small to matter for the gradient, unless it is within
/// the last digits of those values.
/// @return whether a variable moved
bool snap_to_bounds(const Problem& problem, const float* diagonal, double tolerance, State& state) {
  constexpr double rounding = 1e-12;
  constexpr double last_digits = 64 * std::numeric_limits<double>::epsilon();
  const auto is_near = [&](std::size_t i) {
    const double slack = rounding * (problem.upper[i] - problem.lower[i]);
    const double below = state.beta[i] - problem.lower[i];
    const double above = problem.upper[i] - state.beta[i];
    return ((below != 0) & (below <= slack)) | ((above != 0) & (above <= slack));
  };
  bool any = false;
  for (std::size_t i = 0; i < state.beta.size(); ++i) any |= is_near(i);
  if (!any) return false;
  double reached = 0;
  for (const double beta : state.beta) reached = std::max(reached, std::abs(beta));
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    const double size = std::min(problem.upper[i] - problem.lower[i], reached);
    const double harmless = 0.01 * tolerance / std::abs(double{diagonal[i]});
    const double slack = std::min(rounding * size, std::max(harmless, last_digits * size));
    if (state.beta[i] - problem.lower[i] <= slack)
      state.beta[i] = problem.lower[i];
    else if (problem.upper[i] - state.beta[i] <= slack)
      state.beta[i] = problem.upper[i];
  }
  return true;
}

[[noreturn]] void refuse_values() {
  refuse_data(
      "the kernel values or the costs are too large to compute with; scale the features, or choose a smaller C, "
      "gamma or degree");
}

}  // namespace

std::string_view name(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::step_limit:
      return "step limit";
    case Status::rounding:
      return "rounding errors";
    case Status::time_budget:
      return "time budget";
    case Status::cancelled:
      return "cancelled";
  }
  return "";
}

std::vector<std::string> Options::validate() const {
  if (tolerance > 0 && std::isfinite(tolerance)) return {};
  return {fmt::format("the tolerance must be a finite number above 0, not {}", tolerance)};
}

State zero_state(const Problem& problem) {
  State state{std::vector<double>(problem.linear.size(), 0.0), problem.linear};
  for (double& g : state.gradient) g = -g;
  return state;
}

Statistics solve(kernel::Rows& rows, const Problem& problem, State& state, const Options& options,
                 const core::Monitor& monitor) {
  Workspace workspace;
  return solve(rows, problem, state, options, monitor, workspace);
}

Statistics solve(kernel::Rows& rows, const Problem& problem, State& state, const Options& options,
                 const core::Monitor& monitor, Workspace& workspace) {
  const std::size_t n = rows.size();
  const float* diagonal = rows.diagonal();
  if (std::any_of(diagonal, diagonal + n, [](float value) { return !std::isfinite(value); })) refuse_values();
  Iterate& iterate = workspace.iterate;
  iterate.resize(n);
  std::copy(state.beta.begin(), state.beta.end(), iterate.beta.begin());
  std::copy(state.gradient.begin(), state.gradient.end(), iterate.gradient.begin());
  std::copy(problem.lower.begin(), problem.lower.end(), iterate.lower.begin());
  std::copy(problem.upper.begin(), problem.upper.end(), iterate.upper.begin());
  iterate.update_sides();
  Statistics statistics;
  Descent descent(options, n, monitor, statistics);
  // Far from the solution of large boxes most variables are free, and SMO crawls. Smaller boxes then lead to it.
  const bool from_zero = std::ranges::all_of(state.beta, [](double value) { return value == 0; });
  const double far = from_zero ? find_violation(iterate).gap : infinity;
  if (!descent.run(rows, iterate, {options.tolerance, far})) descent.run_in_growing_boxes(rows, problem, iterate);
  rows.leave_room(0);
  std::copy_n(iterate.beta.begin(), n, state.beta.begin());
  std::copy_n(iterate.gradient.begin(), n, state.gradient.begin());
  // Snapping moves variables within rounding, so the gap is that of the state handed back.
  const bool moved = snap_to_bounds(problem, diagonal, options.tolerance, state);
  statistics.gap = moved ? kkt_gap(problem, state) : find_violation(iterate).gap;
  if (!std::isfinite(objective(problem, state))) refuse_values();
  return statistics;
}

double bias(const Problem& problem, const State& state) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    if (state.beta[i] > problem.lower[i] && state.beta[i] < problem.upper[i]) {
      sum += state.gradient[i];
      ++count;
    }
  }
  if (count > 0) return -sum / static_cast<double>(count);
  const Range range = gradient_range(problem, state);
  if (range.smallest_growing == infinity || range.largest_shrinking == -infinity) {
    // Every variable is at the same side of its box, or no box is open: one end of the interval is missing.
    const double end = range.smallest_growing == infinity ? range.largest_shrinking : range.smallest_growing;
    return std::isfinite(end) ? -end : 0.0;
  }
  return -(range.smallest_growing + range.largest_shrinking) / 2;
}

double objective(const Problem& problem, const State& state) {
  double sum = 0;
  for (std::size_t i = 0; i < state.beta.size(); ++i) sum += state.beta[i] * (state.gradient[i] - problem.linear[i]);
  return sum / 2;
}

double kkt_gap(const Problem& problem, const State& state) {
  const Range range = gradient_range(problem, state);
  return range.largest_shrinking - range.smallest_growing;
}

bool meets_bound(const Problem& problem, const State& state) {
  bool bounded = false;
  for (std::size_t i = 0; i < state.beta.size() && !bounded; ++i)
    bounded = state.beta[i] != 0 && (state.beta[i] == problem.lower[i] || state.beta[i] == problem.upper[i]);
  return bounded;
}

}  // namespace credence::qp
