#include <algorithm>
#include <cmath>
#include <limits>

#include "credence/qp/solver.hpp"

namespace credence::qp {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
/// Share of the value of variable i that may find no partner, because of rounding.
constexpr double negligible = 1e-9;

/// Moves the value of variable i to partners j, so that sum(beta) stays: beta_j grows if beta_i > 0, and else shrinks.
class Closing {
 public:
  Closing(kernel::Rows& rows, const Problem& problem, State& state, std::size_t i)
      : rows_(rows), problem_(problem), state_(state), i_(i), sign_(state.beta[i] > 0 ? 1 : -1) {}

  bool others_have_room() const {
    const double wanted = std::abs(state_.beta[i_]);
    double sum = 0;
    for (std::size_t j = 0; j < state_.beta.size() && sum < wanted; ++j) sum += room(j);
    return sum >= (1 - negligible) * wanted;
  }

  void run() {
    while (state_.beta[i_] != 0) {
      const float* row = rows_.row(i_);
      const double left = std::abs(state_.beta[i_]);
      const std::size_t j = best_partner(left, row);
      if (j == none) return drop_rest(row);
      transfer(std::min(left, room(j)), j, row);
    }
  }

 private:
  double room(std::size_t j) const {
    return j == i_ ? 0 : sign_ > 0 ? problem_.upper[j] - state_.beta[j] : state_.beta[j] - problem_.lower[j];
  }
  /// A transfer of t to j changes the objective by t s (g_j - g_i) + t^2 / 2 (K_ii + K_jj - 2 K_ij), where s is the
  /// sign of beta_i. The best partner raises the objective least for each unit of t.
  std::size_t best_partner(double amount, const float* row) const {
    const float* diagonal = rows_.diagonal();
    std::size_t best = none;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < state_.beta.size(); ++j) {
      const double taken = std::min(amount, room(j));
      const double curvature = double{diagonal[i_]} + double{diagonal[j]} - 2 * double{row[j]};
      const double rise = sign_ * state_.gradient[j] + taken / 2 * curvature;
      if (taken > 0 && rise < least) {
        least = rise;
        best = j;
      }
    }
    return best;
  }

  void transfer(double amount, std::size_t j, const float* row) {
    const double step = sign_ * amount;
    state_.beta[i_] -= step;
    state_.beta[j] = amount < room(j) ? state_.beta[j] + step : (sign_ > 0 ? problem_.upper[j] : problem_.lower[j]);
    const float* partner_row = rows_.row(j);
    for (std::size_t k = 0; k < state_.gradient.size(); ++k)
      state_.gradient[k] += step * (double{partner_row[k]} - double{row[k]});
  }

  /// Drops a rest without a partner. The rest is rounding, as `others_have_room` has checked.
  void drop_rest(const float* row) {
    for (std::size_t k = 0; k < state_.gradient.size(); ++k) state_.gradient[k] -= state_.beta[i_] * double{row[k]};
    state_.beta[i_] = 0;
  }

  kernel::Rows& rows_;
  const Problem& problem_;
  State& state_;
  std::size_t i_;
  double sign_;
};

}  // namespace

bool close_box(kernel::Rows& rows, Problem& problem, State& state, std::size_t i) {
  Closing closing(rows, problem, state, i);
  if (!closing.others_have_room()) return false;
  closing.run();
  problem.lower[i] = 0;
  problem.upper[i] = 0;
  return true;
}

}  // namespace credence::qp
