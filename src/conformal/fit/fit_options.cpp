#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "credence/conformal/fit.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

bool looks_at(auto choice, std::string_view field) {
  return core::find_field(fields_of(choice), field) != nullptr;
}

/// "margin", or "margin with svm models" where the other models of margin do not look at the field.
std::string owner(const Measure& measure, std::string_view field) {
  const bool alone = std::ranges::any_of(
      measures(), [&](const Measure& other) { return name_of(other) == name_of(measure) && !looks_at(other, field); });
  return alone ? title_of(measure) : std::string(name_of(measure));
}
std::string owner(const Mode& mode, std::string_view) {
  return std::string(name_of(mode));
}

template <class Choice>
std::vector<std::string> owners(const std::vector<Choice>& choices, std::string_view field) {
  std::vector<std::string> names;
  for (const Choice& choice : choices) {
    if (!looks_at(choice, field)) continue;
    std::string name = owner(choice, field);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

[[noreturn]] void refuse_field(const std::string& chosen, const std::vector<std::string>& owners) {
  refuse(
      fmt::format("{} does not use it; {} {}", chosen, fmt::join(owners, " and "), owners.size() == 1 ? "does" : "do"));
}

}  // namespace

std::vector<core::Field> fields_of(FitOptions& options) {
  std::vector<core::Field> fields = fields_of(options.measure);
  for (const std::vector<core::Field>& more : {fields_of(options.mode), core::fields_of(options)})
    fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

const core::Field& field_named(const FitOptions& options, const std::vector<core::Field>& fields,
                               std::string_view name) {
  if (const core::Field* field = core::find_field(fields, name)) return *field;
  if (const auto of_measures = owners(measures(), name); !of_measures.empty())
    refuse_field(title_of(options.measure), of_measures);
  if (const auto of_modes = owners(modes(), name); !of_modes.empty())
    refuse_field(fmt::format("the mode {}", name_of(options.mode)), of_modes);
  refuse(fmt::format("there is no option '{}'", name));
}

data::Scaling FitOptions::resolved_scaling() const {
  return scaling ? *scaling : std::visit([](const auto& chosen) { return chosen.default_scaling(); }, measure);
}

std::vector<std::string> FitOptions::validate() const {
  std::vector<std::string> problems =
      std::visit([&](const auto& chosen) { return chosen.problems(mode, resolved_scaling()); }, measure);
  Mode described = mode;
  for (std::string& problem : core::problems_of(fields_of(described))) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace credence::conformal
