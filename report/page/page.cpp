#include "report/page/page.hpp"

#include <fmt/format.h>

#include "credence/core/error.hpp"
#include "report/page/html.hpp"

namespace credence::report {
namespace {

/// The value of a name of the style sheet, as the light page has it: the first in the file.
std::string_view light_value(std::string_view name) {
  const std::string_view style = embedded("page.css").value_or("");
  const std::string key = fmt::format("{}: ", name);
  const std::size_t first = style.find(key);
  if (first == style.npos) refuse(fmt::format("the page has no colour '{}'", name));
  const std::size_t begin = first + key.size();
  return style.substr(begin, style.find(';', begin) - begin);
}

/// JSON whose texts "var(--NAME)" have become the values of these names.
std::string in_light_colours(std::string_view json) {
  constexpr std::string_view open = "\"var(";
  constexpr std::string_view close = ")\"";
  std::string out;
  for (std::size_t at = 0; at < json.size();) {
    const std::size_t found = json.find(open, at);
    out += json.substr(at, found - at);
    if (found == json.npos) break;
    const std::size_t name = found + open.size();
    const std::size_t end = json.find(close, name);
    out += fmt::format("\"{}\"", light_value(json.substr(name, end - name)));
    at = end + close.size();
  }
  return out;
}

}  // namespace

std::vector<DrawnChart> charts(std::string_view document, const std::string& source) {
  std::vector<DrawnChart> found;
  const Story story = story_of(parse_json(document, source), source);
  for (const Section& section : story.sections)
    for (const Block& block : section.blocks)
      if (const Chart* chart = std::get_if<Chart>(&block)) found.push_back(drawn(*chart));
  return found;
}

std::string standing_alone(const DrawnChart& chart) {
  constexpr int width = 480;
  Json specification = parse_json(chart.specification, chart.id);
  specification.add("title"_key = chart.title, "width"_key = width);
  Json config = parse_json(in_light_colours(embedded("chart_config.json").value_or("")), "chart_config.json");
  config.add("background"_key = light_value("--paper"),
             "title"_key = Json::object("anchor"_key = "start", "color"_key = light_value("--ink")));
  specification["config"] = std::move(config);
  return json_line(specification);
}

std::string page(std::string_view document, const std::string& source) {
  check_pages_are_built_in();
  return html_of(story_of(parse_json(document, source), source));
}

bool pages_are_built_in() {
  return embedded("drawing.js").has_value();
}

void check_pages_are_built_in() {
  if (pages_are_built_in()) return;
  refuse(
      "report pages are not built in: this program was built without npm, or with CREDENCE_BUILD_PAGES=OFF; "
      "--json writes the same numbers");
}

}  // namespace credence::report
