#include "qp/free_factor.hpp"

#include <algorithm>
#include <cmath>

#include "blas/calls.hpp"

namespace credence::qp {
namespace {

constexpr double largest_ridge = 1e-4;  // relative to the diagonal

}  // namespace

/// A ridge of 1e-9 of the diagonal is far below the stopping gap, and is enough for repeated rows. Kernel values
/// rounded to float may need a larger ridge, which makes the step shorter, not wrong.
bool FreeFactor::factorise(kernel::Rows& rows, const std::vector<std::size_t>& free) {
  size_ = free.size();
  restore();
  if (size_ * size_ > capacity_) {
    factor_.reset();  // nothing of the last factor is kept
    capacity_ = 0;
    rows.leave_room(size_ * size_ / 2 * sizeof(double));
    factor_ = std::make_unique_for_overwrite<double[]>(size_ * size_);
    capacity_ = size_ * size_;
  }
  constexpr std::size_t at_once = kernel::Rows::expected_at_once;
  for (; ridge_ <= largest_ridge; ridge_ *= 10) {
    for (std::size_t a = 0; a < size_; ++a) {
      if (a % at_once == 0) rows.expect(std::span(free).subspan(a, std::min(at_once, size_ - a)));
      const float* row = rows.row(free[a]);
      double* column = factor_.get() + a * size_;
      for (std::size_t b = a; b < size_; ++b) column[b] = row[free[b]];
      column[a] += ridge_ * std::abs(column[a]);
    }
    const auto size = blas::size(size_);
    blasint info = 0;
    blas::potrf("L", &size, factor_.get(), &size, &info);
    ++factorisations_;
    if (info == 0) return true;
  }
  return false;
}

std::vector<double> FreeFactor::solve(std::vector<double> right_hand_side) const {
  const auto m = blas::size(size_);
  blas::trsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, factor_.get(), m, right_hand_side.data(), 1);
  blas::trsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, m, factor_.get(), m, right_hand_side.data(), 1);
  return right_hand_side;
}

void FreeFactor::restore() {
  deletions_.clear();
  prepared_.clear();
  places_.assign(size_, nowhere);
}

void FreeFactor::prepare(std::vector<std::size_t> variables) {
  std::erase_if(variables, [&](std::size_t k) { return is_prepared(k); });
  if (variables.empty()) return;
  const std::size_t begin = prepared_.size();
  prepared_.resize(begin + variables.size() * size_, 0.0);
  double* columns = prepared_.data() + begin;
  for (std::size_t c = 0; c < variables.size(); ++c) {
    places_[variables[c]] = begin + c * size_;
    columns[c * size_ + variables[c]] = 1;
  }
  // L^-1 e_k is zero above row k.
  const std::size_t first = *std::ranges::min_element(variables);
  const auto size = blas::size(size_);
  const auto count = blas::size(variables.size());
  if (count == 1) {  // a solve of one column copies nothing
    blas::trsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, blas::size(size_ - first),
               factor_.get() + first * size_ + first, size, columns + first, 1);
    blas::trsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, size, factor_.get(), size, columns, 1);
    return;
  }
  blas::trsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, blas::size(size_ - first), count, 1,
             factor_.get() + first * size_ + first, size, columns + first, size);
  blas::trsm(CblasColMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, size, count, 1, factor_.get(), size,
             columns, size);
}

/// Returns K_FF^-1 e_k in the space that is left: the k-th column of the inverse, made conjugate to the columns of the
/// deleted variables.
std::vector<double> FreeFactor::inverse_column(std::size_t k) const {
  const double* whole = prepared_.data() + places_[k];
  std::vector<double> column(whole, whole + size_);
  for (const Deletion& deletion : deletions_) eliminate(deletion, column);
  return column;
}

/// Subtracts the multiple of the deletion's column that makes the vector 0 at the deleted variable.
void FreeFactor::eliminate(const Deletion& deletion, std::vector<double>& vector) {
  const double factor = -vector[deletion.variable] / deletion.column[deletion.variable];
  blas::axpy(blas::size(vector.size()), factor, deletion.column.data(), 1, vector.data(), 1);
  vector[deletion.variable] = 0;
}

bool FreeFactor::remove(std::size_t k) {
  prepare({k});
  std::vector<double> column = inverse_column(k);
  if (!(column[k] > 0)) return false;
  deletions_.push_back({k, std::move(column)});
  return true;
}

std::vector<double> FreeFactor::response() const {
  const Deletion& last = deletions_.back();
  std::vector<double> response(last.column);
  for (double& value : response) value /= -last.column[last.variable];
  response[last.variable] = 0;
  return response;
}

}  // namespace credence::qp
