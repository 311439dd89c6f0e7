#pragma once

#include "credence/selection/method_parts.hpp"

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
                                       .looks_at = "validation refit score cost rule"};

  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

/// The vote of all models with the smallest error on the rows held out.
struct HoldOutVote {
  static constexpr const char* name = "holdout-vote";
  static constexpr const char* sentence = "the vote of all models with the smallest error on rows held out once";
  static constexpr MethodTraits traits{.neighbours = true, .relevance = true, .looks_at = "validation"};

  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
