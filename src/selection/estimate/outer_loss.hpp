#pragma once

#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/options.hpp"
#include "selection/score/pooled.hpp"

namespace credence::selection {

/// What makes the score of the options on rows that neither the selection nor the training saw. Of SVMs the log loss is
/// that of a sigmoid fitted to the predictor's calibration. Rows have their sample weights.
/// @throws Error invalid_argument where the score needs margins or probabilities that the predictor does not give
ScoreSums outer_sums(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                     const data::Dataset& test);

/// The loss of each row, which outer_sums adds up, of a score that is a mean loss. @throws Error as outer_sums
std::vector<double> outer_losses(const Options& options, const model::Predictor& predictor,
                                 const model::Prediction& prediction, const data::Dataset& test);

}  // namespace credence::selection
