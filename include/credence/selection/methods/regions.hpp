#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/selection/method_parts.hpp"
#include "credence/selection/methods/cross_validation.hpp"

namespace credence::selection {

/// Cross-validation in each region of the feature space, so that the cost grows like the rows
/// (selection/partition.hpp).
struct Regions {
  static constexpr const char* name = "regions";
  static constexpr const char* sentence = "cross-validation in each region of the feature space";
  static constexpr MethodTraits traits{.folds = true, .calibrates = true, .scales_once = true};

  std::size_t region_rows = 2000;  ///< a region has at most so many
  int folds = 5;                   ///< in each region
  Loss loss = Loss::hard;
  Rule rule = Rule::best;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field(
        "region_rows", &Regions::region_rows,
        "rows in a region of the feature space: every region has a choice and SVMs of its own, so that the cost grows "
        "like the rows",
        core::at_least(least_rows));
    field.spelling("cells", "region_rows", &Regions::region_rows, spelling_sentence, core::at_least(least_rows),
                   core::implied(Regions{}.region_rows));
    field("folds", &Regions::folds, "folds of the rows of a region, stratified by class", core::at_least(2));
    field("loss", &Regions::loss, "the loss by which a cell is chosen");
    field("rule", &Regions::rule, rule_sentence);
  }
  static constexpr std::size_t least_rows = 20;
  static constexpr const char* spelling_sentence = "the method regions, with so many rows in a region";

  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  /// Five times the rows of a region, and at most selection::holdout_from. The bootstrap correction in each region
  /// keeps the optimism of one region's rows, which the interval of all rows does not cover (docs/methods/regions.md).
  std::size_t holdout_from() const;
  /// The same choice by one machine on all rows.
  CrossValidation on_all_rows() const;
  std::vector<std::string> problems(const Options& options) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
