#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "credence/data/preprocessing.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/repeated_rows.hpp"

namespace credence::data::test {
namespace weights_vs_repeated_rows_tests {

using credence::test::random_counts;
using credence::test::repeated;

/// Two numeric columns and a categorical one, each with missing values.
Dataset mixed_dataset(std::size_t n, std::uint64_t seed) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  core::RandomStream random(seed, 5);
  DenseMatrix matrix(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    matrix.row(i)[0] = 1e6 + random.normal();
    matrix.row(i)[1] = std::floor(3 * random.uniform());
    matrix.row(i)[2] = static_cast<double>(random.below(4));
    if (i % 3 == 2) matrix.row(i)[i % 9 / 3] = missing;
  }
  Dataset dataset;
  dataset.features = std::move(matrix);
  dataset.schema.columns = {{"size", ColumnKind::numeric, {}},
                            {"count", ColumnKind::numeric, {}},
                            {"colour", ColumnKind::categorical, {"blue", "green", "red", "white"}}};
  return dataset;
}

void expect_same(const Preprocessing& weighted, const Preprocessing& plain) {
  ASSERT_EQ(weighted.names, plain.names);
  EXPECT_EQ(weighted.constant, plain.constant);
  for (std::size_t j = 0; j < plain.columns(); ++j) {
    EXPECT_NEAR(weighted.shift[j], plain.shift[j], 1e-12 * (1 + std::abs(plain.shift[j]))) << plain.names[j];
    EXPECT_NEAR(weighted.scale[j], plain.scale[j], 1e-10 * plain.scale[j]) << plain.names[j];
  }
  for (std::size_t j = 0; j < plain.raw.size(); ++j) EXPECT_EQ(weighted.raw[j].fill, plain.raw[j].fill) << j;
}

TEST(WeightsVsRepeatedRows, PreprocessingOfMixedColumnsWithMissingCells) {
  for (const std::size_t n : {9U, 12U, 30U, 61U}) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
      Dataset dataset = mixed_dataset(n, seed);
      dataset.weights = random_counts(n, 4, seed);
      for (const Scaling scaling : {Scaling::standard, Scaling::minmax, Scaling::quantile, Scaling::none})
        expect_same(Preprocessing::fit(dataset, scaling), Preprocessing::fit(repeated(dataset), scaling));
    }
  }
}

TEST(WeightsVsRepeatedRows, PreprocessingOfSparseRows) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Dataset dataset = make_dataset(credence::test::sparse_of(credence::test::random_thin_matrix(40, 6, seed)), {});
    dataset.features.sparse().values[3] = std::numeric_limits<double>::quiet_NaN();
    dataset.weights = random_counts(40, 5, seed);
    for (const Scaling scaling : {Scaling::standard, Scaling::minmax, Scaling::none})
      expect_same(Preprocessing::fit(dataset, scaling), Preprocessing::fit(repeated(dataset), scaling));
  }
}

TEST(WeightsVsRepeatedRows, ConstantColumnsStayConstant) {
  DenseMatrix matrix(3, 2);
  matrix.values = {0.1, 1, 0.1, 2, 0.1, 4};
  Dataset dataset = make_dataset(std::move(matrix), {});
  dataset.weights = {0.1, 0.2, 0.3};
  EXPECT_EQ(Preprocessing::fit(dataset, Scaling::standard).constant, std::vector<std::string>{"x1"});
}

TEST(WeightsVsRepeatedRows, EqualWeightsChangeNothing) {
  Dataset dataset = mixed_dataset(50, 3);
  const Preprocessing plain = Preprocessing::fit(dataset, Scaling::standard);
  for (const double weight : {0.1, 1.0, 7.0}) {
    dataset.weights.assign(50, weight);
    expect_same(Preprocessing::fit(dataset, Scaling::standard), plain);
  }
}

TEST(WeightsVsRepeatedRows, SquaresThatOverflowAreWeightedToo) {
  Dataset dataset = make_dataset(credence::test::random_matrix(20, 2, 4, 1e200), {});
  dataset.weights = random_counts(20, 3, 4);
  expect_same(Preprocessing::fit(dataset, Scaling::standard), Preprocessing::fit(repeated(dataset), Scaling::standard));
}

TEST(WeightsVsRepeatedRows, AnotherCountOfWeightsIsRefused) {
  Dataset dataset = mixed_dataset(9, 1);
  dataset.weights = {1, 2};
  credence::test::expect_error(ErrorCode::invalid_data, "there are 2 weights for 9 rows",
                               [&] { Preprocessing::fit(dataset, Scaling::standard); });
}

}  // namespace weights_vs_repeated_rows_tests
}  // namespace credence::data::test
