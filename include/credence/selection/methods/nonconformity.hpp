#pragma once

#include "credence/selection/method_parts.hpp"
#include "credence/selection/nonconformity.hpp"

namespace credence::selection {

/// All models, each row with the one that is surest of it: see nonconformity.hpp.
struct Nonconformity {
  static constexpr const char* name = "nonconformity";
  static constexpr const char* sentence = "all models; for each row the one that is surest of it";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Tie tie = Tie::validation_error;
  PValue p_value = PValue::paper;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("tie", &Nonconformity::tie, "which of the tied models decides; random is the paper's");
    field("p_value", &Nonconformity::p_value, "p-values as in the paper, or conformal ones");
  }
  std::string words(std::size_t n) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
