#pragma once

#include <string>

#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

namespace credence::report {

/// What to say if the rows are those that trained the model: every support vector, or centre of a relevance vector
/// machine, is one of them. Empty if not, and for models that keep no rows, or fewer than ten.
std::string seen_rows_sentence(const model::Predictor& model, const data::Dataset& dataset);

}  // namespace credence::report
