#pragma once

#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/options.hpp"

namespace credence::selection {

/// loss_of the score of the options on rows that neither the selection nor the training saw. Of SVMs the log loss is
/// that of a sigmoid fitted to the predictor's calibration.
/// @return NaN where the score is undefined
/// @throws Error invalid_argument where the score needs margins or probabilities that the predictor does not give
double outer_loss(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                  const data::Dataset& test);

/// The log loss of each row, of which outer_loss is the mean for Score::log_loss. @throws Error as outer_loss
std::vector<double> outer_log_losses(const Options& options, const model::Predictor& predictor,
                                     const model::Prediction& prediction, const data::Dataset& test);

}  // namespace credence::selection
