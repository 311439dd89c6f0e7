#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/kernel/rows.hpp"
#include "kernel/simd.hpp"
#include "support/on_target.hpp"
#include "support/random_data.hpp"

namespace {

using namespace credence;
using test::OnTarget;

struct ProductCase {
  std::size_t count, terms, columns;
  data::DenseMatrix rows, coefficients;
  core::AlignedVector<double> padded_coefficients, start;

  ProductCase(std::size_t count_, std::size_t terms_, std::size_t columns_)
      : count(count_),
        terms(terms_),
        columns(columns_),
        rows(test::random_matrix(count_, terms_ + 3, 1)),  // a row stride of its own
        coefficients(test::random_matrix(terms_, columns_, 2)),
        padded_coefficients(terms_ * stride()),
        start(stride()) {
    for (std::size_t s = 0; s < terms; ++s) {
      std::copy_n(coefficients.row(s).begin(), columns, padded_coefficients.begin() + static_cast<long>(s * stride()));
    }
    for (std::size_t c = 0; c < columns; ++c) start[c] = 0.5 * static_cast<double>(c);
  }

  std::size_t stride() const { return kernel::padded(columns); }
  core::AlignedVector<double> product(std::size_t first, std::size_t some) const {
    core::AlignedVector<double> out(some * stride());
    kernel::simd::multiply_rows({padded_coefficients.data(), start.data(), terms, columns, stride()},
                                rows.values.data() + first * (terms + 3), terms + 3, some, out.data());
    return out;
  }
};

TEST(MultiplyRows, VsNaiveForAllSizesAndTargets) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 8U, 11U}) {
      for (const std::size_t terms : {0U, 1U, 7U, 64U}) {
        for (const std::size_t columns : {1U, 2U, 3U, 7U, 8U, 9U, 11U, 15U, 16U, 17U, 33U}) {
          const ProductCase one(count, terms, columns);
          const core::AlignedVector<double> out = one.product(0, count);
          for (std::size_t r = 0; r < count; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
              double expected = one.start[c];
              for (std::size_t s = 0; s < terms; ++s) expected += one.rows.row(r)[s] * one.coefficients.row(s)[c];
              ASSERT_NEAR(out[r * one.stride() + c], expected, 1e-12)
                  << hwy::TargetName(target) << " " << count << " x " << terms << " x " << columns;
            }
          }
        }
      }
    }
  }
}

TEST(MultiplyRows, ARowsResultDependsOnThatRowAlone) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    const ProductCase one(23, 101, 11);
    const core::AlignedVector<double> all = one.product(0, 23);
    for (std::size_t first = 0; first < 23; ++first) {
      for (std::size_t some = 1; first + some <= 23; ++some) {
        const core::AlignedVector<double> part = one.product(first, some);
        for (std::size_t r = 0; r < some; ++r) {
          for (std::size_t c = 0; c < 11; ++c) {
            ASSERT_EQ(part[r * one.stride() + c], all[(first + r) * one.stride() + c]) << hwy::TargetName(target);
          }
        }
      }
    }
  }
}

TEST(SquareKernel, DoublesGammaAndFlushesWhatIsTooSmall) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    for (const std::size_t n : {1U, 7U, 16U, 37U}) {
      for (const int times : {1, 2, 4}) {
        std::vector<double> values(n);
        for (std::size_t j = 0; j < n; ++j) values[j] = std::exp(-0.3 * static_cast<double>(j));
        kernel::simd::square_kernel(values.data(), n, times);
        for (std::size_t j = 0; j < n; ++j) {
          const double expected = std::exp(-0.3 * static_cast<double>(j) * std::exp2(times));
          ASSERT_NEAR(values[j], expected < kernel::simd::least_value ? 0 : expected, 1e-14 * expected)
              << hwy::TargetName(target) << ", entry " << j;
        }
      }
    }
  }
}

}  // namespace
