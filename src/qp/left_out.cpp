#include "qp/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "qp/free_factor.hpp"
#include "qp/sweep.hpp"

namespace credence::qp {
namespace {

/// A way that meets more bounds than this no longer leads to the solution, and the solver takes over.
constexpr std::size_t most_bounds_met = 30;

}  // namespace

/// The way of the free variables while variable i goes to 0: sum(beta) and the equal gradients of the free variables
/// stay.
struct LeftOut::Way {
  std::vector<std::size_t> free;
  std::vector<std::size_t> position;  ///< position of each variable in `free`; free.size() if it is not free
  FreeFactor factor;
  std::vector<double> ones;  ///< K_FF^-1 1
  bool usable = false;

  Way(kernel::Rows& rows, const Problem& problem, const State& state, const Options& options) {
    for (std::size_t j = 0; j < state.beta.size(); ++j)
      if (state.beta[j] > problem.lower[j] && state.beta[j] < problem.upper[j]) free.push_back(j);
    position.assign(state.beta.size(), free.size());
    for (std::size_t a = 0; a < free.size(); ++a) position[free[a]] = a;
    usable =
        options.newton && free.size() >= 3 && free.size() <= options.newton_max_free && factor.factorise(rows, free);
    if (usable) ones = factor.solve(std::vector<double>(free.size(), 1.0));
  }

  void follow(kernel::Rows& rows, std::size_t i, Iterate& iterate) {
    const std::size_t m = free.size();
    // One factorisation serves all rows: the deletions of the row before are undone first.
    factor.restore();
    std::vector<double> v = ones;
    std::vector<double> w(m);  // K_FF^-1 K_Fi, without i
    if (position[i] < m) {
      // A free row leaves F, and its column of the inverse is the response; a row at a bound needs a solve.
      if (!factor.remove(position[i])) return;
      factor.project(v);
      w = factor.response();
    } else {
      const float* row = rows.row(i);
      std::transform(free.begin(), free.end(), w.begin(), [&](std::size_t j) { return double{row[j]}; });
      w = factor.solve(std::move(w));
    }
    const core::AlignedVector<double> before = iterate.beta;
    std::vector<double> direction(m);
    for (std::size_t met = 0; met < most_bounds_met && iterate.beta[i] != 0; ++met) {
      const double way = -iterate.beta[i];
      const double sum_v = std::accumulate(v.begin(), v.end(), 0.0);
      // The multiplier mu makes sum(d_F) + d_i = 0.
      const double multiplier = way * (1 - std::accumulate(w.begin(), w.end(), 0.0)) / sum_v;
      if (!std::isfinite(multiplier)) break;
      double length = 1;
      std::size_t stopper = m;
      for (std::size_t a = 0; a < m; ++a) {
        direction[a] = -(w[a] * way + multiplier * v[a]);
        const std::size_t j = free[a];
        const double room = (direction[a] > 0 ? iterate.upper[j] : iterate.lower[j]) - iterate.beta[j];
        if (j != i && std::abs(direction[a]) * length > std::abs(room)) {
          length = room / direction[a];
          stopper = a;
        }
      }
      for (std::size_t a = 0; a < m; ++a) {
        const std::size_t j = free[a];
        if (j != i)
          iterate.beta[j] = std::clamp(iterate.beta[j] + length * direction[a], iterate.lower[j], iterate.upper[j]);
      }
      iterate.beta[i] = stopper == m ? 0 : iterate.beta[i] + length * way;
      if (stopper == m) break;
      const std::size_t j = free[stopper];
      iterate.beta[j] = direction[stopper] > 0 ? iterate.upper[j] : iterate.lower[j];
      // A variable at its bound leaves F: the projections make v and w the solutions over the rest of F.
      if (!factor.remove(stopper)) break;
      factor.project(v);
      factor.project(w);
    }
    move_gradient(rows, iterate, before);
  }
};

LeftOut::LeftOut(kernel::Rows& rows, const Problem& problem, const State& state, const Options& options,
                 const core::Monitor& monitor)
    : rows_(rows), problem_(problem), state_(state), options_(options), monitor_(monitor) {}

LeftOut::~LeftOut() = default;

std::uint64_t LeftOut::factorisations() const {
  return way_ ? way_->factor.factorisations() : 0;
}

LeftOut::Result LeftOut::without(std::size_t i) {
  if (!way_) way_ = std::make_unique<Way>(rows_, problem_, state_, options_);
  Problem problem = problem_;
  State state = state_;
  const std::size_t n = state.beta.size();
  if (way_->usable) {
    Iterate iterate(n);
    std::copy(state.beta.begin(), state.beta.end(), iterate.beta.begin());
    std::copy(state.gradient.begin(), state.gradient.end(), iterate.gradient.begin());
    std::copy(problem.lower.begin(), problem.lower.end(), iterate.lower.begin());
    std::copy(problem.upper.begin(), problem.upper.end(), iterate.upper.begin());
    way_->follow(rows_, i, iterate);
    std::copy_n(iterate.beta.begin(), n, state.beta.begin());
    std::copy_n(iterate.gradient.begin(), n, state.gradient.begin());
  }
  // If no partner has room, the problem without row i starts from zero.
  if (!close_box(rows_, problem, state, i)) {
    problem.lower[i] = 0;
    problem.upper[i] = 0;
    state = zero_state(problem);
  }
  Result result;
  result.statistics = solve(rows_, problem, state, options_, monitor_);
  result.decision = state.gradient[i] + problem.linear[i] + bias(problem, state);
  for (std::size_t j = 0; j < n && !result.bounded; ++j)
    result.bounded = state.beta[j] != 0 && (state.beta[j] == problem.lower[j] || state.beta[j] == problem.upper[j]);
  return result;
}

}  // namespace credence::qp
