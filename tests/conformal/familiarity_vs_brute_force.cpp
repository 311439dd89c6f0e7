#include "credence/conformal/familiarity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/online.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace familiarity_vs_brute_force_tests {

using data::DenseMatrix;

double naive_distance(std::span<const double> x, std::span<const double> z) {
  double sum = 0;
  for (std::size_t f = 0; f < x.size(); ++f) sum += (x[f] - z[f]) * (x[f] - z[f]);
  return std::sqrt(sum);
}

/// The mean distance of a row to its 5 nearest other rows, or to all of fewer; times 5, as ties are to stay ties.
double naive_strangeness(const DenseMatrix& all, std::size_t row) {
  std::vector<double> distances;
  for (std::size_t other = 0; other < all.rows; ++other)
    if (other != row) distances.push_back(naive_distance(all.row(row), all.row(other)));
  std::ranges::sort(distances);
  distances.resize(std::min<std::size_t>(distances.size(), 5));
  double sum = 0;
  for (const double distance : distances) sum += distance;
  return distances.size() < 5 ? sum * 5 / static_cast<double>(distances.size()) : sum;
}

/// The definition: each new row joins the known rows, and every strangeness is taken anew among all of them.
std::vector<double> naive_familiarity(const DenseMatrix& known, const DenseMatrix& rows) {
  std::vector<double> p_values;
  for (std::size_t x = 0; x < rows.rows; ++x) {
    DenseMatrix all(known.rows + 1, known.columns);
    std::ranges::copy(known.values, all.values.begin());
    std::ranges::copy(rows.row(x), all.row(known.rows).begin());
    const double own = naive_strangeness(all, known.rows);
    std::size_t as_strange = 1;
    for (std::size_t i = 0; i < known.rows; ++i) as_strange += naive_strangeness(all, i) >= own ? 1U : 0U;
    p_values.push_back(static_cast<double>(as_strange) / static_cast<double>(known.rows + 1));
  }
  return p_values;
}

/// Numbers of a coarse grid, so that distances tie and rows occur twice.
DenseMatrix coarse(DenseMatrix matrix) {
  for (double& value : matrix.values) value = std::round(value);
  return matrix;
}

std::vector<double> familiarity_of(const data::Features& known, const data::Features& rows, int threads = 1) {
  const test::Surroundings surroundings(threads);
  return Familiarity(known, surroundings.context).p_values(rows, surroundings.context);
}

TEST(FamiliarityVsBruteForce, EqualsTheDefinitionToTheLastBit) {
  for (const std::size_t m : {1U, 2U, 4U, 5U, 6U, 7U, 40U, 150U}) {
    for (const std::size_t d : {1U, 3U, 20U}) {
      const DenseMatrix known = test::random_matrix(m, d, 5 + m);
      const DenseMatrix rows = test::random_matrix(23, d, 6 + m, 2);
      EXPECT_EQ(familiarity_of(known, rows), naive_familiarity(known, rows)) << m << ' ' << d;
      EXPECT_EQ(familiarity_of(coarse(known), coarse(rows)), naive_familiarity(coarse(known), coarse(rows))) << m;
      EXPECT_EQ(familiarity_of(known, known), naive_familiarity(known, known)) << "rows that are known";
      EXPECT_EQ(familiarity_of(known, rows, 3), familiarity_of(known, rows)) << "threads";
    }
  }
}

TEST(FamiliarityVsBruteForce, SparseRowsHaveThePValuesOfTheSameDenseOnes) {
  for (const double zeros : {0.6, 0.995}) {  // kept dense, and as lists
    const DenseMatrix known = test::random_thin_matrix(60, 80, 3, zeros);
    const DenseMatrix rows = test::random_thin_matrix(30, 80, 4, zeros);
    EXPECT_EQ(familiarity_of(test::sparse_of(known), test::sparse_of(rows)), naive_familiarity(known, rows)) << zeros;
  }
}

TEST(FamiliarityVsBruteForce, NumbersOfAnySizeAreFarAway) {
  const DenseMatrix known = test::random_matrix(30, 2, 8);
  DenseMatrix rows(3, 2);
  rows.values = {1e300, -1e300, /**/ 1e200, 0, /**/ 1e151, 1};
  EXPECT_EQ(familiarity_of(known, rows), std::vector<double>(3, 1.0 / 31));
}

TEST(FamiliarityVsBruteForce, NeedsARowAndTheColumnsOfTheKnownRows) {
  test::expect_error(ErrorCode::invalid_data, "example", [] { familiarity_of(DenseMatrix(0, 2), DenseMatrix(1, 2)); });
  test::expect_error(ErrorCode::invalid_data, "features",
                     [] { familiarity_of(test::random_matrix(9, 2, 1), test::random_matrix(9, 3, 1)); });
}

/// Exact: over draws of known rows and a new row alike, P(p <= eps) = floor(eps (m + 1)) / (m + 1). The standard
/// deviation of a share over 3,000 draws is at most 0.0092.
TEST(FamiliarityBySimulation, IsUniformForRowsDrawnAlike) {
  constexpr std::size_t draws = 3000;
  for (const std::size_t m : {19U, 99U}) {
    std::vector<double> p_values;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      // Two clouds of unequal size and width, in which one distance means different things.
      core::RandomStream random(draw, m);
      DenseMatrix all(m + 1, 2);
      for (std::size_t i = 0; i <= m; ++i) {
        const bool small = random.uniform() < 0.2;
        for (double& value : all.row(i)) value = (small ? 20 : 0) + (small ? 0.2 : 2) * random.normal();
      }
      DenseMatrix known(m, 2);
      std::copy_n(all.values.begin(), known.values.size(), known.values.begin());
      DenseMatrix row(1, 2);
      std::ranges::copy(all.row(m), row.values.begin());
      p_values.push_back(familiarity_of(known, row).front());
    }
    for (const double eps : {0.05, 0.1, 0.3, 0.7}) {
      const auto found =
          static_cast<double>(std::ranges::count_if(p_values, [&](double p) { return !model::in_region(p, eps); }));
      EXPECT_NEAR(found / draws, eps, 4 * std::sqrt(eps * (1 - eps) / draws)) << m << ' ' << eps;
    }
  }
}

/// Rows that the credibility of a linear machine calls perfect (docs/confidence.md).
TEST(FamiliarityOfRows, FindsTheRowsOfTheTrial) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = data::read(CREDENCE_SOURCE_DIR "/data/breast_cancer.csv", {});
  svm::TrainOptions options;
  options.kernel.type = kernel::KernelType::linear;
  const svm::SvmModel model = svm::train(dataset, options, surroundings.context).model;
  const DenseMatrix& x = dataset.features.dense();
  const auto n = static_cast<double>(x.rows);
  DenseMatrix rows(4, x.columns);
  for (std::size_t f = 0; f < x.columns; ++f) {
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < x.rows; ++i) mean += x.row(i)[f] / n;
    for (std::size_t i = 0; i < x.rows; ++i) square += (x.row(i)[f] - mean) * (x.row(i)[f] - mean) / n;
    rows.row(0)[f] = 1000 * x.row(0)[f];
    rows.row(1)[f] = mean + 6 * std::sqrt(square);
    rows.row(2)[f] = mean - 6 * std::sqrt(square);
    rows.row(3)[f] = mean;
  }
  data::Dataset strange = dataset.select_rows({});
  strange.features = rows;
  strange.labels = {};
  model::Prediction prediction;
  FamiliarityOf(model, surroundings.context).add(strange, prediction, surroundings.context);
  ASSERT_EQ(prediction.familiarity.size(), 4U);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_EQ(prediction.familiarity[row], 1 / (n + 1)) << row;
  EXPECT_GT(prediction.familiarity[3], 0.2);
}

TEST(FamiliarityOfRows, SaysNothingWhereAModelKeepsNoRows) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = test::random_clouds(30, 2, 2, 1, 3).dataset();
  svm::SvmModel model = svm::train(dataset, {}, surroundings.context).model;
  model.known_rows = {};
  model::Prediction prediction;
  FamiliarityOf(model, surroundings.context).add(dataset, prediction, surroundings.context);
  EXPECT_TRUE(prediction.familiarity.empty());
}

std::vector<double> familiarity_of_stream(const DenseMatrix& rows, const PValueOptions& options,
                                          neighbours::Metric metric = neighbours::Metric::euclidean) {
  const test::Surroundings surroundings;
  std::vector<int> labels;
  for (std::size_t t = 0; t < rows.rows; ++t) labels.push_back(static_cast<int>(t % 2));
  std::vector<double> found;
  run_online(rows, labels, 2, {.k = 1, .metric = metric}, options, surroundings.context, [&](const OnlineStep& step) {
    if (step.familiarity) found.push_back(*step.familiarity);
    return true;
  });
  return found;
}

TEST(OnlineFamiliarity, OfEachStepIsThatAmongTheRowsBefore) {
  const DenseMatrix stream = coarse(test::random_matrix(60, 2, 21));
  const std::vector<double> found = familiarity_of_stream(stream, {});
  ASSERT_EQ(found.size(), 60U);
  EXPECT_EQ(found[0], 1);
  for (std::size_t t = 1; t < stream.rows; ++t) {
    DenseMatrix before(t, 2);
    std::copy_n(stream.values.begin(), 2 * t, before.values.begin());
    DenseMatrix row(1, 2);
    std::ranges::copy(stream.row(t), row.values.begin());
    EXPECT_EQ(found[t], naive_familiarity(before, row).front()) << t;
  }
  EXPECT_TRUE(familiarity_of_stream(test::random_matrix(20, 2, 22), {}, neighbours::Metric::cosine).empty());
}

/// Independent and uniform, as theory says of smoothed p-values of exchangeable rows; and small where the rows change.
TEST(OnlineFamiliarity, IsUniformAndIndependentByTest) {
  std::vector<double> all;
  double together = 0;
  for (std::uint64_t stream = 0; stream < 20; ++stream) {
    const DenseMatrix rows = coarse(test::random_matrix(300, 2, 100 + stream));
    const std::vector<double> p = familiarity_of_stream(rows, {.smoothed = true, .seed = stream});
    for (std::size_t t = 1; t < p.size(); ++t) together += (p[t] - 0.5) * (p[t - 1] - 0.5);
    all.insert(all.end(), p.begin(), p.end());
  }
  EXPECT_GT(test_uniform(all).p_value, 0.01);
  const double pairs = static_cast<double>(all.size()) - 20;
  EXPECT_LT(std::abs(12 * together / std::sqrt(pairs)), 2.6);
  DenseMatrix shifted = test::random_matrix(300, 2, 300);
  for (std::size_t i = 2 * 200; i < shifted.values.size(); ++i) shifted.values[i] += 8;
  const std::vector<double> p = familiarity_of_stream(shifted, {.smoothed = true});
  EXPECT_LT(p[200], 0.01);
  EXPECT_LT(p[201], 0.05);
}

}  // namespace familiarity_vs_brute_force_tests
}  // namespace credence::conformal
