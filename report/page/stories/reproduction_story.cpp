#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/selection/selection_report.hpp"
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
std::optional<double> spread_beside(const Json& json) {
  return first_number(json, {"half_width", "error_std", "deviation", "standard_error"});
}

/// Walks through a report and takes every object that has "ours" and "paper", under the names on the way there. The
/// reports of most papers keep their figures so.
class Finder {
 public:
  std::vector<Figure> found;

  void look(const Json& json, const std::string& path, const std::string& last) {
    if (found.size() >= most) return;
    if (json.is_array()) {
      for (const Json& value : json.values()) {
        const std::string label = label_of(value);
        look(value, label.empty() ? path : joined(path, last), label.empty() ? last : label);
      }
      return;
    }
    if (!json.is_object()) return;
    if (middle_of(json.at("ours")) || middle_of(json.at("paper"))) return take(json, path, last);
    for (const std::string& key : json.keys()) {
      if (is_detail(key)) continue;
      const bool names = json.at(key).is_object() && !is_wrapper(key);
      look(json.at(key), names ? joined(path, last) : path, names ? key : last);
    }
  }

 private:
  static constexpr std::size_t most = 5000;

  static std::string joined(const std::string& a, const std::string& b) {
    return a.empty() ? b : b.empty() ? a : a + ", " + b;
  }
  static std::string label_of(const Json& json) {
    for (const char* key : {"name", "set", "key", "scaling", "method"})
      if (const std::string text = text_at(json, key); !text.empty()) return shown_name(text);
    return {};
  }
  /// Keys that lead on, and name nothing.
  static bool is_wrapper(const std::string& key) {
    return key == "methods" || key == "tables" || key == "table_1" || key == "sets";
  }
  /// What lies below is about single runs.
  static bool is_detail(const std::string& key) {
    return key == "shuffles" || key == "draws" || key == "splits" || key == "samples" || key == "folds" ||
           key == "targets" || key == "repeats" || key == "options" || key == "checksum";
  }
  void take(const Json& json, const std::string& path, const std::string& last) {
    const Json& ours = json.at("ours");
    const Json& paper = json.at("paper");
    found.push_back({path, last, middle_of(ours), spread_beside(ours), middle_of(paper), spread_beside(paper)});
  }
};

/// Of the tables of tcm-nn, which keep their figures as counts: errors, and kinds of regions at each level.
std::vector<Figure> region_figures(const Json& document) {
  std::vector<Figure> figures;
  for (const Json& set : document.at("sets").values()) {
    const std::string name = shown_name(text_at(set, "name"));
    const auto passes = set.at("passes").values();
    const auto mean = [&](const auto& of) -> std::optional<double> {
      double sum = 0;
      for (const Json& pass : passes) {
        const auto value = of(pass.at("found"));
        if (!value) return std::nullopt;
        sum += *value;
      }
      return passes.empty() ? std::nullopt : std::optional(sum / static_cast<double>(passes.size()));
    };
    const auto percent_of = [](const Json& part, const Json& whole) -> std::optional<double> {
      const auto count = part.number();
      const auto all = whole.number();
      return count && all && *all > 0 ? std::optional(100 * *count / *all) : std::nullopt;
    };
    const Json& paper = set.at("paper");
    figures.push_back({name, "error, %",
                       mean([&](const Json& found) { return percent_of(found.at("errors"), found.at("rows")); }),
                       std::nullopt, paper.at("error_percent").number(), std::nullopt});
    const auto levels = paper.at("levels").values();
    for (std::size_t l = 0; l < levels.size(); ++l) {
      for (const auto& [key, words] : {std::pair("single", "one class"), std::pair("multiple", "several classes"),
                                       std::pair("empty", "no class")}) {
        const char* counted = key;
        figures.push_back({name, fmt::format("{} at {}, %", words, cell_text(levels[l].at("eps"), Format::number)),
                           mean([&](const Json& found) -> std::optional<double> {
                             const auto ours = found.at("levels").values();
                             return l < ours.size() ? percent_of(ours[l].at(counted), ours[l].at("rows"))
                                                    : std::nullopt;
                           }),
                           std::nullopt, levels[l].at(std::string(key) + "_percent").number(), std::nullopt});
      }
    }
  }
  return figures;
}

Table paper_data(const std::vector<const Figure*>& figures) {
  Table data{"",
             {{"what", "what", Format::text},
              {"value", "value"},
              {"lower", "less its spread"},
              {"upper", "plus its spread"},
              {"kind", "whose", Format::text}}};
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
  return data;
}

Chart paper_chart(const std::vector<const Figure*>& figures, const std::string& table, std::size_t number) {
  const Table data = paper_data(figures);
  return make_chart("paper",
                    {fmt::format("paper-{}", number), table.empty() ? "Our figures beside the paper's" : table,
                     "For each line: our figure and the paper's, each with the spread that is stated beside it.",
                     "Points of our figures beside those of the paper."},
                    data);
}

Table targets_table(const Json& document) {
  Table table{"What was to be met", {"what", "ours", "wanted", "met"}};
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
  Table data{"", {{"x", "sigma"}, {"kind", "what", Format::text}, {"value", "value"}, {"mark", ""}}};
  std::vector<double> values;
  for (const Json& width : sinc.at("median").values()) {
    for (const char* key : {"log_validity", "log_evidence"})
      if (const auto value = width.at(key).number()) values.push_back(*value);
    data.add({width.at("sigma"), "log validity", width.at("log_validity"), ""});
    data.add({width.at("sigma"), "log evidence", width.at("log_evidence"), ""});
  }
  const double least = least_shown(values);
  return make_chart("evidence",
                    {"figure-2", "Figure 2: the index along the width",
                     "Medians over the noise seeds. The validity index should have one peak at a medium width.",
                     "Lines of the log validity and the log evidence over the width."},
                    data, {{"$x", "sigma"}, {"$least", least}});
}

bool same_figures(const std::vector<const Figure*>& a, const std::vector<const Figure*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Figure* x, const Figure* y) {
    return x->what == y->what && x->ours == y->ours && x->paper == y->paper && x->ours_spread == y->ours_spread &&
           x->paper_spread == y->paper_spread;
  });
}

using NamedFigures = std::pair<std::string, std::vector<const Figure*>>;

/// The figures by tables; tables with the same figures are one, under all their names.
std::vector<NamedFigures> different_tables(const std::vector<std::string>& tables, const std::vector<Figure>& found) {
  std::vector<NamedFigures> different;
  for (const std::string& table : tables) {
    std::vector<const Figure*> figures;
    for (const Figure& figure : found)
      if (figure.table == table) figures.push_back(&figure);
    const auto same =
        std::ranges::find_if(different, [&](const NamedFigures& other) { return same_figures(other.second, figures); });
    if (same == different.end())
      different.emplace_back(table, std::move(figures));
    else
      same->first += ", and the same: " + table;
  }
  return different;
}

/// What the page comes to, of the figures that have both sides, each table once; empty without any.
std::string main_sentence(const Json& document, const std::vector<NamedFigures>& tables) {
  const auto targets = document.at("targets").values();
  if (!targets.empty()) {
    const auto met =
        std::ranges::count_if(targets, [](const Json& target) { return target.at("met").flag().value_or(false); });
    return fmt::format("{} of {} that were stated in advance are met.", met, core::count_of(targets.size(), "target"));
  }
  std::size_t both = 0;
  std::size_t spread = 0;
  std::size_t near = 0;
  for (const auto& [table, figures] : tables) {
    for (const Figure* figure : figures) {
      if (!figure->ours || !figure->paper) continue;
      ++both;
      if (!figure->ours_spread && !figure->paper_spread) continue;
      ++spread;
      const double reach = figure->ours_spread.value_or(0) + figure->paper_spread.value_or(0);
      near += std::abs(*figure->ours - *figure->paper) <= reach ? 1U : 0U;
    }
  }
  if (both == 0) return {};
  const std::string stands =
      fmt::format("{} of ours {} beside the paper's", core::count_of(both, "figure"), both == 1 ? "stands" : "stand");
  return spread == 0 ? stands + "." : fmt::format("{}; {} of {} agree within their spreads.", stands, near, spread);
}

}  // namespace

Story reproduction_story(const Json& document) {
  Story story;
  story.title = "A paper's tables beside ours";
  story.subtitle = text_at(document, "paper");
  Section& section = story.section("chosen", "Our figures beside the paper's");
  add_warnings(section, document);
  std::vector<Figure> found = text_at(document, "table") == "tcm-nn" ? region_figures(document) : std::vector<Figure>();
  if (found.empty()) {
    Finder finder;
    finder.look(document, "", "");
    found = std::move(finder.found);
  }
  constexpr std::size_t most_charts = 24;
  std::vector<std::string> tables;
  for (const Figure& figure : found)
    if (std::ranges::find(tables, figure.table) == tables.end()) tables.push_back(figure.table);
  const std::vector<NamedFigures> different = different_tables(tables, found);
  if (const std::string sentence = main_sentence(document, different); !sentence.empty()) section.headline(sentence);
  std::size_t number = 0;
  for (const auto& [table, figures] : different) {
    // Of very many tables, the first ones are drawn; the others are there in numbers.
    if (++number <= most_charts)
      section.add(paper_chart(figures, table, number));
    else
      section.add(paper_data(figures).captioned(table));
  }
  if (document.at("sinc").at("median").size() > 0) section.add(evidence_of_figure_2(document.at("sinc")));
  if (document.at("targets").size() > 0) section.add(targets_table(document));
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
