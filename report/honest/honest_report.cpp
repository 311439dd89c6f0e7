#include "report/honest/honest_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/core/list.hpp"
#include "report/cell_words.hpp"
#include "report/plan.hpp"
#include "report/selection/selection_report.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::HonestChoice;
using selection::JudgedCandidate;

constexpr double noise_p = 0.05;
/// Lines of the table for people; --json has all.
constexpr std::size_t most_lines = 30;

/// Shares of errors as such; other losses as they are.
Scale scale_of(const HonestChoice& found) {
  return {found.zero_one ? selection::ScoreKind::error : selection::ScoreKind::log_evidence, found.score};
}

/// From the smallest loss on; the chosen one first, candidates without a loss last.
std::vector<std::size_t> by_loss(const HonestChoice& found) {
  std::vector<std::size_t> order = core::numbers_below(found.candidates.size());
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double one = found.candidates[a].loss;
    const double other = found.candidates[b].loss;
    return std::isnan(other) ? !std::isnan(one) : one < other;
  });
  return order;
}

std::size_t close_candidates(const HonestChoice& found) {
  return static_cast<std::size_t>(std::ranges::count_if(found.candidates, &JudgedCandidate::within_one_se));
}

std::string estimate_text(const HonestChoice& found, const Scale& scale) {
  const selection::HonestEstimate& estimate = found.estimate;
  if (std::isnan(estimate.error)) return "none: no draw was judged";
  std::string text = scale.text(estimate.error);
  if (estimate.lower && estimate.upper) {
    text += fmt::format(", {:.4g} % interval {} ({})", 100 * (1 - estimate.delta),
                        scale.ends(*estimate.lower, *estimate.upper), estimate.interval);
  }
  return text;
}

std::string candidate_line(const JudgedCandidate& one, const Scale& scale, std::size_t width) {
  const auto or_dash = [&](double value) { return std::isnan(value) ? std::string("-") : scale.spread(value); };
  return fmt::format("{:<{}}  {:>7}  {:>10}  {:>9}  {:>6}  {:>10}  {:>6}\n", one.name, width, one.rows,
                     std::isnan(one.loss) ? "-" : scale.text(one.loss), or_dash(one.standard_error),
                     one.within_one_se ? "yes" : "no", one.test ? scale.spread(one.test->mean_difference) : "-",
                     one.test ? fmt::format("{:.3f}", one.test->p_value) : "-");
}

std::string candidates_table(const HonestChoice& found) {
  const Scale scale = scale_of(found);
  const std::vector<std::size_t> order = by_loss(found);
  const std::size_t shown = std::min(order.size(), most_lines);
  std::size_t width = 9;
  for (std::size_t k = 0; k < shown; ++k) width = std::max(width, found.candidates[order[k]].name.size());
  std::string text = fmt::format("{:<{}}  {:>7}  {:>10}  {:>9}  {:>6}  {:>10}  {:>6}\n", "candidate", width, "rows",
                                 found.zero_one ? "error" : "loss", "std error", "within", "difference", "p");
  for (std::size_t k = 0; k < shown; ++k) text += candidate_line(found.candidates[order[k]], scale, width);
  if (shown < order.size()) text += fmt::format("and {} more, which --json lists\n", order.size() - shown);
  return text +
         "within: at most one standard error above the smallest\n"
         "difference, p: from the chosen one, corrected t-test over rows (Nadeau and Bengio, 2003)\n";
}

std::string verdict(const HonestChoice& found) {
  std::size_t tests = 0;
  std::size_t beyond = 0;
  for (const JudgedCandidate& one : found.candidates) {
    if (!one.test) continue;
    ++tests;
    if (one.test->p_value < noise_p) ++beyond;
  }
  if (tests == 0) return {};
  return fmt::format(
      "{} of {} differences from the chosen one are beyond noise at 5 %. The p-values count neither\n"
      "the number of tests, nor that the chosen one was the best here.\n",
      beyond, tests);
}

Json known(double value) {
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

Json candidate_json(const JudgedCandidate& one) {
  Json document =
      Json::object("name"_key = one.name, "rows"_key = one.rows, "loss"_key = known(one.loss),
                   "standard_error"_key = known(one.standard_error), "within_one_se"_key = one.within_one_se);
  for (const char* key : {"mean_difference", "t", "p_value", "lower", "upper"}) document[key] = nullptr;
  if (const auto& test = one.test) {
    document.add("mean_difference"_key = test->mean_difference,
                 "t"_key = std::isfinite(test->t) ? Json(test->t) : Json(nullptr), "p_value"_key = test->p_value,
                 "lower"_key = test->mean_difference - test->half_width,
                 "upper"_key = test->mean_difference + test->half_width);
  }
  return document;
}

Json estimate_json(const selection::HonestEstimate& estimate) {
  return Json::object("method"_key = estimate.method, "basis"_key = honest_basis(estimate, false),
                      "error"_key = known(estimate.error), "lower"_key = estimate.lower, "upper"_key = estimate.upper,
                      "interval"_key = estimate.interval.empty() ? Json(nullptr) : Json(estimate.interval),
                      "trials"_key = estimate.trials > 0 ? Json(estimate.trials) : Json(nullptr),
                      "delta"_key = estimate.delta, "resamples"_key = estimate.resamples, "rows"_key = estimate.rows,
                      "seconds"_key = estimate.seconds);
}

}  // namespace

std::string honest_text(const HonestChoice& found, const std::string& source) {
  const Scale scale = scale_of(found);
  const JudgedCandidate& chosen = found.candidates[found.chosen];
  const std::size_t close = close_candidates(found);
  std::string data =
      fmt::format("{}: {}, {}", source, count_of(found.rows, "row"), count_of(found.candidates.size(), "candidate"));
  if (found.groups > 0) data += ", " + count_of(found.groups, "group");
  return named_line("data", data) +
         named_line("chosen",
                    fmt::format("{}: {} (optimistic: this score chose it)", chosen.name, scale.text(chosen.loss))) +
         named_line("honest", estimate_text(found, scale)) +
         named_line("close", close == 1 ? "none: no other candidate is within one standard error"
                                        : fmt::format("{} of {} candidates are within one standard error", close,
                                                      found.candidates.size())) +
         "\n" + candidates_table(found) + verdict(found);
}

Json honest_json(const HonestChoice& found, const std::string& source) {
  selection::HonestOptions asked = found.options;
  Json options = Json::object();
  add_fields(core::fields_of(asked), options);
  const JudgedCandidate& chosen = found.candidates[found.chosen];
  Json close = Json::array();
  for (const JudgedCandidate& one : found.candidates)
    if (one.within_one_se) close.push_back(one.name);
  return Json::object(
      "kind"_key = "honest error", "status"_key = status_word(found.stopped), "score"_key = found.score,
      "score_kind"_key = found.zero_one ? Json(core::word(selection::ScoreKind::error)) : Json(nullptr),
      "n"_key = found.rows, "groups"_key = found.groups > 0 ? Json(found.groups) : Json(nullptr),
      "chosen"_key = chosen.name, "selected"_key = chosen.loss, "honest"_key = estimate_json(found.estimate),
      "one_se"_key = std::move(close), "candidates"_key = Json::list(found.candidates, candidate_json),
      "test"_key =
          "corrected resampled t-test over rows (Nadeau and Bengio, 2003) against the chosen one, two-sided, not "
          "adjusted for the number of tests or for the choice",
      "options"_key = std::move(options), "warnings"_key = found.warnings, "source"_key = source,
      "seed"_key = found.options.seed, "seconds"_key = found.seconds, "version"_key = found.version);
}

}  // namespace credence::report
