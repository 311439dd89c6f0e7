#include "credence/conformal/cross_regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::conformal {
namespace {

/// How many ends may be beyond a target before it belongs to the interval: the smallest r with p = (r + 1) / (n + 1) in
/// the prediction set, where the p-value itself decides for numbers that round.
std::size_t ends_beyond(std::size_t n, double significance) {
  const auto kept = [&](std::size_t r) {
    return in_set(p_value({.greater = static_cast<double>(r), .of = static_cast<double>(n)}), significance);
  };
  auto r = std::min(static_cast<std::size_t>(significance * static_cast<double>(n + 1)), n);
  while (r > 0 && kept(r - 1)) --r;
  while (r < n && !kept(r)) ++r;
  return r;
}

/// The r-th smallest of means[k] - residual over all machines k; their residuals descend.
double smallest_end(const std::vector<std::vector<double>>& residuals, std::span<const double> means, std::size_t r,
                    double sign) {
  std::vector<std::size_t> taken(residuals.size(), 0);
  double end = 0;
  for (; r > 0; --r) {
    std::size_t first = residuals.size();
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      if (taken[k] == residuals[k].size()) continue;
      const double own = sign * means[k] - residuals[k][taken[k]];
      if (first < residuals.size() && own >= end) continue;
      end = own;
      first = k;
    }
    ++taken[first];
  }
  return sign * end;
}

}  // namespace

CrossRegression::CrossRegression(std::span<const double> residuals, std::span<const int> machine_of,
                                 std::size_t machines)
    : residuals_(std::max<std::size_t>(machines, 1)), size_(residuals.size()) {
  if (residuals.empty()) refuse_data("a conformal regression needs at least one held-out example");
  if (!machine_of.empty() && machine_of.size() != residuals.size())
    refuse(fmt::format("there are {} residuals, but models of {}", residuals.size(), machine_of.size()));
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    const int machine = machine_of.empty() ? 0 : machine_of[i];
    if (machine < 0 || static_cast<std::size_t>(machine) >= residuals_.size())
      refuse(fmt::format("residual {} (numbered from 0) is of model {}, which does not exist", i, machine));
    if (!(residuals[i] >= 0))
      refuse(fmt::format("residual {} (numbered from 0) is {}, but must be 0 or more", i, residuals[i]));
    residuals_[static_cast<std::size_t>(machine)].push_back(residuals[i]);
  }
  for (std::vector<double>& own : residuals_) std::ranges::sort(own, std::ranges::greater{});
}

PredictionInterval CrossRegression::interval(std::span<const double> means, double significance) const {
  if (!(significance > 0 && significance < 1))
    refuse(fmt::format("a significance level must lie between 0 and 1, both excluded, not {}", significance));
  if (means.size() != machines()) refuse(fmt::format("there are {} models, but {} means", machines(), means.size()));
  const std::size_t r = ends_beyond(size_, significance);
  if (r == 0) return whole_line;
  // m + R is -(-m - R), in floating point too.
  const PredictionInterval ends{smallest_end(residuals_, means, r, 1), smallest_end(residuals_, means, r, -1)};
  if (ends.lower <= ends.upper) return ends;
  const double middle = ends.lower / 2 + ends.upper / 2;
  return {middle, middle};
}

Rank CrossRegression::rank(std::span<const double> means, double target) const {
  if (means.size() != machines()) refuse(fmt::format("there are {} models, but {} means", machines(), means.size()));
  const auto side = [&](double sign) {
    Rank rank{.of = static_cast<double>(size_)};
    for (std::size_t k = 0; k < residuals_.size(); ++k) {
      const std::vector<double>& own = residuals_[k];
      const auto end_of = [&](double residual) { return sign * means[k] - residual; };
      const auto beyond = std::ranges::lower_bound(own, sign * target, {}, end_of);
      const auto level = std::ranges::upper_bound(own, sign * target, {}, end_of);
      rank.greater += static_cast<double>(beyond - own.begin());
      rank.equal += static_cast<double>(level - beyond);
    }
    return rank;
  };
  const Rank below = side(1);
  const Rank above = side(-1);
  return below.greater + below.equal <= above.greater + above.equal ? below : above;
}

std::span<const double> CrossRegression::means_of(const model::Prediction& prediction, std::size_t row) const {
  if (prediction.fold_model_mean.rows > 0) return prediction.fold_model_mean.row(row);
  return std::span(prediction.mean).subspan(row, 1);
}

std::vector<PredictionInterval> CrossRegression::intervals(const model::Prediction& prediction,
                                                           double significance) const {
  return core::made(prediction.mean.size(),
                    [&](std::size_t row) { return interval(means_of(prediction, row), significance); });
}

Ranks CrossRegression::ranks(const model::Prediction& prediction, std::span<const double> targets) const {
  if (targets.size() != prediction.mean.size())
    refuse(fmt::format("there are {} predictions, but {} targets", prediction.mean.size(), targets.size()));
  Ranks ranks(targets.size(), 1);
  for (std::size_t row = 0; row < targets.size(); ++row)
    ranks.at(row, 0) = rank(means_of(prediction, row), targets[row]);
  return ranks;
}

std::vector<double> CrossRegression::p_values(const model::Prediction& prediction,
                                              std::span<const double> targets) const {
  const data::DenseMatrix p = conformal::p_values(ranks(prediction, targets), {});
  return {p.values.begin(), p.values.end()};
}

CrossRegression regression_of(const model::Predictor& model) {
  if (!model.calibration.labels.empty())
    refuse_data("the model keeps scores of classes, not residuals of a regression");
  return {model.calibration.nonconformity_scores, model.calibration.fold_model_of, model.fold_models.count()};
}

}  // namespace credence::conformal
