#pragma once

#include "credence/selection/method_parts.hpp"
#include "credence/selection/nonconformity.hpp"

namespace credence::selection {

/// What is handed over by a method whose models were trained without the validation rows.
enum class Refit {
  all_rows,       ///< the chosen cell, trained on all rows
  training_rows,  ///< the model that was judged, trained without the validation rows
};
constexpr auto words_of(Refit) {
  return std::array{core::Word{"all", Refit::all_rows}, core::Word{"training", Refit::training_rows}};
}

/// Every cell judged on rows that are held out once.
struct HoldOut {
  static constexpr const char* name = "holdout";
  static constexpr const char* sentence = "the cell with the smallest error on rows held out once";
  static constexpr MethodTraits traits{.neighbours = true,
                                       .relevance = true,
                                       .calibrates = true,
                                       .trains_cell = true,
                                       .many_kernels = true,
                                       .looks_at = "validation refit score cost rule"};

  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

/// The vote of all models with the smallest error on the rows held out.
struct HoldOutVote {
  static constexpr const char* name = "holdout-vote";
  static constexpr const char* sentence = "the vote of all models with the smallest error on rows held out once";
  static constexpr MethodTraits traits{
      .neighbours = true, .relevance = true, .many_kernels = true, .looks_at = "validation"};

  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

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

  static void describe(auto&& field) { field("margin", &MaxMargin::margin, "the margin that is compared"); }
  std::string words(std::size_t n) const;
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

/// All models, each row with the one that is surest of it: see nonconformity.hpp.
struct Nonconformity {
  static constexpr const char* name = "nonconformity";
  static constexpr const char* sentence = "all models; for each row the one that is surest of it";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Tie tie = Tie::validation_error;
  PValue p_value = PValue::paper;

  static void describe(auto&& field) {
    field("tie", &Nonconformity::tie, "which of the tied models decides; random is the paper's");
    field("p_value", &Nonconformity::p_value, "p-values as in the paper, or conformal ones");
  }
  std::string words(std::size_t n) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
