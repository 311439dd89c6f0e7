#include <algorithm>
#include <cmath>
#include <optional>

#include "svm/path/warm_path.hpp"

namespace credence::svm {
namespace {

constexpr double accuracy = 1e-6;       // of nu, relative
constexpr double growth = 4;            // of C, while a bracket is sought
constexpr double fall = 16;             // the same downwards, from zero each time: small C are quickly solved
constexpr double largest_scale = 1e15;  // of C, over the typical one
constexpr int patience = 3;             // growths without a smaller loss
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
  enum class Outcome { found, no_margin, step_limit, stopped };

  NuSearch(WarmPath& path, const Factors& factors)
      : path_(path), factors_(factors), typical_C_(1 / path.typical_distance()) {}

  /// Leaves the path at the solution.
  Outcome find(double nu) {
    statistics_ = {.gap = statistics_.gap, .status = statistics_.status};
    high_.reset();
    // The largest nu is had at every C up to some value; that value is meant.
    const double target = std::min(nu, 2 * factors_.smaller() / factors_.total() * (1 - 5e-4));
    Outcome outcome = Outcome::found;
    if (low_ && fits(*low_, target)) return outcome;
    if (!low_ || low_->nu < target) outcome = bracket(target);
    if (outcome == Outcome::found && !high_) outcome = raise(target);
    return outcome == Outcome::found ? refine(target) : outcome;
  }

  /// Of the last search: counts of all its solves, the rest of its last one.
  const qp::Statistics& statistics() const { return statistics_; }

 private:
  struct Sample {
    WarmPath::Point point;
    double nu = 0;    ///< sum|beta| / (C sum(factors))
    double loss = 0;  ///< sum of the hinge losses / sum(factors)
  };

  /// The point at hand, measured; its solve is counted.
  Sample sample() {
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
    const double target = 1 - std::max(part.gap, 0.0);  // margins are only as good as the gap
    for (std::size_t i = 0; i < state.beta.size(); ++i) {
      const double decision = state.gradient[i] + problem.linear[i] + bias;
      sample.nu += std::abs(state.beta[i]);
      sample.loss += (problem.upper[i] - problem.lower[i]) * std::max(0.0, target - problem.linear[i] * decision);
    }
    sample.nu /= sample.point.C * factors_.total();
    sample.loss /= sample.point.C * factors_.total();
    return sample;
  }

  /// Makes low_ a sample with at least this nu, found at once or downwards.
  Outcome bracket(double nu) {
    for (double C = typical_C_; C > 0; C /= fall) {
      if (!path_.restart_at(C)) return Outcome::stopped;
      Sample here = sample();
      if (here.nu >= nu) {
        low_ = std::move(here);
        return Outcome::found;
      }
      high_ = std::move(here);
    }
    return Outcome::no_margin;
  }

  /// Makes high_ a sample with a smaller nu, upwards from low_. As C grows, nu falls to the smallest loss that any w
  /// has, so a loss below nu promises an end; a loss that stands still at nu or above has come to its limit, unless C
  /// is so small that only outliers have had their say.
  Outcome raise(double nu) {
    for (int still = 0; still < patience;) {
      const double C = growth * low_->point.C;
      if (!(C <= largest_scale * typical_C_)) return Outcome::no_margin;
      if (!path_.go_to(C)) return Outcome::stopped;
      Sample here = sample();
      if (qp::is_approximate(statistics_.status)) {
        low_ = std::move(here);
        return Outcome::step_limit;
      }
      if (here.nu < nu) {
        high_ = std::move(here);
        return Outcome::found;
      }
      const bool same = here.loss >= 0.99 * nu && here.loss >= (1 - 1e-3) * low_->loss;
      still = same && C > typical_C_ ? still + 1 : 0;
      low_ = std::move(here);
    }
    return Outcome::no_margin;
  }

  /// Secants on h(C) = sum|beta| - nu C sum(factors), which is linear between breakpoints; the Illinois rule keeps them
  /// from approaching from one side only.
  Outcome refine(double nu) {
    const auto excess = [&](const Sample& at) { return (at.nu - nu) * at.point.C; };
    double h_low = excess(*low_);
    double h_high = excess(*high_);
    int last_side = 0;
    for (int k = 0; k < most_secants; ++k) {
      const double a = low_->point.C;
      const double b = high_->point.C;
      const double secant = std::clamp(a + (b - a) * h_low / (h_low - h_high), a + 1e-6 * (b - a), b - 1e-6 * (b - a));
      const double C = b > growth * growth * a ? std::sqrt(a * b) : secant;
      if (!path_.solve_between(low_->point, high_->point, C)) return Outcome::stopped;
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

  bool fits(const Sample& sample, double nu) const { return std::abs(sample.nu - nu) <= accuracy * nu; }

  WarmPath& path_;
  Factors factors_;
  double typical_C_;            ///< at which one multiplier at its bound may well move another row's output by 1
  std::optional<Sample> low_;   ///< of the larger nu
  std::optional<Sample> high_;  ///< of the smaller nu
  qp::Statistics statistics_;
};

}  // namespace

double largest_nu(const qp::Problem& unit_problem) {
  const Factors factors = sum_factors(unit_problem);
  return factors.smaller() > 0 ? 2 * factors.smaller() / factors.total() : 0;
}

void nu_path(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const double> descending_nu,
             const qp::Options& options, const core::Monitor& monitor,
             const std::function<void(const PathPoint&)>& visit) {
  const Factors factors = sum_factors(unit_problem);
  if (!(factors.smaller() > 0)) return;
  WarmPath path(rows, unit_problem, options, monitor);
  NuSearch search(path, factors);
  for (std::size_t k = 0; k < descending_nu.size(); ++k) {
    const double nu = descending_nu[k];
    // As LIBSVM asks it, but for the last digits.
    if (!(nu > 0) || nu * factors.total() / 2 > factors.smaller() * (1 + 1e-12)) continue;
    const NuSearch::Outcome outcome = search.find(nu);
    // Where a nu has no margin, a smaller one has none either.
    const bool shown = outcome == NuSearch::Outcome::found || outcome == NuSearch::Outcome::step_limit;
    if (!shown || !path.show(k, search.statistics(), visit)) return;
  }
}

}  // namespace credence::svm
