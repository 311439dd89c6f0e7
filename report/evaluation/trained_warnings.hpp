#pragma once

#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

namespace credence::report {

/// What is to be warned of in a model that was trained: it is that of the next best setting, its training did not
/// converge, it remembers its rows one by one (svm::memorised), or it gives all training rows one class.
/// Cost: predictions of at most 1000 rows. The last two are not looked for in regressions, for a relevance vector
/// machine that warns of being a constant itself, and once the monitor says stop.
/// @param training  the rows of the training
std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& training,
                                          const core::Context& context);
/// The same of rows that are elsewhere. @param rows  selection::looked_at_rows  @param all  how many there are in all
std::vector<std::string> trained_warnings(const model::Predictor& model, const data::Dataset& rows, std::size_t all,
                                          const core::Context& context);

}  // namespace credence::report
