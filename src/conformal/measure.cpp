#include "credence/conformal/measure.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

template <class Choice, std::size_t... i>
std::vector<Choice> alternatives(std::index_sequence<i...>) {
  return {Choice(std::in_place_index<i>)...};
}
template <class Choice>
std::vector<Choice> alternatives() {
  return alternatives<Choice>(std::make_index_sequence<std::variant_size_v<Choice>>());
}

constexpr auto name_in = [](const auto& chosen) -> std::string_view { return chosen.name; };
constexpr auto sentence_in = [](const auto& chosen) -> std::string_view { return chosen.sentence; };
constexpr auto fields_in = [](auto& chosen) { return core::fields_of(chosen); };

/// All choices of that name.
template <class Choice>
std::vector<Choice> chosen_by_name(const std::vector<Choice>& choices, std::string_view name) {
  std::vector<Choice> named;
  std::vector<std::string> allowed;
  for (const Choice& choice : choices) {
    if (name_of(choice) == name) named.push_back(choice);
    if (allowed.empty() || allowed.back() != name_of(choice)) allowed.emplace_back(name_of(choice));
  }
  if (named.empty()) core::refuse_word(name, allowed);
  return named;
}

}  // namespace

std::vector<Measure> measures() {
  return alternatives<Measure>();
}

std::vector<Mode> modes() {
  return alternatives<Mode>();
}

Measure measure_named(std::string_view name, std::string_view model) {
  const std::vector<Measure> named = chosen_by_name(measures(), name);
  if (model.empty()) return named.front();
  std::vector<std::string> models;
  for (const Measure& measure : named) {
    if (model_of(measure) == model) return measure;
    models.emplace_back(model_of(measure));
  }
  if (models.front().empty()) refuse(fmt::format("{} has no models; {} has", name, SvmMargin::name));
  core::refuse_word(model, models);
}

Mode mode_named(std::string_view name) {
  return chosen_by_name(modes(), name).front();
}

std::string_view name_of(const Measure& measure) {
  return std::visit(name_in, measure);
}

std::string_view name_of(const Mode& mode) {
  return std::visit(name_in, mode);
}

std::string_view sentence_of(const Measure& measure) {
  return std::visit(sentence_in, measure);
}

std::string_view sentence_of(const Mode& mode) {
  return std::visit(sentence_in, mode);
}

std::string_view model_of(const Measure& measure) {
  return std::visit(
      [](const auto& chosen) -> std::string_view {
        if constexpr (requires { chosen.model; })
          return chosen.model;
        else
          return {};
      },
      measure);
}

std::string title_of(const Measure& measure) {
  const std::string_view model = model_of(measure);
  return model.empty() ? std::string(name_of(measure)) : fmt::format("{} with {} models", name_of(measure), model);
}

std::vector<core::Field> fields_of(Measure& measure) {
  return std::visit(fields_in, measure);
}

std::vector<core::Field> fields_of(Mode& mode) {
  return std::visit(fields_in, mode);
}

std::optional<NeighbourOptions> neighbour_options(const Measure& measure) {
  return std::visit(
      [](const auto& chosen) -> std::optional<NeighbourOptions> {
        if constexpr (std::is_convertible_v<decltype(chosen), NeighbourOptions>)
          return chosen;
        else
          return std::nullopt;
      },
      measure);
}

NeighbourMeasure neighbour_measure(std::string_view name) {
  std::vector<std::string> allowed;
  for (const Measure& measure : measures()) {
    const auto options = neighbour_options(measure);
    if (!options) continue;
    if (name == options->measure.name) return options->measure;
    allowed.emplace_back(options->measure.name);
  }
  core::refuse_word(name, allowed);
}

}  // namespace credence::conformal
