#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"

/// What the in-sample methods differ in: over which label vectors a complexity is a mean, and its confidence term.
namespace credence::selection {

/// -1 or +1 for each row.
using Labels = std::vector<int>;

struct LabelVectors {
  std::vector<Labels> vectors;
  bool enumerated = false;  ///< all there are (perhaps up to the sign)
};

struct ComplexityMethod {
  std::string_view name;
  bool of_labels;  ///< the label vectors depend on the true labels
  /// `trials` label vectors, or all if there are not more.
  /// @param even  t and -t have the same minimal loss: there is no hint
  LabelVectors (*draw)(std::span<const int> labels, bool even, std::size_t trials, std::uint64_t seed);
  /// The confidence term. @throws Error invalid_argument as the bounds do
  double (*deviation)(std::size_t n, const LabelVectors& drawn, ComplexityTerm term, double delta);
};

/// The procedure that both share.
Selection select_in_sample(const ComplexityMethod& method, const data::Dataset& dataset, const Options& options,
                           const core::Context& context);

/// `count` different label vectors: candidates are made in turn, each from a random stream (seed, purpose + its number)
/// of its own, and those that came before are left out. There must be that many.
/// @param even  a vector and its negative count as the same
std::vector<Labels> distinct_labels(std::size_t count, bool even, std::uint64_t seed, std::uint64_t purpose,
                                    const std::function<Labels(core::RandomStream&)>& make);

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
