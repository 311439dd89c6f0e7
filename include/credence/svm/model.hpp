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

/// In BinaryMachine::negative: all other classes.
inline constexpr int the_rest = -1;

/// One binary machine of a one-against-one classifier: decision > 0 votes for `positive`.
/// Two classes: positive = 1, negative = 0, so that a positive decision speaks for the second class.
/// More: pairs (a, b), a < b, in the order (0,1), (0,2), ..., (1,2), ...; positive = a (as LIBSVM and scikit-learn).
/// One-against-rest: a machine for each class, in order, negative = the_rest.
struct BinaryMachine {
  int positive = 1;
  int negative = 0;
  std::vector<std::uint32_t> support;  ///< rows of SvmModel::support_vectors, ascending
  std::vector<double> coefficients;    ///< beta_i = y_i alpha_i of each
  double bias = 0;                     ///< decision = sum_i beta_i K(x_i, x) + bias
};

/// A trained SVM: C-SVC, or nu-SVC, which is a C-SVC whose C follows from nu.
struct SvmModel final : model::Predictor {
  kernel::Kernel kernel;
  data::Features support_vectors;  ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t>
      support_rows;  ///< training row (0-based) of each support vector: the column of a precomputed kernel
  std::vector<BinaryMachine> machines;
  /// A hint f0 of the same machines over the same preprocessed features, whose decision values are added. May be empty.
  std::shared_ptr<const SvmModel> hint;

  std::size_t support_count() const { return support_rows.size(); }
  /// The w of each machine of a linear kernel, without the hint's: decision = w x + bias. Machines x columns.
  /// @throws Error invalid_argument for other kernels
  data::DenseMatrix linear_weights() const;
  /// Adds Dataset::hint to the decision value where the schema has a hint column (two classes).
  /// @throws Error invalid_data also if the rows bring no hint then
  model::Prediction predict(const data::Dataset& rows, const core::Context& context) const override;
  /// Label, decision values and scores (`class_scores`).
  /// Cost: support vectors x columns for each row; machines x columns for dense rows of a linear kernel with more
  /// support vectors than machines, after the weights have been summed.
  model::Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const override;
  model::Capabilities capabilities() const override;
  std::string description() const override;
  std::vector<std::string> decision_names() const override;
};

/// LIBSVM's voting: each machine gives one vote, the class with most votes wins, ties go to the lowest class index.
/// One-against-rest: the class with the largest decision value, ties to the lowest.
int vote(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes);

/// The machines of a k-class problem, in order, without support vectors.
std::vector<BinaryMachine> machine_layout(std::size_t classes);
/// The same one-against-rest: one machine for each class; a single one, as above, for two.
std::vector<BinaryMachine> one_against_rest(std::size_t classes);

}  // namespace credence::svm
