#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/selection/method_parts.hpp"
#include "credence/selection/race.hpp"

namespace credence::selection {

struct Forecast;

/// Every cell judged on the folds that its machines have not seen. Where the data set brings splits of its own
/// (data::Dataset::splits), these take the place of folds.
struct CrossValidation {
  static constexpr const char* name = "cv";
  static constexpr const char* sentence = "the cell with the smallest cross-validation error";
  static constexpr MethodTraits traits{.relevance = true, .regression = true, .folds = true, .calibrates = true};

  static constexpr int usual_folds = 10;
  static constexpr int usual_folds_in_cells = 5;

  /// Not used where the data set brings splits or fixed folds. Default: usual_folds, in cells usual_folds_in_cells.
  std::optional<int> folds{};
  Loss loss = Loss::hard;
  Scoring scoring{};
  Rule rule = Rule::best;
  Racing racing{};
  /// Rows in a cell of the feature space; each cell has a choice and SVMs of its own (selection/partition.hpp).
  std::optional<std::size_t> cells{};

  int fold_count() const { return folds.value_or(cells ? usual_folds_in_cells : usual_folds); }
  template <class Visitor>
  static void describe(Visitor&& field) {
    field("folds", &CrossValidation::folds, "folds of the rows, stratified by class (by default 10; in cells 5)",
          core::at_least(2));
    field("loss", &CrossValidation::loss, "the loss by which a cell is chosen");
    field.part(&CrossValidation::scoring);
    field("rule", &CrossValidation::rule,
          "which cell is chosen: the best one, or the most regularised one within a standard error of the best");
    field.part(&CrossValidation::racing);
    field("cells", &CrossValidation::cells,
          "rows in a cell of the feature space: every cell has a choice and SVMs of its own, so that the cost grows "
          "like the rows (by default there are no cells)",
          core::at_least(20), core::implied(std::size_t{2000}));
  }
  /// What speaks against cells.
  std::vector<std::string> problems(const Options& options) const;
  /// @param forecast  of the same data and options, which saves a pilot of the race; nullptr: there is none
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                   const Forecast* forecast = nullptr) const;
};

}  // namespace credence::selection
