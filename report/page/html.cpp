#include "report/page/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/sha256.hpp"
#include "credence/core/version.hpp"
#include "report/json.hpp"

namespace credence::report {
namespace {

std::string file(std::string_view name) {
  return std::string(embedded(name).value_or(""));
}

/// 'sha256-...' of an inline script or style.
std::string hash_source(std::string_view text) {
  return fmt::format("'sha256-{}'", core::base64(core::sha256(text)));
}

/// Puts words for the texts "$..." of a specification.
void fill(Json& json, const Json& words) {
  if (const std::string* text = json.text()) {
    if (text->starts_with('$') && words.has(*text)) json = words.at(*text);
  } else if (json.is_array()) {
    for (Json& value : json) fill(value, words);
  } else {
    for (const std::string& key : json.keys()) fill(json[key], words);
  }
}

bool is_number(std::string_view cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.-+e %–") == std::string_view::npos;
}

std::string table_html(const std::string& caption, const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string text = fmt::format(
      "<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\"{0}\"><table><caption>{0}</caption><thead><tr>",
      escaped(caption));
  for (const std::string& column : columns) text += fmt::format("<th scope=\"col\">{}</th>", escaped(column));
  text += "</tr></thead><tbody>";
  for (const std::vector<std::string>& row : rows) {
    text += "<tr>";
    for (const std::string& cell : row)
      text += fmt::format("<td{}>{}</td>", is_number(cell) ? " class=\"n\"" : "", escaped(cell));
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string chart_html(const DrawnChart& chart) {
  return fmt::format(
             "<figure id=\"{0}\"><h3>{1}</h3>\n"
             "<div class=\"chart\" data-chart=\"{0}\" role=\"img\" aria-label=\"{2}\"></div>\n"
             "<noscript><p class=\"quiet\">Drawing the chart needs JavaScript. The table has its numbers.</p>"
             "</noscript>\n"
             "<figcaption>{3}</figcaption>\n"
             "<details><summary>The numbers behind the chart: {4}</summary>\n",
             escaped(chart.id), escaped(chart.title), escaped(chart.alternative), escaped(chart.caption),
             chart.rows.size() == 1 ? "1 row" : fmt::format("{} rows", chart.rows.size())) +
         table_html(chart.title, chart.columns, chart.rows) +
         fmt::format("</details>\n<script type=\"application/json\" id=\"spec-{}\">{}</script>\n</figure>\n",
                     escaped(chart.id), for_script(chart.specification));
}

/// A label as the page writes it.
std::string capitalised(std::string label) {
  if (!label.empty() && label.front() >= 'a' && label.front() <= 'z')
    label.front() = static_cast<char>(label.front() - 'a' + 'A');
  return label;
}

std::string value_of(const Fact& fact) {
  return fact.note.empty() ? fact.value : fact.value + "; " + fact.note;
}

std::string facts_html(const std::vector<Fact>& facts) {
  std::string text = "<dl>\n";
  for (const Fact& fact : facts)
    text +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(capitalised(fact.label)), escaped(value_of(fact)));
  return text + "</dl>\n";
}

std::string block_html(const Block& block) {
  return std::visit(
      core::Overload{
          [](const Headline& headline) { return fmt::format("<p class=\"answer\">{}</p>\n", escaped(headline.text)); },
          [](const Paragraph& paragraph) { return fmt::format("<p>{}</p>\n", escaped(paragraph.text)); },
          [](const Warning& warning) {
            return fmt::format("<p class=\"warning\"><strong>Note.</strong> {}</p>\n", escaped(warning.text));
          },
          [](const std::vector<Fact>& facts) { return facts_html(facts); },
          [](const Chart& chart) { return chart_html(drawn(chart)); },
          [](const Table& table) { return table_html(table.caption, table.titles(), table.texts()); },
          [](const Code& code) {
            return fmt::format("<details{}><summary>{}</summary><pre tabindex=\"0\">{}</pre></details>\n",
                               code.text.find('\n') == std::string::npos ? " open" : "", escaped(code.title),
                               escaped(code.text));
          }},
      block);
}

std::string navigation(const Story& story) {
  std::string text = "<nav aria-label=\"Sections\"><ul>\n";
  for (const Section& section : story.sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", escaped(section.id), escaped(section.title));
  return text + "</ul></nav>\n";
}

std::string body(const Story& story) {
  std::string text =
      fmt::format("<header><h1>{}</h1>\n<p class=\"quiet\">{}</p>\n", escaped(story.title), escaped(story.subtitle)) +
      navigation(story) + "</header>\n<main>\n";
  for (const Section& section : story.sections) {
    text += fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n",
                        escaped(section.id), escaped(section.title));
    for (const Block& block : section.blocks) text += block_html(block);
    text += "</section>\n";
  }
  return text + fmt::format(
                    "</main>\n<footer><p class=\"quiet\">Made by Credence {}. This page needs no network and "
                    "sends nothing anywhere.</p></footer>\n",
                    escaped(version()));
}

}  // namespace

std::string escaped(std::string_view text) {
  static constexpr std::pair<char, std::string_view> entities[]{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  for (const char c : text) {
    const auto* const found = std::ranges::find(entities, c, [](const auto& entity) { return entity.first; });
    if (found != std::end(entities))
      out += found->second;
    else
      out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
  }
  return out;
}

DrawnChart drawn(const Chart& chart) {
  const auto specification = embedded(fmt::format("charts/{}.json", chart.kind));
  if (!specification) throw Error(ErrorCode::format, fmt::format("there is no chart '{}'", chart.kind));
  Json json = parse_json(*specification, chart.kind);
  fill(json, chart.words);
  json.add("description"_key = chart.alternative, "datasets"_key = Json::object("values"_key = chart.data.records()));
  for (const std::string& name : chart.more.keys()) json["datasets"][name] = chart.more.at(name);
  return {chart.id,        chart.title,         chart.caption,     chart.alternative,
          json_line(json), chart.data.titles(), chart.data.texts()};
}

std::string for_script(std::string_view json) {
  std::string out;
  for (const char c : json)
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  return out;
}

std::string html_of(const Story& story) {
  const std::string style = file("page.css");
  const std::string drawing = file("drawing.js");
  const std::string script = file("page.js");
  std::string text = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; form-action 'none'; "
      "style-src {}; script-src {} {}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta name=\"generator\" content=\"Credence {}\">\n<title>{}</title>\n<style>",
      hash_source(style), hash_source(drawing), hash_source(script), escaped(version()), escaped(story.title));
  text += style;
  text += "</style>\n</head>\n<body>\n";
  text += body(story);
  text += "<script type=\"application/json\" id=\"chart-config\">" + for_script(file("chart_config.json"));
  text += "</script>\n<script>";
  text += drawing;
  text += "</script>\n<script>";
  text += script;
  return text + "</script>\n</body>\n</html>\n";
}

}  // namespace credence::report
