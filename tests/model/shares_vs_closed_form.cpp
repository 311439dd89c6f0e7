#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/model/prior.hpp"
#include "support/expect_error.hpp"

namespace credence::model {
namespace shares_vs_closed_form_tests {

struct Kept : Predictor {
  Kept(std::vector<std::string> classes, std::vector<int> labels) {
    schema.classes = std::move(classes);
    calibration.labels = std::move(labels);
  }
  Prediction predict_preprocessed(const data::Features&, const core::Context&) const override { return {}; }
};

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double rounding = 1e-15) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t c = 0; c < actual.size(); ++c) EXPECT_NEAR(actual[c], expected[c], rounding) << c;
}

TEST(KeptShares, AreThoseOfTheRowsLeftOut) {
  expect_near(kept_shares(Kept({"a", "b", "c"}, {0, 1, 1, 2, 1, 0, 1, 1})), {0.25, 0.625, 0.125});
  test::expect_error(ErrorCode::invalid_argument, "no row of class 'b'", [] { kept_shares(Kept({"a", "b"}, {0, 0})); });
  test::expect_error(ErrorCode::invalid_argument, "keeps no rows left out", [] { kept_shares(Kept({"a", "b"}, {})); });
}

TEST(WholeShares, OthersDivideTheRestAsBefore) {
  using Given = std::vector<std::optional<double>>;
  const std::vector<double> kept{0.5, 0.3, 0.2};
  expect_near(whole_shares(Given{0.02, {}, {}}, kept), {0.02, 0.98 * 0.6, 0.98 * 0.4});
  expect_near(whole_shares(Given{{}, 0.5, {}}, kept), {0.5 * 5 / 7, 0.5, 0.5 * 2 / 7});
  expect_near(whole_shares(Given{0.2, 0.3, 0.5}, kept), {0.2, 0.3, 0.5});
  const std::vector<double> rounded = whole_shares(Given{0.3333333, 0.3333333, 0.3333333}, kept);
  EXPECT_NEAR(std::accumulate(rounded.begin(), rounded.end(), 0.0), 1, 1e-15);
  const auto refused = [&](const Given& given, const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { whole_shares(given, kept); });
  };
  refused({0.0, {}, {}}, "between 0 and 1, not 0");
  refused({1.0, {}, {}}, "between 0 and 1, not 1");
  refused({std::nan(""), {}, {}}, "between 0 and 1");
  refused({0.6, 0.4, {}}, "add up to 1, not to less than 1");
  refused({0.2, 0.3, 0.4}, "add up to 0.9, not to 1");
}

/// Bayes' rule with densities of x in each class, which the shares do not change.
TEST(ReweighVsBayes, PosteriorsOfKnownDensities) {
  core::RandomStream random(4);
  const std::vector<double> from{0.5, 0.3, 0.2};
  const std::vector<double> to{0.02, 0.9, 0.08};
  for (int round = 0; round < 100; ++round) {
    std::vector<double> density(3);
    for (double& one : density) one = random.uniform();
    const auto posterior = [&](const std::vector<double>& shares) {
      std::vector<double> p(3);
      for (std::size_t c = 0; c < 3; ++c) p[c] = density[c] * shares[c];
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      for (double& one : p) one /= sum;
      return p;
    };
    std::vector<double> p = posterior(from);
    reweigh(p, from, to);
    expect_near(p, posterior(to), 1e-14);
    reweigh(p, to, from);
    expect_near(p, posterior(from), 1e-14);
  }
  std::vector<double> p{0.2, 0.5, 0.3};
  reweigh(p, std::vector<double>{0.5, 0.3, 0.2}, std::vector<double>{0.1, 0.2, 0.7});
  expect_near(p, {0.028103044496487126, 0.23419203747072603, 0.7377049180327867});  // NumPy 2.4
  std::vector<double> sure{1, 0};
  reweigh(sure, std::vector<double>{0.5, 0.5}, std::vector<double>{0.01, 0.99});
  expect_near(sure, {1, 0});
}

/// The ends of an interval are probabilities themselves: each moves by its odds.
TEST(ReweighVsOdds, IntervalsOfTwoClassesAndModerated) {
  const std::vector<double> from{0.4, 0.6};
  const std::vector<double> to{0.9, 0.1};
  Prediction prediction;
  prediction.probability = data::DenseMatrix(2, 2);
  prediction.probability.values = {0.3, 0.7, 0.95, 0.05};
  prediction.moderated = prediction.probability;
  prediction.probability_lower = data::DenseMatrix(2, 2);
  prediction.probability_lower.values = {0.2, 0.65, 0.9, 0};
  prediction.probability_upper = data::DenseMatrix(2, 2);
  prediction.probability_upper.values = {0.35, 0.8, 1, 0.1};
  Prediction moved = prediction;
  reweigh(moved, from, to);
  const double ratio = (0.9 / 0.1) / (0.4 / 0.6);  // by which the odds of the first class grow
  const auto expected = [&](double p, std::size_t c) {
    if (p >= 1) return 1.0;
    const double odds = p / (1 - p) * (c == 0 ? ratio : 1 / ratio);
    return odds / (1 + odds);
  };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(moved.probability.values[i], expected(prediction.probability.values[i], i % 2), 1e-14);
    EXPECT_EQ(moved.moderated.values[i], moved.probability.values[i]);
    EXPECT_NEAR(moved.probability_lower.values[i], expected(prediction.probability_lower.values[i], i % 2), 1e-14);
    EXPECT_NEAR(moved.probability_upper.values[i], expected(prediction.probability_upper.values[i], i % 2), 1e-14);
  }
  for (std::size_t row = 0; row < 2; ++row) {  // lower of one class and upper of the other stay each other's rest
    EXPECT_NEAR(moved.probability_lower.row(row)[0] + moved.probability_upper.row(row)[1], 1, 1e-14);
    EXPECT_NEAR(moved.probability_lower.row(row)[1] + moved.probability_upper.row(row)[0], 1, 1e-14);
  }
}

TEST(Reweigh, RefusesPredictionsWithoutProbabilitiesAndIntervalsOfMoreClasses) {
  const std::vector<double> shares{0.5, 0.3, 0.2};
  Prediction none;
  test::expect_error(ErrorCode::invalid_argument, "there are none", [&] { reweigh(none, shares, shares); });
  Prediction three;
  three.probability = three.probability_lower = three.probability_upper = data::DenseMatrix(1, 3);
  test::expect_error(ErrorCode::invalid_argument, "more than two classes", [&] { reweigh(three, shares, shares); });
}

/// Rows of two kinds, probabilities 0.8 and 0.2: their numbers are binomial, and the likelihood has its maximum where
/// 0.8 s + 0.2 (1 - s) is the share of the first kind.
TEST(EstimateSharesVsClosedForm, TwoKindsOfRows) {
  const std::vector<double> even{0.5, 0.5};
  for (const auto& [first, all] : {std::pair(30, 100), std::pair(50, 100), std::pair(7, 20), std::pair(79, 100)}) {
    data::DenseMatrix p(static_cast<std::size_t>(all), 2);
    for (int i = 0; i < all; ++i) {
      p.row(static_cast<std::size_t>(i))[0] = i < first ? 0.8 : 0.2;
      p.row(static_cast<std::size_t>(i))[1] = i < first ? 0.2 : 0.8;
    }
    const double share = (static_cast<double>(first) / all - 0.2) / 0.6;
    expect_near(estimate_shares(p, even), {share, 1 - share}, 1e-7);
  }
  data::DenseMatrix rare(10, 2);  // fewer than 0.2 of the first kind: the maximum lies at 0
  for (std::size_t i = 0; i < 10; ++i) {
    rare.row(i)[0] = i == 0 ? 0.8 : 0.2;
    rare.row(i)[1] = 1 - rare.row(i)[0];
  }
  expect_near(estimate_shares(rare, even), {0, 1}, 1e-7);
}

TEST(EstimateSharesVsScipy, MaximumOfTheLikelihood) {
  data::DenseMatrix p(8, 2);
  p.values = {.9, .1, .8, .2, .3, .7, .6, .4, .05, .95, .55, .45, .2, .8, .97, .03};
  // scipy.optimize.minimize_scalar over the log-likelihood; SciPy 1.17
  expect_near(estimate_shares(p, std::vector<double>{0.5, 0.5}), {0.6139913840397467, 1 - 0.6139913840397467}, 1e-7);
  test::expect_error(ErrorCode::invalid_argument, "without rows",
                     [] { estimate_shares(data::DenseMatrix(0, 2), std::vector<double>{0.5, 0.5}); });
}

/// Normal clouds whose posteriors are known: the shares of the data set come back, but for the noise of the draw.
TEST(EstimateSharesBySimulation, SharesOfThePlaceComeBack) {
  core::RandomStream random(9);
  const std::vector<double> from{0.5, 0.5};
  for (const double there : {0.02, 0.2, 0.5, 0.9}) {
    constexpr std::size_t rows = 20000;
    data::DenseMatrix p(rows, 2);
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = random.normal() + (random.uniform() < there ? 2 : 0);
      const double odds = std::exp(2 * x - 2);  // of the class at 2 against the class at 0
      p.row(i)[0] = odds / (1 + odds);
      p.row(i)[1] = 1 / (1 + odds);
    }
    EXPECT_NEAR(estimate_shares(p, from)[0], there, 0.015) << there;
  }
}

}  // namespace shares_vs_closed_form_tests
}  // namespace credence::model
