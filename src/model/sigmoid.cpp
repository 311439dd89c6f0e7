#include "credence/model/sigmoid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/core/error.hpp"
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
  Likelihood(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights)
      : margins_(margins), weights_(weights), targets_(margins.size()) {
    double first = 0;
    double second = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) (labels[i] == 1 ? second : first) += weight(i);
    for (std::size_t i = 0; i < margins.size(); ++i)
      targets_[i] = labels[i] == 1 ? (second + 1) / (second + 2) : 1 / (first + 2);
    start_ = {0, std::log((first + 1) / (second + 1))};
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

}  // namespace

double Sigmoid::operator()(double f) const {
  return falling(a * f + b);
}

double Sigmoid::log_loss(double f, int label) const {
  const double z = a * f + b;
  return std::min(softplus(label == 1 ? z : -z), model::log_loss(0));
}

Sigmoid fit_sigmoid(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights) {
  constexpr int most_iterations = 100;
  constexpr double least_step = 1e-10;
  constexpr double flat = 1e-5;  // of the first derivatives
  constexpr double sufficient = 1e-4;
  check_margins(margins, labels, weights);
  const Likelihood likelihood(margins, labels, weights);
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

}  // namespace credence::model
