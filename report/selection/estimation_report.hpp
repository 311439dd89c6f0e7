#pragma once

#include "credence/selection/error_estimation.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

/// What out-of-sample methods say of the error: rows held out, and bounds.
namespace credence::report {

/// Mean losses and their upper limits, and what they are about, and an empty line. Empty if nothing was judged.
std::string estimation_table(const selection::ErrorEstimation& estimation);
Json estimation_json(const selection::ErrorEstimation& estimation);

}  // namespace credence::report
