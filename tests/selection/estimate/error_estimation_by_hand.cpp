#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "credence/selection/error_estimation.hpp"
#include "support/expect_error.hpp"

namespace error_estimation_by_hand_tests {

using namespace credence;
using selection::ErrorEstimation;
using selection::Judgement;
using selection::Loss;
using test::expect_error;

/// The p in (from, 1) where a decreasing function meets `level`.
double root(double from, double level, const std::function<double(double)>& decreasing) {
  double low = from;
  double high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (decreasing(middle) > level ? low : high) = middle;
  }
  return low;
}

/// Equation 22: ((1 - p) / (1 - L))^(1 - L) (p / L)^L, to the power m, is delta.
double hoeffding(double mean, double m, double delta) {
  if (mean >= 1) return 1;
  return root(mean, std::log(delta) / m, [&](double p) {
    return (1 - mean) * std::log((1 - p) / (1 - mean)) + (mean > 0 ? mean * std::log(p / mean) : 0);
  });
}

/// Equations 18 and 19: the binomial tail up to the errors is delta.
double clopper_pearson(std::size_t errors, std::size_t m, double delta) {
  if (errors >= m) return 1;
  return root(0, delta, [&](double p) {
    double tail = 0;
    for (std::size_t t = 0; t <= errors; ++t) {
      const auto x = static_cast<double>(t);
      const auto n = static_cast<double>(m);
      tail += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) +
                       (n - x) * std::log1p(-p));
    }
    return tail;
  });
}

/// Equation 21.
double bernstein(double mean, double m, double delta) {
  if (m == 1) return 1;
  return mean + std::sqrt(mean * (1 - mean)) * std::sqrt(2 * std::log(2 / delta) / m) +
         7 * std::log(2 / delta) / (3 * (m - 1));
}

double chernoff(double mean, double m, double delta) {
  const double c = std::log(1 / delta) / m;
  return mean + c + std::sqrt(c * c + 2 * c * mean);
}

ErrorEstimation estimation() {
  ErrorEstimation estimation;
  estimation.judgements = {{40, 6, 0.2, {}}, {37, 0, 0.01, {}}, {1, 1, 0.75, {}}, {5, 2, 0.5, {}}, {1, 0, 0, {}}};
  estimation.delta = 0.1;
  return estimation;
}

void expect_by_hand(const ErrorEstimation& estimation, double delta) {
  const auto mean_of = [&](const std::function<double(const Judgement&)>& value) {
    double sum = 0;
    for (const Judgement& j : estimation.judgements) sum += value(j);
    return sum / static_cast<double>(estimation.judgements.size());
  };
  const auto rate = [](const Judgement& j) { return static_cast<double>(j.errors) / static_cast<double>(j.rows); };
  const auto soft = [](const Judgement& j) { return j.soft; };
  const auto rows = [](const Judgement& j) { return static_cast<double>(j.rows); };
  EXPECT_NEAR(estimation.hard, mean_of(rate), 1e-14);
  EXPECT_NEAR(estimation.soft, mean_of(soft), 1e-14);
  std::vector<std::string> seen;
  for (const selection::ErrorBound& bound : estimation.bounds) {
    seen.push_back((bound.loss == Loss::soft ? "soft " : "hard ") + bound.name);
    const std::function<double(const Judgement&)> loss = bound.loss == Loss::soft ? soft : +rate;
    const double expected = mean_of([&](const Judgement& j) {
      if (bound.name == "Hoeffding") return hoeffding(loss(j), rows(j), delta);
      if (bound.name == "Clopper-Pearson") return clopper_pearson(j.errors, j.rows, delta);
      if (bound.name == "empirical Bernstein") return bernstein(loss(j), rows(j), delta);
      return chernoff(loss(j), rows(j), delta);
    });
    EXPECT_NEAR(bound.bound, expected, 1e-9) << seen.back();
    EXPECT_NEAR(bound.estimate, mean_of(loss), 1e-14) << seen.back();
    EXPECT_EQ(bound.vacuous(), expected >= 1);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"soft Hoeffding", "soft empirical Bernstein", "hard Clopper-Pearson",
                                            "hard Hoeffding", "hard empirical Bernstein", "hard empirical Chernoff"}));
}

TEST(ErrorEstimation, EveryBoundIsTheMeanOfTheJudgementsBounds) {
  ErrorEstimation one_by_one = estimation();
  add_bounds(one_by_one);
  EXPECT_EQ(one_by_one.delta_each, 0.1);
  expect_by_hand(one_by_one, 0.1);
  ErrorEstimation united = estimation();
  united.united = true;
  add_bounds(united);
  EXPECT_NEAR(united.delta_each, 0.02, 1e-15);
  expect_by_hand(united, 0.02);
  for (std::size_t k = 0; k < united.bounds.size(); ++k) EXPECT_GE(united.bounds[k].bound, one_by_one.bounds[k].bound);
  add_bounds(united);  // again: nothing piles up
  EXPECT_EQ(united.bounds.size(), one_by_one.bounds.size());
}

TEST(ErrorEstimation, PrintedValuesOfTheMethodNote) {
  ErrorEstimation single;
  single.judgements = {{40, 6, 0.01, {}}};
  add_bounds(single);
  EXPECT_NEAR(single.bounds[0].bound, 0.1035482158, 1e-9);
  EXPECT_NEAR(single.bounds[1].bound, 0.2734338562, 1e-9);
  EXPECT_NEAR(single.bounds[2].bound, 0.2747445050, 1e-9);
}

TEST(ErrorEstimation, RefusesWhatCannotBe) {
  ErrorEstimation none;
  expect_error(ErrorCode::invalid_argument, "at least one classifier", [&] { add_bounds(none); });
  ErrorEstimation empty = estimation();
  empty.judgements[2].rows = 0;
  expect_error(ErrorCode::invalid_argument, "judgement 3 rests on no row", [&] { add_bounds(empty); });
  ErrorEstimation many = estimation();
  many.judgements[1].errors = 38;
  many.judgements[3].soft = std::nan("");
  expect_error(ErrorCode::invalid_argument, "judgement 4", [&] { add_bounds(many); });
  EXPECT_TRUE(many.bounds.empty());
  for (const double delta : {0.0, 1.0, -1.0, std::nan("")}) {
    ErrorEstimation wrong = estimation();
    wrong.delta = delta;
    expect_error(ErrorCode::invalid_argument, "delta", [&] { add_bounds(wrong); });
  }
}

}  // namespace error_estimation_by_hand_tests
