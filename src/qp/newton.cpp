#include "qp/newton.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "credence/core/list.hpp"

namespace credence::qp {
namespace {

constexpr std::size_t most_deletions = 200;
/// Columns of the inverse that are found together.
constexpr std::size_t columns_at_a_time = 16;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Makes the sum of a direction 0. If K_FF is nearly singular, x and v are huge and their difference has few digits,
/// but sum(beta) must not drift. The first correction goes along v, as a refined multiplier would; the second takes an
/// equal share from every variable that is left.
void balance(const std::vector<double>& v, std::vector<double>& direction) {
  const double along = sum_of(direction) / sum_of(v);
  for (std::size_t a = 0; a < v.size(); ++a) direction[a] -= along * v[a];
  const auto left = v.size() - static_cast<std::size_t>(std::ranges::count(v, 0.0));
  const double share = sum_of(direction) / static_cast<double>(std::max<std::size_t>(left, 1));
  for (std::size_t a = 0; a < v.size(); ++a) direction[a] -= v[a] != 0 ? share : 0;
}

}  // namespace

const std::vector<std::size_t>& Newton::find_free(const Iterate& iterate) {
  list_where(iterate.n, free_, [&](std::size_t i) { return iterate.is_free(i); });
  return free_;
}

/// Returns the largest part of `direction`, at most all of it, that stays in the box, and the variable that limits the
/// part.
Newton::Step Newton::longest_step(const Iterate& iterate, const std::vector<double>& direction) const {
  Step step{1, free_.size()};
  for (std::size_t a = 0; a < free_.size(); ++a) {
    const std::size_t i = free_[a];
    const double room = (direction[a] > 0 ? iterate.upper[i] : iterate.lower[i]) - iterate.beta[i];
    if (std::abs(direction[a]) * step.length > std::abs(room)) step = {room / direction[a], a};
  }
  return step;
}

/// The variables that a full step takes out of their box, the first to meet its bound first.
std::vector<std::size_t> Newton::likely_stoppers(const Iterate& iterate, const std::vector<double>& direction) const {
  std::vector<std::pair<double, std::size_t>> lengths;
  for (std::size_t a = 0; a < free_.size(); ++a) {
    if (direction[a] == 0 || factor_.is_prepared(a)) continue;
    const std::size_t i = free_[a];
    const double room = (direction[a] > 0 ? iterate.upper[i] : iterate.lower[i]) - iterate.beta[i];
    if (std::abs(direction[a]) > std::abs(room)) lengths.emplace_back(room / direction[a], a);
  }
  const std::size_t count = std::min(columns_at_a_time, lengths.size());
  std::partial_sort(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(count), lengths.end());
  return core::made(count, [&](std::size_t k) { return lengths[k].second; });
}

/// The Newton direction under sum(d) = 0 is x - (1'x / 1'v) v with x = -K_FF^-1 g and v = K_FF^-1 1. After a step of
/// length t the remaining x is (1 - t) x. Deleting a variable projects x and v along one column of the inverse.
void Newton::descend(Iterate& iterate, const core::Monitor& monitor) {
  const std::size_t m = free_.size();
  std::vector<double> x = core::made(m, [&](std::size_t a) { return -iterate.gradient[free_[a]]; });
  x = factor_.solve(std::move(x));
  std::vector<double> v = factor_.solve(std::vector<double>(m, 1.0));
  std::vector<double> direction(m);
  for (std::size_t remaining = m; remaining >= 2; --remaining) {
    const double multiplier = sum_of(x) / sum_of(v);
    for (std::size_t a = 0; a < m; ++a) direction[a] = x[a] - multiplier * v[a];
    balance(v, direction);
    const Step step = longest_step(iterate, direction);
    ++directions_;
    if (step.stopper != m && !factor_.is_prepared(step.stopper)) factor_.prepare(likely_stoppers(iterate, direction));
    for (std::size_t a = 0; a < m; ++a) {
      const std::size_t i = free_[a];
      iterate.beta[i] = std::clamp(iterate.beta[i] + step.length * direction[a], iterate.lower[i], iterate.upper[i]);
      x[a] *= 1 - step.length;
    }
    if (step.stopper == m) return;
    const std::size_t i = free_[step.stopper];
    iterate.beta[i] = direction[step.stopper] > 0 ? iterate.upper[i] : iterate.lower[i];
    // The descent ends when the columns of the inverse have lost their digits. The steps taken so far are valid.
    if (factor_.deletions() == most_deletions || monitor.should_stop() || !factor_.remove(step.stopper)) return;
    factor_.project(x);
    factor_.project(v);
  }
}

bool Newton::step(kernel::Rows& rows, Iterate& iterate, const core::Monitor& monitor) {
  if (!factor_.factorise(rows, free_)) return false;
  const core::AlignedVector<double> before = iterate.beta;
  descend(iterate, monitor);
  for (const std::size_t i : free_) iterate.update_side(i);
  move_gradient(rows, iterate, before);
  return true;
}

}  // namespace credence::qp
