#include "qp/newton.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

extern "C" void dpotrf_(const char* triangle, const blasint* n, double* matrix, const blasint* leading, blasint* info);

namespace credence::qp {
namespace {

constexpr double largest_ridge = 1e-4;  // relative to the diagonal
constexpr std::size_t most_deletions = 200;

}  // namespace

const std::vector<std::size_t>& Newton::find_free(const Iterate& iterate) {
  free_.clear();
  for (std::size_t i = 0; i < iterate.n; ++i) {
    if (iterate.side[i] == 0) {
      free_.push_back(i);
    }
  }
  return free_;
}

/// K_FF with a ridge: 1e-9 of its diagonal is far below the stopping gap, yet enough for repeated rows. The rounding
/// of the kernel to float can ask for more; a larger ridge makes the step shorter, not wrong.
bool Newton::factorise(kernel::Rows& rows) {
  const std::size_t m = free_.size();
  factor_.resize(m * m);
  for (; ridge_ <= largest_ridge; ridge_ *= 10) {
    for (std::size_t a = 0; a < m; ++a) {
      const float* row = rows.row(free_[a]);
      double* column = factor_.data() + a * m;
      for (std::size_t b = a; b < m; ++b) {
        column[b] = row[free_[b]];
      }
      column[a] += ridge_ * std::abs(column[a]);
    }
    const auto size = static_cast<blasint>(m);
    blasint info = 0;
    dpotrf_("L", &size, factor_.data(), &size, &info);
    ++factorisations_;
    if (info == 0) {
      return true;
    }
  }
  return false;
}

/// K_FF^-1 e_k in the space that is left after all deletions so far: the k-th column of the inverse, made conjugate to
/// the columns of the deleted variables.
std::vector<double> Newton::inverse_column(std::size_t k) const {
  const std::size_t m = free_.size();
  const auto size = static_cast<blasint>(m);
  std::vector<double> column(m, 0.0);
  column[k] = 1;
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, static_cast<blasint>(m - k),
              factor_.data() + k * m + k, size, column.data() + k, 1);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, size, factor_.data(), size, column.data(), 1);
  for (const Deletion& deletion : deletions_) {
    eliminate(deletion, column);
  }
  return column;
}

/// Subtracts the multiple of the deletion's column that makes the vector 0 at the deleted variable.
void Newton::eliminate(const Deletion& deletion, std::vector<double>& vector) {
  const double factor = -vector[deletion.variable] / deletion.column[deletion.variable];
  cblas_daxpy(static_cast<blasint>(vector.size()), factor, deletion.column.data(), 1, vector.data(), 1);
  vector[deletion.variable] = 0;
}

std::vector<double> Newton::solve(std::vector<double> right_hand_side) const {
  const auto m = static_cast<blasint>(free_.size());
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, factor_.data(), m, right_hand_side.data(), 1);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, m, factor_.data(), m, right_hand_side.data(), 1);
  return right_hand_side;
}

/// The largest part of `direction`, at most all of it, that stays in the box, and the variable that stops it.
Newton::Step Newton::longest_step(const Iterate& iterate, const std::vector<double>& direction) const {
  Step step{1, free_.size()};
  for (std::size_t a = 0; a < free_.size(); ++a) {
    const std::size_t i = free_[a];
    const double room = (direction[a] > 0 ? iterate.upper[i] : iterate.lower[i]) - iterate.beta[i];
    if (std::abs(direction[a]) * step.length > std::abs(room)) {
      step = {room / direction[a], a};
    }
  }
  return step;
}

/// The Newton direction under sum(d) = 0 is x - (1'x / 1'v) v with x = -K_FF^-1 g and v = K_FF^-1 1. After a step of
/// length t the rest of the way is (1 - t) x; deleting a variable projects x and v along one column of the inverse.
void Newton::descend(Iterate& iterate, const core::Monitor& monitor) {
  const std::size_t m = free_.size();
  std::vector<double> x(m);
  for (std::size_t a = 0; a < m; ++a) {
    x[a] = -iterate.gradient[free_[a]];
  }
  x = solve(std::move(x));
  std::vector<double> v = solve(std::vector<double>(m, 1.0));
  std::vector<double> direction(m);
  deletions_.clear();
  for (std::size_t remaining = m; remaining >= 2; --remaining) {
    const double multiplier = std::accumulate(x.begin(), x.end(), 0.0) / std::accumulate(v.begin(), v.end(), 0.0);
    for (std::size_t a = 0; a < m; ++a) {
      direction[a] = x[a] - multiplier * v[a];
    }
    const Step step = longest_step(iterate, direction);
    ++directions_;
    for (std::size_t a = 0; a < m; ++a) {
      const std::size_t i = free_[a];
      iterate.beta[i] = std::clamp(iterate.beta[i] + step.length * direction[a], iterate.lower[i], iterate.upper[i]);
      x[a] *= 1 - step.length;
    }
    if (step.stopper == m) {
      return;
    }
    const std::size_t i = free_[step.stopper];
    iterate.beta[i] = direction[step.stopper] > 0 ? iterate.upper[i] : iterate.lower[i];
    if (deletions_.size() == most_deletions || monitor.should_stop()) {
      return;
    }
    deletions_.push_back({step.stopper, inverse_column(step.stopper)});
    if (!(deletions_.back().column[step.stopper] > 0)) {
      return;  // the columns have lost their digits; what was gained so far stays
    }
    eliminate(deletions_.back(), x);
    eliminate(deletions_.back(), v);
  }
}

bool Newton::step(kernel::Rows& rows, Iterate& iterate, const core::Monitor& monitor) {
  if (!factorise(rows)) {
    return false;
  }
  const core::AlignedVector<double> before = iterate.beta;
  descend(iterate, monitor);
  for (const std::size_t i : free_) {
    iterate.update_side(i);
  }
  move_gradient(rows, iterate, before);
  return true;
}

}  // namespace credence::qp
