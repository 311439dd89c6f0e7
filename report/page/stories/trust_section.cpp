#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

/// How far single predictions can be trusted.
namespace credence::report {
namespace {

/// Levels that anyone would ask for.
constexpr double largest_level_of_page = 0.5;
/// The level up to which rows are listed as doubtful: that of a region which would be empty at 5 %.
constexpr double little_credibility_of_page = 0.05;

/// Rows whose predictions are counted: a selection may have set others aside.
double judged_rows(const Json& document) {
  return number_at(document.at("trust"), "of", number_at(document, "n", 0));
}

Chart page_sizes_chart(const Json& document) {
  Table data{"",
             {{"eps", "promised error", Format::share},
              {"kind", "the region holds", Format::text},
              {"share", "rows", Format::share},
              {"order", ""}}};
  const double n = std::max(1.0, judged_rows(document));
  struct Kind {
    const char* key;
    const char* name;
  };
  for (const Json& point : document.at("sizes").values()) {
    const auto eps = point.at("eps").number();
    if (!eps || *eps > largest_level_of_page) continue;
    int order = 0;
    for (const auto& [key, name] :
         {Kind{"single", "one class"}, Kind{"multiple", "several classes"}, Kind{"empty", "no class"}})
      data.add({*eps, name, number_at(point, key, 0) / n, order++});
  }
  return make_chart("region_sizes",
                    {"region-sizes", "How many rows get a clear answer?",
                     "A region of one class is a clear answer. Several classes: the model cannot tell them apart at "
                     "this level. No class: none fits the row well enough, so the row is doubtful. Ask for fewer "
                     "errors, and more regions hold several classes. Read the chart up to the share of wrong labels: "
                     "beyond it, regions reach their level by holding no class, and clear answers get fewer.",
                     "Stacked areas: the share of rows whose region holds one class, several, or none, against the "
                     "promised level."},
                    data);
}

Chart page_rejection_chart(const Json& document) {
  Table data{"",
             {{"rejected", "rows turned away", Format::share},
              {"error", "errors among the rest", Format::share},
              {"lower", "from", Format::share},
              {"upper", "to", Format::share},
              {"kept", "rows kept"},
              {"least_confidence", "least confidence", Format::share}}};
  // Of the last tenth of the rows nothing is known but that it is few.
  const double most = judged_rows(document) / 10;
  for (const Json& point : document.at("rejection").values()) {
    if (number_at(point, "kept", 0) < most) continue;
    data.add({point.at("rejected"), point.at("error"), point.at("lower"), point.at("upper"), point.at("kept"),
              point.at("least_confidence")});
  }
  return make_chart("rejection",
                    {"rejection", "What is gained by asking a person?",
                     "Turn away the rows of the least confidence, and let a person decide them: the line shows how "
                     "many of the rest get a wrong label. Grey: the exact 95 % interval of that share. A line that "
                     "falls fast says that the confidence knows where the errors are.",
                     "Line of the error among the rows that are kept, against the share of rows turned away."},
                    data);
}

std::string page_class_of(const std::vector<std::string>& names, const Json& index) {
  const auto number = index.number();
  if (number && *number < 0) return "another class";
  if (!number || *number >= static_cast<double>(names.size())) return "?";
  return names[static_cast<std::size_t>(*number)];
}

std::vector<Json> row_values(const Json& row, const std::vector<std::string>& names) {
  const bool right = row.at("label").number() == row.at("truth").number();
  return {row.at("row"),
          page_class_of(names, row.at("label")),
          page_class_of(names, row.at("truth")),
          row.at("confidence"),
          row.at("credibility"),
          right ? "right label" : "wrong label",
          right ? 0 : 1};
}

std::vector<Column> row_columns() {
  return {{"row", "row"},
          {"label", "label", Format::text},
          {"truth", "true class", Format::text},
          {"confidence", "confidence", Format::share},
          {"credibility", "credibility", Format::share},
          {"kind", "outcome", Format::text},
          {"wrong", ""}};
}

Table rows_of(const Json& list, const std::vector<std::string>& names) {
  Table data{"", row_columns()};
  for (const Json& row : list.values()) data.add(row_values(row, names));
  return data;
}

Chart page_confidence_chart(const Json& document, const std::vector<std::string>& names) {
  const Json& trust = document.at("trust");
  const Table data = rows_of(trust.at("rows"), names);
  const double all = number_at(trust, "of", 0);
  const std::string sample = all > static_cast<double>(data.size())
                                 ? fmt::format(" Shown: {} of {:.0f} rows, evenly taken.", data.size(), all)
                                 : "";
  return make_chart("confidence",
                    {"confidence", "Which rows are doubtful?",
                     "Each point is one row; those with a wrong label stand in front. Confidence: how clearly the "
                     "other classes are ruled out. Credibility: how well the label itself fits, as a rank among rows "
                     "left out. A small credibility is mostly that of a row near a boundary; a large one does not say "
                     "that the row is like those that the model has seen." +
                         sample,
                     "Points of confidence against credibility, those with a wrong label in another colour."},
                    data);
}

}  // namespace

void add_region_charts(Section& section, const Json& document) {
  if (!document.at("calibration").values().empty())
    section.add(level_error_chart(document, "A region", "the true class"));
  if (!document.at("sizes").values().empty()) section.add(page_sizes_chart(document));
  if (!document.at("rejection").values().empty()) section.add(page_rejection_chart(document));
}

void add_trust_section(Story& story, const Json& document) {
  Section& section = story.section("trust", "How far single predictions can be trusted");
  const std::vector<std::string> names = shown_names(document.at("classes"));
  if (const std::string guarantee = text_at(document.at("p_values"), "guarantee"); !guarantee.empty())
    section.say("What is promised: " + guarantee + ".");
  const bool of_selection = text_at(document, "kind") == "selection" && document.at("trust").is_object();
  if (of_selection) {
    const Json& kept = document.at("calibration");
    section.say("What is promised, trust " + text_at(kept, "trust") + ": " + text_at(kept, "promise") + ".");
    section.say("Each row was judged by models that had not seen it in their training (" + text_at(kept, "source") +
                "), and compared with the scores of " +
                (kept.at("by_region").flag().value_or(false) ? "the other rows of its own region of the feature space"
                                                             : "all other rows") +
                (text_at(kept, "trust") == "measured"
                     ? ". New rows may do a little worse: credence evaluate MODEL DATA --report FILE.html counts on "
                       "rows of their own."
                     : "."));
  }
  add_region_charts(section, document);
  const Json& trust = document.at("trust");
  if (trust.at("rows").values().empty()) return;
  section.add(page_confidence_chart(document, names));
  Table poor{"",
             {{"row", "row"},
              {"label", "label", Format::text},
              {"truth", "true class", Format::text},
              {"confidence", "confidence", Format::share},
              {"credibility", "credibility", Format::share}}};
  for (const Json& row : trust.at("least_credible").values())
    if (number_at(row, "credibility", 1) <= little_credibility_of_page) poor.add(row_values(row, names));
  if (poor.empty()) return;
  section.add(poor.captioned(fmt::format(
      "Rows where even the best class fits poorly (credibility of at most {:.0f} %), mostly near a boundary",
      100 * little_credibility_of_page)));
}

void add_decision_section(Story& story, const Json& document) {
  const Json& decision = document.at("decision");
  const auto labels = decision.at("label").values();
  const auto side = count_at(decision.at("x"), "points");
  if (labels.empty() || side < 2 || labels.size() != side * side) return;
  const std::vector<std::string> names = shown_names(decision.at("classes"));
  const std::string x_name = shown_name(text_at(decision.at("x"), "name"));
  const std::string y_name = shown_name(text_at(decision.at("y"), "name"));
  const auto step_of = [&](const Json& axis) {
    return (number_at(axis, "most", 1) - number_at(axis, "least", 0)) / static_cast<double>(side - 1);
  };
  const double dx = step_of(decision.at("x"));
  const double dy = step_of(decision.at("y"));
  // Points of one class that follow each other in a line of the grid are one field.
  Json fields = Json::array();
  for (std::size_t first = 0, end = 0; first < labels.size(); first = end) {
    const std::size_t line = first / side;
    while (end < labels.size() && end / side == line && labels[end].number() == labels[first].number()) ++end;
    const double x = number_at(decision.at("x"), "least", 0) + dx * (static_cast<double>(first % side) - 0.5);
    const double y = number_at(decision.at("y"), "least", 0) + dy * (static_cast<double>(line) - 0.5);
    fields.push_back(Json::object("x"_key = x, "x2"_key = x + dx * static_cast<double>(end - first), "y"_key = y,
                                  "y2"_key = y + dy, "class"_key = page_class_of(names, labels[first])));
  }
  Table data{"", {{"x", x_name}, {"y", y_name}, {"class", "true class", Format::text}}};
  for (const Json& row : decision.at("rows").values())
    data.add({row.at("x"), row.at("y"), page_class_of(names, row.at("truth"))});
  constexpr std::size_t colours = 8;  // of chart_config.json
  const std::string repeated =
      names.size() > colours ? fmt::format("; {} colours repeat among the {} classes", colours, names.size()) : "";
  Section& section = story.section("decision", "Where the model says what");
  section.add(
      make_chart("decision",
                 {"decision-regions", "The class at every place of the two features",
                  fmt::format("Fields: the class that the model names there. Points: rows of the data, in the colour "
                              "of their true class; up to 500 are shown{}.",
                              repeated),
                  fmt::format("Map of the predicted class over {} and {}, with {} rows.", x_name, y_name, data.size())},
                 data, {{"$x", x_name}, {"$y", y_name}}, {{"fields", fields}}));
}

}  // namespace credence::report
