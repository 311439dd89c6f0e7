#include "report/page/stories/selection_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::array cell_axes{Axis{"C", "C"},         Axis{"nu", "nu"},       Axis{"rho", "rho"},
                               Axis{"sigma", "sigma"}, Axis{"gamma", "gamma"}, Axis{"k", "k"}};

bool is_regression(const Json& document) {
  return text_at(document.at("options"), "task") == "regression" || text_at(document, "task") == "regression";
}

bool same_cell(const Json& a, const Json& b) {
  return std::all_of(cell_axes.begin(), cell_axes.end(),
                     [&](const Axis& axis) { return a.at(axis.key).number() == b.at(axis.key).number(); });
}

bool judged_on_all_rows(const Json& cell) {
  return cell.at("error").number().has_value() && cell.at("rung").is_null();
}

}  // namespace

std::string Scale::text(double value) const {
  if (share) return percent(value);
  return plain ? fmt::format("{:.4f}", shown(value)) : fmt::format("{:.6g}", shown(value));
}

Scale scale_of(const Json& document) {
  Scale scale;
  scale.name = text_at(document, "score");
  const bool weighted = scale.name.ends_with("weighted error");  // whose share is one of costs, not of rows
  scale.is_error = scale.name.ends_with("error") && !weighted && scale.name.find("squared") == std::string::npos;
  scale.share =
      scale.is_error || weighted || scale.name == "bound on the soft loss" || scale.name.ends_with("soft loss");
  if (is_regression(document)) {
    scale.is_error = scale.share = false;
    scale.squared = text_at(document, "method") != "kernel-validity" && text_at(document, "method") != "evidence";
    if (scale.squared) scale.name = "root mean squared error";
  }
  constexpr std::string_view complement = "1 - ";
  if (const std::size_t at = scale.name.find(complement); at != std::string::npos) {
    scale.turned = true;
    scale.name.erase(at, complement.size());
  }
  scale.plain = scale.turned || scale.name.ends_with("log loss");
  return scale;
}

std::vector<double> values_of(const Json& document, const char* key) {
  std::vector<double> values;
  for (const Json& cell : document.at("grid").values())
    if (const auto value = cell.at(key).number()) values.push_back(*value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<Axis> axes_of(const Json& document) {
  std::vector<Axis> axes;
  for (const Axis& axis : cell_axes) {
    const bool doubled =
        std::string_view(axis.key) == "gamma" && !axes.empty() && std::string_view(axes.back().key) == "sigma";
    if (!doubled && values_of(document, axis.key).size() > 1) axes.push_back(axis);
  }
  return axes;
}

std::string parameters_text(const Json& cell) {
  std::string text;
  for (const Axis& axis : cell_axes) {
    if (std::string_view(axis.key) == "gamma" && cell.at("sigma").number()) continue;
    if (const auto value = cell.at(axis.key).number())
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", axis.title, plain_number(*value));
  }
  return text;
}

std::optional<double> one_standard_error(const Json& document) {
  const Json* best = nullptr;
  for (const Json& cell : document.at("grid").values())
    if (judged_on_all_rows(cell) && (best == nullptr || *cell.at("error").number() < *best->at("error").number()))
      best = &cell;
  if (best == nullptr) return std::nullopt;
  const double error = number_at(*best, "error_se", 0);
  return error > 0 ? std::optional(*best->at("error").number() + error) : std::nullopt;
}

std::string mark_of(const Json& cell, const Json& best, const std::optional<double>& limit) {
  if (best.is_object() && same_cell(cell, best)) return "chosen";
  if (limit && judged_on_all_rows(cell) && *cell.at("error").number() <= *limit) return "close";
  return "";
}

std::size_t close_cells(const Json& document) {
  const auto limit = one_standard_error(document);
  const auto cells = document.at("grid").values();
  return static_cast<std::size_t>(std::count_if(cells.begin(), cells.end(), [&](const Json& cell) {
    return limit && judged_on_all_rows(cell) && *cell.at("error").number() <= *limit;
  }));
}

}  // namespace credence::report
