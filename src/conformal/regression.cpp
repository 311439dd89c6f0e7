#include "credence/conformal/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "credence/conformal/measures/absolute_residual.hpp"
#include "credence/conformal/measures/normalised_residual.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

void check_finite_values(std::span<const double> values, const char* what) {
  const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  throw Error(ErrorCode::invalid_data,
              fmt::format("{} {} (numbered from 0) is {}, not a finite number", what, bad - values.begin(), *bad));
}

void check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size == expected) return;
  throw Error(ErrorCode::invalid_argument, fmt::format("there are {} predictions, but {} {}", expected, size, what));
}

void check_difficulties(std::span<const double> difficulties, std::size_t rows, bool normalised) {
  if (!normalised && !difficulties.empty())
    throw Error(ErrorCode::invalid_argument,
                "difficulties are given, but the regression was made without difficulties");
  if (!normalised) return;
  check_size(difficulties.size(), rows, "difficulties");
  check_finite_values(difficulties, "difficulty");
  const auto bad = std::find_if(difficulties.begin(), difficulties.end(), [](double d) { return d < 0; });
  if (bad == difficulties.end()) return;
  throw Error(ErrorCode::invalid_data, fmt::format("difficulty {} (numbered from 0) is {}, but must be 0 or more",
                                                   bad - difficulties.begin(), *bad));
}

void check_calibration(std::span<const double> targets, std::span<const double> predictions,
                       std::span<const double> difficulties, bool normalised) {
  check_size(targets.size(), predictions.size(), "targets");
  check_finite_values(targets, "target");
  check_finite_values(predictions, "prediction");
  check_difficulties(difficulties, predictions.size(), normalised);
}

/// Of row i; a residual beyond the largest double is infinite.
double strangeness(std::span<const double> targets, std::span<const double> predictions,
                   std::span<const double> difficulties, double beta, std::size_t i) {
  return difficulties.empty() ? absolute_residual(targets[i], predictions[i])
                              : normalised_residual(targets[i], predictions[i], difficulties[i], beta);
}

}  // namespace

InductiveRegression::InductiveRegression(std::span<const double> targets, std::span<const double> predictions,
                                         std::span<const double> difficulties, const RegressionOptions& options)
    : normalised_(!difficulties.empty()), beta_(options.beta) {
  check_calibration(targets, predictions, difficulties, normalised_);
  if (targets.empty())
    throw Error(ErrorCode::invalid_data, "a conformal regression needs at least one held-out example");
  if (normalised_ && !(beta_ > 0 && std::isfinite(beta_)))
    throw Error(ErrorCode::invalid_argument, fmt::format("beta must be greater than 0 and finite, not {}", beta_));
  strangeness_.resize(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i)
    strangeness_[i] = strangeness(targets, predictions, difficulties, beta_, i);
  std::sort(strangeness_.begin(), strangeness_.end());
}

/// The largest strangeness with p > eps. How many may be as strange or stranger is found with the very p-values, for
/// (1 - eps) (n + 1) rounds.
double InductiveRegression::half_width(double eps) const {
  const std::size_t n = size();
  const auto accepted = [&](std::size_t at_least) { return in_region(p_value({at_least, 0, n}), eps); };
  auto least = static_cast<std::size_t>(eps * static_cast<double>(n + 1));
  while (least > 0 && accepted(least - 1)) --least;
  while (!accepted(least)) ++least;
  return least == 0 ? std::numeric_limits<double>::infinity() : strangeness_[n - least];
}

std::vector<PredictionInterval> InductiveRegression::intervals(std::span<const double> predictions,
                                                               std::span<const double> difficulties, double eps) const {
  if (!(eps > 0 && eps < 1))
    throw Error(ErrorCode::invalid_argument, fmt::format("eps must lie between 0 and 1, both excluded, not {}", eps));
  check_finite_values(predictions, "prediction");
  check_difficulties(difficulties, predictions.size(), normalised_);
  const double unit = half_width(eps);
  std::vector<PredictionInterval> result(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    const double width = normalised_ ? unit * (difficulties[i] + beta_) : unit;
    result[i] = {predictions[i] - width, predictions[i] + width};
  }
  return result;
}

Ranks InductiveRegression::ranks(std::span<const double> targets, std::span<const double> predictions,
                                 std::span<const double> difficulties) const {
  check_calibration(targets, predictions, difficulties, normalised_);
  Ranks ranks(targets.size(), 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double alpha = strangeness(targets, predictions, difficulties, beta_, i);
    const auto [first, last] = std::equal_range(strangeness_.begin(), strangeness_.end(), alpha);
    ranks.at(i, 0) = {static_cast<std::size_t>(strangeness_.end() - last), static_cast<std::size_t>(last - first),
                      size()};
  }
  return ranks;
}

std::vector<double> InductiveRegression::p_values(std::span<const double> targets, std::span<const double> predictions,
                                                  std::span<const double> difficulties) const {
  const data::DenseMatrix p = conformal::p_values(ranks(targets, predictions, difficulties), {});
  return {p.values.begin(), p.values.end()};
}

InductiveRegression regression_of(const model::Calibration& calibration) {
  if (!calibration.labels.empty())
    throw Error(ErrorCode::invalid_data, "the model keeps scores of classes, not residuals of a regression");
  return InductiveRegression(calibration.strangeness, std::vector<double>(calibration.strangeness.size(), 0.0));
}

}  // namespace credence::conformal
