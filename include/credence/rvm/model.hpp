#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/predictor.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/svm/family.hpp"

namespace credence::rvm {

/// One relevance vector machine: y(x) = bias + sum_i w_i K(x, z_i).
struct Machine {
  int positive = 1;                    ///< the class whose probability is expit(y); regression: 0
  bool has_bias = false;               ///< false if the bias was pruned
  double bias = 0;                     ///< 0 if the bias was pruned
  std::vector<std::uint32_t> centres;  ///< rows of RvmModel::centres, ascending
  std::vector<double> weights;         ///< w_i of each centre
  data::DenseMatrix covariance;        ///< covariance C = H^-1 of the bias (if there is one) and the weights
  double noise_variance = 1;           ///< regression: variance of the noise
  double log_evidence = 0;
  Status status = Status::converged;
  bool null_model = false;  ///< true: the RVM is a constant without centres
  int iterations = 0;
};

/// A relevance vector machine: a classifier or a regression. A classifier of two classes and a regression have one
/// RVM; a classifier of more classes has one RVM for each class against the rest.
///
/// A classifier of two classes gives rows with y > 0 the second class; a row with y = 0 (the null model without bias)
/// gets the class that was more frequent in training. With more classes, the class with the largest y wins, and ties go
/// to the class that was most frequent. Probabilities are expit(y) for two classes; for more classes they are
/// expit(y_c) / sum over classes, because each RVM was fitted on its own. Moderated probabilities (MacKay, Neural
/// Computation 4, 1992) use expit(y / sqrt(1 + pi v / 8)) with the variance v = phi' C phi of y, and are closer to 1/2
/// where the data say little. A regression gives the mean y and the variance noise + phi' C phi.
struct RvmModel final : model::Predictor {
  kernel::Kernel kernel;
  data::Features centres;                ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t> centre_rows;  ///< training row (0-based) of each centre: the column of a precomputed kernel
  std::vector<Machine> machines;
  std::vector<std::size_t> class_counts;  ///< training rows of each class; empty for regression

  std::size_t centre_count() const { return centre_rows.size(); }
  /// Classifiers give label, decision (y of each RVM), score (y and -y; y_c with more classes), probability and
  /// moderated.
  /// Regressions give mean and sd.
  /// Cost: for each row centres x columns, and M^2 for the variance of each RVM.
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  std::shared_ptr<const model::ClassifierFamily> classifiers() const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
};

/// Returns the RVMs as a family of one model, which SVMs and relevance vector machines share. A regression becomes
/// a family of one class, whose score is the mean.
std::shared_ptr<svm::SvmFamily> family_of(const RvmModel& model);

}  // namespace credence::rvm
