#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

/// Adapts a model to another data set: labelled local rows replace the rows that p-values and probabilities compare
/// with. The model stays as it is.
namespace credence::conformal {

/// Tests whether nonconformity scores of true classes are distributed alike in local rows and in a model's own.
///
/// The statistic is the sum over classes of z^2, where z is the rank sum of the local rows among all rows of the class
/// (mid-ranks for ties), minus its mean over permutations, divided by its standard deviation. The p-value counts random
/// permutations within classes, so that class shares may differ: p = (1 + #{T_b >= T}) / (B + 1).
struct LocalTest {
  static constexpr std::size_t permutations = 9999;

  double statistic = 0;
  double p_value = 1;
  std::vector<std::size_t> local;  ///< rows of the data set, of each class
  std::vector<std::size_t> kept;   ///< rows that the model keeps
  /// Whether P(p <= u) <= u is proved for rows that are exchangeable within each class. It is if the model that
  /// predicts also scored the kept rows, and they had no part in its training.
  bool proved = false;
};

/// Compares local rows with the kept ones, and then replaces the kept ones by the local ones: in Calibration, or in the
/// part of an inductive predictor. Fold models are removed, because no row is compared with their rows any more. The
/// p-values are then `split`.
/// @param local  raw rows with the model's schema, labelled
/// @param seed   of the permutations
/// @throws Error invalid_argument for a model that has no p-values, compares within regions or categories, weighs rows,
/// or is transductive or cross-conformal; invalid_data for rows without labels, or with a class that the model does not
/// know; interrupted
/// Cost: predicting the rows, and `permutations` random subsets.
LocalTest calibrate_locally(model::Predictor& model, const data::Dataset& local, std::uint64_t seed,
                            const core::Context& context);

}  // namespace credence::conformal
