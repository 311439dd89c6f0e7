#include "report/page/stories/selection_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/cell_words.hpp"

namespace credence::report {
namespace {

bool same_cell(const Json& a, const Json& b) {
  return text_at(a, "kernel") == text_at(b, "kernel") && text_at(a, "scale") == text_at(b, "scale") &&
         std::ranges::all_of(parameter_keys(),
                             [&](const std::string& key) { return a.at(key).number() == b.at(key).number(); });
}

bool judged_on_all_rows(const Json& cell) {
  return cell.at("error").number().has_value() && cell.at("rung").is_null();
}

}  // namespace

std::vector<double> values_of(const Json& document, std::string_view key) {
  std::vector<double> values;
  for (const Json& cell : document.at("grid").values())
    if (const auto value = cell.at(key).number()) values.push_back(*value);
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::string> axes_of(const Json& document) {
  std::vector<std::string> axes;
  for (const std::string& key : parameter_keys()) {
    const bool doubled = key == "gamma" && !axes.empty() && axes.back() == "sigma";
    if (!doubled && values_of(document, key).size() > 1) axes.push_back(key);
  }
  return axes;
}

std::string parameters_text(const Json& cell) {
  std::string text = text_at(cell, "kernel");
  if (!text.empty()) text += ", " + text_at(cell, "scale");
  for (const std::string& key : parameter_keys()) {
    if (key == "gamma" && cell.at("sigma").number()) continue;
    if (const auto value = cell.at(key).number())
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, plain_number(*value));
  }
  return text;
}

std::string kernel_and_scaling(const Json& cell) {
  const std::string kernel = text_at(cell, "kernel");
  return kernel.empty() ? kernel : fmt::format("{} kernel, {} scaling", kernel, text_at(cell, "scale"));
}

std::vector<std::string> kernels_and_scalings(const Json& document) {
  std::vector<std::string> all;
  for (const Json& cell : document.at("grid").values())
    if (std::string one = kernel_and_scaling(cell); std::ranges::find(all, one) == all.end()) all.push_back(one);
  return all;
}

std::optional<double> chosen_error(const Json& document) {
  const Json& average = document.at("average");
  return average.is_object() ? average.at("error").number() : document.at("best").at("error").number();
}

std::size_t averaged_cells(const Json& document) {
  return document.at("average").at("members").size();
}

std::optional<double> one_standard_error(const Json& document) {
  const Json* best = nullptr;
  for (const Json& cell : document.at("grid").values())
    if (judged_on_all_rows(cell) && (best == nullptr || *cell.at("error").number() < *best->at("error").number()))
      best = &cell;
  if (averaged_cells(document) > 0) best = &document.at("best");  // of equal cells the one that the rule began with
  if (best == nullptr) return std::nullopt;
  const double error = number_at(*best, "error_se", 0);
  return error > 0 ? std::optional(*best->at("error").number() + error) : std::nullopt;
}

std::vector<std::string> marks_of(const Json& document) {
  const Json& best = document.at("best");
  const auto limit = one_standard_error(document);
  const bool averaged = averaged_cells(document) > 0;
  std::vector<std::string> marks;
  for (const Json& cell : document.at("grid").values()) {
    const bool close = !averaged && limit && judged_on_all_rows(cell) && *cell.at("error").number() <= *limit;
    marks.emplace_back(close ? "close" : "");
  }
  for (const Json& member : document.at("average").at("members").values())
    marks[static_cast<std::size_t>(*member.number())] = "close";
  const auto cells = document.at("grid").values();
  for (std::size_t k = 0; k < marks.size(); ++k)
    if (best.is_object() && same_cell(cells[k], best)) marks[k] = "chosen";
  return marks;
}

std::size_t close_cells(const Json& document) {
  const auto limit = one_standard_error(document);
  const auto cells = document.at("grid").values();
  return static_cast<std::size_t>(std::ranges::count_if(cells, [&](const Json& cell) {
    return limit && judged_on_all_rows(cell) && *cell.at("error").number() <= *limit;
  }));
}

}  // namespace credence::report
