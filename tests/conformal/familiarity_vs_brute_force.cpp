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
double naive_nonconformity(const DenseMatrix& all, std::size_t row) {
  std::vector<double> distances;
  for (std::size_t other = 0; other < all.rows; ++other)
    if (other != row) distances.push_back(naive_distance(all.row(row), all.row(other)));
  std::ranges::sort(distances);
  distances.resize(std::min<std::size_t>(distances.size(), 5));
  double sum = 0;
  for (const double distance : distances) sum += distance;
  return distances.size() < 5 ? sum * 5 / static_cast<double>(distances.size()) : sum;
}

/// The definition: each new row joins the known rows, and every nonconformity score is taken anew among all of them.
std::vector<double> naive_familiarity(const DenseMatrix& known, const DenseMatrix& rows) {
  std::vector<double> p_values;
  for (std::size_t x = 0; x < rows.rows; ++x) {
    DenseMatrix all(known.rows + 1, known.columns);
    std::ranges::copy(known.values, all.values.begin());
    std::ranges::copy(rows.row(x), all.row(known.rows).begin());
    const double own = naive_nonconformity(all, known.rows);
    std::size_t as_strange = 1;
    for (std::size_t i = 0; i < known.rows; ++i) as_strange += naive_nonconformity(all, i) >= own ? 1U : 0U;
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

/// What a column is multiplied by, from all rows but one (none: the number of rows).
double naive_factor(const DenseMatrix& rows, std::size_t column, std::size_t without, const FittedScale& fitted) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.rows; ++i)
    if (i != without) values.push_back(rows.row(i)[column]);
  const auto [low, high] = std::ranges::minmax(values);
  if (low == high) return fitted.constant;
  if (fitted.scaling == data::Scaling::minmax) return 1 / (high - low);
  double mean = 0;
  double square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean) / static_cast<double>(values.size());
  return 1 / std::sqrt(square);
}

DenseMatrix naive_scaled(DenseMatrix rows, const std::vector<double>& factors) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t f = 0; f < rows.columns; ++f) rows.row(i)[f] *= factors[f];
  return rows;
}

double naive_mean(std::vector<double> distances) {
  std::ranges::sort(distances);
  distances.resize(std::min<std::size_t>(distances.size(), 5));
  double sum = 0;
  for (const double distance : distances) sum += distance;
  return sum / static_cast<double>(distances.size());
}

/// The definition where columns are scaled by the known rows: a known row is as far from the others as the scale of
/// these others says; a new row is as far from a known one as the scale of all known rows says.
std::vector<double> naive_familiarity(const DenseMatrix& known, const DenseMatrix& rows, const FittedScale& fitted) {
  std::vector<std::vector<double>> between(known.rows);
  std::vector<double> of_all(known.columns);
  for (std::size_t i = 0; i <= known.rows; ++i) {
    std::vector<double> factors(known.columns);
    for (std::size_t f = 0; f < known.columns; ++f) factors[f] = naive_factor(known, f, i, fitted);
    if (i == known.rows) {
      of_all = factors;
      continue;
    }
    const DenseMatrix scaled = naive_scaled(known, factors);
    for (std::size_t other = 0; other < known.rows; ++other)
      if (other != i) between[i].push_back(naive_distance(scaled.row(i), scaled.row(other)));
  }
  const DenseMatrix scaled = naive_scaled(known, of_all);
  const DenseMatrix fresh = naive_scaled(rows, of_all);
  std::vector<double> p_values;
  for (std::size_t x = 0; x < rows.rows; ++x) {
    std::vector<double> to_known;
    for (std::size_t i = 0; i < known.rows; ++i) to_known.push_back(naive_distance(fresh.row(x), scaled.row(i)));
    const double own = naive_mean(to_known);
    std::size_t as_strange = 1;
    for (std::size_t i = 0; i < known.rows; ++i) {
      std::vector<double> others = between[i];
      others.push_back(to_known[i]);
      as_strange += naive_mean(others) >= own ? 1U : 0U;
    }
    p_values.push_back(static_cast<double>(as_strange) / static_cast<double>(known.rows + 1));
  }
  return p_values;
}

std::vector<double> scaled_familiarity(const data::Features& known, const data::Features& rows,
                                       const FittedScale& fitted, int threads = 1) {
  const test::Surroundings surroundings(threads);
  return Familiarity(known, fitted, surroundings.context).p_values(rows, surroundings.context);
}

TEST(ScaledFamiliarityVsBruteForce, EqualsTheDefinition) {
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::minmax}) {
    for (const double constant : {0.0, 1.0}) {
      const FittedScale fitted{scaling, constant};
      for (const std::size_t m : {3U, 6U, 7U, 40U, 101U}) {
        for (const std::size_t d : {1U, 3U, 22U, 150U}) {
          DenseMatrix known = test::random_matrix(m, d, 5 + m);
          const DenseMatrix rows = test::random_matrix(23, d, 6 + m, 2);
          EXPECT_EQ(scaled_familiarity(known, rows, fitted), naive_familiarity(known, rows, fitted)) << m << ' ' << d;
          EXPECT_EQ(scaled_familiarity(known, rows, fitted, 3), scaled_familiarity(known, rows, fitted)) << "threads";
          if (d < 3) continue;
          known.row(1)[0] = 1e9;  // the scale without it is another number altogether
          for (std::size_t i = 0; i < m; ++i) {
            known.row(i)[1] = 4;               // does not vary
            known.row(i)[2] = i == 2 ? 7 : 3;  // does not without one row
          }
          EXPECT_EQ(scaled_familiarity(known, rows, fitted), naive_familiarity(known, rows, fitted)) << m << ' ' << d;
        }
      }
    }
  }
}

TEST(ScaledFamiliarityVsBruteForce, SparseRowsHaveThePValuesOfTheSameDenseOnes) {
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::minmax}) {
    for (const double zeros : {0.6, 0.97}) {
      const DenseMatrix known = test::random_thin_matrix(60, 80, 3, zeros);
      const DenseMatrix rows = test::random_thin_matrix(30, 80, 4, zeros);
      EXPECT_EQ(scaled_familiarity(test::sparse_of(known), test::sparse_of(rows), {scaling, 1}),
                naive_familiarity(known, rows, {scaling, 1}))
          << zeros;
    }
  }
}

TEST(ScaledFamiliarityVsBruteForce, UnitsMakeNoDifferenceAndNumbersOfAnySizeAreFarAway) {
  const DenseMatrix known = test::random_matrix(30, 4, 8);
  const DenseMatrix rows = test::random_matrix(20, 4, 9, 2);
  const std::vector<double> units{1e-9, 1, 1e7, 250};
  const FittedScale fitted{data::Scaling::standard};
  EXPECT_EQ(scaled_familiarity(naive_scaled(known, units), naive_scaled(rows, units), fitted),
            scaled_familiarity(known, rows, fitted));
  DenseMatrix far(2, 4);
  far.values = {1e300, -1e300, 0, 0, /**/ 0, 1e151, 0, 1};
  EXPECT_EQ(scaled_familiarity(known, far, fitted), std::vector<double>(2, 1.0 / 31));
  DenseMatrix strange = known;
  strange.row(3)[2] = 1e300;
  EXPECT_EQ(scaled_familiarity(strange, far, fitted).size(), 2U);
}

/// 40 rows of 500 independent columns, and new rows drawn alike: near 1 in 20 has at most 0.05. With one scale for all
/// rows, which the known rows alone have fitted, one in five has. The share of a draw has a standard deviation of about
/// 0.05.
TEST(ScaledFamiliarityBySimulation, IsNotTooSmallWithMoreColumnsThanRows) {
  constexpr int draws = 40;
  constexpr std::size_t fresh = 50;
  const FittedScale fitted{data::Scaling::standard};
  double small = 0;
  double small_by_one_scale = 0;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const DenseMatrix known = test::random_matrix(40, 500, 900 + draw);
    const DenseMatrix rows = test::random_matrix(fresh, 500, 1900 + draw);
    const auto count = [](const std::vector<double>& p) {
      return static_cast<double>(std::ranges::count_if(p, [](double one) { return !model::in_set(one, 0.05); }));
    };
    small += count(scaled_familiarity(known, rows, fitted));
    std::vector<double> factors(500);
    for (std::size_t f = 0; f < factors.size(); ++f) factors[f] = naive_factor(known, f, known.rows, fitted);
    small_by_one_scale += count(familiarity_of(naive_scaled(known, factors), naive_scaled(rows, factors)));
  }
  EXPECT_LT(small / (draws * fresh), 0.075);
  EXPECT_GT(small / (draws * fresh), 0.025);
  EXPECT_GT(small_by_one_scale / (draws * fresh), 0.15);
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
    for (const double significance : {0.05, 0.1, 0.3, 0.7}) {
      const auto found = static_cast<double>(
          std::ranges::count_if(p_values, [&](double p) { return !model::in_set(p, significance); }));
      EXPECT_NEAR(found / draws, significance, 4 * std::sqrt(significance * (1 - significance) / draws))
          << m << ' ' << significance;
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

TEST(FamiliarityOfRows, HasTheScaleOfTheModelsKnownRows) {
  const test::Surroundings surroundings;
  const data::Dataset dataset = test::random_clouds(40, 60, 2, 1, 3).dataset();
  const data::Dataset fresh = test::random_clouds(25, 60, 2, 1, 4).dataset();
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::minmax, data::Scaling::none}) {
    svm::TrainOptions options;
    options.scaling = scaling;
    const svm::SvmModel model = svm::train(dataset, options, surroundings.context).model;
    model::Prediction prediction;
    FamiliarityOf(model, surroundings.context).add(fresh, prediction, surroundings.context);
    const DenseMatrix& known = dataset.features.dense();
    const DenseMatrix& rows = fresh.features.dense();
    EXPECT_EQ(prediction.familiarity, scaling == data::Scaling::none ? naive_familiarity(known, rows)
                                                                     : naive_familiarity(known, rows, {scaling}));
  }
}

/// Quantiles would take each of these numbers for the largest of the training.
TEST(FamiliarityOfRows, OfAModelOfQuantilesIsThatOfTheStandardScaling) {
  const test::Surroundings surroundings;
  data::Dataset dataset = test::random_clouds(300, 4, 2, 1, 5).dataset();
  data::Dataset fresh = test::random_clouds(100, 4, 2, 1, 6).dataset();
  for (data::Dataset* rows : {&dataset, &fresh})
    for (double& value : rows->features.dense().values) value = std::exp(value);  // a unit error is far outside
  for (std::size_t i = 0; i < 50; ++i) fresh.features.dense().row(i)[2] *= 10;
  std::vector<std::vector<double>> found;
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::quantile}) {
    svm::TrainOptions options;
    options.scaling = scaling;
    const svm::SvmModel model = svm::train(dataset, options, surroundings.context).model;
    EXPECT_EQ(model.preprocessing.scaling, scaling);
    model::Prediction prediction;
    FamiliarityOf(model, surroundings.context).add(fresh, prediction, surroundings.context);
    found.push_back(prediction.familiarity);
  }
  EXPECT_EQ(found[0], found[1]);
  const auto unfamiliar = [](double p) { return p <= 0.05; };
  EXPECT_GT(std::count_if(found[1].begin(), found[1].begin() + 50, unfamiliar), 25);
  EXPECT_LT(std::count_if(found[1].begin() + 50, found[1].end(), unfamiliar), 10);
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
