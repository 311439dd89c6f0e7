#include "qp/newton.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

extern "C" void dpotrf_(const char* triangle, const blasint* n, double* matrix, const blasint* leading, blasint* info);

namespace credence::qp {
namespace {

constexpr double largest_ridge = 1e-4;

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
  deleted_.assign(m, 0);
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

/// With row k gone, the part of the factor behind it becomes the factor of L33 L33' + l l', l the old column k:
/// a rank-one update by Givens rotations.
void Newton::remove(std::size_t k) {
  const std::size_t m = free_.size();
  double* spill = factor_.data() + k * m;
  for (std::size_t j = k + 1; j < m; ++j) {
    if (spill[j] == 0) {
      continue;
    }
    double* column = factor_.data() + j * m;
    const double length = std::hypot(column[j], spill[j]);
    const double cosine = column[j] / length;
    const double sine = spill[j] / length;
    cblas_drot(static_cast<blasint>(m - j), column + j, 1, spill + j, 1, cosine, sine);
  }
  std::fill(spill + k + 1, spill + m, 0.0);
  spill[k] = 1;
  for (std::size_t j = 0; j < k; ++j) {
    factor_[j * m + k] = 0;
  }
  deleted_[k] = 1;
}

void Newton::solve(std::vector<double>& right_hand_side) const {
  const auto m = static_cast<blasint>(free_.size());
  cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, factor_.data(), m, right_hand_side.data(), 1);
  cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, m, factor_.data(), m, right_hand_side.data(), 1);
}

void Newton::descend(Iterate& iterate) {
  const std::size_t m = free_.size();
  std::vector<double> target(m);  // what K_FF d must be, up to a multiple of 1
  for (std::size_t a = 0; a < m; ++a) {
    target[a] = -iterate.gradient[free_[a]];
  }
  std::vector<double> direction(m);
  std::vector<double> ones(m);
  for (std::size_t remaining = m; remaining >= 2; --remaining) {
    direction = target;
    for (std::size_t a = 0; a < m; ++a) {
      ones[a] = deleted_[a] != 0 ? 0.0 : 1.0;
    }
    solve(direction);
    solve(ones);
    const double multiplier =
        std::accumulate(direction.begin(), direction.end(), 0.0) / std::accumulate(ones.begin(), ones.end(), 0.0);
    double length = 1;
    std::size_t stopper = m;
    for (std::size_t a = 0; a < m; ++a) {
      direction[a] -= multiplier * ones[a];
      const std::size_t i = free_[a];
      const double room = direction[a] > 0 ? iterate.upper[i] - iterate.beta[i] : iterate.lower[i] - iterate.beta[i];
      if (std::abs(direction[a]) * length > std::abs(room)) {
        length = room / direction[a];
        stopper = a;
      }
    }
    ++directions_;
    for (std::size_t a = 0; a < m; ++a) {
      if (deleted_[a] == 0) {
        double& beta = iterate.beta[free_[a]];
        beta = std::clamp(beta + length * direction[a], iterate.lower[free_[a]], iterate.upper[free_[a]]);
        target[a] *= 1 - length;
      }
    }
    if (stopper == m) {
      return;
    }
    const std::size_t i = free_[stopper];
    iterate.beta[i] = direction[stopper] > 0 ? iterate.upper[i] : iterate.lower[i];
    target[stopper] = 0;
    remove(stopper);
  }
}

bool Newton::step(kernel::Rows& rows, Iterate& iterate) {
  if (!factorise(rows)) {
    return false;
  }
  const core::AlignedVector<double> before = iterate.beta;
  descend(iterate);
  for (const std::size_t i : free_) {
    iterate.update_side(i);
  }
  move_gradient(rows, iterate, before);
  return true;
}

}  // namespace credence::qp
