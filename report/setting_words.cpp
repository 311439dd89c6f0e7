#include "report/setting_words.hpp"

#include <fmt/format.h>

#include <concepts>
#include <string_view>
#include <type_traits>

#include "credence/rvm/train.hpp"
#include "credence/selection/ensemble.hpp"
#include "report/text.hpp"

namespace credence::report {

using selection::Setting;

bool shows_sigma(const selection::Options& options) {
  return options.kernels.by_sigma;
}

bool votes(const selection::Selection& selection) {
  const auto* ensemble = selection.predictor == nullptr ? nullptr : selection::as_ensemble(*selection.predictor);
  const auto* vote = ensemble == nullptr ? nullptr : std::get_if<selection::VoteRule>(&ensemble->rule);
  return vote != nullptr && vote->members.size() > 1;
}

bool is_optimistic(const selection::Selection& selection) {
  const selection::PartitionReport* regions = selection.partition();
  return selection.grid.size() > 1 || (regions != nullptr && (regions->settings > 1 || regions->partitions > 1));
}

std::string width_text(double gamma) {
  return fmt::format("sigma = {:.6g} (gamma = {:.6g})", rvm::sigma_of_gamma(gamma), gamma);
}

std::string parameters_text(const Setting& setting, bool by_sigma) {
  std::string text =
      setting.kernel ? fmt::format("{}, {}", core::word(*setting.kernel), core::word(*setting.scale)) : "";
  Setting::parameters([&](std::string_view name, auto member) {
    const auto value = setting.*member;
    if (!(value > 0)) return;
    text += text.empty() ? "" : ", ";
    if (by_sigma && name == "gamma")
      text += width_text(value);
    else
      text += fmt::format("{} = {}", name, std::integral<decltype(value)> ? fmt::to_string(value) : readable(value));
  });
  return text;
}

Json parameters_json(const Setting& setting, bool by_sigma) {
  Json document = Json::object("kernel"_key = setting.kernel ? Json(core::word(*setting.kernel)) : Json(nullptr),
                               "scale"_key = setting.scale ? Json(core::word(*setting.scale)) : Json(nullptr));
  Setting::parameters([&](const char* name, auto member) {
    document[name] = setting.*member > 0 ? Json(setting.*member) : Json(nullptr);
  });
  if (by_sigma && setting.gamma > 0) document["sigma"] = rvm::sigma_of_gamma(setting.gamma);
  return document;
}

std::vector<std::string> parameter_keys() {
  std::vector<std::string> keys;
  Setting::parameters([&](std::string_view name, auto) {
    if (name == "gamma") keys.emplace_back("sigma");
    keys.emplace_back(name);
  });
  return keys;
}

std::optional<CostAxis> cost_axis(const Setting& setting) {
  std::optional<CostAxis> axis;
  Setting::parameters([&](const char* name, auto member) {
    if constexpr (std::is_same_v<decltype(member), double Setting::*>)
      if (!axis && member != &Setting::gamma && setting.*member > 0) axis = {name, member};
  });
  return axis;
}

}  // namespace credence::report
