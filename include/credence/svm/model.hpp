#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/kernel/kernel.hpp"

namespace credence::svm {

/// One binary machine of a one-against-one classifier: decision > 0 votes for `positive`.
/// Two classes: positive = 1, negative = 0, so that a positive decision speaks for the second class.
/// More: pairs (a, b), a < b, in the order (0,1), (0,2), ..., (1,2), ...; positive = a (as LIBSVM and scikit-learn).
struct BinaryMachine {
  int positive = 1;
  int negative = 0;
  std::vector<std::uint32_t> support;  ///< rows of SvmModel::support_vectors, ascending
  std::vector<double> coefficients;    ///< beta_i = y_i alpha_i of each
  double bias = 0;                     ///< decision = sum_i beta_i K(x_i, x) + bias
};

/// What a model says about how it came to be.
struct TrainingRecord {
  std::string method = "train";  ///< "train", "cv", ...
  std::size_t rows = 0;          ///< training rows
  std::uint64_t seed = 0;
  double C = 1;
  double tolerance = 1e-3;
  std::optional<double> cv_error;  ///< of the chosen cell (optimistic), where a selection was made
  std::optional<int> folds;
  std::string version;  ///< of the library
};

/// A prediction for each row. `label` indexes Schema::classes.
struct Prediction {
  std::vector<int> label;
  data::DenseMatrix decision;  ///< rows x machines
};

/// A trained C-SVC with everything that is needed to predict from raw rows.
struct SvmModel {
  data::Schema schema;
  data::Missing missing;  ///< what training did with missing cells; predict does the same
  data::Preprocessing preprocessing;
  kernel::Kernel kernel;
  data::Features support_vectors;  ///< preprocessed; empty for precomputed kernels
  std::vector<std::size_t>
      support_rows;  ///< training row (0-based) of each support vector: the column of a precomputed kernel
  std::vector<BinaryMachine> machines;
  TrainingRecord record;

  std::size_t support_count() const { return support_rows.size(); }

  /// Labels and decision values. Rows are taken in blocks: memory is O(block * support vectors).
  /// @param rows  raw rows with this model's schema (read with ReadOptions::schema)
  /// @throws Error invalid_data, e.g. for a column count that differs
  Prediction predict(const data::Dataset& rows, const core::Context& context) const;
  /// The same for rows that are preprocessed already.
  Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const;
};

/// LIBSVM's voting: each machine gives one vote, the class with most votes wins, ties go to the lowest class index.
int vote(std::span<const double> decisions, std::span<const BinaryMachine> machines, std::size_t classes);

/// The machines of a k-class problem, in order, without support vectors.
std::vector<BinaryMachine> machine_layout(std::size_t classes);

}  // namespace credence::svm
