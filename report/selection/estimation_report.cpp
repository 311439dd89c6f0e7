#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/bound_report.hpp"
#include "report/evaluation/class_facts.hpp"

namespace credence::report {
namespace {

using selection::ErrorBound;
using selection::ErrorEstimation;
using selection::Judgement;
using selection::Loss;

/// "10 classifiers judged on 56 to 57 rows each".
std::string judgements_of(const ErrorEstimation& estimation) {
  const auto [least, most] = std::ranges::minmax_element(
      estimation.judgements, [](const Judgement& a, const Judgement& b) { return a.rows < b.rows; });
  const std::string rows =
      least->rows == most->rows ? count_of(most->rows, "row") : fmt::format("{} to {} rows", least->rows, most->rows);
  return fmt::format("{} judged on {} each", count_of(estimation.judgements.size(), "classifier"), rows);
}

std::optional<double> bound_of(const ErrorEstimation& estimation, const std::string& name, Loss loss) {
  for (const ErrorBound& bound : estimation.bounds)
    if (bound.name == name && bound.loss == loss) return bound.bound;
  return std::nullopt;
}

Table numbers(const ErrorEstimation& estimation) {
  std::vector<std::string> names;
  for (const Loss loss : {Loss::hard, Loss::soft}) {
    for (const ErrorBound& bound : estimation.bounds) {
      const bool known = std::ranges::find(names, bound.name) != names.end();
      if (bound.loss == loss && !known) names.push_back(bound.name);
    }
  }
  Table table{{"estimate or bound", "|error rate", "|soft loss"},
              fmt::format("{}: {}", estimation.procedure, judgements_of(estimation)),
              Where::both};
  table.add(
      {estimation.independent ? "estimate" : "mean (optimistic)", percent(estimation.hard), percent(estimation.soft)});
  const auto shown = [&](const std::string& name, Loss loss) {
    const auto bound = bound_of(estimation, name, loss);
    return bound ? Json(bound_text(*bound)) : Json(nullptr);
  };
  for (const std::string& name : names) table.add({name, shown(name, Loss::hard), shown(name, Loss::soft)});
  return table;
}

std::string confidence_sentence(const ErrorEstimation& estimation) {
  const auto confidence = [](double delta) { return fmt::format("{:.6g} %", 100 * (1 - delta)); };
  const std::size_t count = estimation.judgements.size();
  if (count == 1) return fmt::format("A bound holds with probability {}.", confidence(estimation.delta));
  if (estimation.united) {
    return fmt::format("A bound is the mean of {} limits that hold with probability {} all at once ({} each).", count,
                       confidence(estimation.delta), confidence(estimation.delta_each));
  }
  return fmt::format("A bound is the mean of {} limits. Each holds with probability {}, but their mean need not.",
                     count, confidence(estimation.delta_each));
}

}  // namespace

void add_finding(const ErrorEstimation& estimation, const selection::Selection& selection, Story& story) {
  add_widths(selection, story);
  if (estimation.judgements.empty()) return;
  Section& section = story.section("bounds", "Bounds on the error");
  section.add(numbers(estimation));
  section.tell(confidence_sentence(estimation));
  double least = std::numeric_limits<double>::infinity();
  for (const ErrorBound& bound : estimation.bounds)
    if (bound.loss == Loss::hard) least = std::min(least, bound.bound);
  if (std::isfinite(least)) add_worth(least, baseline_error(selection), section);
  add_proof(subject_all_bounds, estimation.gaps, estimation.delta, section);
}

Json estimation_json(const ErrorEstimation& estimation) {
  const bool judged = !estimation.judgements.empty();
  return Json::object("procedure"_key = estimation.procedure, "independent"_key = estimation.independent,
                      "proved"_key = judged && estimation.gaps.empty(), "gaps"_key = estimation.gaps,
                      "final"_key = core::word(estimation.final_classifier), "delta"_key = estimation.delta,
                      "delta_each"_key = estimation.delta_each, "union"_key = estimation.united,
                      "hard"_key = judged ? Json(estimation.hard) : Json(nullptr),
                      "soft"_key = judged ? Json(estimation.soft) : Json(nullptr),
                      "judgements"_key = Json::list(
                          estimation.judgements,
                          [&](const Judgement& judgement) {
                            return Json::object("rows"_key = judgement.rows, "errors"_key = judgement.errors,
                                                "soft"_key = judgement.soft, "setting"_key = judgement.setting);
                          }),
                      "bounds"_key = Json::list(estimation.bounds, [&](const ErrorBound& bound) {
                        return Json::object("name"_key = bound.name, "loss"_key = core::word(bound.loss),
                                            "estimate"_key = bound.estimate, "bound"_key = bound.bound,
                                            "vacuous"_key = bound.vacuous());
                      }));
}

}  // namespace credence::report
