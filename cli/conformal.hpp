#pragma once

#include "commands.hpp"

namespace credence::cli {

Action add_conformal_fit(Command command);
Action add_conformal_online(Command command);
Action add_conformal_scores(Command command);
Action add_conformal_intervals(Command command);

}  // namespace credence::cli
