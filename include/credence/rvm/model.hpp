#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/predictor.hpp"
#include "credence/rvm/sparse_bayes.hpp"

namespace credence::rvm {

/// One relevance vector machine: y(x) = bias + sum_i w_i K(x, z_i).
struct Machine {
  int positive = 1;                    ///< class whose probability is expit(y); regression: 0
  bool has_bias = false;               ///< false if the bias was pruned
  double bias = 0;                     ///< 0 if it was pruned
  std::vector<std::uint32_t> centres;  ///< rows of RvmModel::centres, ascending
  std::vector<double> weights;         ///< of each
  data::DenseMatrix covariance;        ///< of (bias if there is one, weights): C = H^-1
  double noise_variance = 1;           ///< regression
  double log_evidence = 0;
  Status status = Status::converged;
  bool null_model = false;  ///< then it has no centres: a constant
  int iterations = 0;
};

/// A relevance vector machine: a classifier, with one machine for two classes and one for each class against the rest
/// for more, or a regression with one.
///
/// A classifier of two classes gives y > 0 the second class; where y is 0 (the null model without bias) the class that
/// was more frequent in training. With more classes, the class with the largest y; ties to the class that was most
/// frequent. Probabilities: expit(y) for two; for more, expit(y_c) / sum over classes, as each machine was fitted on
/// its own. Moderated (MacKay, Neural Computation 4, 1992): expit(y / sqrt(1 + pi v / 8)) with the variance v = phi' C
/// phi of y; closer to 1/2 where the data say little. Regression: mean y, variance noise + phi' C phi.
struct RvmModel final : model::Predictor {
  kernel::Kernel kernel;
  data::Features centres;                ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t> centre_rows;  ///< training row (0-based) of each centre: the column of a precomputed kernel
  std::vector<Machine> machines;
  std::vector<std::size_t> class_counts;  ///< of the training rows; empty for regression

  std::size_t centre_count() const { return centre_rows.size(); }
  /// Classifiers: label, decision (y of each machine), score (y and -y; y_c with more classes), probability, moderated.
  /// Regression: mean, sd.
  /// Cost: for each row centres x columns, and M^2 for the variance of each machine.
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
};

}  // namespace credence::rvm
