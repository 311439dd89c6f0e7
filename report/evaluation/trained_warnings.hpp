#pragma once

#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

namespace credence::report {

/// What is to be warned of in a classifier that was trained: it remembers its rows one by one (svm::memorised); it
/// gives all training rows one class; it is nearly constant beside the scores that it keeps from other machines
/// (conformal::relative_spread below 0.25; of 99 machines chosen for data that can be learnt, none was below 0.36); or
/// regions by these scores miss more than 15 % of the training rows at 0.1, where new rows fare no better.
/// Cost: predictions of at most 1000 rows. Empty for regressions, for a relevance vector machine that warns of being a
/// constant itself, and once the monitor says stop.
/// @param training  the rows of the training
std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context);

}  // namespace credence::report
