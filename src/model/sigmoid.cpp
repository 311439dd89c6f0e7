#include "credence/model/sigmoid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/model/probability.hpp"

namespace credence::model {
namespace {

/// log(1 + exp(z)).
double softplus(double z) {
  return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

/// 1 / (1 + exp(z)).
double falling(double z) {
  const double small = std::exp(-std::abs(z));
  return z >= 0 ? small / (1 + small) : 1 / (1 + small);
}

void check_margins(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights) {
  if (labels.size() != margins.size() || (!weights.empty() && weights.size() != margins.size())) {
    refuse(
        fmt::format("a sigmoid is fitted to as many labels and weights as margins, not to {} margins, {} labels and "
                    "{} weights",
                    margins.size(), labels.size(), weights.size()));
  }
  if (std::ranges::any_of(labels, [](int label) { return label != 0 && label != 1; }))
    refuse("a sigmoid is fitted to labels 0 and 1");
  if (!std::ranges::all_of(margins, [](double margin) { return std::isfinite(margin); }))
    refuse("a sigmoid is fitted to finite margins");
  if (!std::ranges::all_of(weights, [](double weight) { return std::isfinite(weight) && weight >= 0; }))
    refuse("the weights of margins are finite numbers from 0 on");
}

/// The negative log-likelihood of the targets, which Newton's method minimises over a and b.
class Likelihood {
 public:
  /// @param prior  rows of each class that are added to those there are: 1 as Platt asks, 0 for the labels as they are
  Likelihood(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights,
             double prior)
      : margins_(margins), weights_(weights), targets_(margins.size()) {
    double first = 0;
    double second = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) (labels[i] == 1 ? second : first) += weight(i);
    for (std::size_t i = 0; i < margins.size(); ++i)
      targets_[i] = labels[i] == 1 ? (second + prior) / (second + 2 * prior) : prior / (first + 2 * prior);
    start_ = {0, std::log((first + prior) / (second + prior))};
  }

  struct Slopes {
    double aa = 0, ab = 0, bb = 0;  ///< second derivatives
    double a = 0, b = 0;            ///< first derivatives
  };

  Sigmoid start() const { return start_; }

  double value(const Sigmoid& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < margins_.size(); ++i) {
      const double z = at.a * margins_[i] + at.b;
      sum += weight(i) * (targets_[i] * softplus(z) + (1 - targets_[i]) * softplus(-z));
    }
    return sum;
  }

  Slopes slopes(const Sigmoid& at) const {
    constexpr double ridge = 1e-12;  // keeps the matrix of second derivatives positive definite
    Slopes sums{ridge, 0, ridge, 0, 0};
    for (std::size_t i = 0; i < margins_.size(); ++i) {
      const double f = margins_[i];
      const double p = falling(at.a * f + at.b);
      const double curvature = weight(i) * p * (1 - p);
      const double slope = weight(i) * (targets_[i] - p);
      sums.aa += f * f * curvature;
      sums.ab += f * curvature;
      sums.bb += curvature;
      sums.a += f * slope;
      sums.b += slope;
    }
    return sums;
  }

 private:
  double weight(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }

  std::span<const double> margins_;
  std::span<const double> weights_;
  std::vector<double> targets_;
  Sigmoid start_;
};

/// Newton's method with backtracking. @param flat  where the first derivatives are small enough
Sigmoid most_likely(const Likelihood& likelihood, double flat) {
  constexpr int most_iterations = 100;
  constexpr double least_step = 1e-10;
  constexpr double sufficient = 1e-4;
  Sigmoid at = likelihood.start();
  double value = likelihood.value(at);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const Likelihood::Slopes s = likelihood.slopes(at);
    if (std::abs(s.a) < flat && std::abs(s.b) < flat) break;
    const double determinant = s.aa * s.bb - s.ab * s.ab;
    const double da = -(s.bb * s.a - s.ab * s.b) / determinant;
    const double db = -(s.aa * s.b - s.ab * s.a) / determinant;
    const double descent = s.a * da + s.b * db;
    double step = 1;
    for (; step >= least_step; step /= 2) {
      const Sigmoid next{at.a + step * da, at.b + step * db};
      const double lower = likelihood.value(next);
      if (lower < value + sufficient * step * descent) {
        at = next;
        value = lower;
        break;
      }
    }
    if (step < least_step) break;
  }
  return at;
}

/// The intercept of the line with slope 1, whose likelihood has one maximum: Newton's method on its convex side.
Estimated intercept_of(const Likelihood& likelihood, double flat) {
  Sigmoid at{-1, 0};
  Likelihood::Slopes s = likelihood.slopes(at);
  for (int iteration = 0; iteration < 100 && std::abs(s.b) >= flat; ++iteration) {
    at.b -= std::clamp(s.b / s.bb, -1.0, 1.0);
    s = likelihood.slopes(at);
  }
  return {-at.b, 1 / std::sqrt(s.bb)};
}

}  // namespace

double Sigmoid::operator()(double f) const {
  return falling(a * f + b);
}

double Sigmoid::log_loss(double f, int label) const {
  const double z = a * f + b;
  return std::min(softplus(label == 1 ? z : -z), model::log_loss(0));
}

Sigmoid fit_sigmoid(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights) {
  check_margins(margins, labels, weights);
  return most_likely(Likelihood(margins, labels, weights, 1), 1e-5);
}

std::optional<CalibrationLine> calibration_line(std::span<const double> probabilities, std::span<const int> labels) {
  const auto bounded = [](double p) { return std::max(p, least_probability); };
  const std::vector<double> log_odds =
      core::mapped(probabilities, [&](double p) { return std::log(bounded(p) / bounded(1 - p)); });
  check_margins(log_odds, labels, {});
  std::array<double, 2> least{1, 1};
  std::array<double, 2> most{0, 0};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[i]);
    least[c] = std::min(least[c], probabilities[i]);
    most[c] = std::max(most[c], probabilities[i]);
  }
  const bool overlap = least[0] < most[1] && least[1] < most[0];
  if (!overlap) return std::nullopt;
  const Likelihood likelihood(log_odds, labels, {}, 0);
  const double flat = 1e-9 * static_cast<double>(labels.size());
  const Sigmoid line = most_likely(likelihood, flat);
  const Likelihood::Slopes s = likelihood.slopes(line);
  return CalibrationLine{{-line.a, std::sqrt(s.bb / (s.aa * s.bb - s.ab * s.ab))}, intercept_of(likelihood, flat)};
}

}  // namespace credence::model
