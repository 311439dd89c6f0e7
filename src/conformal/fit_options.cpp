#include <utility>

#include "credence/conformal/fit.hpp"

namespace credence::conformal {

data::Scaling FitOptions::resolved_scaling() const {
  return scaling ? *scaling : std::visit([](const auto& chosen) { return chosen.default_scaling; }, measure);
}

std::vector<std::string> FitOptions::validate() const {
  std::vector<std::string> problems =
      std::visit([&](const auto& chosen) { return chosen.problems(mode, resolved_scaling()); }, measure);
  Mode described = mode;
  for (std::string& problem : core::problems_of(fields_of(described))) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace credence::conformal
