#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/regression.hpp"
#include "credence/data/row_key.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace smoothing_by_content_tests {

using test::Surroundings;

/// Rows on a grid, so that examples are tied and smoothing decides.
data::Dataset tied_rows(std::size_t count, std::uint64_t seed, bool sparse = false) {
  test::Clouds clouds = test::random_clouds(count, 3, 2, 1, seed);
  for (double& value : clouds.x.values) value = std::round(value);
  data::Dataset dataset = clouds.dataset();
  if (sparse) dataset.features = test::sparse_of(clouds.x);
  return dataset;
}

/// Every row has the p-values that it has in a call of its own, and in a call with the rows turned round.
void expect_same_in_any_call(const model::Predictor& model, const data::Dataset& rows, const PValueOptions& options) {
  const Surroundings surroundings;
  const data::DenseMatrix all = predict_with_confidence(model, rows, options, surroundings.context).p_value;
  std::vector<std::size_t> turned(rows.rows());
  std::iota(turned.rbegin(), turned.rend(), std::size_t{0});
  const data::DenseMatrix back =
      predict_with_confidence(model, rows.select_rows(turned), options, surroundings.context).p_value;
  ASSERT_EQ(all.rows, rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto alone =
        predict_with_confidence(model, rows.select_rows(std::vector<std::size_t>{i}), options, surroundings.context);
    EXPECT_TRUE(std::ranges::equal(alone.p_value.row(0), all.row(i))) << i;
    EXPECT_TRUE(std::ranges::equal(back.row(rows.rows() - 1 - i), all.row(i))) << i;
  }
}

TEST(SmoothingByContent, SplittingACallChangesNothingForAnyMeasureAndMode) {
  const data::Dataset training = tied_rows(60, 21);
  const data::Dataset rows = tied_rows(10, 22);
  const Surroundings surroundings;
  for (const Measure& measure : measures()) {
    for (const Mode& mode : modes()) {
      FitOptions options;
      options.measure = measure;
      options.mode = mode;
      options.p_values = {.smoothed = true, .seed = 4};
      if (!options.validate().empty()) continue;
      SCOPED_TRACE(title_of(measure) + ", " + std::string(name_of(mode)));
      expect_same_in_any_call(*fit(training, options, surroundings.context), rows, options.p_values);
    }
  }
}

TEST(SmoothingByContent, SplittingACallChangesNothingForCalibratedModels) {
  const data::Dataset training = tied_rows(60, 23);
  const Surroundings surroundings;
  selection::Options options;
  const auto selected = selection::Selector(options).select(training, surroundings.context);
  const auto model = selection::fitted(training, selected, surroundings.context);
  for (const bool label_conditional : {false, true})
    expect_same_in_any_call(*model, tied_rows(10, 24), {true, label_conditional, 6});
}

TEST(SmoothingByContent, SparseAndDenseRowsAgree) {
  FitOptions options;
  options.scaling = data::Scaling::none;  // sparse rows are scaled without being centred, which makes other rows
  options.p_values = {.smoothed = true, .seed = 8};
  const Surroundings surroundings;
  std::vector<data::DenseMatrix> found;
  for (const bool sparse : {false, true}) {
    const auto predictor = fit(tied_rows(60, 25, sparse), options, surroundings.context);
    found.push_back(predictor->predict(tied_rows(30, 26, sparse), surroundings.context).p_value);
  }
  EXPECT_EQ(found[0].values, found[1].values);
}

TEST(SmoothingByContent, TheTausOfStructuredRowsAreUniform) {
  // Small integers: bits that differ in a few places only.
  std::vector<double> taus;
  for (double a = 0; a < 20; ++a)
    for (double b = 0; b < 20; ++b) taus.push_back(smoothing_tau(0, data::row_key(std::vector<double>{a, b, 1})));
  EXPECT_GT(test_uniform(taus).p_value, 0.01);
  for (std::size_t i = 0; i < taus.size(); ++i) taus[i] = smoothing_tau(i, data::row_key(std::vector<double>{1, 2, 3}));
  EXPECT_GT(test_uniform(taus).p_value, 0.01) << "over seeds";
}

constexpr std::size_t trials = 20'000;

/// The share of p-values at or below eps is eps, within four standard deviations.
void expect_exact(const std::vector<double>& p) {
  EXPECT_GT(test_uniform(p).p_value, 0.01);
  for (const double significance : {0.01, 0.05, 0.1, 0.3, 0.5}) {
    const auto errors = std::ranges::count_if(p, [significance](double value) { return !in_set(value, significance); });
    const double share = static_cast<double>(errors) / static_cast<double>(p.size());
    EXPECT_NEAR(share, significance, 4 * std::sqrt(significance * (1 - significance) / static_cast<double>(p.size())))
        << significance;
  }
}

TEST(SmoothingByContent, SmoothedPValuesAreExactlyUniformWithOneSeed) {
  // Scores are rounded, so that most ranks are ties; the key is that of the unrounded row.
  core::RandomStream random(2005, 1);
  std::vector<double> p;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::vector<double> nonconformity(19);
    for (double& value : nonconformity) value = std::round(random.normal());
    const ScoreCalibration calibration(nonconformity, std::vector<int>(19, 0), 1);
    data::DenseMatrix row(1, 2);
    row.values = {random.normal(), random.normal()};
    data::DenseMatrix score(1, 1);
    score.values = {-std::round(row.values[0])};
    p.push_back(
        p_values(calibration.ranks(score, false), {.smoothed = true, .seed = 3}, data::row_keys(row)).values[0]);
  }
  expect_exact(p);
}

TEST(SmoothingByContent, OfTargetsOfARegressionToo) {
  core::RandomStream random(2005, 2);
  std::vector<double> p;
  const std::vector<double> zeros(19, 0.0);
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::vector<double> targets(19);
    for (double& value : targets) value = std::round(2 * random.normal());
    const double x = random.normal();
    const InductiveRegression regression(targets, zeros);
    const Ranks ranks = regression.ranks(std::vector<double>{std::round(2 * x)}, std::vector<double>{0});
    const std::uint64_t key = data::row_key(std::vector<double>{x});
    p.push_back(p_values(ranks, {.smoothed = true, .seed = 3}, std::span(&key, 1)).values[0]);
  }
  expect_exact(p);
}

}  // namespace smoothing_by_content_tests
}  // namespace credence::conformal
