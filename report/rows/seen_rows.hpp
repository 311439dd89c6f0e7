#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"

namespace credence::report {

/// What to say if the rows hold those that trained the model, whatever its kind (model::TrainingRecord::row_keys).
/// Empty if not; where the model does not know its rows; for fewer than ten of them; and where each occurs more than
/// twice, as new rows then hold them too.
/// @param keys  of the rows, as they came (data::row_keys)
std::string seen_rows_sentence(const model::TrainingRecord& record, const std::vector<std::uint64_t>& keys);
std::string seen_rows_sentence(const model::Predictor& model, const data::Dataset& dataset);

}  // namespace credence::report
