#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/kernel/gram.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

namespace cached_rows_vs_gram_tests {

using namespace credence;
using kernel::KernelType;
using test::formula_kernels;
using test::random_matrix;
using test::random_thin_matrix;
using test::sparse_of;

std::size_t row_bytes(std::size_t n) {
  return kernel::padded(n) * sizeof(float);
}

/// Row i of `rows` is row i of the formula, aligned and padded with zeros.
void expect_row(const float* row, const data::DenseMatrix& expected, std::size_t i, double tolerance,
                const std::string& what) {
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(row) % 64, 0U) << what;
  for (std::size_t j = 0; j < expected.columns; ++j) {
    const double value = expected.row(i)[j];
    ASSERT_NEAR(row[j], value, tolerance * std::max(1.0, std::abs(value))) << what << " (" << i << ", " << j << ")";
  }
  for (std::size_t j = expected.columns; j < kernel::padded(expected.columns); ++j)
    ASSERT_EQ(row[j], 0) << what << " padding of row " << i;
}

void expect_rows(kernel::Rows& rows, const data::DenseMatrix& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(rows.size(), expected.rows) << what;
  for (std::size_t i = 0; i < expected.rows; ++i) {
    expect_row(rows.row(i), expected, i, tolerance, what);
    ASSERT_NEAR(rows.diagonal()[i], expected.row(i)[i], tolerance * std::max(1.0, std::abs(expected.row(i)[i])))
        << what;
  }
  for (std::size_t i = expected.rows; i < kernel::padded(expected.rows); ++i) ASSERT_EQ(rows.diagonal()[i], 0) << what;
}

TEST(RowsOfGram, AreTheGram) {
  for (const std::size_t n : {1U, 15U, 16U, 17U, 33U}) {
    const data::DenseMatrix x = random_matrix(n, 4, n);
    for (const kernel::Kernel& kernel : formula_kernels(4)) {
      const kernel::Gram gram(kernel, kernel::Base(kernel.type, data::Features(x)));
      const auto rows = kernel::rows_of(gram);
      expect_rows(*rows, test::reference_block(kernel, x, x), 2e-6, std::string(kernel::name(kernel.type)));
    }
  }
}

TEST(CachedRows, VsFormulaForAllSizes) {
  for (const std::size_t d : {1U, 7U, 16U, 33U}) {
    for (std::size_t n = 1; n <= 40; n += n < 18 ? 1 : 3) {
      const data::DenseMatrix x = random_matrix(n, d, n);
      const data::DenseMatrix thin = random_thin_matrix(n, d, n);
      for (const kernel::Kernel& kernel : formula_kernels(d)) {
        const std::string what = std::string(kernel::name(kernel.type)) + " n " + std::to_string(n);
        const auto dense = kernel::cached_rows(kernel, data::Features(x), std::size_t{1} << 20);
        expect_rows(*dense, test::reference_block(kernel, x, x), 5e-6, what);
        const auto sparse = kernel::cached_rows(kernel, sparse_of(thin), std::size_t{1} << 20);
        expect_rows(*sparse, test::reference_block(kernel, thin, thin), 5e-6, "sparse " + what);
      }
    }
  }
}

TEST(CachedRows, EvictionNeverChangesWhatARowHolds) {
  const std::size_t n = 53;
  const data::DenseMatrix x = random_matrix(n, 6, 4);
  core::RandomStream random(17);
  for (const kernel::Kernel& kernel : formula_kernels(6)) {
    const data::DenseMatrix expected = test::reference_block(kernel, x, x);
    for (const std::size_t held : {4U, 5U, 11U, 52U, 53U, 200U}) {
      const auto rows = kernel::cached_rows(kernel, data::Features(x), held * row_bytes(n));
      const std::string what = std::string(kernel::name(kernel.type)) + " cache of " + std::to_string(held);
      std::vector<std::pair<std::size_t, const float*>> last;
      for (int call = 0; call < 400; ++call) {
        // Some rows are asked for again and again, as a solver does.
        const auto i = static_cast<std::size_t>(random.below(random.below(3) == 0 ? n : 6));
        last.insert(last.begin(), {i, rows->row(i)});
        last.resize(std::min<std::size_t>(last.size(), 3));
        // A row lives until the third next call: the last three are all readable.
        for (const auto& [index, row] : last) expect_row(row, expected, index, 5e-6, what);
      }
    }
  }
}

TEST(CachedRows, RecomputedRowsAreEqualToTheLastBit) {
  const std::size_t n = 40;
  const data::DenseMatrix x = random_matrix(n, 9, 4);
  for (const kernel::Kernel& kernel : formula_kernels(9)) {
    const auto tiny = kernel::cached_rows(kernel, data::Features(x), 4 * row_bytes(n));
    const auto ample = kernel::cached_rows(kernel, data::Features(x), 400 * row_bytes(n));
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < n; ++i) {
        const float* a = tiny->row(i);
        ASSERT_TRUE(std::equal(a, a + n, ample->row(i))) << kernel::name(kernel.type);
      }
    }
  }
}

TEST(CachedRows, ExpectedRowsAreEqualToTheLastBit) {
  const std::size_t n = 150;
  const data::DenseMatrix x = random_matrix(n, 9, 4);
  const data::DenseMatrix thin = random_thin_matrix(n, 9, 4);
  std::vector<std::size_t> keep;
  for (std::size_t i = 0; i < n; i += 1 + i % 3 / 2) keep.push_back(i);
  core::RandomStream random(23);
  for (const kernel::Kernel& kernel : formula_kernels(9)) {
    for (const data::Features& features : {data::Features(x), data::Features(sparse_of(thin))}) {
      const auto ample = kernel::cached_rows(kernel, features, 400 * row_bytes(n));
      for (const std::size_t held : {4U, 9U, 40U, 400U}) {
        const auto whole = kernel::cached_rows(kernel, features, held * row_bytes(n));
        const auto part = whole->subset(keep);  // shares the room
        for (int round = 0; round < 12; ++round) {
          const std::string what = std::string(kernel::name(kernel.type)) + " held " + std::to_string(held);
          std::vector<std::size_t> which;
          for (std::size_t i = 0; i < keep.size(); ++i)
            if (random.below(4) == 0) which.push_back(i);
          kernel::Rows& rows = round % 3 == 2 ? *whole : *part;
          if (round % 4 != 3) rows.expect(which);
          const float* before = nullptr;
          for (const std::size_t i : which) {
            const float* row = rows.row(i);
            const float* expected = ample->row(&rows == whole.get() ? i : keep[i]);
            for (std::size_t j = 0; j < rows.size(); ++j)
              ASSERT_EQ(row[j], expected[&rows == whole.get() ? j : keep[j]]) << what;
            for (std::size_t j = rows.size(); j < kernel::padded(rows.size()); ++j) ASSERT_EQ(row[j], 0) << what;
            ASSERT_NE(row, before) << what;  // the last rows stay where they are
            before = row;
          }
        }
      }
    }
  }
}

TEST(CachedRows, LargeOffsetDoesNotDestroyDistances) {
  const data::DenseMatrix x = random_matrix(25, 6, 12, 1.0, 1e4);
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    const kernel::Kernel kernel{.type = type, .gamma = 0.2};
    const auto rows = kernel::cached_rows(kernel, data::Features(x), std::size_t{1} << 20);
    expect_rows(*rows, test::reference_block(kernel, x, x), 1e-5, "offset");
  }
}

TEST(CachedRows, EqualRowsHaveKernelOne) {
  const data::DenseMatrix few = random_matrix(3, 5, 12, 4.0);
  const data::DenseMatrix x = test::rows_of_matrix(few, {0, 1, 2, 1, 0, 2, 2});
  for (const KernelType type : {KernelType::rbf, KernelType::laplacian}) {
    const auto rows = kernel::cached_rows({.type = type, .gamma = 50}, data::Features(x), std::size_t{1} << 20);
    EXPECT_NEAR(rows->row(0)[4], 1, 1e-6);
    EXPECT_NEAR(rows->row(5)[6], 1, 1e-6);
    for (std::size_t i = 0; i < x.rows; ++i) EXPECT_EQ(rows->row(i)[i], 1.0F);
  }
}

TEST(CachedRows, Precomputed) {
  const data::DenseMatrix x = random_matrix(18, 3, 5);
  const data::DenseMatrix values = test::reference_block({}, x, x);
  const auto rows =
      kernel::cached_rows({.type = KernelType::precomputed}, data::Features(values), 5 * row_bytes(x.rows));
  expect_rows(*rows, values, 1e-6, "precomputed");
}

TEST(CachedRows, NeedsRoomForFourRows) {
  const data::DenseMatrix x = random_matrix(500, 3, 5);
  test::expect_error(ErrorCode::memory, "", [&] { kernel::cached_rows({}, data::Features(x), 3 * row_bytes(500)); });
  EXPECT_NO_THROW(kernel::cached_rows({}, data::Features(x), 4 * row_bytes(500)));
}

TEST(Subset, IsTheMatrixOfTheKeptRows) {
  const std::size_t n = 50;
  const data::DenseMatrix x = random_matrix(n, 6, 4);
  const std::vector<std::vector<std::size_t>> choices{
      {0}, {49}, {0, 49}, {3, 4, 5, 6, 7, 8, 9, 10, 20, 21, 22, 23, 30, 31, 33, 40}, [] {
        std::vector<std::size_t> odd;
        for (std::size_t i = 1; i < 50; i += 2) odd.push_back(i);
        return odd;
      }()};
  for (const kernel::Kernel& kernel : formula_kernels(6)) {
    const kernel::Gram gram(kernel, kernel::Base(kernel.type, data::Features(x)));
    for (const auto& keep : choices) {
      const data::DenseMatrix kept = test::rows_of_matrix(x, keep);
      const data::DenseMatrix expected = test::reference_block(kernel, kept, kept);
      const std::string what = std::string(kernel::name(kernel.type)) + " keeps " + std::to_string(keep.size());
      expect_rows(*kernel::rows_of(gram)->subset(keep), expected, 2e-6, "gram " + what);
      const auto cached = kernel::cached_rows(kernel, data::Features(x), 5 * row_bytes(n));
      expect_rows(*cached->subset(keep), expected, 5e-6, "cached " + what);
      const auto within = cached->subset(keep);
      if (keep.size() < 2) continue;
      const std::vector<std::size_t> ends{0, keep.size() - 1};  // a subset of a subset
      const data::DenseMatrix end_rows = test::rows_of_matrix(kept, ends);
      expect_rows(*within->subset(ends), test::reference_block(kernel, end_rows, end_rows), 5e-6, "twice " + what);
    }
  }
}

TEST(Subset, OfAPrecomputedMatrix) {
  const data::DenseMatrix x = random_matrix(20, 3, 5);
  const data::DenseMatrix values = test::reference_block({}, x, x);
  const kernel::Kernel kernel{.type = KernelType::precomputed};
  const std::vector<std::size_t> keep{2, 3, 11, 19};
  const data::DenseMatrix kept = test::rows_of_matrix(x, keep);
  const auto cached = kernel::cached_rows(kernel, data::Features(values), 8 * row_bytes(20));
  expect_rows(*cached->subset(keep), test::reference_block({}, kept, kept), 1e-6, "cached");
}

}  // namespace cached_rows_vs_gram_tests
