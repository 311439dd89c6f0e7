#include "report/page/chart_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "credence/core/error.hpp"
#include "report/page/html.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t longest_name = 60;

/// Puts words for the texts "$..." of a specification.
void fill(Json& json, const std::map<std::string, Json>& words) {
  if (const std::string* text = json.text()) {
    if (const auto found = words.find(*text); found != words.end()) json = found->second;
  } else if (json.is_array()) {
    for (Json& value : json) fill(value, words);
  } else {
    for (const std::string& key : json.keys()) fill(json[key], words);
  }
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The first characters of a text in UTF-8, with an ellipsis for the rest.
std::string shortened(std::string_view name, std::size_t most) {
  std::size_t characters = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!starts_character(name[at])) continue;
    if (characters++ == most) return std::string(name.substr(0, at)) + "…";
  }
  return std::string(name);
}

/// Control characters become blanks: those of ASCII, and the marks of writing direction, which could turn what follows.
std::string without_controls(std::string_view name) {
  std::string text;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const auto byte = static_cast<unsigned char>(name[at]);
    const std::string_view three = name.substr(at, 3);
    const bool direction = three.size() == 3 && three[0] == '\xE2' &&
                           ((three[1] == '\x80' && (three[2] == '\x8E' || three[2] == '\x8F' ||
                                                    (three[2] >= '\xA8' && three[2] <= '\xAE'))) ||
                            (three[1] == '\x81' && three[2] >= '\xA6' && three[2] <= '\xA9'));
    if (direction) at += 2;
    text += direction || byte < 0x20 || byte == 0x7F ? ' ' : name[at];
  }
  return text;
}

/// Between marks that isolate its direction of writing.
std::string isolated(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return plain ? text : "\u2068" + text + "\u2069";
}

}  // namespace

Json ChartData::records() const {
  return Json::list(rows_, [&](const std::vector<Json>& row) {
    Json record = Json::object();
    for (std::size_t c = 0; c < columns_.size() && c < row.size(); ++c) record[columns_[c].field] = row[c];
    return record;
  });
}

std::vector<std::string> ChartData::titles() const {
  std::vector<std::string> titles;
  for (const ChartColumn& column : columns_)
    if (!column.title.empty()) titles.push_back(column.title);
  return titles;
}

std::vector<std::vector<std::string>> ChartData::texts() const {
  std::vector<std::vector<std::string>> texts;
  for (const std::vector<Json>& row : rows_) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns_.size() && c < row.size(); ++c)
      if (!columns_[c].title.empty()) cells.push_back(cell_text(row[c], columns_[c].format));
    texts.push_back(std::move(cells));
  }
  return texts;
}

Chart make_chart(std::string_view name, ChartWords text, const ChartData& data,
                 const std::map<std::string, Json>& words, const std::map<std::string, Json>& more) {
  const auto specification = embedded(fmt::format("charts/{}.json", name));
  if (!specification) refuse(fmt::format("there is no chart '{}'", name));
  Json chart = parse_json(*specification, std::string(name));
  fill(chart, words);
  chart.add("description"_key = text.alternative, "datasets"_key = Json::object("values"_key = data.records()));
  for (const auto& [key, values] : more) chart["datasets"][key] = values;
  return {
      std::move(text.id), std::move(text.title), std::move(text.caption), std::move(text.alternative), json_line(chart),
      data.titles(),      data.texts()};
}

std::string cell_text(const Json& value, Format format) {
  if (const std::string* text = value.text()) return *text;
  if (const auto flag = value.flag()) return *flag ? "yes" : "no";
  const auto number = value.number();
  if (!number) return "–";
  return format == Format::share ? percent(*number) : plain_number(*number);
}

std::string plain_number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
  constexpr double large = 1e4;  // where four digits would be written with an exponent
  return std::abs(value) >= large && std::abs(value) < 1e9 ? fmt::format("{:.1f}", value)
                                                           : fmt::format("{:.4g}", value);
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
  return scale.is_share() ? Format::share : Format::number;
}

std::string vega_of(const Scale& scale) {
  if (scale.is_share()) return ".2~%";
  return scale.is_turned() || scale.kind == selection::ScoreKind::log_loss ? ".4~f" : ".6~r";
}

std::pair<Json, Json> ends_of(const Scale& scale, const Json& lower, const Json& upper) {
  return scale.is_turned() ? std::pair(shown(scale, upper), shown(scale, lower))
                           : std::pair(shown(scale, lower), shown(scale, upper));
}

std::string of_hundred(double share) {
  const double rows = 100 * share;
  if (rows < 0.05) return "fewer than 1 of 1000 new rows";
  if (rows < 1) return fmt::format("about {:.0f} of 1000 new rows", std::max(1.0, 10 * rows));
  return fmt::format("about {:.{}f} of 100 new rows", rows, rows < 10 ? 1 : 0);
}

double least_shown(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double reach = 4 * (values.back() - values[values.size() / 2]);
  return reach > 0 ? std::max(values.front(), values.back() - reach) : values.front();
}

std::string text_at(const Json& json, std::string_view key) {
  const std::string* text = json.at(key).text();
  return text == nullptr ? std::string() : *text;
}

double number_at(const Json& json, std::string_view key, double otherwise) {
  return json.at(key).number().value_or(otherwise);
}

std::string eps_name(const Json& level) {
  return fmt::format("eps = {}", plain_number(number_at(level, "eps", 0)));
}

std::size_t count_at(const Json& json, std::string_view key) {
  constexpr double most = 1e15;
  const double value = number_at(json, key, 0);
  return value > 0 ? static_cast<std::size_t>(std::min(value, most)) : 0;
}

std::string shown_name(std::string_view name) {
  return isolated(shortened(without_controls(name), longest_name));
}

std::vector<std::string> shown_names(const Json& names) {
  std::vector<std::string> shown;
  std::map<std::string, int> met;
  for (const Json& name : names.values()) {
    const std::string* text = name.text();
    std::string one = shown_name(text == nullptr ? cell_text(name, Format::number) : *text);
    if (one.find_first_not_of(' ') == std::string::npos) one = "(empty)";
    if (const int before = met[one]++; before > 0) one += fmt::format(" ({})", before + 1);
    shown.push_back(std::move(one));
  }
  return shown;
}

std::string shown_source(const Json& document) {
  const std::string source = text_at(document, "source");
  return source.empty() ? "rows from memory" : shown_name(source);
}

}  // namespace credence::report
