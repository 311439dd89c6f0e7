#include "report/page/chart_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "report/page/html.hpp"
#include "report/text.hpp"

namespace credence::report {
Chart make_chart(std::string_view kind, ChartWords text, const Table& data, const std::map<std::string, Json>& words,
                 const std::map<std::string, Json>& more) {
  Chart chart{std::string(kind),       std::move(text.id),          std::move(text.title),
              std::move(text.caption), std::move(text.alternative), data};
  for (const auto& [key, word] : words) chart.words[key] = word;
  for (const auto& [key, values] : more) chart.more[key] = values;
  return chart;
}

Scale scale_of(const Json& document) {
  for (const auto& [word, kind] : words_of(selection::ScoreKind{}))
    if (text_at(document, "score_kind") == word) return scale_of(kind, text_at(document, "score"));
  return {selection::ScoreKind::log_evidence, text_at(document, "score")};
}

Json shown(const Scale& scale, const Json& value) {
  return value.number() ? Json(scale.shown(*value.number())) : Json(nullptr);
}

Format format_of(const Scale& scale) {
  return scale.format();
}

std::string vega_of(const Scale& scale) {
  return scale.axis_format();
}

std::pair<Json, Json> ends_of(const Scale& scale, const Json& lower, const Json& upper) {
  return scale.is_turned() ? std::pair(shown(scale, upper), shown(scale, lower))
                           : std::pair(shown(scale, lower), shown(scale, upper));
}

std::string eps_name(const Json& level) {
  return fmt::format("eps = {}", plain_number(number_at(level, "eps", 0)));
}

std::vector<std::string> shown_names(const Json& names) {
  std::vector<std::string> texts;
  for (const Json& name : names.values()) texts.push_back(cell_text(name, Format::number));
  return shown_names(texts);
}

std::string shown_source(const Json& document) {
  const std::string source = text_at(document, "source");
  return source.empty() ? "rows from memory" : shown_name(source);
}

}  // namespace credence::report
