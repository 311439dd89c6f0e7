#include "credence/selection/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "selection/score/area.hpp"

namespace credence::selection {
namespace {

using core::nan;

double sum_of_values(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

std::string title(Score score) {
  switch (score) {
    case Score::balanced_accuracy:
      return "balanced accuracy";
    case Score::roc_auc:
      return "AUC";
    case Score::f1:
      return "F1";
    case Score::f1_macro:
      return "macro F1";
    case Score::log_loss:
      return "log loss";
    case Score::cost:
      return "mean cost";
    case Score::accuracy:
      break;
  }
  return "accuracy";
}

std::string loss_title(Score score) {
  if (score == Score::accuracy) return "error";
  return is_mean_loss(score) ? title(score) : "1 - " + title(score);
}

LabelCounts::LabelCounts(std::vector<double> sums) : classes_(sums.size() / 3), sums_(std::move(sums)) {}

void LabelCounts::add(std::size_t truth, std::size_t label, double weight) {
  if (truth == label) sums_[truth] += weight;
  sums_[classes_ + truth] += weight;
  sums_[2 * classes_ + label] += weight;
}

double LabelCounts::f1(std::size_t positive) const {
  const double all = rows()[positive] + predicted()[positive];
  return all > 0 ? 2 * hits()[positive] / all : 0;
}

double LabelCounts::score(Score score) const {
  const double all = sum_of_values(rows());
  if (!(all > 0)) return nan;
  if (score == Score::accuracy) return sum_of_values(hits()) / all;
  if (score == Score::f1) return f1(1);
  if (score != Score::balanced_accuracy && score != Score::f1_macro)
    throw Error(ErrorCode::invalid_argument, fmt::format("labels alone do not make the {}", title(score)));
  double total = 0;
  double classes = 0;
  for (std::size_t c = 0; c < classes_; ++c) {
    const bool recall = score == Score::balanced_accuracy;
    if (!(rows()[c] > 0) && (recall || !(predicted()[c] > 0))) continue;
    total += recall ? hits()[c] / rows()[c] : f1(c);
    classes += 1;
  }
  return total / classes;
}

OrderedPairs pairs_in_order(std::span<const std::uint32_t> order, const double* margins, const int* labels,
                            const double* weights) {
  double below = 0;    // weight of the first class at smaller margins
  double ordered = 0;  // weight of pairs in the right order
  double second = 0;
  for (std::size_t i = 0; i < order.size();) {
    double here[2] = {0, 0};
    const double margin = margins[order[i]];
    for (; i < order.size() && margins[order[i]] == margin; ++i)
      here[labels[order[i]]] += weights == nullptr ? 1 : weights[order[i]];
    ordered += here[1] * (below + here[0] / 2);
    below += here[0];
    second += here[1];
  }
  return {ordered, below * second};
}

std::vector<std::uint32_t> ascending(std::span<const double> margins) {
  std::vector<std::uint32_t> order(margins.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return margins[i]; });
  return order;
}

double roc_auc(std::span<const double> margins, std::span<const int> labels, std::span<const double> weights) {
  if (labels.size() != margins.size() || (!weights.empty() && weights.size() != margins.size())) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("an AUC needs as many labels and weights as margins; there are {}, {} and {}",
                            labels.size(), weights.size(), margins.size()));
  }
  if (std::ranges::any_of(labels, [](int label) { return label != 0 && label != 1; }))
    throw Error(ErrorCode::invalid_argument, "the AUC is one of two classes, 0 and 1");
  return pairs_in_order(ascending(margins), margins.data(), labels.data(), weights.empty() ? nullptr : weights.data())
      .area();
}

}  // namespace credence::selection
