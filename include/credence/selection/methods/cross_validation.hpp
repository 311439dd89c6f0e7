#pragma once

#include <cstddef>

#include "credence/selection/method_parts.hpp"
#include "credence/selection/race.hpp"

namespace credence::selection {

struct Forecast;

/// Every cell judged on the folds that its machines have not seen. Where the data set brings splits of its own
/// (data::Dataset::splits), these take the place of folds.
struct CrossValidation {
  static constexpr const char* name = "cv";
  static constexpr const char* sentence = "the ten best cells by cross-validation, or the best one";
  static constexpr MethodTraits traits{.relevance = true,
                                       .regression = true,
                                       .folds = true,
                                       .splits = true,
                                       .goes_on = true,
                                       .calibrates = true,
                                       .trains_cell = true,
                                       .many_kernels = true,
                                       .default_many = true,
                                       .looks_at = "loss score cost rule race",
                                       .in_regions = "regions"};

  int folds = 10;  ///< not used where the data set brings splits or fixed folds

  static void describe(auto&& field) {
    field("folds", &CrossValidation::folds, "folds of the rows, stratified by class", core::at_least(2));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  /// @param forecast  of the same data and options, which saves a pilot of the race; nullptr: there is none
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                   const Forecast* forecast = nullptr) const;
};

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
                                       .many_kernels = true,
                                       .looks_at = "loss final union"};

  int folds = 10;  ///< not used where the data set brings fixed folds

  static void describe(auto&& field) {
    field("folds", &KFoldNested::folds, "folds of the rows, stratified by class", core::at_least(3));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  std::vector<std::string> problems(const Options& options) const;
  std::vector<std::string> gaps(const data::Dataset& dataset, const Selection& selection) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

/// Each row judged by the machine of the others (Anguita et al., 2012, section III-B).
struct LeaveOneOut {
  static constexpr const char* name = "loo";
  static constexpr const char* sentence = "the cell with the smallest leave-one-out error";
  static constexpr MethodTraits traits{.trains_cell = true,
                                       .scales_once = true,
                                       .scores_at_once = true,
                                       .many_kernels = true,
                                       .looks_at = "loss final union score cost rule"};

  std::size_t resample_count(std::size_t n) const { return n; }
  std::string words(std::size_t n) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
