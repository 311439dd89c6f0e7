#include "rvm/sparse_bayes/dense.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "blas/calls.hpp"

namespace credence::rvm {
namespace {

/// A tile is so large that its products are as fast as large ones, and so small that all threads get work.
constexpr std::size_t tile = 192;
/// Number of columns of an inverse that one solve finds. The solve skips the rows above the first column, which are 0.
constexpr std::size_t strip = 64;

std::size_t tiles_of(std::size_t size) {
  return (size + tile - 1) / tile;
}

std::size_t width_of(std::size_t index, std::size_t size) {
  return std::min(tile, size - index * tile);
}

/// Tiles (i, j), i >= j >= first, of a lower triangle.
std::vector<std::pair<std::size_t, std::size_t>> lower_tiles(std::size_t first, std::size_t tiles) {
  std::vector<std::pair<std::size_t, std::size_t>> list;
  for (std::size_t j = first; j < tiles; ++j)
    for (std::size_t i = j; i < tiles; ++i) list.emplace_back(i, j);
  return list;
}

}  // namespace

void Triangle::set_product(const double* x, std::size_t rows, const core::Threads& threads) {
  const auto list = lower_tiles(0, tiles_of(size_));
  threads.for_each(list.size(), [&](std::size_t t) {
    const auto [i, j] = list[t];
    double* out = column(j * tile) + i * tile;
    const double* left = x + i * tile * rows;
    if (i == j)
      blas::syrk(CblasColMajor, CblasLower, CblasTrans, blas::size(width_of(i, size_)), blas::size(rows), 1, left,
                 blas::size(rows), 0, out, blas::size(size_));
    else
      blas::gemm(CblasColMajor, CblasTrans, CblasNoTrans, blas::size(width_of(i, size_)),
                 blas::size(width_of(j, size_)), blas::size(rows), 1, left, blas::size(rows), x + j * tile * rows,
                 blas::size(rows), 0, out, blas::size(size_));
  });
}

void Triangle::add_identity() {
  for (std::size_t i = 0; i < size_; ++i) column(i)[i] += 1;
}

bool Triangle::factorise(const core::Threads& threads) {
  const std::size_t tiles = tiles_of(size_);
  const blasint leading = blas::size(size_);
  for (std::size_t k = 0; k < tiles; ++k) {
    // Right-looking order: tile column k is final after its own solve, and all tiles to the right take its product
    // off.
    const blasint width = blas::size(width_of(k, size_));
    double* corner = column(k * tile) + k * tile;
    blasint info = 0;
    blas::potrf("L", &width, corner, &leading, &info);
    if (info != 0 || !std::isfinite(corner[0])) return false;
    threads.for_each(tiles - k - 1, [&](std::size_t below) {
      const std::size_t i = k + 1 + below;
      blas::trsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, blas::size(width_of(i, size_)), width,
                 1, corner, leading, column(k * tile) + i * tile, leading);
    });
    const auto rest = lower_tiles(k + 1, tiles);
    threads.for_each(rest.size(), [&](std::size_t t) {
      const auto [i, j] = rest[t];
      const double* left = column(k * tile) + i * tile;
      double* out = column(j * tile) + i * tile;
      if (i == j)
        blas::syrk(CblasColMajor, CblasLower, CblasNoTrans, blas::size(width_of(i, size_)), width, -1, left, leading, 1,
                   out, leading);
      else
        blas::gemm(CblasColMajor, CblasNoTrans, CblasTrans, blas::size(width_of(i, size_)),
                   blas::size(width_of(j, size_)), width, -1, left, leading, column(k * tile) + j * tile, leading, 1,
                   out, leading);
    });
  }
  return true;
}

void Triangle::solve(std::span<double> x) const {
  const blasint m = blas::size(size_);
  const double* l = values_.data();
  blas::trsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, m, l, m, x.data(), 1);
  blas::trsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, m, l, m, x.data(), 1);
}

void Triangle::solve_lower(double* x, std::size_t count, const core::Threads& threads) const {
  const blasint m = blas::size(size_);
  threads.for_each(tiles_of(count), [&](std::size_t t) {
    blas::trsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, m, blas::size(width_of(t, count)), 1,
               values_.data(), m, x + t * tile * size_, m);
  });
}

double Triangle::half_log_determinant() const {
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) sum += std::log(at(i, i));
  return sum;
}

/// Works on strips of columns of L^-1: column j is zero above row j, and the sum of its squares is entry j. Block i of
/// a strip is X_i = -L_ii^-1 (sum over j < i of L_ij X_j), so that nearly all work is products.
void Triangle::inverse_diagonal(std::span<double> diagonal, const core::Threads& threads) const {
  const std::size_t strips = (size_ + strip - 1) / strip;
  const auto width = [&](std::size_t s) { return std::min(strip, size_ - s * strip); };
  core::AlignedVector<double> corners(strips * strip * strip, 0.0);  // L_ii^-1
  threads.for_each(strips, [&](std::size_t s) {
    double* corner = corners.data() + s * strip * strip;
    for (std::size_t j = 0; j < width(s); ++j) corner[j * strip + j] = 1;
    blas::trsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, blas::size(width(s)),
               blas::size(width(s)), 1, column(s * strip) + s * strip, blas::size(size_), corner, blas::size(strip));
  });
  threads.for_each(strips, [&](std::size_t s) {
    const std::size_t first = s * strip;
    const std::size_t height = size_ - first;
    const blasint columns = blas::size(width(s));
    core::AlignedVector<double> inverse(height * width(s));
    core::AlignedVector<double> sum(strip * width(s));
    for (std::size_t j = 0; j < width(s); ++j)
      std::copy_n(corners.data() + (s * strip + j) * strip, width(s), inverse.data() + j * height);
    for (std::size_t i = s + 1; i < strips; ++i) {
      const blasint rows = blas::size(width(i));
      const blasint above = blas::size(i * strip - first);
      blas::gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, above, -1, column(first) + i * strip,
                 blas::size(size_), inverse.data(), blas::size(height), 0, sum.data(), blas::size(strip));
      blas::gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, rows, 1, corners.data() + i * strip * strip,
                 blas::size(strip), sum.data(), blas::size(strip), 0, inverse.data() + (i * strip - first),
                 blas::size(height));
    }
    for (std::size_t j = 0; j < width(s); ++j) {
      const double* entries = inverse.data() + j * height;
      diagonal[first + j] = blas::dot(blas::size(height - j), entries + j, 1, entries + j, 1);
    }
  });
}

}  // namespace credence::rvm
