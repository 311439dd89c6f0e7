#pragma once

#include <string>

#include "credence/core/describe.hpp"

namespace credence::report {

/// The value of a field as a help names the default: "10", "11 values from 0.03125 to 32768"; empty where there is
/// none.
std::string default_text(const core::Field& field);

/// The page docs/options.md: a table of the options of every method, of every kind of candidates, and of what is common
/// to all, made of their descriptions.
std::string options_page();

}  // namespace credence::report
