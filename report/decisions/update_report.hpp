#pragma once

#include <string>
#include <vector>

#include "credence/conformal/local.hpp"
#include "report/json.hpp"

/// What rows of another place say of a model, and how many of them limits need.
namespace credence::report {

std::string update_table(const std::vector<std::string>& classes, const conformal::LocalTest& test);
/// Names each class without a local row: no p-value can strike the class out.
std::vector<std::string> update_warnings(const std::vector<std::string>& classes, const conformal::LocalTest& test);
Json update_json(const std::vector<std::string>& classes, const conformal::LocalTest& test);

}  // namespace credence::report
