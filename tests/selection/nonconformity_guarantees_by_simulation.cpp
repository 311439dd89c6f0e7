#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "credence/bounds/uniform.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/nonconformity.hpp"

namespace credence {
namespace {

using selection::NonconformityOptions;
using selection::NonconformityRule;
using selection::PValue;

/// y = +1 or -1 with equal odds, x = y + Z with standard normal Z; classifiers f_k(x) = sign_k (x - threshold_k).
struct Law {
  struct Classifier {
    double threshold;
    double sign;
  };
  static constexpr std::size_t models = 5;
  static constexpr Classifier classifiers[models] = {{0, 1}, {-1.5, 1}, {0.7, 1}, {3, 1}, {0.3, -1}};

  static double f(std::size_t k, double x) { return classifiers[k].sign * (x - classifiers[k].threshold); }

  static double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

  /// P(y f_k(x) <= a): for y = +1 the margin is sign (1 + Z - t), for y = -1 it is sign (1 - Z + t).
  static double margin_cdf(std::size_t k, double a) {
    const auto [t, sign] = classifiers[k];
    return 0.5 * normal_cdf(a - sign * (1 - t)) + 0.5 * normal_cdf(a - sign * (1 + t));
  }

  static model::Scores scores_of(const std::vector<double>& x) {
    model::Scores scores(x.size(), models, 2);
    for (std::size_t r = 0; r < x.size(); ++r) {
      for (std::size_t k = 0; k < models; ++k) {
        scores.at(r, k)[0] = -f(k, x[r]);
        scores.at(r, k)[1] = f(k, x[r]);
      }
    }
    scores.label_by_score();
    return scores;
  }
};

struct Draw {
  std::vector<double> x;
  std::vector<int> labels;
};

Draw draw_rows(std::size_t n, core::RandomStream& random) {
  Draw draw;
  for (std::size_t j = 0; j < n; ++j) {
    draw.labels.push_back(static_cast<int>(random.below(2)));
    draw.x.push_back(2.0 * draw.labels.back() - 1 + random.normal());
  }
  return draw;
}

/// sup over thresholds of |frequency - probability| of one model's margins.
double largest_deviation(std::span<const double> sorted_margins, std::size_t k) {
  const auto n = static_cast<double>(sorted_margins.size());
  double largest = 0;
  for (std::size_t j = 0; j < sorted_margins.size(); ++j) {
    const double probability = Law::margin_cdf(k, sorted_margins[j]);
    largest =
        std::max({largest, static_cast<double>(j + 1) / n - probability, probability - static_cast<double>(j) / n});
  }
  return largest;
}

/// Whether some row's bound lies below the probability that it bounds, P(s_k(X, Y) <= s_k(x, rejected class)).
bool some_bound_is_wrong(const std::vector<double>& bound, const model::Prediction& prediction,
                         const std::vector<double>& x) {
  for (std::size_t r = 0; r < x.size(); ++r) {
    const std::size_t k = prediction.chosen[r];
    const double rejected = prediction.label[r] == 1 ? -Law::f(k, x[r]) : Law::f(k, x[r]);
    if (Law::margin_cdf(k, rejected) > bound[r]) return true;
  }
  return false;
}

constexpr int draws = 2000;

/// The largest count that `draws` trials of probability p plausibly give (4 standard deviations).
double at_most(double p) {
  return draws * p + 4 * std::sqrt(draws * p * (1 - p));
}

TEST(NonconformityGuarantees, UniformBoundsHoldForAllModelsAndThresholds) {
  const double delta = 0.2;
  const std::size_t n = 50;
  const double share = delta / static_cast<double>(Law::models);
  std::vector<double> x;
  for (double value = -6; value <= 6; value += 0.125) x.push_back(value);
  const model::Scores rows = Law::scores_of(x);
  core::RandomStream random(1, 2);
  int dkw = 0, vc = 0, halved = 0, dkw_of_rows = 0, vc_of_rows = 0;
  for (int i = 0; i < draws; ++i) {
    const Draw validation = draw_rows(n, random);
    const NonconformityRule rule(Law::scores_of(validation.x), validation.labels, {.delta = delta});
    double deviation = 0;
    for (std::size_t k = 0; k < Law::models; ++k)
      deviation = std::max(deviation, largest_deviation(rule.margins().row(k), k));
    dkw += deviation > bounds::dkw_deviation(n, share);
    vc += deviation > bounds::vc_deviation(n, 1, share);
    halved += deviation > bounds::dkw_deviation(n, share) / 2;
    model::Prediction prediction = rule.prepare(x.size());
    rule.predict(rows, 0, prediction);
    dkw_of_rows += some_bound_is_wrong(prediction.bound_dkw, prediction, x);
    vc_of_rows += some_bound_is_wrong(prediction.bound_vc, prediction, x);
  }
  EXPECT_LE(dkw, at_most(delta));
  EXPECT_GT(dkw, draws * delta / 20) << "the bound is sharp enough for this test to mean something";
  EXPECT_GT(halved, at_most(delta)) << "half of it would not do";
  EXPECT_EQ(vc, 0);
  EXPECT_LE(dkw_of_rows, dkw);
  EXPECT_EQ(vc_of_rows, 0);
}

/// How often eps_crit alone, without a deviation, would be wrong for some row: the deviation is needed.
TEST(NonconformityGuarantees, WithoutADeviationTheFrequencyIsNoBound) {
  std::vector<double> x;
  for (double value = -6; value <= 6; value += 0.125) x.push_back(value);
  const model::Scores rows = Law::scores_of(x);
  core::RandomStream random(1, 3);
  int wrong = 0;
  for (int i = 0; i < 200; ++i) {
    const Draw validation = draw_rows(50, random);
    const model::Prediction prediction =
        selection::nonconformity(Law::scores_of(validation.x), validation.labels, rows, {});
    wrong += some_bound_is_wrong(prediction.eps_crit, prediction, x);
  }
  EXPECT_GT(wrong, 100);
}

/// P(p-value of the true class <= eps) under one fixed classifier, validation and test row drawn afresh each time.
class TrueClassPValues {
 public:
  /// @param step  scores are rounded to multiples of it, which makes ties; 0: not rounded
  TrueClassPValues(PValue kind, std::size_t n, double step, std::uint64_t seed) {
    core::RandomStream random(seed, 4);
    for (int i = 0; i < trials; ++i) {
      Draw draw = draw_rows(n + 1, random);
      for (double& x : draw.x) x = step > 0 ? std::round(x / step) * step : x;
      model::Scores all(n + 1, 1, 2);
      for (std::size_t r = 0; r <= n; ++r) {
        all.at(r, 0)[0] = -draw.x[r];
        all.at(r, 0)[1] = draw.x[r];
      }
      model::Scores validation(n, 1, 2), row(1, 1, 2);
      std::copy(all.at(0, 0), all.at(n, 0), validation.values.begin());
      std::copy(all.at(n, 0), all.at(n, 0) + 2, row.values.begin());
      const std::vector<int> labels(draw.labels.begin(), draw.labels.end() - 1);
      const model::Prediction prediction = selection::nonconformity(validation, labels, row, {.p_value = kind});
      values_.push_back(prediction.p_value.row(0)[static_cast<std::size_t>(draw.labels.back())]);
    }
  }

  double share_up_to(double eps) const {
    return static_cast<double>(std::count_if(values_.begin(), values_.end(), [eps](double p) { return p <= eps; })) /
           trials;
  }

  static double tolerance(double eps) { return 4 * std::sqrt(eps * (1 - eps) / trials); }

 private:
  static constexpr int trials = 20'000;
  std::vector<double> values_;
};

TEST(NonconformityGuarantees, ConformalPValueOfOneModelIsSuperUniform) {
  for (const double step : {0.0, 0.5}) {
    const TrueClassPValues p(PValue::conformal, 19, step, 5);
    for (const double eps : {0.01, 0.05, 0.1, 0.2, 0.33, 0.5, 0.8})
      EXPECT_LE(p.share_up_to(eps), eps + TrueClassPValues::tolerance(eps)) << "eps " << eps << ", step " << step;
    // Without ties it is exact at multiples of 1 / (n + 1).
    if (step == 0) EXPECT_NEAR(p.share_up_to(0.2 + 1e-9), 0.2, TrueClassPValues::tolerance(0.2));
  }
}

TEST(NonconformityGuarantees, PaperPValueIsNot) {
  // Its count is uniform on 0..n, so P(p <= c / n) = (c + 1) / (n + 1) > c / n.
  const TrueClassPValues p(PValue::paper, 19, 0, 5);
  for (const int count : {1, 2, 4}) {
    const double eps = count / 19.0;
    EXPECT_GT(p.share_up_to(eps), eps + TrueClassPValues::tolerance(eps)) << "eps " << eps;
    EXPECT_NEAR(p.share_up_to(eps), (count + 1) / 20.0, TrueClassPValues::tolerance(eps) + 0.002);
  }
}

}  // namespace
}  // namespace credence
