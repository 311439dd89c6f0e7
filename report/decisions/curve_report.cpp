#include "report/decisions/limit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/model/costs.hpp"
#include "report/sentence.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using conformal::DecisionPoint;

constexpr std::size_t most_pairs = 200;  ///< of limits without asking, in JSON

std::size_t asked(const DecisionPoint& point) {
  return point.counts.rows - point.counts.decided;
}

/// "sick=0.02,well=0.1", as --limit takes it.
std::string limits_text(const std::vector<std::string>& classes, const std::vector<double>& limits) {
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < classes.size(); ++c) texts.push_back(fmt::format("{}={:.4g}", classes[c], limits[c]));
  return fmt::format("{}", fmt::join(texts, ","));
}

/// The share of rows decided: a line for each limit of the first class, a column for each of the second.
Table matrix(const DecisionCurve& curve, const std::vector<std::string>& names) {
  const std::size_t n = curve.limits.size();
  Table table{
      {"|limit"},
      fmt::format("Share of rows decided, by the limit of '{}' (lines) and of '{}' (columns)", names[0], names[1]),
      Where::terminal};
  for (const double limit : curve.limits) table.columns.push_back({"", fmt::format("{}", limit)});
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<Json> row{fmt::format("{}", curve.limits[a])};
    for (std::size_t b = 0; b < n; ++b) {
      const conformal::DecisionCounts& counts = curve.points[a * n + b].counts;
      row.emplace_back(shown(share(counts.decided, counts.rows)));
    }
    table.add(std::move(row));
  }
  return table;
}

/// Every point with what it decides and misses.
Table points_of(const DecisionCurve& curve, const std::vector<std::string>& names) {
  const bool two = names.size() == 2;
  Table data{{Column("y", two ? "limit of " + names[0] : "limit of every class"),
              Column("x", two ? "limit of " + names[1] : ""), "row||text", "value|rows decided|share",
              "wrong|decided wrongly|share"}};
  for (const std::string& name : names) data.columns.push_back({"missed_" + name, name + " missed"});
  data.add_columns({{"cost", curve.costs.empty() ? "" : "cost of a row"}, "mark|"});
  const DecisionPoint* best = &curve.best();
  for (const DecisionPoint& point : curve.points) {
    const double first = point.limits.front();
    const std::string place = fmt::format(
        "{:03}|{}", std::ranges::count_if(curve.limits, [&](double limit) { return limit < first; }), first);
    std::vector<Json> row{first, point.limits.back(), place, share(point.counts.decided, curve.rows),
                          share(point.counts.wrong, curve.rows)};
    for (const conformal::ClassDecisions& own : point.counts.of_class) row.emplace_back(own.missed);
    row.emplace_back(point.cost);
    row.emplace_back(&point == best ? "chosen" : "");
    data.add(std::move(row));
  }
  return data;
}

Chart decided_chart(const DecisionCurve& curve, const std::vector<std::string>& names) {
  const std::string x = "limit of " + names[1];
  const std::string y = "limit of " + names[0];
  return points_of(curve, names)
      .as_chart("heat_map#decided", "How many rows are decided?",
                fmt::format("Each square is one pair of limits; the brighter, the more rows are decided. Diamond: {}.",
                            curve.costs.empty() ? "the fewest rows that go to a person or are decided wrongly"
                                                : "the least cost"),
                fmt::format("Heat map of the share of rows decided over the {} and the {}.", x, y),
                Json::object("$x"_key = x, "$y"_key = y, "$value"_key = "rows decided", "$format"_key = ".1~%",
                             "$reverse"_key = false, "$domain"_key = std::vector<double>{0, 1}),
                Json::object("headings"_key = Json::array()));
}

std::string point_words(const DecisionCurve& curve, const DecisionPoint& point) {
  return fmt::format("{}: {} decided, {} of all rows wrongly{}", limits_text(curve.classes, point.limits),
                     shown(share(point.counts.decided, curve.rows)), shown(share(point.counts.wrong, curve.rows)),
                     point.cost ? fmt::format(", cost {:.4g} a row", *point.cost) : "");
}

Json point_json(const DecisionPoint& point) {
  Json missed = Json::list(point.counts.of_class, [](const conformal::ClassDecisions& own) { return own.missed; });
  return Json::object("limits"_key = point.limits, "decided"_key = point.counts.decided,
                      "wrong"_key = point.counts.wrong, "none_left"_key = point.counts.none,
                      "several_left"_key = point.counts.several, "missed"_key = std::move(missed),
                      "cost"_key = point.cost);
}

Json pair_json(const std::pair<double, double>& pair) {
  return Json(std::vector<double>{pair.first, pair.second});
}

}  // namespace

const DecisionPoint& DecisionCurve::best() const {
  return *std::ranges::min_element(points, {}, [](const DecisionPoint& point) {
    return point.cost.value_or(static_cast<double>(asked(point) + point.counts.wrong));
  });
}

std::optional<std::pair<double, double>> DecisionCurve::smallest_without_asking() const {
  if (without_asking.empty()) return std::nullopt;
  return *std::ranges::min_element(without_asking, {},
                                   [](const auto& pair) { return std::max(pair.first, pair.second); });
}

void check_limits(const std::vector<double>& limits) {
  for (const double limit : limits)
    if (!(limit >= 0 && limit < 1)) refuse(fmt::format("a limit must lie in [0, 1), not {}", limit));
  constexpr std::size_t most = 100;
  if (limits.size() > most) refuse(fmt::format("at most {} limits are tried, not {}", most, limits.size()));
}

DecisionCurve decision_curve(const ComparedRows& compared, const data::DenseMatrix& p_values,
                             const std::vector<int>& labels, const std::vector<double>& limits,
                             const std::string& costs, const std::vector<double>& shares) {
  DecisionCurve curve;
  curve.classes = compared.classes;
  curve.compared = compared.rows;
  curve.rows = p_values.rows;
  curve.limits = limits;
  curve.costs = costs;
  curve.shares = shares;
  std::optional<model::DecisionCosts> priced;
  if (!costs.empty()) priced = model::DecisionCosts::parse(costs, curve.classes);
  curve.points = conformal::decision_points(p_values, labels, limits, priced ? &*priced : nullptr, shares);
  if (curve.classes.size() == 2) curve.without_asking = conformal::limits_without_asking(p_values);
  return curve;
}

Story limits_story(const DecisionCurve& curve, const std::string& guarantee, const std::string& rows) {
  Story story{"Limits of the errors of each class", rows};
  Section& section = story.section("chosen", "What the limits decide");
  const std::vector<std::string> names = shown_names(curve.classes);
  const DecisionPoint& best = curve.best();
  section.headline(
      fmt::format("{} at the limits {}: {} of the rows are decided, the others go to a person.",
                  curve.costs.empty() ? "Fewest rows go to a person or are decided wrongly" : "The least cost is",
                  shares_text(names, best.limits), shown(share(best.counts.decided, curve.rows))));
  section.say(
      "A class is ruled out for a row if its p-value is at most the limit of the class, so where the prediction set at "
      "confidence level 1 - limit lacks the class. A row with one class left is decided; the other rows go to a "
      "person. A decision is wrong only if the true class was ruled out.");
  if (!guarantee.empty()) section.say("What is promised: " + guarantee + ".");
  section.fact("rows", std::to_string(curve.rows));
  section.fact("limit", "the allowed probability that the class is ruled out for one of its rows", {}, Where::terminal);
  if (names.size() == 2) {
    section.add(matrix(curve, names));
    section.add(decided_chart(curve, names));
    const auto pair = curve.smallest_without_asking();
    section.fact("nobody asked",
                 pair ? limits_text(curve.classes, {pair->first, pair->second}) : "at no pair of limits",
                 pair ? "the smallest limits at which every row is decided, so that none goes to a person" : "");
  } else {
    section.add(points_of(curve, names).captioned("The same limit for every class", Where::both));
  }
  if (!curve.costs.empty()) section.fact("costs", shown_name(curve.costs));
  section.fact(curve.costs.empty() ? "best" : "least cost", point_words(curve, best),
               curve.costs.empty() ? "here the fewest rows go to a person or are decided wrongly" : "");
  section.tell(
      "The best limits were chosen on the rows of this file, so they may decide new rows a little less well. What a "
      "limit promises of its class does not depend on this choice. A row for which all classes are ruled out goes to a "
      "person too, so larger limits may decide fewer rows.");
  Sentences sentences;
  sentences.say("A row was decided where the conformal p-values").cite(reference::conformal);
  sentences.say(" of all classes but one were at most the limits of these classes").cite(reference::class_conditional);
  sentences.say(fmt::format(
      ": {}. Of {}, {} were decided, and {} of these wrongly; the limits were chosen on the same rows.",
      shares_text(names, best.limits), count_of(curve.rows, "row"), best.counts.decided, best.counts.wrong));
  sentences.add_to(story);
  return story;
}

Json curve_json(const DecisionCurve& curve, const std::string& guarantee, const std::string& model,
                const std::string& source) {
  Json pairs = Json::array();
  for (const std::size_t at : evenly(curve.without_asking.size(), most_pairs))
    pairs.push_back(pair_json(curve.without_asking[at]));
  const auto smallest = curve.smallest_without_asking();
  return Json::object("kind"_key = "limits", "n"_key = curve.rows, "classes"_key = curve.classes,
                      "compared_with"_key = curve.compared, "points"_key = Json::list(curve.points, point_json),
                      "without_asking"_key = std::move(pairs),
                      "smallest_without_asking"_key = smallest ? pair_json(*smallest) : Json(nullptr),
                      "costs"_key = curve.costs.empty() ? Json(nullptr) : Json(curve.costs),
                      "class_shares"_key = curve.shares.empty() ? Json(nullptr) : Json(curve.shares),
                      "best"_key = point_json(curve.best()), "guarantee"_key = guarantee, "model"_key = model,
                      "source"_key = source, "version"_key = version());
}

}  // namespace credence::report
