#pragma once

#include <string>
#include <vector>

#include "credence/conformal/evaluation.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

namespace credence::report {

/// Errors and sizes of regions, a line for each level.
std::string regions_table(const std::vector<conformal::LevelCounts>& levels);
Json regions_json(const std::vector<conformal::LevelCounts>& levels);

/// What is left of an evaluation: confidence, criteria, a few points of the calibration, the test of uniformity.
std::string validity_table(const conformal::Evaluation& evaluation);
/// All of it, with all points of the calibration; without the regions.
Json validity_json(const conformal::Evaluation& evaluation);

}  // namespace credence::report
