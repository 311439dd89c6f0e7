#pragma once

#include <cstddef>
#include <optional>
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
  static constexpr MethodTraits traits{.folds = true,
                                       .calibrates = true,
                                       .scales_once = true,
                                       .many_kernels = true,
                                       .default_many = true,
                                       .looks_at = "loss score cost rule"};

  std::optional<std::size_t> region_rows{};  ///< a region has about so many at most; none: chosen among 500 to 4000
  /// Of the feature space, whose scores are averaged; none: as many as lower the out-of-fold loss by more than chance,
  /// and most_partitions at most.
  std::optional<int> partitions{};
  int folds = 5;            ///< in each region
  bool by_default = false;  ///< taken in place of `cv` (way_of): says so in the report, and changes nothing else

  static void describe(auto&& field) {
    field(
        "region_rows", &Regions::region_rows,
        "rows in a region of the feature space: every region has a choice and SVMs of its own, so that the cost grows "
        "like the rows (by default chosen among 500 to 4000 by the soft loss on a tenth of the rows)",
        core::at_least(least_rows));
    field.spelling("cells", "region_rows", &Regions::region_rows, spelling_sentence, core::at_least(least_rows),
                   core::implied(usual_rows));
    field("partitions", &Regions::partitions,
          "partitions of the feature space, whose scores are averaged (by default as many as lower the loss by more "
          "than chance, at most 8)",
          core::at_least(1));
    field("folds", &Regions::folds, "folds of the rows of a region, stratified by class", core::at_least(2));
  }
  static constexpr std::size_t least_rows = 20;
  static constexpr std::size_t usual_rows = 1000;
  static constexpr int most_partitions = 8;
  static constexpr std::size_t default_from = 3000;  ///< rows: from here on way_of may take regions
  static constexpr const char* spelling_sentence = "the method regions, with so many rows in a region";

  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds); }
  std::size_t size() const { return region_rows.value_or(usual_rows); }  ///< rows of a region, where none was chosen
  bool averages() const { return partitions.value_or(most_partitions) > 1; }
  /// All, where partitions are averaged, or the score is no error. Of one partition five times the rows of a region,
  /// and at most selection::holdout_from: the bootstrap correction in each region keeps the optimism of one region's
  /// rows, which the interval of all rows does not cover (docs/methods/regions.md).
  std::size_t holdout_from(const Options& options) const;
  std::vector<std::string> problems(const Options& options) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
