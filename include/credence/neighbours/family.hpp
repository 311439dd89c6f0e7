#pragma once

#include <cstddef>
#include <vector>

#include "credence/model/classifier_family.hpp"

namespace credence::neighbours {

/// Nearest neighbours as classifiers, one for each k. The score of class y is (b - a) / (b + a), in [-1, 1], where a
/// is the sum of the Euclidean distances to the k nearest training rows of class y, b to the k nearest of all other
/// classes; 0 if both are 0. A class (or all others together) with fewer than k rows gives the sum over those it has,
/// times k over their number; with none, infinity (score -1, or 1). It grows as the strangeness a / b of the
/// nearest-neighbour nonconformity measure (Shafer and Vovk, JMLR 9, 2008; Proedrou et al., ECML 2002) falls.
/// A model's label is the class with the largest score, ties to the lowest class; with k = 1 that is 1-NN.
class NeighbourFamily final : public model::ClassifierFamily {
 public:
  data::Features rows;      ///< preprocessed training rows
  std::vector<int> labels;  ///< of each
  std::vector<int> k;       ///< >= 1, ascending
  std::size_t class_count = 0;

  std::size_t models() const override { return k.size(); }
  std::size_t classes() const override { return class_count; }
  /// Distances are direct differences summed in double (see metric.hpp); a screen in float leaves out rows that are
  /// surely too far away. Cost: n d a row in SIMD; if fewer than 1 in 32 numbers of sparse training rows are not 0,
  /// their non-zeros instead. Memory: the training rows once more in double and in float, and 8 query rows x n floats
  /// for each thread.
  /// @throws Error as the interface says; invalid_argument if the members above do not fit together
  void score(const data::Features& queries, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override;
};

}  // namespace credence::neighbours
