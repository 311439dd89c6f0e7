#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "credence/kernel/gram.hpp"
#include "kernel/row_base.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"

namespace computed_rows_vs_gram_tests {

using namespace credence;
using test::formula_kernels;
using test::random_matrix;
using test::random_thin_matrix;
using test::sparse_of;

void expect_same_bits(kernel::Rows& rows, kernel::Rows& expected, const std::string& what) {
  ASSERT_EQ(rows.size(), expected.size()) << what;
  const std::size_t bytes = kernel::padded(rows.size()) * sizeof(float);
  ASSERT_EQ(std::memcmp(rows.diagonal(), expected.diagonal(), rows.size() * sizeof(float)), 0) << what;
  for (std::size_t i = rows.size(); i-- > 0;)
    ASSERT_EQ(std::memcmp(rows.row(i), expected.row(i), bytes), 0) << what << " row " << i;
}

const core::Monitor monitor;

std::vector<std::size_t> some_rows(std::size_t n) {
  std::vector<std::size_t> rows;
  for (std::size_t i = n / 3; i < n; i += 1 + i % 2) rows.push_back(i);
  return rows;
}

TEST(ComputedRows, VsGramToTheLastBit) {
  for (const std::size_t n : {1U, 15U, 16U, 63U, 64U, 65U, 150U}) {
    const auto memory = std::make_shared<kernel::RowMemory>();
    for (const std::size_t d : {2U, 9U}) {
      const data::DenseMatrix thin = random_thin_matrix(n, d, n + d);
      for (const kernel::Kernel& kernel : formula_kernels(d)) {
        for (const data::Features& features :
             {data::Features(random_matrix(n, d, n + d)), data::Features(sparse_of(thin))}) {
          const std::string what = std::string(kernel::name(kernel.type)) + " n " + std::to_string(n);
          const kernel::Gram gram(kernel, kernel::Base(kernel.type, features));
          kernel::RowBase base(kernel.type, features, memory, monitor);
          kernel::VisitedRows visited;
          visited.add(some_rows(n));
          const auto rows = kernel::rows_of(base, kernel, visited);
          const auto expected = kernel::rows_of(gram);
          expect_same_bits(*rows, *expected, what);
          std::vector<std::size_t> keep;
          for (std::size_t i = 0; i < n; i += 1 + i % 3) keep.push_back(i);
          expect_same_bits(*rows->subset(keep), *expected->subset(keep), what + " part");
        }
      }
    }
  }
}

TEST(ComputedRows, HandOnWhichRowsWereVisited) {
  const data::Features features(random_matrix(100, 3, 1));
  kernel::RowBase base(kernel::KernelType::rbf, features, std::make_shared<kernel::RowMemory>(), monitor);
  kernel::VisitedRows visited;
  visited.add({1, 3, 2});
  {
    const auto rows = kernel::rows_of(base, {.type = kernel::KernelType::rbf, .gamma = 0.5}, visited);
    for (const std::size_t i : {2U, 70U, 2U}) rows->row(i);
    EXPECT_EQ(visited.rows(), (std::vector<std::size_t>{1, 2, 3}));
  }
  EXPECT_EQ(visited.rows(), (std::vector<std::size_t>{1, 2, 3, 70}));
}

TEST(RowBase, AllRowsOfManyFeaturesAtOnceVsBase) {
  constexpr std::size_t n = 300;
  for (const bool wide : {false, true}) {
    const data::Features features(random_matrix(n, wide ? 15000 : 2, 3));  // 36 MB
    const kernel::Base expected(kernel::KernelType::laplacian, features);
    kernel::RowBase base(kernel::KernelType::laplacian, features, nullptr, monitor);
    base.compute_all_if_wide();
    EXPECT_EQ(base.computed(), wide ? n : 0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(base.row(i)[j], expected.at(i, j)) << wide << " " << i << " " << j;
  }
}

TEST(RowBase, ManyRowsOfManyFeaturesTogetherVsBase) {
  constexpr std::size_t n = 150;  // two tiles of 64 rows, and a narrower one
  const data::Features features(random_matrix(n, 600, 4));
  const kernel::Base expected(kernel::KernelType::rbf, features);
  for (const std::size_t count : {1U, 4U, 66U, 75U}) {
    kernel::RowBase base(kernel::KernelType::rbf, features, nullptr, monitor);
    const std::vector<std::size_t> rows = some_rows(n);
    base.compute(std::span(rows).first(std::min(count, rows.size())));
    EXPECT_EQ(base.computed(), std::min(count, rows.size()));
    for (const std::size_t i : rows)
      for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(base.row(i)[j], expected.at(i, j)) << count << " " << i << " " << j;
  }
}

TEST(RowBase, AStopEndsTheComputationOfManyRows) {
  core::Monitor stopped;
  stopped.cancel();
  const data::Features features(random_matrix(100, 3, 5));
  kernel::RowBase base(kernel::KernelType::rbf, features, nullptr, stopped);
  base.compute(some_rows(100));
  EXPECT_EQ(base.computed(), 0U);
}

TEST(RowBase, ManyThreadsSeeTheSameRows) {
  constexpr std::size_t n = 500;
  const data::Features features(random_matrix(n, 7, 2));
  const kernel::Base expected(kernel::KernelType::rbf, features);
  kernel::RowBase base(kernel::KernelType::rbf, features, std::make_shared<kernel::RowMemory>(), monitor);
  std::atomic<std::size_t> wrong{0};
  core::Threads(4).for_each(8, [&](std::size_t task) {
    if (task % 2 == 0) base.compute(some_rows(n));
    for (std::size_t i = task; i < n; i += 3)
      for (std::size_t j = 0; j < n; ++j) wrong += base.row(i)[j] == expected.at(i, j) ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0U);
}

TEST(RowStore, BlocksComeBackAndServeRowsOfAnotherWidth) {
  const auto memory = std::make_shared<kernel::RowMemory>();
  constexpr std::size_t width = 1024;
  constexpr std::size_t rows = kernel::RowMemory::block_floats / width;
  const float* first = nullptr;
  {
    kernel::RowStore store(width, rows, memory);
    first = store.add();
    for (std::size_t i = 1; i < rows; ++i) EXPECT_EQ(store.add(), first + i * width);
  }
  kernel::RowStore wider(2 * width, rows, memory);
  EXPECT_EQ(wider.add(), first);
  kernel::RowStore another(width, rows, memory);
  EXPECT_NE(another.add(), first);  // the block is in use
}

TEST(RowStore, AVisitedRowOfAPartIsCopiedOnce) {
  const data::Features features(random_matrix(200, 3, 1));
  const kernel::Kernel rbf = {.type = kernel::KernelType::rbf, .gamma = 0.5};
  const kernel::Gram gram(rbf, kernel::Base(rbf.type, features));
  const auto rows = kernel::rows_of(gram);
  std::vector<std::size_t> keep(100);
  std::iota(keep.begin(), keep.end(), std::size_t{50});
  const auto part = rows->subset(keep);
  const float* visited = part->row(7);
  EXPECT_EQ(part->row(99), visited + kernel::padded(keep.size()));  // the second visit, whatever the number
  EXPECT_EQ(part->row(7), visited);
  EXPECT_EQ(visited[3], rows->row(57)[53]);
}

}  // namespace computed_rows_vs_gram_tests
