#pragma once

#include "commands.hpp"

namespace credence::cli {

Action add_conformal_fit(CLI::App& app);
Action add_conformal_online(CLI::App& app);
Action add_conformal_scores(CLI::App& app);
Action add_conformal_intervals(CLI::App& app);

}  // namespace credence::cli
