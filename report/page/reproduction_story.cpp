#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/page/chart_data.hpp"
#include "report/page/story.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

/// A figure of a paper's table, and ours.
struct Figure {
  std::string table;  ///< of the paper, or what the figure is
  std::string what;   ///< data set and method
  std::optional<double> ours;
  std::optional<double> ours_spread;
  std::optional<double> paper;
  std::optional<double> paper_spread;
};

/// The first of some keys that holds a number.
std::optional<double> first_number(const Json& json, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (const auto value = json.at(key).number()) return value;
  return std::nullopt;
}

/// A number, or an object with a mean, an error or a value.
std::optional<double> middle_of(const Json& json) {
  if (const auto value = json.number()) return value;
  return first_number(json, {"mean", "error", "value"});
}
std::optional<double> spread_of(const Json& json) {
  return first_number(json, {"half_width", "error_std", "deviation", "standard_error"});
}

/// Walks through a report and takes every object that has "ours" and "paper", under the names on the way there. The
/// reports of all papers keep their figures so.
class Finder {
 public:
  std::vector<Figure> found;

  void look(const Json& json, const std::string& table, const std::string& what) {
    if (found.size() >= most) return;
    if (json.is_array()) {
      for (const Json& value : json.values()) look(value, table, joined(what, label_of(value)));
      return;
    }
    if (!json.is_object()) return;
    if (middle_of(json.at("ours")) || middle_of(json.at("paper"))) return take(json, table, what);
    for (const std::string& key : json.keys()) {
      if (is_detail(key)) continue;
      const bool numbered = json.at(key).is_object();
      look(json.at(key), numbered && what.empty() ? key : table,
           numbered && !is_wrapper(key) ? joined(what, key) : what);
    }
  }

 private:
  static constexpr std::size_t most = 2000;

  static std::string joined(const std::string& a, const std::string& b) {
    return a.empty() ? b : b.empty() ? a : a + ", " + b;
  }
  static std::string label_of(const Json& json) {
    for (const char* key : {"name", "set", "key", "scaling", "method"})
      if (const std::string text = text_at(json, key); !text.empty()) return text;
    return {};
  }
  /// Keys that lead on, and name nothing.
  static bool is_wrapper(const std::string& key) {
    return key == "methods" || key == "tables" || key == "overall" || key == "table_1" || key == "sets";
  }
  /// What lies below is about single runs.
  static bool is_detail(const std::string& key) {
    return key == "shuffles" || key == "draws" || key == "splits" || key == "samples" || key == "folds" ||
           key == "targets" || key == "repeats" || key == "options" || key == "checksum";
  }
  void take(const Json& json, const std::string& table, const std::string& what) {
    const Json& ours = json.at("ours");
    const Json& paper = json.at("paper");
    found.push_back({table, what, middle_of(ours), spread_of(ours), middle_of(paper), spread_of(paper)});
  }
};

Chart paper_chart(const std::vector<const Figure*>& figures, const std::string& table, std::size_t number) {
  ChartData data({{"what", "what", Format::text},
                  {"value", "value"},
                  {"lower", "less its spread"},
                  {"upper", "plus its spread"},
                  {"kind", "whose", Format::text}});
  const auto add = [&](const Figure& figure, const std::optional<double>& value, const std::optional<double>& spread,
                       const char* kind) {
    if (!value) return;
    data.add({figure.what, *value, spread ? Json(*value - *spread) : Json(nullptr),
              spread ? Json(*value + *spread) : Json(nullptr), kind});
  };
  for (const Figure* figure : figures) {
    add(*figure, figure->ours, figure->ours_spread, "ours");
    add(*figure, figure->paper, figure->paper_spread, "the paper's");
  }
  return make_chart(
      "paper",
      {fmt::format("paper-{}", number), table.empty() ? "Our figures beside the paper's" : "Table " + table,
       "For each line: our figure and the paper's, each with the spread that is stated beside it.",
       "Points of our figures beside those of the paper."},
      data);
}

Table targets_table(const Json& document) {
  Table table{"What was to be met", {"what", "ours", "wanted", "met"}, {}};
  for (const Json& target : document.at("targets").values()) {
    std::string what = text_at(target, "name");
    if (what.empty()) {
      what = fmt::format("table {}, {}, n = {}", text_at(target, "table"), text_at(target, "method"),
                         cell_text(target.at("n"), Format::number));
    }
    const auto band = target.at("band").values();
    const std::string wanted =
        band.size() == 2
            ? fmt::format("{} to {}", cell_text(band[0], Format::number), cell_text(band[1], Format::number))
            : fmt::format("{} within {}", cell_text(target.at("paper"), Format::number),
                          cell_text(target.at("allowed"), Format::number));
    table.rows.push_back(
        {what, cell_text(target.at("ours"), Format::number), wanted, cell_text(target.at("met"), Format::flag)});
  }
  return table;
}

Chart evidence_of_figure_2(const Json& sinc) {
  ChartData data({{"x", "sigma"}, {"kind", "what", Format::text}, {"value", "value"}, {"mark", ""}});
  for (const Json& width : sinc.at("median").values()) {
    data.add({width.at("sigma"), "log validity", width.at("log_validity"), ""});
    data.add({width.at("sigma"), "log evidence", width.at("log_evidence"), ""});
  }
  return make_chart("evidence",
                    {"figure-2", "Figure 2: the index along the width",
                     "Medians over the noise seeds. The validity index should have one peak at a medium width.",
                     "Lines of the log validity and the log evidence over the width."},
                    data, {{"$x", "sigma"}});
}

}  // namespace

Story reproduction_story(const Json& document) {
  Story story;
  story.title = "A paper's tables beside ours";
  story.subtitle = text_at(document, "paper");
  Section& section = story.section("chosen", "Our figures beside the paper's");
  add_warnings(section, document);
  Finder finder;
  finder.look(document, "", "");
  std::vector<std::string> tables;
  for (const Figure& figure : finder.found)
    if (std::find(tables.begin(), tables.end(), figure.table) == tables.end()) tables.push_back(figure.table);
  std::size_t number = 0;
  for (const std::string& table : tables) {
    std::vector<const Figure*> figures;
    for (const Figure& figure : finder.found)
      if (figure.table == table) figures.push_back(&figure);
    section.add(paper_chart(figures, table, ++number));
  }
  if (document.at("sinc").at("median").size() > 0) section.add(evidence_of_figure_2(document.at("sinc")));
  if (document.at("targets").size() > 0) section.add(targets_table(document));
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
