#pragma once

#include <string>

#include "credence/bounds/registry.hpp"
#include "report/json.hpp"

/// What bounds come to on one sample.
namespace credence::report {

/// The sample, a line for each bound, and which bound to use.
std::string bound_table(const bounds::Findings& found);
Json bound_json(const bounds::Findings& found);

}  // namespace credence::report
