#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"

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

}  // namespace credence::selection
