#pragma once

#include <span>
#include <vector>

#include "credence/selection/score.hpp"

namespace credence::selection {

/// What of some rows makes a score, in numbers that add up over parts of the rows: of labels LabelCounts::sums; of
/// margins the pairs in the right order, and all pairs; of losses their sum, and that of the weights.
using ScoreSums = std::vector<double>;

/// @param weights  of each loss; empty: all 1
ScoreSums sums_of_losses(std::span<const double> losses, std::span<const double> weights = {});
/// Pairs are of these margins alone: those of another part are margins of another model.
ScoreSums sums_of_margins(std::span<const double> margins, std::span<const int> labels,
                          std::span<const double> weights = {});

/// Both, number by number; either may be empty.
ScoreSums together(const ScoreSums& one, const ScoreSums& other);

/// What is to be small (loss_of) for the rows with these sums; sums of losses with Score::accuracy are of errors. NaN
/// where the score is undefined.
double loss_of_sums(Score score, const ScoreSums& sums);

/// The loss of all parts together.
struct PooledLoss {
  double loss = 0;  ///< NaN where the score is undefined
  /// What each part adds: their mean is `loss`, and their deviation over the root of their number is the jackknife's
  /// standard error of the loss. For parts of equal size and a score that is a mean, they are the losses of the parts.
  /// NaN for a part without a score, which does not count.
  std::vector<double> values;
};

/// With L the loss of all m parts and L_k that of all but part k, values are L + (m - 1) (mean of L_j - L_k).
PooledLoss pooled_loss(Score score, std::span<const ScoreSums> parts);

}  // namespace credence::selection
