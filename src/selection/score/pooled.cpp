#include "selection/score/pooled.hpp"

#include <cmath>

#include "core/numbers.hpp"
#include "selection/score/area.hpp"

namespace credence::selection {

namespace {

using core::nan;

}  // namespace

ScoreSums sums_of_losses(std::span<const double> losses, std::span<const double> weights) {
  ScoreSums sums(2, 0.0);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    sums[0] += weight * losses[i];
    sums[1] += weight;
  }
  return sums;
}

ScoreSums sums_of_margins(std::span<const double> margins, std::span<const int> labels,
                          std::span<const double> weights) {
  const OrderedPairs pairs =
      pairs_in_order(ascending(margins), margins.data(), labels.data(), weights.empty() ? nullptr : weights.data());
  return {pairs.ordered, pairs.all};
}

ScoreSums together(const ScoreSums& one, const ScoreSums& other) {
  if (one.empty()) return other;
  ScoreSums sums = one;
  for (std::size_t i = 0; i < other.size(); ++i) sums[i] += other[i];
  return sums;
}

double loss_of_sums(Score score, const ScoreSums& sums) {
  if (sums.empty()) return nan;
  if (sums.size() > 2) return loss_of(score, LabelCounts(sums).score(score));
  if (!(sums[1] > 0)) return nan;
  return score == Score::roc_auc ? 1 - sums[0] / sums[1] : sums[0] / sums[1];
}

PooledLoss pooled_loss(Score score, std::span<const ScoreSums> parts) {
  PooledLoss pooled;
  std::vector<std::size_t> counted;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!std::isnan(loss_of_sums(score, parts[k]))) counted.push_back(k);
  ScoreSums all;
  for (const std::size_t k : counted) all = together(all, parts[k]);
  pooled.loss = loss_of_sums(score, all);
  pooled.values.assign(parts.size(), nan);
  std::vector<double> without(parts.size(), nan);
  double mean = 0;
  for (const std::size_t k : counted) {
    ScoreSums others;
    for (const std::size_t j : counted)
      if (j != k) others = together(others, parts[j]);
    without[k] = loss_of_sums(score, others);
    mean += without[k] / static_cast<double>(counted.size());
  }
  const auto rest = static_cast<double>(counted.size()) - 1;
  for (const std::size_t k : counted)
    pooled.values[k] = counted.size() < 2 ? pooled.loss : pooled.loss + rest * (mean - without[k]);
  return pooled;
}

}  // namespace credence::selection
