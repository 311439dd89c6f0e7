#pragma once

#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// Which margin the maximum-margin method compares.
enum class Margin {
  functional,  ///< |f(x)|, as in the paper
  geometric,   ///< |f(x)| / |w|
};
constexpr auto words_of(Margin) {
  return std::array{core::Word{"functional", Margin::functional}, core::Word{"geometric", Margin::geometric}};
}

/// SVM-Linf: all models, each row with the one that has the largest margin.
struct MaxMargin {
  static constexpr const char* name = "max-margin";
  static constexpr const char* sentence = "all models; for each row the one with the largest margin";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Margin margin = Margin::functional;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("margin", &MaxMargin::margin, "the margin that is compared");
  }
  std::string words(std::size_t n) const;
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
