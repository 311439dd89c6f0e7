#include "report/decisions/limit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "credence/conformal/confidence.hpp"
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
std::string matrix(const DecisionCurve& curve) {
  const std::size_t n = curve.limits.size();
  const std::string corner = "limit";
  std::string text = fmt::format("\nshare of rows decided; lines: the limit of '{}', columns: the limit of '{}'\n{:>8}",
                                 curve.classes[0], curve.classes[1], corner);
  for (const double limit : curve.limits) text += fmt::format("  {:>7}", limit);
  text += '\n';
  for (std::size_t a = 0; a < n; ++a) {
    text += fmt::format("{:>8}", curve.limits[a]);
    for (std::size_t b = 0; b < n; ++b) {
      const conformal::DecisionCounts& counts = curve.points[a * n + b].counts;
      text += fmt::format("  {:>7}", shown(share(counts.decided, counts.rows)));
    }
    text += '\n';
  }
  return text;
}

std::string lines(const DecisionCurve& curve) {
  std::string text = fmt::format("\n{:>8}  {:>8}  {:>8}  {:>8}\n", "limit", "decided", "wrong", "asked");
  for (const DecisionPoint& point : curve.points) {
    text += fmt::format("{:>8}  {:>8}  {:>8}  {:>8}\n", point.limits.front(),
                        shown(share(point.counts.decided, curve.rows)), shown(share(point.counts.wrong, curve.rows)),
                        shown(share(asked(point), curve.rows)));
  }
  return text + "  (the same limit for every class; shares of all rows)\n";
}

std::string point_words(const DecisionCurve& curve, const DecisionPoint& point) {
  return fmt::format("{}: {} decided, {} wrongly{}", limits_text(curve.classes, point.limits),
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

DecisionCurve decision_curve(const model::Predictor& model, const data::DenseMatrix& p_values,
                             const std::vector<int>& labels, const std::vector<double>& limits,
                             const model::DecisionCosts* costs, const std::vector<double>& shares) {
  DecisionCurve curve;
  curve.classes = model.schema.classes;
  curve.compared = conformal::compared_with(model);
  curve.rows = p_values.rows;
  curve.limits = limits;
  curve.shares = shares;
  curve.points = conformal::decision_points(p_values, labels, limits, costs, shares);
  if (curve.classes.size() == 2) curve.without_asking = conformal::limits_without_asking(p_values);
  return curve;
}

std::string curve_table(const DecisionCurve& curve) {
  const bool two = curve.classes.size() == 2;
  std::string text = named_line("rows", std::to_string(curve.rows)) + (two ? matrix(curve) : lines(curve)) + '\n';
  if (const auto pair = curve.smallest_without_asking()) {
    text += named_line("none asked",
                       fmt::format("at {}; --json has {}", limits_text(curve.classes, {pair->first, pair->second}),
                                   count_of(curve.without_asking.size(), "pair")));
  } else if (two) {
    text += named_line("none asked", "at no pair of limits");
  }
  text += named_line(curve.costs.empty() ? "best" : "least cost", point_words(curve, curve.best()));
  return text +
         "  (read off these rows: the shares are of them, and the promise is that of the limits)\n"
         "  (a row whose classes are all struck out goes to a person too, so larger limits may decide fewer rows)\n";
}

Json curve_json(const DecisionCurve& curve) {
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
                      "best"_key = point_json(curve.best()));
}

}  // namespace credence::report
