#include "report/story.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "credence/core/list.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr std::size_t longest_name = 60;
constexpr std::size_t line_width = 100;

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::size_t characters_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
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

/// Between marks that isolate its direction of writing, if it may be another: from Hebrew on, U+0590, whose letters
/// begin with the byte 0xD6.
std::string isolated(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0xD6; });
  return plain ? text : "\u2068" + text + "\u2069";
}

bool in_terminal(Where where, Detail detail) {
  return where == Where::both || where == Where::terminal || (where == Where::verbose && detail == Detail::verbose);
}

std::string padded(std::string_view text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, characters_of(text)), ' ');
  return to_the_right ? blanks + std::string(text) : std::string(text) + blanks;
}

/// A text as lines of at most `line_width`, where it has blanks, the later ones after so many blanks.
std::string wrapped(std::string_view text, std::size_t indent) {
  const std::size_t width = std::max(line_width, indent + line_width / 2) - indent;
  std::string lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::size_t cut = end <= width ? end : text.rfind(' ', width);
    if (cut == std::string_view::npos) cut = end;
    lines += std::string(lines.empty() ? 0 : indent, ' ') + std::string(text.substr(0, cut)) + '\n';
    if (cut >= text.size()) return lines;
    text.remove_prefix(cut + 1);
  }
}

std::string facts_text(const std::vector<Fact>& facts, Detail detail, std::size_t width) {
  std::string text;
  const std::string indent(width + 2, ' ');
  for (const Fact& fact : facts) {
    if (!in_terminal(fact.where, detail)) continue;
    text += padded(fact.label, width, false) + "  " + wrapped(fact.value, width + 2);
    if (!fact.note.empty()) text += indent + wrapped(fact.note, width + 2);
  }
  return text;
}

std::string table_text(const Table& table) {
  const std::vector<std::string> titles = table.titles();
  const std::vector<std::vector<std::string>> rows = table.texts();
  std::vector<bool> right;
  for (const Column& column : table.columns)
    if (!column.title.empty()) right.push_back(column.format != Format::text);
  std::vector<std::size_t> widths = core::mapped(titles, [](const std::string& title) { return characters_of(title); });
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], characters_of(row[c]));
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t c = 0; c < cells.size(); ++c) text += (c > 0 ? "  " : "") + padded(cells[c], widths[c], right[c]);
    return without_trailing_blanks(text);
  };
  std::string text = table.caption.empty() ? "" : table.caption + '\n';
  text += line(titles);
  for (const auto& row : rows) text += line(row);
  return text;
}

/// Empty for what the terminal does not show.
std::string block_text(const Block& block, Detail detail, std::size_t width) {
  return std::visit(
      core::Overload{
          [&](const std::vector<Fact>& facts) { return facts_text(facts, detail, width); },
          [&](const Paragraph& said) { return in_terminal(said.where, detail) ? wrapped(said.text, 0) : ""; },
          [&](const Table& table) { return in_terminal(table.where, detail) ? table_text(table) : ""; },
          [](const auto&) { return std::string(); }},
      block);
}

/// Of the labels that the terminal shows.
std::size_t label_width(const Story& story, Detail detail) {
  std::size_t width = 10;
  const auto widen = [&](const std::vector<Fact>& facts) {
    for (const Fact& fact : facts)
      if (in_terminal(fact.where, detail)) width = std::max(width, characters_of(fact.label));
  };
  for (const Section& section : story.sections)
    for (const Block& block : section.blocks) std::visit(core::Overload{widen, [](const auto&) {}}, block);
  return width;
}

/// The texts of a part, by the names that a document has.
template <class Part, std::size_t count>
using Texts = std::array<std::pair<const char*, std::string Part::*>, count>;
constexpr Texts<Fact, 3> texts_of_fact{{{"label", &Fact::label}, {"value", &Fact::value}, {"note", &Fact::note}}};
constexpr Texts<Column, 2> texts_of_column{{{"field", &Column::field}, {"title", &Column::title}}};
constexpr Texts<Code, 2> texts_of_code{{{"title", &Code::title}, {"text", &Code::text}}};
constexpr Texts<Chart, 5> texts_of_chart{{{"kind", &Chart::kind},
                                          {"id", &Chart::id},
                                          {"title", &Chart::title},
                                          {"caption", &Chart::caption},
                                          {"alternative", &Chart::alternative}}};

template <class Part>
Json json_of(const Part& part, const auto& texts) {
  Json json = Json::object();
  for (const auto& [name, member] : texts)
    if (!(part.*member).empty()) json[name] = part.*member;
  return json;
}

template <class Part>
Part part_of(const Json& json, const auto& texts, Part part = {}) {
  for (const auto& [name, member] : texts) part.*member = text_at(json, name);
  return part;
}

Json table_json(const Table& table) {
  const auto column = [](const Column& one) {
    Json json = json_of(one, texts_of_column);
    json["format"] = static_cast<int>(one.format);
    return json;
  };
  const auto row = [](const std::vector<Json>& values) { return Json(values); };
  return Json::object("caption"_key = table.caption, "columns"_key = Json::list(table.columns, column),
                      "rows"_key = Json::list(table.rows, row));
}

Table table_from(const Json& json) {
  Table table{{}, text_at(json, "caption")};
  for (const Json& column : json.at("columns").values()) {
    table.columns.push_back(part_of(column, texts_of_column, Column("")));
    table.columns.back().format = static_cast<Format>(std::min<std::size_t>(count_at(column, "format"), 3));
  }
  for (const Json& row : json.at("rows").values())
    if (row.values().size() == table.columns.size()) table.rows.emplace_back(row.values().begin(), row.values().end());
  return table;
}

Json facts_json(const std::vector<Fact>& facts) {
  Json list = Json::array();
  for (const Fact& fact : facts)
    if (fact.where != Where::terminal) list.push_back(json_of(fact, texts_of_fact));
  return list;
}

Json chart_json(const Chart& chart) {
  return json_of(chart, texts_of_chart)
      .add("data"_key = table_json(chart.data), "words"_key = chart.words, "more"_key = chart.more);
}

std::string text_of(const Json& json) {
  return json.text() == nullptr ? std::string() : *json.text();
}

/// What a block is read from: the kind under which `block_json` writes it, and its content.
using Reader = void (*)(const Json& content, Section& section);
constexpr std::pair<std::string_view, Reader> readers[]{
    {"headline", [](const Json& json, Section& section) { section.headline(text_of(json)); }},
    {"paragraph", [](const Json& json, Section& section) { section.say(text_of(json)); }},
    {"warning", [](const Json& json, Section& section) { section.warn(text_of(json)); }},
    {"code", [](const Json& json, Section& section) { section.add(part_of<Code>(json, texts_of_code)); }},
    {"table", [](const Json& json, Section& section) { section.add(table_from(json)); }},
    {"facts",
     [](const Json& json, Section& section) {
       const auto fact = [](const Json& one) { return part_of<Fact>(one, texts_of_fact); };
       section.add(core::mapped(json.values(), fact));
     }},
    {"chart", [](const Json& json, Section& section) {
       Chart chart = part_of<Chart>(json, texts_of_chart);
       chart.data = table_from(json.at("data"));
       chart.words = json.at("words");
       chart.more = json.at("more");
       section.add(std::move(chart));
     }}};

}  // namespace

Column::Column(const char* parts) {
  const auto part = core::split(parts, '|');
  field = part.size() > 1 ? part[0] : "";
  title = part[part.size() > 1 ? 1 : 0];
  const std::string_view last = part.size() == 1 ? "text" : part.size() == 2 ? "number" : part[2];
  constexpr std::array<std::string_view, 4> formats{"text", "number", "share", "flag"};
  const auto known = std::ranges::find(formats, last);
  if (known == formats.end()) refuse(fmt::format("a column has no format '{}': {}", last, parts));
  format = static_cast<Format>(known - formats.begin());
}

Chart Table::as_chart(const std::string& kind, std::string title, std::string below, std::string alternative,
                      Json words, Json more) && {
  const std::size_t end = std::min(kind.find('#'), kind.size());
  std::string id = end < kind.size() ? kind.substr(end + 1) : kind;
  if (end == kind.size()) std::ranges::replace(id, '_', '-');
  return {kind.substr(0, end),    std::move(id),    std::move(title), std::move(below),
          std::move(alternative), std::move(*this), std::move(words), std::move(more)};
}

void Table::drop(std::string_view title) {
  for (auto c = std::ssize(columns); c-- > 0;) {
    if (columns[static_cast<std::size_t>(c)].title != title) continue;
    columns.erase(columns.begin() + c);
    for (std::vector<Json>& row : rows) row.erase(row.begin() + c);
  }
}

Json Table::records() const {
  return Json::list(rows, [&](const std::vector<Json>& row) {
    Json record = Json::object();
    for (std::size_t c = 0; c < columns.size(); ++c) record[columns[c].field] = row[c];
    return record;
  });
}

std::vector<std::string> Table::titles() const {
  std::vector<std::string> titles;
  for (const Column& column : columns)
    if (!column.title.empty()) titles.push_back(column.title);
  return titles;
}

std::vector<std::vector<std::string>> Table::texts() const {
  std::vector<std::vector<std::string>> texts;
  for (const std::vector<Json>& row : rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (!columns[c].title.empty()) cells.push_back(cell_text(row[c], columns[c].format));
    texts.push_back(std::move(cells));
  }
  return texts;
}

Table Table::captioned(std::string text, Where reader) const {
  return {columns, std::move(text), reader, rows};
}

void Section::fact(std::string_view label, std::string_view value, std::string_view note, Where where) {
  if (blocks.empty() || !std::holds_alternative<std::vector<Fact>>(blocks.back())) facts();
  std::get<std::vector<Fact>>(blocks.back())
      .push_back({without_controls(label), without_controls(value), without_controls(note), where});
}

Section& Story::section(std::string id, std::string heading) {
  return sections.emplace_back(Section{std::move(id), std::move(heading)});
}

void Story::drop_empty_sections() {
  std::erase_if(sections, [](const Section& section) { return section.blocks.empty(); });
}

void add_cost(const Cost& cost, Story& story) {
  Section& section = story.section(cost_id, "What it cost");
  constexpr double least = 0.001;
  section.fact("time",
               cost.seconds < least ? "less than a thousandth of a second"
                                    : fmt::format("{:.3g} seconds on the clock", cost.seconds),
               Where::verbose);
  if (cost.threads > 0)
    section.fact("threads", fmt::format("{}; the result does not depend on them", cost.threads), Where::verbose);
}

std::string terminal_text(const Story& story, Detail detail) {
  const std::size_t width = label_width(story, detail);
  std::string text;
  for (const Section& section : story.sections) {
    for (const Block& block : section.blocks) {
      const std::string own = block_text(block, detail, width);
      if (!own.empty()) text += (text.empty() ? "" : "\n") + own;
    }
  }
  return text;
}

std::string terminal_line(const Story& story, Detail detail, const Fact& fact) {
  return facts_text({fact}, detail, label_width(story, detail));
}

Json block_json(const Block& block) {
  const auto unless = [](bool hidden, const char* kind, const auto& content) {
    return hidden ? Json() : Json::object(JsonMember{kind, content});
  };
  return std::visit(
      core::Overload{
          [](const Headline& headline) { return Json::object("headline"_key = headline.text); },
          [&](const Paragraph& said) { return unless(said.where == Where::terminal, "paragraph", said.text); },
          [](const Warning& warning) { return Json::object("warning"_key = warning.text); },
          [&](const std::vector<Fact>& facts) {
            return unless(facts_json(facts).size() == 0, "facts", facts_json(facts));
          },
          [&](const Table& table) { return unless(table.where == Where::terminal, "table", table_json(table)); },
          [](const Chart& chart) { return Json::object("chart"_key = chart_json(chart)); },
          [](const Code& code) { return Json::object("code"_key = json_of(code, texts_of_code)); }},
      block);
}

void add_block(const Json& json, Section& section) {
  for (const auto& [kind, read] : readers)
    if (json.has(kind)) read(json.at(kind), section);
}

Json story_json(const Story& story) {
  const auto section_json = [](const Section& section) {
    Json blocks = Json::array();
    for (const Block& block : section.blocks)
      if (Json json = block_json(block); !json.is_null()) blocks.push_back(std::move(json));
    return Json::object("id"_key = section.id, "title"_key = section.title, "blocks"_key = std::move(blocks));
  };
  Json sections = Json::array();
  Json cost;
  for (const Section& section : story.sections)
    if (section.id == cost_id)
      cost = section_json(section);
    else
      sections.push_back(section_json(section));
  return Json::object("title"_key = story.title, "subtitle"_key = story.subtitle, "sections"_key = std::move(sections),
                      "took"_key = std::move(cost));
}

Story story_from(const Json& json) {
  Story story{text_at(json, "title"), text_at(json, "subtitle")};
  const auto add = [&](const Json& section) {
    Section& own = story.section(text_at(section, "id"), text_at(section, "title"));
    for (const Json& block : section.at("blocks").values()) add_block(block, own);
  };
  for (const Json& section : json.at("sections").values()) add(section);
  if (json.at("took").is_object()) add(json.at("took"));
  return story;
}

void add_warnings(core::StopReason stopped, const std::vector<std::string>& warnings, Section& section) {
  if (stopped != core::StopReason::none)
    section.warn("The run was stopped before its end, so that this result is a partial one.");
  for (const std::string& warning : warnings) section.warn(warning + (warning.ends_with('.') ? "" : "."));
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

std::string shown_name(std::string_view name) {
  return isolated(shortened(without_controls(name), longest_name));
}

std::vector<std::string> shown_names(const std::vector<std::string>& names) {
  std::map<std::string, int> met;
  return core::mapped(names, [&](const std::string& name) {
    std::string one = shown_name(name);
    if (one.find_first_not_of(' ') == std::string::npos) one = "(empty)";
    if (const int before = met[one]++; before > 0) one += fmt::format(" ({})", before + 1);
    return one;
  });
}

std::string shown_source(const std::string& source) {
  return source.empty() ? "rows from memory" : source == "-" ? "standard input" : shown_name(source);
}

std::string evaluated_rows(const std::string& model, const std::string& source) {
  return fmt::format("{} on {}", model.empty() ? "Scores of another tool" : shown_name(model), shown_source(source));
}

std::string text_at(const Json& json, std::string_view key) {
  const std::string* text = json.at(key).text();
  return text == nullptr ? std::string() : *text;
}

double number_at(const Json& json, std::string_view key, double otherwise) {
  return json.at(key).number().value_or(otherwise);
}

std::size_t count_at(const Json& json, std::string_view key) {
  constexpr double most = 1e15;
  const double value = number_at(json, key, 0);
  return value > 0 ? static_cast<std::size_t>(std::min(value, most)) : 0;
}

}  // namespace credence::report
