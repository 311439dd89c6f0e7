#include "credence/conformal/measure.hpp"

#include <string>
#include <utility>

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

}  // namespace

std::vector<Measure> measures() {
  return alternatives<Measure>();
}

std::vector<Mode> modes() {
  return alternatives<Mode>();
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
