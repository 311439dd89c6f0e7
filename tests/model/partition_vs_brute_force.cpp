#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "credence/model/partition.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace partition_vs_brute_force_tests {

using namespace credence;
using test::random_matrix;
using test::Surroundings;

/// The definition: the smallest squared distance, ties to the lowest index.
std::vector<std::uint32_t> nearest_by_definition(const data::DenseMatrix& centres, const data::DenseMatrix& rows) {
  std::vector<std::uint32_t> nearest;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    std::size_t best = 0;
    double least = 1e300;
    for (std::size_t p = 0; p < centres.rows; ++p) {
      double squared = 0;
      for (std::size_t j = 0; j < rows.columns; ++j) {
        const double difference = rows.row(i)[j] - centres.row(p)[j];
        squared += difference * difference;
      }
      if (squared < least) best = p;
      least = std::min(least, squared);
    }
    nearest.push_back(static_cast<std::uint32_t>(best));
  }
  return nearest;
}

std::vector<std::size_t> sizes_of(const model::Partition& partition, const data::Features& rows) {
  const Surroundings surroundings;
  std::vector<std::size_t> sizes;
  for (const auto& own : model::rows_by_region(partition.regions_of(rows, surroundings.context), partition.regions()))
    sizes.push_back(own.size());
  return sizes;
}

TEST(PartitionVsBruteForce, EveryRowGoesToItsNearestCentre) {
  const Surroundings surroundings(3);
  const data::DenseMatrix rows = random_matrix(2100, 5, 1);
  const data::DenseMatrix centres = random_matrix(37, 5, 2);
  const std::vector<std::uint32_t> wanted = nearest_by_definition(centres, rows);
  EXPECT_EQ(model::Partition{centres}.regions_of(data::Features(rows), surroundings.context), wanted);
  const model::Partition sparse{test::sparse_of(centres)};
  EXPECT_EQ(sparse.regions_of(data::Features(test::sparse_of(rows)), surroundings.context), wanted);
}

TEST(PartitionVsBruteForce, TiesGoToTheLowestIndex) {
  const Surroundings surroundings;
  data::DenseMatrix centres(4, 1);
  centres.values = {1, -1, 1, -1};
  data::DenseMatrix rows(3, 1);
  rows.values = {0, 2, -2};
  EXPECT_EQ(model::Partition{centres}.regions_of(data::Features(rows), surroundings.context),
            (std::vector<std::uint32_t>{0, 0, 1}));
}

TEST(PartitionVsBruteForce, RegionsHaveAboutTheRowsAskedFor) {
  const Surroundings surroundings;
  const data::Features rows(random_matrix(5000, 6, 3));
  const std::vector<std::size_t> sizes = sizes_of(model::fit_partition(rows, 200, 1, surroundings.context), rows);
  EXPECT_GE(sizes.size(), 25U);
  EXPECT_LE(sizes.size(), 75U);
  EXPECT_GT(*std::ranges::min_element(sizes), 0U);
  EXPECT_LE(*std::ranges::max_element(sizes), 400U);
}

TEST(PartitionVsBruteForce, ThreadsDoNotChangeABit) {
  const data::DenseMatrix matrix = random_matrix(20000, 4, 5);
  const Surroundings one(1);
  const Surroundings four(4);
  const data::Features rows(matrix);
  const model::Partition first = model::fit_partition(rows, 300, 9, one.context);
  const model::Partition second = model::fit_partition(rows, 300, 9, four.context);
  EXPECT_EQ(first.centres.dense().values, second.centres.dense().values);
  EXPECT_NE(first.centres.dense().values, model::fit_partition(rows, 300, 10, one.context).centres.dense().values);
}

TEST(PartitionVsBruteForce, FewRowsAreOneRegionWhoseCentreIsTheirMean) {
  const Surroundings surroundings;
  data::DenseMatrix rows(3, 2);
  rows.values = {1, 2, 3, 4, 5, 9};
  const model::Partition partition = model::fit_partition(data::Features(rows), 3, 0, surroundings.context);
  ASSERT_EQ(partition.regions(), 1U);
  EXPECT_EQ(partition.centres.dense().values, (data::Values{3, 5}));
}

TEST(PartitionVsBruteForce, EqualRowsAreNeverPartedAndTheFewOthersAreFound) {
  const Surroundings surroundings;
  data::DenseMatrix rows(5000, 2);
  for (std::size_t i = 0; i < 3; ++i) rows.row(1000 * i + 7)[0] = 50;
  const std::vector<std::size_t> sizes =
      sizes_of(model::fit_partition(data::Features(rows), 100, 4, surroundings.context), data::Features(rows));
  EXPECT_EQ(std::multiset<std::size_t>(sizes.begin(), sizes.end()), (std::multiset<std::size_t>{3, 4997}));
}

TEST(PartitionVsBruteForce, SparseRowsArePartedAsTheSameDenseRows) {
  const Surroundings surroundings;
  const data::DenseMatrix rows = test::random_thin_matrix(3000, 8, 6);
  const data::Features sparse(test::sparse_of(rows));
  const model::Partition of_dense = model::fit_partition(data::Features(rows), 250, 2, surroundings.context);
  const model::Partition of_sparse = model::fit_partition(sparse, 250, 2, surroundings.context);
  EXPECT_TRUE(of_sparse.centres.is_sparse());
  EXPECT_EQ(of_dense.regions_of(data::Features(rows), surroundings.context),
            of_sparse.regions_of(sparse, surroundings.context));
}

TEST(PartitionVsBruteForce, OtherColumnsAreRefused) {
  const Surroundings surroundings;
  const model::Partition partition{random_matrix(3, 2, 1)};
  test::expect_error(ErrorCode::invalid_data, "2 columns",
                     [&] { partition.regions_of(data::Features(random_matrix(4, 3, 1)), surroundings.context); });
}

}  // namespace partition_vs_brute_force_tests
