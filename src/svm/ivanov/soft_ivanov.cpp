#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/svm/ivanov.hpp"
#include "credence/svm/loss.hpp"
#include "svm/ivanov/fixed_norm.hpp"
#include "svm/ivanov/rows_with_origin.hpp"

namespace credence::svm {
namespace {

/// A row is given up strictly beyond the kink. At the kink, rounding would give it up in one round and not in the next.
constexpr double beyond_kink = 1e-9;
constexpr int most_rounds = 50;

double largest_distance(kernel::Rows& rows, std::size_t n) {
  const float* diagonal = rows.diagonal();
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float* row = rows.row(i);
    const double own = diagonal[i];
    for (std::size_t j = i + 1; j < n; ++j) largest = std::max(largest, own + double{diagonal[j]} - 2 * double{row[j]});
  }
  return std::sqrt(largest);
}

/// Returns a number that is at least the largest eigenvalue of (1/n) sum (phi_i - c)(phi_i - c)', where c is the mean
/// with a bias, else 0. The number is the Frobenius norm of the (centred) kernel matrix over n.
double largest_variance(kernel::Rows& rows, std::size_t n, bool centred) {
  std::vector<double> means(n, 0.0);
  double mean = 0;
  for (std::size_t i = 0; centred && i < n; ++i) {
    const float* row = rows.row(i);
    means[i] = std::accumulate(row, row + n, 0.0) / static_cast<double>(n);
    mean += means[i] / static_cast<double>(n);
  }
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float* row = rows.row(i);
    for (std::size_t j = 0; j < n; ++j) {
      const double value = double{row[j]} - means[i] - means[j] + mean;
      squares += value * value;
    }
  }
  return std::sqrt(squares) / static_cast<double>(n);
}

}  // namespace

struct SoftIvanov::Impl {
  Impl(kernel::Rows& given_rows, std::span<const int> given_labels, std::span<const double> hint,
       const IvanovOptions& given_options, const core::Monitor& given_monitor)
      : labels(given_labels.begin(), given_labels.end()),
        data(given_rows.size(), given_labels, hint),
        options(given_options),
        monitor(given_monitor) {
    throw_if_any(options.validate());
    if (!options.bias) with_origin = std::make_unique<RowsWithOrigin>(given_rows, options.solver.tolerance);
    rows = with_origin ? with_origin.get() : &given_rows;
    has_hint = std::ranges::any_of(data.hint, [](double value) { return value != 0; });
    widest = options.bias ? largest_distance(*rows, data.size()) : 0;
    variance = largest_variance(*rows, data.size(), options.bias);
    const auto [low, high] = std::ranges::minmax_element(data.hint);
    hint_range = *high - *low;
    best.loss = std::numeric_limits<double>::infinity();
    keep(judged({std::vector<double>(data.size(), 0.0), 0, 0, data.hint, 0, 0, true}), {});
    without_w = best.loss;
  }

  void grow_to(double new_rho) {
    if (!(new_rho >= 0 && std::isfinite(new_rho)) || new_rho < rho)
      refuse(fmt::format("rho must be a finite number from 0 on and must not fall: {} after {}", new_rho, rho));
    rho = new_rho;
    rounds.clear();
    // Classes grow with rho, so a loss of 0 stays the best.
    if (best.loss == 0) {
      lower = 0;
      peeled = 0;
      return;
    }
    // The class holds f0 + b alone, which the constructor has judged.
    if (rho == 0) {
      lower = best.loss;
      peeled = best.loss;
      return;
    }
    if (options.peel)
      peel();
    else
      search();
    // Rounding may lift the lower limit above the upper one.
    lower = std::min(lower, best.loss);
    // A problem that this rho did not use is no start for the next.
    std::erase_if(chains, [&](const Chain& known) { return known.rho != rho; });
  }

  void search() {
    const std::vector<RowLoss> none(data.size(), RowLoss::hinge);
    const std::vector<RowLoss> last = best_losses;
    // The hinge loss comes first: its solution is a start, and its dual value the certificate.
    rounds.push_back(run_rounds(none));
    const FixedNorm& hinge = chain(none, nullptr);
    lower = certified(hinge);
    if (has_hint && options.start_at_hint) rounds.push_back(run_rounds(given_up_by(data.hint)));
    if (!last.empty() && options.start_at_last) rounds.push_back(run_rounds(last));
    peeled = best.loss;
  }

  /// Removes the row with the largest hinge loss above 2, and solves again, until no hinge loss is above 2.
  void peel() {
    std::vector<RowLoss> losses(data.size(), RowLoss::hinge);
    std::vector<double> seen;
    for (bool more = true; more;) {
      FixedNorm problem(*rows, data, losses, options, monitor, work);
      problem.solve(rho);
      if (seen.empty()) lower = certified(problem);
      IvanovSolution found = read(problem);
      double kept = 0;
      double worst = 2 + beyond_kink;
      std::size_t critical = data.size();
      for (std::size_t i = 0; i < data.size(); ++i) {
        const double loss =
            losses[i] == RowLoss::none ? 0 : hinge_loss(data.labels[i] * (found.decisions[i] + found.bias));
        kept += loss;
        if (loss > worst) {
          worst = loss;
          critical = i;
        }
      }
      peeled = kept / (2 * static_cast<double>(data.size()));
      found = judged(std::move(found));
      seen.push_back(found.loss);
      keep(std::move(found), {});
      more = critical < data.size();
      if (more) losses[critical] = RowLoss::none;
    }
    rounds.push_back(std::move(seen));
  }

  /// Returns the convex problem with these rows given up. The problem starts from its own solution at the last rho, or
  /// else from the solution of `near`.
  FixedNorm& chain(const std::vector<RowLoss>& losses, const FixedNorm* near) {
    for (Chain& known : chains) {
      if (known.problem->losses() == losses) {
        known.rho = rho;
        return *known.problem;
      }
    }
    chains.push_back({std::make_unique<FixedNorm>(*rows, data, losses, options, monitor, work), rho});
    if (near != nullptr) chains.back().problem->start_from(*near);
    return *chains.back().problem;
  }

  std::vector<RowLoss> given_up_by(const std::vector<double>& decisions) const {
    std::vector<RowLoss> losses(data.size(), RowLoss::hinge);
    for (std::size_t i = 0; i < losses.size(); ++i)
      if (data.labels[i] * decisions[i] < -1 - beyond_kink) losses[i] = RowLoss::given_up;
    return losses;
  }

  /// Runs rounds of the concave-convex procedure. The rounds end when the same rows were given up before, or when the
  /// loss does not fall. (The loss may rise within the tolerance on the norm; such a round is dropped.)
  std::vector<double> run_rounds(std::vector<RowLoss> losses) {
    std::vector<double> seen;
    const FixedNorm* near = nullptr;
    const auto solved_before = [&](const Chain& one) { return one.rho == rho && one.problem->losses() == losses; };
    for (int round = 0; round < most_rounds && best.loss > 0; ++round) {
      if (std::ranges::any_of(chains, solved_before)) break;
      FixedNorm& problem = chain(losses, near);
      problem.solve(rho);
      IvanovSolution found = judged(read(problem));
      if (!seen.empty() && !(found.loss < seen.back())) break;
      seen.push_back(found.loss);
      std::vector<RowLoss> next = given_up_by(found.decisions);
      keep(std::move(found), std::move(losses));
      losses = std::move(next);
      near = &problem;
    }
    return seen;
  }

  /// Returns the function that solves a convex problem. Its decision values lack the bias until `judged` adds the best
  /// one.
  IvanovSolution read(const FixedNorm& solved) const {
    IvanovSolution found;
    solved.read(found.beta, found.decisions, found.bias);
    found.norm = solved.norm();
    found.C = solved.C();
    found.binding = solved.binding();
    return found;
  }

  /// Returns the function with the best bias for its w, which is added to the decision values, and with the mean soft
  /// loss.
  IvanovSolution judged(IvanovSolution found) const {
    found.bias = options.bias ? best_bias(labels, found.decisions, found.bias) : 0;
    found.loss = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      found.decisions[i] += found.bias;
      found.loss += soft_loss(data.labels[i] * found.decisions[i]);
    }
    found.loss /= static_cast<double>(data.size());
    return found;
  }

  void keep(IvanovSolution found, std::vector<RowLoss> losses) {
    if (found.loss < best.loss) {
      best = std::move(found);
      best_losses = std::move(losses);
    }
  }

  double largest_decision() const {
    if (options.bias) return 1 + std::sqrt(rho) * widest + hint_range;
    double largest = 0;
    for (std::size_t i = 0; i < data.size(); ++i)
      largest = std::max(largest, std::sqrt(rho * double{rows->diagonal()[i]}) + std::abs(data.hint[i]));
    return largest;
  }

  /// Returns the larger of two lower limits. The first follows from the hinge loss, because soft loss >= hinge / (1 +
  /// max(1, B)). The second follows from the influence of w beside f0 and a bias: the loss changes at most half as fast
  /// as f, and the mean of |w (phi_i - c)| is at most sqrt(rho) times the largest deviation.
  double certified(const FixedNorm& hinge) const {
    // The limit must hold for every norm that the solver accepts at this rho.
    const double allowed = rho * (1 + options.norm_tolerance);
    return std::max(hinge.dual_value(allowed) / (1 + std::max(1.0, largest_decision())),
                    without_w - std::sqrt(allowed * variance) / 2);
  }

  std::vector<int> labels;
  IvanovData data;
  IvanovOptions options;
  const core::Monitor& monitor;
  std::unique_ptr<RowsWithOrigin> with_origin;
  kernel::Rows* rows = nullptr;
  bool has_hint = false;
  double widest = 0;
  double variance = 0;
  double hint_range = 0;

  double rho = -1;
  IvanovSolution best;
  std::vector<RowLoss> best_losses;  ///< losses of the convex problem that gave `best`; empty: no problem did
  double without_w = 0;              ///< the loss of w = 0 with its best bias
  double lower = 0;
  double peeled = 0;
  std::vector<std::vector<double>> rounds;
  IvanovWork work;

  /// The convex problems solved at this rho or the last one. A problem with the same rows given up starts from its
  /// entry.
  struct Chain {
    std::unique_ptr<FixedNorm> problem;
    double rho;
  };
  std::vector<Chain> chains;
};

SoftIvanov::SoftIvanov(kernel::Rows& rows, std::span<const int> labels, std::span<const double> hint,
                       const IvanovOptions& options, const core::Monitor& monitor)
    : impl_(std::make_unique<Impl>(rows, labels, hint, options, monitor)) {}
SoftIvanov::~SoftIvanov() = default;
SoftIvanov::SoftIvanov(SoftIvanov&&) noexcept = default;
SoftIvanov& SoftIvanov::operator=(SoftIvanov&&) noexcept = default;

void SoftIvanov::grow_to(double rho) {
  impl_->grow_to(rho);
}
const IvanovSolution& SoftIvanov::solution() const {
  return impl_->best;
}
double SoftIvanov::lower_limit() const {
  return impl_->lower;
}
double SoftIvanov::peeled_loss() const {
  return impl_->peeled;
}
const std::vector<std::vector<double>>& SoftIvanov::rounds() const {
  return impl_->rounds;
}
const IvanovWork& SoftIvanov::work() const {
  return impl_->work;
}

}  // namespace credence::svm
