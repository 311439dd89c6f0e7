#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"
#include "selection/in_sample/in_sample_labels.hpp"

namespace credence::selection {

/// What is to be bounded: the rows, their features, and for each machine labels and hint.
struct InSampleProblem {
  struct Machine {
    Labels labels;
    std::vector<double> hint;  ///< f0; empty: 0
  };
  std::vector<std::size_t> rows;  ///< of the data set: those that the hint was not trained on
  data::Schema schema;            ///< of the classifier
  data::Preprocessing preprocessing;
  data::Features features;  ///< of these rows, preprocessed
  /// The same less `centre`, where that changes nothing but the bias: kernel values are floats, and those of rows far
  /// from 0 would differ in their last digits only. Empty elsewhere.
  std::optional<data::Features> centred;
  std::vector<double> centre;
  std::vector<double> gammas;  ///< one 0 for kernels without
  std::vector<svm::BinaryMachine> layout;
  std::vector<Machine> machines;
  std::shared_ptr<const svm::SvmModel> hint;  ///< trained on the other rows; may be empty
  std::size_t hint_rows = 0;
  bool given_hint = false;
  bool fixed_in_advance = true;  ///< nothing was fitted on the rows of the bound
  bool positive_semidefinite = true;

  const data::Features& for_kernel() const { return centred ? *centred : features; }
};

/// Splits the rows, fits the preprocessing (on the rows of the hint where there are any, else on all) and trains the
/// hint.
/// @throws Error invalid_data, invalid_argument for data that the in-sample methods cannot take; interrupted
InSampleProblem make_in_sample_problem(const data::Dataset& dataset, const Options& options,
                                       const core::Context& context, std::vector<std::string>& warnings);

}  // namespace credence::selection
