#pragma once

#include <string>
#include <vector>

#include "credence/conformal/local.hpp"
#include "report/json.hpp"

/// What rows of another place say of a model, and how many of them limits need.
namespace credence::report {

std::string update_table(const std::vector<std::string>& classes, const conformal::LocalTest& test);
Json update_json(const std::vector<std::string>& classes, const conformal::LocalTest& test);

}  // namespace credence::report
