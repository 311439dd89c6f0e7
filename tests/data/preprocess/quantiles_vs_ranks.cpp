#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "credence/data/preprocessing.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/repeated_rows.hpp"

namespace credence::data::test {
namespace quantiles_vs_ranks_tests {

using credence::test::expect_error;
using credence::test::random_counts;
using credence::test::random_matrix;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Dataset one_column(const Values& values) {
  Dataset dataset = make_dataset(DenseMatrix(values.size(), 1), {});
  dataset.features.dense().values = values;
  return dataset;
}

/// Numbers with ties, some of them missing, a column of two values, and colours.
Dataset mixed_dataset(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 9);
  DenseMatrix matrix(n, 4);
  for (std::size_t i = 0; i < n; ++i) {
    matrix.row(i)[0] = random.normal();
    matrix.row(i)[1] = random.below(7) == 0 ? missing : std::floor(5 * random.normal());
    matrix.row(i)[2] = static_cast<double>(random.below(2));
    matrix.row(i)[3] = static_cast<double>(i % 3);
  }
  Dataset dataset;
  dataset.features = std::move(matrix);
  dataset.schema.columns = {{"size", ColumnKind::numeric, {}},
                            {"count", ColumnKind::numeric, {}},
                            {"flag", ColumnKind::numeric, {}},
                            {"colour", ColumnKind::categorical, {"blue", "green", "red"}}};
  return dataset;
}

double normal_quantile(double share) {
  return boost::math::quantile(boost::math::normal(), share);
}

/// The score of a value that some row has, by a loop over all rows.
double score_of(double value, const std::vector<double>& known, const std::vector<double>& weights) {
  double below = 0, equal = 0, all = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] < value) below += weights[i];
    if (known[i] == value) equal += weights[i];
    all += weights[i];
  }
  return normal_quantile((below + equal / 2) / all);
}

/// The score of any value, on the line between those of its neighbours.
double between(double value, const std::vector<double>& known, const std::vector<double>& weights) {
  double left = -INFINITY, right = INFINITY;
  for (const double other : known) {
    if (other <= value) left = std::max(left, other);
    if (other >= value) right = std::min(right, other);
  }
  if (left == -INFINITY || left == right) return score_of(right, known, weights);
  if (right == INFINITY) return score_of(left, known, weights);
  const double share = (value - left) / (right - left);
  return (1 - share) * score_of(left, known, weights) + share * score_of(right, known, weights);
}

/// Scores of a column in units of their weighted mean and deviation on the known rows.
std::vector<double> scaled_scores(const std::vector<double>& values, const std::vector<double>& known,
                                  const std::vector<double>& weights) {
  long double sum = 0, squares = 0, all = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    sum += static_cast<long double>(weights[i] * score_of(known[i], known, weights));
    all += static_cast<long double>(weights[i]);
  }
  const auto mean = static_cast<double>(sum / all);
  for (std::size_t i = 0; i < known.size(); ++i)
    squares += static_cast<long double>(weights[i] * std::pow(score_of(known[i], known, weights) - mean, 2));
  const auto deviation = static_cast<double>(std::sqrt(squares / all));
  std::vector<double> scaled;
  for (const double value : values) scaled.push_back((between(value, known, weights) - mean) / deviation);
  return scaled;
}

std::vector<double> column(const Features& features, std::size_t j) {
  std::vector<double> values;
  for (std::size_t i = 0; i < features.rows(); ++i) values.push_back(features.dense().row(i)[j]);
  return values;
}

TEST(QuantilesVsRanks, TiesWeightsAndMissingValues) {
  for (const std::size_t n : {12U, 40U, 200U}) {
    for (const bool weighted : {false, true}) {
      Dataset dataset = mixed_dataset(n, n);
      if (weighted) dataset.weights = random_counts(n, 4, n);
      const std::vector<double> weights = weighted ? dataset.weights : std::vector<double>(n, 1);
      const Preprocessing fitted = Preprocessing::fit(dataset, Scaling::quantile);
      const Dataset others = mixed_dataset(30, 99);
      for (const std::size_t j : {0U, 1U}) {
        std::vector<double> known = column(dataset.features, j);
        std::vector<double> values = column(others.features, j);
        for (double& value : known) value = std::isnan(value) ? fitted.raw[j].fill : value;
        for (double& value : values) value = std::isnan(value) ? fitted.raw[j].fill : value;
        const std::vector<double> expected = scaled_scores(values, known, weights);
        const std::vector<double> found = column(fitted.apply(others), j);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << n << ' ' << j;
      }
    }
  }
}

/// scipy.stats: norm.ppf((rankdata(x) - 0.5) / len(x)).
TEST(QuantilesVsScipy, ScoresOfEightValues) {
  const std::vector<double> values{3.5, -1, 7, 7, 0.25, 100, 7, -1.5};
  const std::vector<double> scipy{-0x1.422c1aadb2493p-3, -0x1.c63812e37d717p-1, 0x1.f481cdb32cce8p-2,
                                  0x1.f481cdb32cce8p-2,  -0x1.f481cdb32cce8p-2, 0x1.88bc1fbe1dabep+0,
                                  0x1.f481cdb32cce8p-2,  -0x1.88bc1fbe1dabep+0};
  const Preprocessing fitted = Preprocessing::fit(one_column(values), Scaling::quantile);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(fitted.quantiles.front().of(values[i]), scipy[i], 1e-14) << i;
}

TEST(Quantiles, SeeTheOrderOfRowsAlone) {
  const Dataset plain = one_column(random_matrix(60, 1, 4).values);
  Dataset bent = plain;
  bent.features.own();
  for (double& value : bent.features.dense().values) value = std::exp(3 * value);
  EXPECT_EQ(Preprocessing::fit(plain, Scaling::quantile).apply(plain).dense().values,
            Preprocessing::fit(bent, Scaling::quantile).apply(bent).dense().values);
}

TEST(Quantiles, TwoValuesAndColoursAreScaledAsByStandard) {
  const Dataset dataset = mixed_dataset(50, 2);
  const DenseMatrix found = Preprocessing::fit(dataset, Scaling::quantile).apply(dataset).dense();
  const DenseMatrix standard = Preprocessing::fit(dataset, Scaling::standard).apply(dataset).dense();
  for (std::size_t i = 0; i < found.rows; ++i) {
    EXPECT_NE(found.row(i)[0], standard.row(i)[0]);
    for (std::size_t j = 2; j < found.columns; ++j) EXPECT_EQ(found.row(i)[j], standard.row(i)[j]) << j;
  }
}

TEST(Quantiles, StandardIsTheStandardScalingOfTheSameRows) {
  Dataset dataset = mixed_dataset(50, 3);
  dataset.weights = random_counts(50, 3, 1);
  const Preprocessing expected = Preprocessing::fit(dataset, Scaling::standard);
  for (const Preprocessing& found : {Preprocessing::fit(dataset, Scaling::quantile).standard(), expected.standard()}) {
    EXPECT_EQ(found.scaling, Scaling::standard);
    EXPECT_EQ(found.shift, expected.shift);
    EXPECT_EQ(found.scale, expected.scale);
    EXPECT_EQ(found.apply(dataset).dense().values, expected.apply(dataset).dense().values);
  }
}

TEST(Quantiles, OfManyValuesAThousandAreKnown) {
  const DenseMatrix matrix = random_matrix(5000, 1, 6);
  const Dataset dataset = one_column(matrix.values);
  const Preprocessing fitted = Preprocessing::fit(dataset, Scaling::quantile);
  const NormalScores& known = fitted.quantiles.front();
  ASSERT_EQ(known.values.size(), 1000U);
  std::vector<double> sorted(matrix.values.begin(), matrix.values.end());
  std::ranges::sort(sorted);
  EXPECT_EQ(known.values.front(), sorted.front());
  EXPECT_EQ(known.values.back(), sorted.back());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / 5000;
    const bool is_known = std::ranges::binary_search(known.values, sorted[i]);
    const double away = std::abs(known.of(sorted[i]) - normal_quantile(share));
    EXPECT_LT(away, is_known ? 1e-12 : std::abs(share - 0.5) < 0.49 ? 0.02 : 1) << "on a line between two known ones";
  }
  const Values scaled = fitted.apply(dataset).dense().values;
  double sum = 0, squares = 0;
  for (const double value : scaled) sum += value / 5000, squares += value * value / 5000;
  EXPECT_NEAR(sum, 0, 1e-12);
  EXPECT_NEAR(squares, 1, 1e-12);
}

/// Half of the rows have one value, whose rank is a half.
TEST(Quantiles, OfManyValuesTheMostFrequentIsKnown) {
  DenseMatrix matrix = random_matrix(8000, 1, 8);
  for (std::size_t i = 0; i < 4000; ++i) matrix.values[2 * i] = 10;
  const NormalScores known = Preprocessing::fit(one_column(matrix.values), Scaling::quantile).quantiles.front();
  EXPECT_LE(known.values.size(), NormalScores::most_values);
  EXPECT_NEAR(known.of(10), normal_quantile(0.75), 1e-12);
  EXPECT_EQ(known.values.back(), 10);
}

TEST(Quantiles, SparseRowsAreRefused) {
  const Dataset sparse = make_dataset(credence::test::sparse_of(random_matrix(5, 2, 1)), {});
  expect_error(ErrorCode::invalid_argument, "sparse rows know only the scalings standard, minmax and none",
               [&] { Preprocessing::fit(sparse, Scaling::quantile); });
}

TEST(Quantiles, InfiniteCellsAreRefused) {
  const Preprocessing fitted = Preprocessing::fit(one_column({1, 2, 3}), Scaling::quantile);
  expect_error(ErrorCode::invalid_data, "data row 2", [&] { fitted.apply(one_column({1, INFINITY})); });
}

TEST(Quantiles, DifferFromTheStandardScalingByThreeValues) {
  const auto differ = [](const Values& values) { return quantiles_differ(one_column(values)); };
  EXPECT_TRUE(differ({1, 2, 3}));
  EXPECT_FALSE(differ({1, 2, 2, 1}));
  EXPECT_FALSE(differ({1, 2, 2, missing})) << "filled with 2";
  EXPECT_TRUE(differ({1, 2, missing})) << "filled with 1.5";
  EXPECT_FALSE(differ({1, 1}));
  EXPECT_FALSE(differ({missing}));
  EXPECT_TRUE(quantiles_differ(mixed_dataset(9, 1)));
  Dataset colours = mixed_dataset(9, 1);
  colours.schema.columns = {colours.schema.columns[3]};
  colours.features = DenseMatrix(3, 1);
  colours.features.dense().values = {0, 1, 2};
  EXPECT_FALSE(quantiles_differ(colours)) << "numbers of levels are no values";
}

}  // namespace quantiles_vs_ranks_tests
}  // namespace credence::data::test
