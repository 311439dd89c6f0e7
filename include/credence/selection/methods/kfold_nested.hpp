#pragma once

#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// Cross-validation that chooses within cross-validation that judges (Anguita et al., 2012, section III-A).
struct KFoldNested {
  static constexpr const char* name = "kfold-nested";
  static constexpr const char* sentence =
      "cross-validation that chooses within cross-validation that judges, with bounds on the error";
  static constexpr MethodTraits traits{.relevance = true,
                                       .regression = true,
                                       .folds = true,
                                       .calibrates = true,
                                       .nests = true,
                                       .looks_at = "loss final union"};

  int folds = 10;  ///< not used where the data set brings fixed folds

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("folds", &KFoldNested::folds, "folds of the rows, stratified by class", core::at_least(3));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  std::vector<std::string> problems(const Options& options) const;
  std::vector<std::string> gaps(const data::Dataset& dataset, const Selection& selection) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
