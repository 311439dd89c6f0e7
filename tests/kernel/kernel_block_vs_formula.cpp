#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/kernel/kernel.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

namespace kernel_block_vs_formula_tests {

using namespace credence;
using test::formula_kernels;
using test::random_matrix;
using test::random_thin_matrix;
using test::reference_block;
using test::sparse_of;

/// Values to 1e-12 relative to their size, or to one where they are smaller.
void expect_close(const data::DenseMatrix& actual, const data::DenseMatrix& expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(actual.rows, expected.rows) << what;
  ASSERT_EQ(actual.columns, expected.columns) << what;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(actual.values[i], expected.values[i], tolerance * std::max(1.0, std::abs(expected.values[i])))
        << what << ", entry " << i;
  }
}

std::string described(const kernel::Kernel& kernel, std::size_t a, std::size_t b, std::size_t d) {
  return std::string(kernel::name(kernel.type)) + " " + std::to_string(a) + " x " + std::to_string(b) + ", d " +
         std::to_string(d);
}

TEST(KernelBlock, VsFormulaForAllSizes) {
  for (const std::size_t d : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 33U}) {
    for (std::size_t n = 1; n <= 40; n += n < 18 ? 1 : 5) {
      const std::size_t m = (3 * n) % 41 + 1;
      const data::DenseMatrix a = random_matrix(n, d, n);
      const data::DenseMatrix b = random_matrix(m, d, n + 1000);
      for (const kernel::Kernel& kernel : formula_kernels(d)) {
        expect_close(kernel::kernel_block(kernel, data::Features(a), data::Features(b)), reference_block(kernel, a, b),
                     1e-12, described(kernel, n, m, d));
      }
    }
  }
}

TEST(KernelBlock, SparseVsFormula) {
  for (const std::size_t d : {1U, 5U, 16U, 40U}) {
    for (const std::size_t n : {1U, 2U, 8U, 17U}) {
      const data::DenseMatrix a = random_thin_matrix(n, d, d);
      const data::DenseMatrix b = random_thin_matrix(n + 3, d, d + 1);
      for (const kernel::Kernel& kernel : formula_kernels(d)) {
        const data::DenseMatrix expected = reference_block(kernel, a, b);
        const std::string what = described(kernel, n, n + 3, d);
        expect_close(kernel::kernel_block(kernel, sparse_of(a), sparse_of(b)), expected, 1e-12, "sparse " + what);
        expect_close(kernel::kernel_block(kernel, a, sparse_of(b)), expected, 1e-12, "dense, sparse " + what);
        expect_close(kernel::kernel_block(kernel, sparse_of(a), b), expected, 1e-12, "sparse, dense " + what);
      }
    }
  }
}

TEST(KernelBlock, EmptySparseRows) {
  data::DenseMatrix a(4, 6);  // all zero
  a.row(2)[3] = 2;
  for (const kernel::Kernel& kernel : formula_kernels(6)) {
    expect_close(kernel::kernel_block(kernel, sparse_of(a), sparse_of(a)), reference_block(kernel, a, a), 1e-12,
                 std::string(kernel::name(kernel.type)));
  }
}

TEST(KernelBlock, NoRowsGiveNoValues) {
  const data::DenseMatrix none(0, 3);
  const data::DenseMatrix b = random_matrix(5, 3, 1);
  const data::DenseMatrix block = kernel::kernel_block({}, data::Features(none), data::Features(b));
  EXPECT_EQ(block.rows, 0U);
  EXPECT_TRUE(block.values.empty());
}

TEST(KernelBlock, OffsetDoesNotDestroyDistances) {
  const data::DenseMatrix a = random_matrix(9, 5, 1, 1.0, 1e4);
  const data::DenseMatrix b = random_matrix(11, 5, 2, 1.0, 1e4);
  for (const kernel::KernelType type : {kernel::KernelType::rbf, kernel::KernelType::laplacian}) {
    const kernel::Kernel kernel{.type = type, .gamma = 0.3};
    expect_close(kernel::kernel_block(kernel, data::Features(a), data::Features(b)), reference_block(kernel, a, b),
                 1e-6, "offset");
  }
}

TEST(KernelBlock, EqualRowsHaveKernelOneAndNeverMore) {
  const data::DenseMatrix a = random_matrix(20, 13, 4, 3.0);
  for (const kernel::KernelType type : {kernel::KernelType::rbf, kernel::KernelType::laplacian}) {
    const data::DenseMatrix block =
        kernel::kernel_block({.type = type, .gamma = 100}, data::Features(a), data::Features(a));
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(block.row(i)[i], 1, 1e-9);
      for (std::size_t j = 0; j < 20; ++j) {
        EXPECT_LE(block.row(i)[j], 1);
        EXPECT_GE(block.row(i)[j], 0);
      }
    }
  }
}

TEST(KernelBlock, PrecomputedHasNoFunction) {
  const data::DenseMatrix values = reference_block({}, random_matrix(6, 2, 1), random_matrix(6, 2, 1));
  const kernel::Kernel kernel{.type = kernel::KernelType::precomputed};
  test::expect_error(ErrorCode::invalid_argument, "precomputed",
                     [&] { kernel::kernel_block(kernel, data::Features(values), data::Features(values)); });
}

}  // namespace kernel_block_vs_formula_tests
