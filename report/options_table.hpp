#pragma once

#include <string>

namespace credence::report {

/// The page docs/options.md: a table of the options of every method, of every kind of candidates, and of what is common
/// to all, made of their descriptions.
std::string options_page();

}  // namespace credence::report
