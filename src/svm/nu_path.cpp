#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "svm/warm_path.hpp"

namespace credence::svm {
namespace {

constexpr double accuracy = 1e-6;       // of nu, relative
constexpr double growth = 4;            // of C, while a bracket is sought
constexpr double fall = 16;             // the same downwards, from zero each time: small C are quickly solved
constexpr double largest_scale = 1e30;  // of C K_ii
constexpr int most_secants = 60;

struct Factors {
  double positive = 0;
  double negative = 0;
  double total() const { return positive + negative; }
  double smaller() const { return std::min(positive, negative); }
};

Factors sum_factors(const qp::Problem& unit) {
  Factors sum;
  for (std::size_t i = 0; i < unit.lower.size(); ++i) {
    sum.positive += unit.upper[i];
    sum.negative -= unit.lower[i];
  }
  return sum;
}

/// Finds the C at which the mass sum|beta| is nu C sum(factors).
class NuSearch {
 public:
  enum class Outcome { found, no_margin, stopped };

  NuSearch(WarmPath& path, const Factors& factors) : path_(path), factors_(factors) {}

  /// Leaves the path at the solution.
  Outcome find(double nu);
  /// Of the last search: counts of all its solves, the rest of its last one.
  const qp::Statistics& statistics() const { return statistics_; }

 private:
  struct Sample {
    WarmPath::Point point;
    double nu = 0;    ///< sum|beta| / (C sum(factors))
    double loss = 0;  ///< sum of the hinge losses / sum(factors)
  };

  Sample sample();
  Outcome bracket(double nu);
  Outcome raise(double nu);
  Outcome refine(double nu);
  double end_of_plateau() const;
  bool fits(const Sample& sample, double nu) const { return std::abs(sample.nu - nu) <= accuracy * nu; }

  WarmPath& path_;
  Factors factors_;
  std::optional<Sample> low_;   ///< of the larger nu
  std::optional<Sample> high_;  ///< of the smaller nu
  qp::Statistics statistics_;
};

/// The point at hand, measured; its solve is counted.
NuSearch::Sample NuSearch::sample() {
  const qp::Statistics& part = path_.statistics();
  statistics_.steps += part.steps;
  statistics_.newton_steps += part.newton_steps;
  statistics_.factorisations += part.factorisations;
  statistics_.gap = part.gap;
  statistics_.status = part.status;

  Sample sample{path_.point()};
  const qp::Problem& problem = path_.problem();
  const qp::State& state = sample.point.state;
  const double bias = qp::bias(problem, state);
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    const double decision = state.gradient[i] + problem.linear[i] + bias;
    sample.nu += std::abs(state.beta[i]);
    sample.loss += (problem.upper[i] - problem.lower[i]) * std::max(0.0, 1 - problem.linear[i] * decision);
  }
  sample.nu /= sample.point.C * factors_.total();
  sample.loss /= sample.point.C * factors_.total();
  return sample;
}

/// While the smaller class sits at its bound as a whole, beta is proportional to C. That ends where a row of it comes
/// to the margin while a row of the other class still may take part.
double NuSearch::end_of_plateau() const {
  const qp::Problem& problem = path_.problem();
  const qp::State& state = path_.point().state;
  double highest = -std::numeric_limits<double>::infinity();
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < state.beta.size(); ++i) {
    const double output = state.gradient[i] + problem.linear[i];
    if (problem.linear[i] > 0 && state.beta[i] > problem.lower[i]) {
      highest = std::max(highest, output);
    } else if (problem.linear[i] < 0 && state.beta[i] < problem.upper[i]) {
      lowest = std::min(lowest, output);
    }
  }
  const double spread = highest - lowest;
  return spread > 0 ? path_.point().C * 2 / spread : std::numeric_limits<double>::infinity();
}

/// Makes low_ a sample with at least this nu, found at once or downwards from 1 / K_ii.
NuSearch::Outcome NuSearch::bracket(double nu) {
  const double diagonal = path_.mean_diagonal();
  const double first = diagonal > 0 && std::isfinite(1 / diagonal) ? 1 / diagonal : 1;
  for (double C = first; C > 0; C /= fall) {
    if (!path_.restart_at(C)) {
      return Outcome::stopped;
    }
    Sample here = sample();
    if (here.nu >= nu) {
      low_ = std::move(here);
      return Outcome::found;
    }
    high_ = std::move(here);
  }
  return Outcome::no_margin;
}

/// Makes high_ a sample with a smaller nu, upwards from low_. As C grows, nu falls to the smallest loss that any w has,
/// so a loss below nu promises an end; a loss that stands still at nu or above has come to its limit.
NuSearch::Outcome NuSearch::raise(double nu) {
  constexpr int patience = 3;
  const double largest = 2 * factors_.smaller() / factors_.total();
  const double last_C = largest_scale / std::max(path_.mean_diagonal(), 1 / largest_scale);
  for (int stuck = 0; stuck < patience;) {
    const bool plateau = low_->nu >= largest * (1 - 1e-9);
    const double C = std::max(growth * low_->point.C, plateau ? end_of_plateau() : 0);
    if (!(C <= last_C)) {
      return Outcome::no_margin;
    }
    if (!path_.grow_to(C)) {
      return Outcome::stopped;
    }
    Sample here = sample();
    if (statistics_.status == qp::Status::step_limit) {
      return Outcome::no_margin;
    }
    if (here.nu < nu) {
      high_ = std::move(here);
      return Outcome::found;
    }
    const bool still = !plateau && here.loss >= 0.99 * nu && here.loss >= (1 - 1e-3) * low_->loss;
    stuck = still ? stuck + 1 : 0;
    low_ = std::move(here);
  }
  return Outcome::no_margin;
}

/// Secants on h(C) = sum|beta| - nu C sum(factors), which is linear between breakpoints; the Illinois rule keeps them
/// from approaching from one side only.
NuSearch::Outcome NuSearch::refine(double nu) {
  const auto excess = [&](const Sample& at) { return (at.nu - nu) * at.point.C; };
  double h_low = excess(*low_);
  double h_high = excess(*high_);
  int last_side = 0;
  for (int k = 0; k < most_secants; ++k) {
    const double a = low_->point.C;
    const double b = high_->point.C;
    const double C = std::clamp(a + (b - a) * h_low / (h_low - h_high), a + 1e-6 * (b - a), b - 1e-6 * (b - a));
    if (!path_.solve_between(low_->point, high_->point, C)) {
      return Outcome::stopped;
    }
    Sample here = sample();
    const bool last = k + 1 == most_secants || b - a <= 1e-9 * b;
    if (fits(here, nu) || last) {
      low_ = std::move(here);
      return Outcome::found;
    }
    const int side = here.nu >= nu ? 1 : -1;
    if (side > 0) {
      h_low = excess(here);
      h_high *= last_side == side ? 0.5 : 1;
      low_ = std::move(here);
    } else {
      h_high = excess(here);
      h_low *= last_side == side ? 0.5 : 1;
      high_ = std::move(here);
    }
    last_side = side;
  }
  return Outcome::no_margin;
}

NuSearch::Outcome NuSearch::find(double nu) {
  statistics_ = {.gap = statistics_.gap, .status = statistics_.status};
  high_.reset();
  // At the largest nu every C of the plateau would do; the end of the plateau is meant.
  const double target = std::min(nu, 2 * factors_.smaller() / factors_.total() * (1 - 5e-4));
  Outcome outcome = Outcome::found;
  if (low_ && fits(*low_, target)) {
    return outcome;
  }
  if (!low_ || low_->nu < target) {
    outcome = bracket(target);
  }
  if (outcome == Outcome::found && !high_) {
    outcome = raise(target);
  }
  return outcome == Outcome::found ? refine(target) : outcome;
}

}  // namespace

double largest_nu(const qp::Problem& unit_problem) {
  const Factors factors = sum_factors(unit_problem);
  return factors.smaller() > 0 ? 2 * factors.smaller() / factors.total() : 0;
}

void nu_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> descending_nu,
             const qp::Options& options, const core::Monitor& monitor,
             const std::function<void(const PathPoint&)>& visit) {
  const Factors factors = sum_factors(unit_problem);
  WarmPath path(rows, unit_problem, options, monitor);
  NuSearch search(path, factors);
  for (std::size_t k = 0; k < descending_nu.size(); ++k) {
    const double nu = descending_nu[k];
    // As LIBSVM asks it, but for the last digits.
    if (!(nu > 0) || nu * factors.total() / 2 > factors.smaller() * (1 + 1e-12)) {
      continue;
    }
    const NuSearch::Outcome outcome = search.find(nu);
    // Where a nu has no margin, a smaller one has none either.
    if (outcome != NuSearch::Outcome::found || !path.show(k, search.statistics(), visit)) {
      return;
    }
  }
}

}  // namespace credence::svm
