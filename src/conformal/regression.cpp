#include "credence/conformal/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/conformal/measures.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

void check_finite_values(std::span<const double> values, const char* what) {
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  refuse_data(fmt::format("{} {} (numbered from 0) is {}, not a finite number", what, bad - values.begin(), *bad));
}

void check_size(std::size_t size, std::size_t expected, const char* what) {
  if (size == expected) return;
  refuse(fmt::format("there are {} predictions, but {} {}", expected, size, what));
}

void check_difficulties(std::span<const double> difficulties, std::size_t rows, bool normalised) {
  if (!normalised && !difficulties.empty())
    refuse("difficulties are given, but the regression was made without difficulties");
  if (!normalised) return;
  check_size(difficulties.size(), rows, "difficulties");
  check_finite_values(difficulties, "difficulty");
  const auto bad = std::ranges::find_if(difficulties, [](double d) { return d < 0; });
  if (bad == difficulties.end()) return;
  refuse_data(
      fmt::format("difficulty {} (numbered from 0) is {}, but must be 0 or more", bad - difficulties.begin(), *bad));
}

void check_weights_of_targets(std::span<const double> own, std::size_t rows) {
  if (!own.empty()) check_size(own.size(), rows, "weights");
  check_own_weights(own);
}

void check_calibration(std::span<const double> targets, std::span<const double> predictions,
                       std::span<const double> difficulties, bool normalised) {
  check_size(targets.size(), predictions.size(), "targets");
  check_finite_values(targets, "target");
  check_finite_values(predictions, "prediction");
  check_difficulties(difficulties, predictions.size(), normalised);
}

/// Of row i; a residual beyond the largest double is infinite.
double alpha_of(std::span<const double> targets, std::span<const double> predictions,
                std::span<const double> difficulties, double beta, std::size_t i) {
  return difficulties.empty() ? absolute_residual(targets[i], predictions[i])
                              : normalised_residual(targets[i], predictions[i], difficulties[i], beta);
}

}  // namespace

InductiveRegression::InductiveRegression(std::span<const double> targets, std::span<const double> predictions,
                                         std::span<const double> difficulties, const RegressionOptions& options,
                                         const RowWeights& weights)
    : normalised_(!difficulties.empty()), beta_(options.beta) {
  check_calibration(targets, predictions, difficulties, normalised_);
  if (targets.empty()) refuse_data("a conformal regression needs at least one held-out example");
  if (normalised_ && !(beta_ > 0 && std::isfinite(beta_)))
    refuse(fmt::format("beta must be greater than 0 and finite, not {}", beta_));
  std::vector<double> alphas(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) alphas[i] = alpha_of(targets, predictions, difficulties, beta_, i);
  const std::vector<int> one_class(targets.size(), 0);
  nonconformity_ = NonconformityTable(alphas, one_class, 1, weights).all();
}

std::vector<PredictionInterval> InductiveRegression::intervals(std::span<const double> predictions,
                                                               std::span<const double> difficulties,
                                                               double significance, std::span<const double> own) const {
  if (!(significance > 0 && significance < 1))
    refuse(fmt::format("a significance level must lie between 0 and 1, both excluded, not {}", significance));
  check_finite_values(predictions, "prediction");
  check_difficulties(difficulties, predictions.size(), normalised_);
  check_weights_of_targets(own, predictions.size());
  double unit = nonconformity_.largest_in_set(significance);
  std::vector<PredictionInterval> result(predictions.size());
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!own.empty()) unit = nonconformity_.largest_in_set(significance, own[i]);
    const double width = normalised_ ? unit * (difficulties[i] + beta_) : unit;
    result[i] = {predictions[i] - width, predictions[i] + width};
  }
  return result;
}

Ranks InductiveRegression::ranks(std::span<const double> targets, std::span<const double> predictions,
                                 std::span<const double> difficulties, std::span<const double> own) const {
  check_calibration(targets, predictions, difficulties, normalised_);
  check_weights_of_targets(own, predictions.size());
  Ranks ranks(targets.size(), 1);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double alpha = alpha_of(targets, predictions, difficulties, beta_, i);
    ranks.at(i, 0) = nonconformity_.rank(alpha, own.empty() ? 1 : own[i]);
  }
  return ranks;
}

std::vector<double> InductiveRegression::p_values(std::span<const double> targets, std::span<const double> predictions,
                                                  std::span<const double> difficulties,
                                                  std::span<const double> own) const {
  const data::DenseMatrix p = conformal::p_values(ranks(targets, predictions, difficulties, own), {});
  return {p.values.begin(), p.values.end()};
}

}  // namespace credence::conformal
