#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/bound_report.hpp"

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

/// A share, a word where it is a bound that says nothing, or a dash.
std::string cell(const std::optional<double>& value, bool is_bound) {
  return fmt::format("{:>12}{:<8}", value ? percent(*value) : "-",
                     is_bound && value && !(*value < 1) ? " vacuous" : "");
}

std::string line(const std::string& name, const std::string& hard, const std::string& soft) {
  return without_trailing_blanks(fmt::format("{:<21}{}{}", name, hard, soft));
}

std::optional<double> bound_of(const ErrorEstimation& estimation, const std::string& name, Loss loss) {
  for (const ErrorBound& bound : estimation.bounds)
    if (bound.name == name && bound.loss == loss) return bound.bound;
  return std::nullopt;
}

std::string numbers(const ErrorEstimation& estimation) {
  std::vector<std::string> names;
  for (const Loss loss : {Loss::hard, Loss::soft}) {
    for (const ErrorBound& bound : estimation.bounds) {
      const bool known = std::ranges::find(names, bound.name) != names.end();
      if (bound.loss == loss && !known) names.push_back(bound.name);
    }
  }
  std::string text = line("", fmt::format("{:>12}{:<8}", "error rate", ""), fmt::format("{:>12}", "soft loss"));
  text += line(estimation.independent ? "estimate" : "mean (optimistic)", cell(estimation.hard, false),
               cell(estimation.soft, false));
  for (const std::string& name : names) {
    text += line(name, cell(bound_of(estimation, name, Loss::hard), true),
                 cell(bound_of(estimation, name, Loss::soft), true));
  }
  return text;
}

std::string confidence_sentence(const ErrorEstimation& estimation) {
  const auto confidence = [](double delta) { return fmt::format("{:.6g} %", 100 * (1 - delta)); };
  const std::size_t count = estimation.judgements.size();
  if (count == 1) return fmt::format("A bound holds with probability {}.\n", confidence(estimation.delta));
  if (estimation.united) {
    return fmt::format("A bound is the mean of {} limits that hold with probability {} all at once ({} each).\n", count,
                       confidence(estimation.delta), confidence(estimation.delta_each));
  }
  return fmt::format("A bound is the mean of {} limits that hold with probability {} each.\n", count,
                     confidence(estimation.delta_each));
}

}  // namespace

std::string estimation_table(const ErrorEstimation& estimation) {
  if (estimation.judgements.empty()) return {};
  return fmt::format("{}: {}\n", estimation.procedure, judgements_of(estimation)) + numbers(estimation) +
         confidence_sentence(estimation) + proof_sentence(subject_all_bounds, estimation.gaps, estimation.delta) + '\n';
}

Json estimation_json(const ErrorEstimation& estimation) {
  const bool judged = !estimation.judgements.empty();
  return Json::object("procedure"_key = estimation.procedure, "independent"_key = estimation.independent,
                      "proved"_key = judged && estimation.gaps.empty(), "gaps"_key = estimation.gaps,
                      "final"_key = core::word(estimation.final_classifier), "delta"_key = estimation.delta,
                      "delta_each"_key = estimation.delta_each, "union"_key = estimation.united,
                      "hard"_key = judged ? Json(estimation.hard) : Json(nullptr),
                      "soft"_key = judged ? Json(estimation.soft) : Json(nullptr),
                      "judgements"_key = Json::list(estimation.judgements,
                                                    [&](const Judgement& judgement) {
                                                      return Json::object(
                                                          "rows"_key = judgement.rows, "errors"_key = judgement.errors,
                                                          "soft"_key = judgement.soft, "cell"_key = judgement.cell);
                                                    }),
                      "bounds"_key = Json::list(estimation.bounds, [&](const ErrorBound& bound) {
                        return Json::object("name"_key = bound.name, "loss"_key = core::word(bound.loss),
                                            "estimate"_key = bound.estimate, "bound"_key = bound.bound,
                                            "vacuous"_key = bound.vacuous());
                      }));
}

}  // namespace credence::report
