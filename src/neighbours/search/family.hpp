#pragma once

#include <cstddef>
#include <vector>

#include "credence/model/classifier_family.hpp"

namespace credence::neighbours {

/// Nearest neighbours as classifiers, one model for each k. The score of class y is (b - a) / (b + a), in [-1, 1],
/// where a is the sum of the Euclidean distances to the k nearest training rows of class y, and b is the sum to the k
/// nearest rows of all other classes; the score is 0 if both are 0. If a class (or all others together) has m < k rows,
/// its sum runs over these m rows and is multiplied by k / m; with m = 0 the sum is infinity (score -1, or 1). The
/// score grows as the nonconformity score a / b of the nearest-neighbour nonconformity measure falls (Shafer and Vovk,
/// JMLR 9, 2008; Proedrou et al., ECML 2002). A model's label is the class with the largest score, and ties go to the
/// lowest class; with k = 1 the model is 1-NN.
class NeighbourFamily final : public model::ClassifierFamily {
 public:
  data::Features rows;      ///< preprocessed training rows
  std::vector<int> labels;  ///< label of each training row
  std::vector<int> k;       ///< >= 1, ascending
  std::size_t class_count = 0;

  std::size_t models() const override { return k.size(); }
  std::size_t classes() const override { return class_count; }
  /// Distances are direct differences summed in double (see metric.hpp). A screen in float first drops rows that are
  /// surely too far away. Memory: the training rows once more in double and in float, and 8 query rows x n floats for
  /// each thread.
  /// @throws Error as the interface says; invalid_argument if the members above do not fit together
  /// Cost: n d SIMD steps for each row. If fewer than 1 in 32 numbers of sparse training rows are not 0, the cost is
  /// the number of these non-zeros for each row.
  void score(const data::Features& queries, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

}  // namespace credence::neighbours
