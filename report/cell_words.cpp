#include "report/cell_words.hpp"

#include <fmt/format.h>

#include <concepts>
#include <string_view>
#include <type_traits>

#include "credence/rvm/train.hpp"
#include "credence/selection/ensemble.hpp"
#include "report/text.hpp"

namespace credence::report {

using selection::Cell;

bool shows_sigma(const selection::Options& options) {
  return options.kernels.by_sigma;
}

bool votes(const selection::Selection& selection) {
  const auto* ensemble = selection.predictor == nullptr ? nullptr : selection::as_ensemble(*selection.predictor);
  const auto* vote = ensemble == nullptr ? nullptr : std::get_if<selection::VoteRule>(&ensemble->rule);
  return vote != nullptr && vote->members.size() > 1;
}

std::string width_text(double gamma) {
  return fmt::format("sigma = {:.6g} (gamma = {:.6g})", rvm::sigma_of_gamma(gamma), gamma);
}

std::string parameters_text(const Cell& cell, bool by_sigma) {
  std::string text = cell.kernel ? fmt::format("{}, {}", core::word(*cell.kernel), core::word(*cell.scale)) : "";
  Cell::parameters([&](std::string_view name, auto member) {
    const auto value = cell.*member;
    if (!(value > 0)) return;
    text += text.empty() ? "" : ", ";
    if (by_sigma && name == "gamma")
      text += width_text(value);
    else
      text += fmt::format("{} = {}", name, std::integral<decltype(value)> ? fmt::to_string(value) : readable(value));
  });
  return text;
}

Json parameters_json(const Cell& cell, bool by_sigma) {
  Json document = Json::object("kernel"_key = cell.kernel ? Json(core::word(*cell.kernel)) : Json(nullptr),
                               "scale"_key = cell.scale ? Json(core::word(*cell.scale)) : Json(nullptr));
  Cell::parameters(
      [&](const char* name, auto member) { document[name] = cell.*member > 0 ? Json(cell.*member) : Json(nullptr); });
  if (by_sigma && cell.gamma > 0) document["sigma"] = rvm::sigma_of_gamma(cell.gamma);
  return document;
}

std::vector<std::string> parameter_keys() {
  std::vector<std::string> keys;
  Cell::parameters([&](std::string_view name, auto) {
    if (name == "gamma") keys.emplace_back("sigma");
    keys.emplace_back(name);
  });
  return keys;
}

std::optional<CostAxis> cost_axis(const Cell& cell) {
  std::optional<CostAxis> axis;
  Cell::parameters([&](const char* name, auto member) {
    if constexpr (std::is_same_v<decltype(member), double Cell::*>)
      if (!axis && member != &Cell::gamma && cell.*member > 0) axis = {name, member};
  });
  return axis;
}

}  // namespace credence::report
