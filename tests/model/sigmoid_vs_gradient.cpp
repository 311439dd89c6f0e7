#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/model/sigmoid.hpp"
#include "support/expect_error.hpp"

namespace sigmoid_vs_gradient_tests {

using namespace credence;
using model::Sigmoid;

struct Margins {
  std::vector<double> margins;
  std::vector<int> labels;
};

Margins random_margins(std::size_t n, double slope, double offset, std::uint64_t seed) {
  core::RandomStream random(seed, 6);
  Margins drawn;
  for (std::size_t i = 0; i < n; ++i) {
    drawn.margins.push_back(2 * random.normal());
    drawn.labels.push_back(random.uniform() < 1 / (1 + std::exp(slope * drawn.margins.back() + offset)) ? 1 : 0);
  }
  return drawn;
}

/// The objective of Platt, written out.
double objective(const Sigmoid& sigmoid, const Margins& drawn, const std::vector<double>& weights = {}) {
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < drawn.labels.size(); ++i)
    (drawn.labels[i] == 1 ? second : first) += weights.empty() ? 1 : weights[i];
  double sum = 0;
  for (std::size_t i = 0; i < drawn.labels.size(); ++i) {
    const double target = drawn.labels[i] == 1 ? (second + 1) / (second + 2) : 1 / (first + 2);
    const double p = 1 / (1 + std::exp(sigmoid.a * drawn.margins[i] + sigmoid.b));
    sum -= (weights.empty() ? 1 : weights[i]) * (target * std::log(p) + (1 - target) * std::log(1 - p));
  }
  return sum;
}

TEST(SigmoidOfMargins, HasNoBetterNeighbour) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Margins drawn = random_margins(60, -1.5, 0.5, seed);
    std::vector<double> weights;
    for (std::size_t i = 0; seed % 2 == 1 && i < 60; ++i) weights.push_back(0.5 + static_cast<double>(i % 3));
    const Sigmoid fitted = model::fit_sigmoid(drawn.margins, drawn.labels, weights);
    EXPECT_LT(fitted.a, 0);
    for (const double step : {1e-3, 1e-2, 0.1})
      for (const auto& [da, db] : {std::pair{step, 0.0}, {-step, 0.0}, {0.0, step}, {0.0, -step}})
        EXPECT_GT(objective({fitted.a + da, fitted.b + db}, drawn, weights), objective(fitted, drawn, weights));
  }
}

TEST(SigmoidOfMargins, FindsTheSigmoidThatDrewTheLabels) {
  const Margins drawn = random_margins(40000, -0.8, 0.4, 9);
  const Sigmoid fitted = model::fit_sigmoid(drawn.margins, drawn.labels);
  EXPECT_NEAR(fitted.a, -0.8, 0.04);
  EXPECT_NEAR(fitted.b, 0.4, 0.04);
}

TEST(SigmoidOfMargins, WholeWeightsAreRepeats) {
  const Margins drawn = random_margins(50, -1, 0, 3);
  std::vector<double> weights;
  Margins repeated;
  for (std::size_t i = 0; i < 50; ++i) {
    weights.push_back(static_cast<double>(i % 3));
    for (std::size_t t = 0; t < i % 3; ++t) {
      repeated.margins.push_back(drawn.margins[i]);
      repeated.labels.push_back(drawn.labels[i]);
    }
  }
  const Sigmoid by_weight = model::fit_sigmoid(drawn.margins, drawn.labels, weights);
  const Sigmoid by_repeat = model::fit_sigmoid(repeated.margins, repeated.labels);
  EXPECT_NEAR(by_weight.a, by_repeat.a, 1e-9);
  EXPECT_NEAR(by_weight.b, by_repeat.b, 1e-9);
}

TEST(SigmoidOfMargins, StaysFiniteWhereClassesAreApart) {
  Margins apart;
  for (int i = 0; i < 20; ++i) {
    apart.margins.push_back(i < 10 ? -1e3 - i : 1e3 + i);
    apart.labels.push_back(i < 10 ? 0 : 1);
  }
  const Sigmoid fitted = model::fit_sigmoid(apart.margins, apart.labels);
  EXPECT_TRUE(std::isfinite(fitted.a) && std::isfinite(fitted.b));
  EXPECT_NEAR(fitted(1e3), 11.0 / 12, 0.01);  // the targets
  EXPECT_NEAR(fitted(-1e3), 1.0 / 12, 0.01);
  EXPECT_TRUE(std::isfinite(Sigmoid({-5, 0}).log_loss(-1e6, 1)));
  EXPECT_NEAR(Sigmoid({-1, 0.3}).log_loss(2, 1), -std::log(Sigmoid({-1, 0.3})(2)), 1e-15);
  EXPECT_NEAR(Sigmoid({-1, 0.3}).log_loss(2, 0), -std::log(1 - Sigmoid({-1, 0.3})(2)), 1e-14);
}

TEST(SigmoidOfMargins, OfOneClassOrNothingIsThePrior) {
  EXPECT_EQ(model::fit_sigmoid({}, {})(3), 0.5);
  const Sigmoid one = model::fit_sigmoid(std::vector<double>{1, 1, 1}, std::vector<int>{0, 0, 0});
  EXPECT_NEAR(one(1), 0.2, 1e-4);  // 1 / (N0 + 2)
}

TEST(SigmoidOfMargins, RefusesWhatIsNoMargin) {
  const auto code = ErrorCode::invalid_argument;
  const std::vector<double> two{1, 2};
  const std::vector<int> labels{0, 1};
  test::expect_error(code, "2 margins, 1 labels", [&] { model::fit_sigmoid(two, std::vector<int>{1}); });
  test::expect_error(code, "labels 0 and 1", [&] { model::fit_sigmoid(two, std::vector<int>{1, 2}); });
  test::expect_error(code, "finite margins", [&] {
    model::fit_sigmoid(std::vector<double>{1, std::numeric_limits<double>::infinity()}, labels);
  });
  test::expect_error(code, "from 0 on", [&] { model::fit_sigmoid(two, labels, std::vector<double>{1, -1}); });
}

}  // namespace sigmoid_vs_gradient_tests
