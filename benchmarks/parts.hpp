#pragma once

#include "report.hpp"

namespace credence::bench {

/// A line on stderr.
void say(const std::string& line);
/// Writes what there is so far to Settings::json.
void save(const Results& results);

// The parts on selection methods: each adds its rows to the results, as the settings want.
void compare_left_outs(Results& results);
void compare_predictions(Results& results, const Grid& grid);
void compare_selections(Results& results, const Grid& grid);

/// More than two classes.
void compare_many_classes(Results& results);

void compare_conformal(Results& results);

/// Methods with bounds: in-sample, out-of-sample, and the command with all of them.
void compare_in_sample(Results& results);

/// Relevance vector machines.
void compare_rvms(Results& results);

}  // namespace credence::bench
