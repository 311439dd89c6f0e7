#include <algorithm>
#include <cmath>

#include "credence/core/random.hpp"
#include "credence/selection/nonconformity.hpp"
#include "selfcheck/bounds.hpp"

/// The uniform bounds of the rule of nonconformity over classifiers whose margins have a known distribution.
namespace credence::selfcheck {
namespace {

/// y = +1 or -1 with equal odds, x = y + Z with standard normal Z; classifiers f_k(x) = sign_k (x - threshold_k).
struct Classifier {
  double threshold;
  double sign;
};
constexpr std::array<Classifier, 5> classifiers{{{0, 1}, {-1.5, 1}, {0.7, 1}, {3, 1}, {0.3, -1}}};

double value(std::size_t k, double x) {
  return classifiers[k].sign * (x - classifiers[k].threshold);
}

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

/// P(y f_k(x) <= a): for y = +1 the margin is sign (1 + Z - t), for y = -1 it is sign (1 - Z + t).
double margin_cdf(std::size_t k, double a) {
  const auto [t, sign] = classifiers[k];
  return 0.5 * normal_cdf(a - sign * (1 - t)) + 0.5 * normal_cdf(a - sign * (1 + t));
}

model::Scores scores_of(const std::vector<double>& x) {
  model::Scores scores(x.size(), classifiers.size(), 2);
  for (std::size_t r = 0; r < x.size(); ++r) {
    for (std::size_t k = 0; k < classifiers.size(); ++k) {
      scores.at(r, k)[0] = -value(k, x[r]);
      scores.at(r, k)[1] = value(k, x[r]);
    }
  }
  scores.label_by_score();
  return scores;
}

std::vector<double> grid() {
  std::vector<double> x;
  for (double one = -6; one <= 6; one += 0.125) x.push_back(one);
  return x;
}

/// Whether some row's bound lies below the probability that it bounds, P(s_k(X, Y) <= s_k(x, rejected class)).
bool some_bound_is_wrong(const std::vector<double>& bound, const model::Prediction& prediction,
                         const std::vector<double>& x) {
  for (std::size_t r = 0; r < x.size(); ++r) {
    const std::size_t k = prediction.chosen[r];
    const double rejected = prediction.label[r] == 1 ? -value(k, x[r]) : value(k, x[r]);
    if (margin_cdf(k, rejected) > bound[r]) return true;
  }
  return false;
}

}  // namespace

std::vector<Setting> of_nonconformity(bool dkw) {
  std::vector<Setting> settings;
  for (const std::size_t n : {10U, 50U}) {
    settings.push_back(
        {"five models", n, [=](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
           core::RandomStream random(seed, 1805);
           std::vector<double> x;
           std::vector<int> labels;
           for (std::size_t j = 0; j < n; ++j) {
             labels.push_back(static_cast<int>(random.below(2)));
             x.push_back(2.0 * labels.back() - 1 + random.normal());
           }
           const std::vector<double> rows = grid();
           const model::Scores validation = scores_of(x);
           const model::Scores asked = scores_of(rows);
           values.push_back(breaking_level([&](double delta) {
             const model::Prediction prediction = selection::nonconformity(validation, labels, asked, {.delta = delta});
             return some_bound_is_wrong(dkw ? prediction.bound_dkw : prediction.bound_vc, prediction, rows);
           }));
         }});
  }
  return settings;
}

}  // namespace credence::selfcheck
