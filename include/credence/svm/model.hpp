#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/predictor.hpp"

namespace credence::svm {

/// This value of BinaryMachine::negative stands for all other classes.
inline constexpr int the_rest = -1;

/// One binary SVM of a classifier. A decision value > 0 is a vote for `positive`.
/// Two classes: positive = 1 and negative = 0, so that a positive decision value speaks for the second class.
/// More classes, one-against-one: pairs (a, b), a < b, in the order (0,1), (0,2), ..., (1,2), ...; positive = a (as in
/// LIBSVM and scikit-learn).
/// One-against-rest: one binary SVM for each class, in the order of the classes, with negative = the_rest.
struct BinaryMachine {
  int positive = 1;
  int negative = 0;
  std::vector<std::uint32_t> support;  ///< rows of SvmModel::support_vectors, ascending
  std::vector<double> coefficients;    ///< beta_i = y_i alpha_i of each support vector
  double bias = 0;                     ///< decision = sum_i beta_i K(x_i, x) + bias
};

/// A trained SVM: a C-SVC, or a nu-SVC, which is a C-SVC whose C follows from nu.
struct SvmModel final : model::Predictor {
  kernel::Kernel kernel;
  data::Features support_vectors;  ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t>
      support_rows;  ///< training row (0-based) of each support vector: the column of a precomputed kernel
  std::vector<BinaryMachine> machines;
  /// A hint f0 with the same binary SVMs over the same features, whose decision values are added; may be null.
  std::shared_ptr<const SvmModel> hint;

  std::size_t support_count() const { return support_rows.size(); }
  /// Returns the w of each binary SVM of a linear kernel, without the hint's: decision = w x + bias. The matrix has a
  /// row for each binary SVM and a column for each feature.
  /// @throws Error invalid_argument for other kernels
  data::DenseMatrix linear_weights() const;
  /// Predicts, and adds Dataset::hint to the decision value if the schema has a hint column (two classes).
  /// @throws Error invalid_data also if the schema has a hint column and the rows have no hint
  model::Prediction predict(const data::Dataset& rows, const core::Context& context) const override;
  /// The fold models of a selection share kernel values with this model, if they share its preprocessing.
  model::Prediction predict_with_fold_models(const data::Dataset& rows, const core::Context& context,
                                             const model::Members::Visit& visit) const override;
  /// Gives label, decision values and scores (`class_scores`).
  /// Cost: support vectors x columns for each row. If a linear kernel has more support vectors than binary SVMs, a
  /// dense row costs only binary SVMs x columns, after the weights have been summed once.
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  std::shared_ptr<const model::ClassifierFamily> classifiers() const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
};

/// Whether every binary SVM of an rbf or laplacian kernel remembers its rows one by one. At a support vector, the part
/// of the decision value that all other rows add then varies by less than half of the support vector's own term, and
/// has a correlation below 0.2 with its class. A new row gets nearly the same decision value wherever it lies. Cost:
/// the decision values of at most 200 support vectors.  @throws Error interrupted
bool memorised(const SvmModel& model, const core::Context& context);

/// Returns the class that the binary SVMs vote for, as LIBSVM does: each binary SVM gives one vote, the class with most
/// votes wins, and ties go to the lowest class index. With one-against-rest binary SVMs the class with the largest
/// decision value wins, and ties go to the lowest class index.
int vote(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes);

/// Returns the one-against-one binary SVMs of a k-class problem, in order, without support vectors.
std::vector<BinaryMachine> machine_layout(std::size_t classes);
/// Returns the one-against-rest binary SVMs, one for each class; for two classes the one of `machine_layout`.
std::vector<BinaryMachine> one_against_rest(std::size_t classes);

}  // namespace credence::svm
