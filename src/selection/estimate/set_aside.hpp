#pragma once

#include <functional>
#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/options.hpp"
#include "credence/selection/selector.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/judge/predictions.hpp"

namespace credence::selection {

/// Returns the sums that make the score of the options on rows that neither the selection nor the training saw. The log
/// loss of SVMs is that of a sigmoid fitted to the predictor's calibration. Rows count by their sample weights.
/// @throws Error invalid_argument where the score needs margins or probabilities that the predictor does not give
ScoreSums outer_sums(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                     const data::Dataset& test);

/// The loss of each row, which outer_sums adds up, of a score that is a mean loss. @throws Error as outer_sums
std::vector<double> outer_losses(const Options& options, const model::Predictor& predictor,
                                 const model::Prediction& prediction, const data::Dataset& test);

void visit(auto& bytes, OuterFold& fold) {
  bytes(fold.complete, fold.rows, fold.errors, fold.loss, fold.sums, fold.seconds, fold.selected_score, fold.honest,
        fold.warnings, fold.bound, fold.chosen);
}

/// Makes a selection on these rows, without an honest estimate.
using Choosing = std::function<Selection(const data::Dataset& training, const Options& options)>;

/// What the hold-out estimate of regions needs if features are stored elsewhere.
struct SetAsideElsewhere {
  data::Dataset judged;                                    ///< the rows set aside, with features
  std::function<void(Selection&)> train_on_all_rows = {};  ///< trains the regions
};

/// Selects on nine tenths of the rows, trains the choice there, judges the trained model on the others (true in
/// set_aside_rows), and trains the choice on all rows.
/// @throws Error as `choose`; invalid_data if no rows can be set aside
Selection select_with_rows_set_aside(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                     const Choosing& choose, const SetAsideElsewhere* elsewhere = nullptr);

}  // namespace credence::selection
