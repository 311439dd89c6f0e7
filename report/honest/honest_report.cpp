#include "report/honest/honest_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/plan.hpp"
#include "report/selection/selection_report.hpp"
#include "report/setting_words.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::HonestChoice;
using selection::JudgedCandidate;

constexpr double noise_p = 0.05;
/// Candidates in charts and on the terminal; the table of the page and --json have all.
constexpr std::size_t most_shown = 30;

/// Shares of errors as such; other losses as they are.
Scale scale_of(const HonestChoice& found) {
  return {found.zero_one ? selection::ScoreKind::error : selection::ScoreKind::log_evidence,
          found.zero_one ? "share of wrong labels" : found.score};
}

/// Those that judged a row, from the smallest loss on.
std::vector<const JudgedCandidate*> by_loss(const HonestChoice& found) {
  std::vector<const JudgedCandidate*> order;
  for (const JudgedCandidate& one : found.candidates)
    if (!std::isnan(one.loss)) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [](const JudgedCandidate* one) { return one->loss; });
  return order;
}

Json known(double value) {
  return std::isnan(value) ? Json(nullptr) : Json(value);
}

std::string estimate_text(const HonestChoice& found, const Scale& scale) {
  if (std::isnan(found.estimate.error)) return "none: no draw was judged";
  return error_with_interval(found.estimate, {scale.kind});
}

std::string verdict(const HonestChoice& found) {
  const auto tests =
      std::ranges::count_if(found.candidates, [](const JudgedCandidate& one) { return one.test.has_value(); });
  const auto beyond = std::ranges::count_if(
      found.candidates, [](const JudgedCandidate& one) { return one.test && one.test->p_value < noise_p; });
  if (tests == 0) return {};
  return fmt::format(
      "{} of {} differences from the chosen one are beyond noise at 5 %. The p-values are not corrected for the number "
      "of tests, nor for the choice of the best one here.",
      beyond, tests);
}

Chart candidates_chart(const HonestChoice& found, const Scale& scale) {
  constexpr const char* own = "chosen, own score";
  constexpr const char* corrected = "chosen, corrected";
  constexpr const char* close = "within one standard error";
  constexpr const char* other = "other";
  Table data{{"method|candidate|text", Column("value", scale.name, scale.format()), "kind|what|text"}};
  const std::vector<const JudgedCandidate*> order = by_loss(found);
  const std::size_t drawn = std::min(order.size(), most_shown);
  for (std::size_t k = 0; k < drawn; ++k) {
    const JudgedCandidate& one = *order[k];
    const bool is_chosen = &one == &found.candidates[found.chosen];
    data.add({shown_name(one.name), one.loss, is_chosen ? own : one.within_one_se ? close : other});
    if (is_chosen && std::isfinite(found.estimate.error))
      data.add({shown_name(one.name), found.estimate.error, corrected});
  }
  return std::move(data).as_chart(
      "claims#candidates", "How good is each candidate?",
      "The mean loss on rows that the candidate had not seen; further left is better. The score of the chosen one "
      "is optimistic, because it is the smallest of many; the corrected estimate stands beside it." +
          (order.size() > drawn ? fmt::format(" The best {} of {} are drawn; the table has all.", drawn, order.size())
                                : ""),
      fmt::format("Points of the mean losses of {} candidates, with the corrected estimate of the chosen one.", drawn),
      Json::object("$value"_key = scale.name, "$format"_key = scale.axis_format(),
                   "$kinds"_key = Json(std::vector<std::string>{own, corrected, close, other})));
}

Chart differences_chart(const HonestChoice& found, const Scale& scale) {
  Table data{{"pair|candidate|text", Column("value", "mean difference", scale.format()),
              Column("lower", "from", scale.format()), Column("upper", "to", scale.format()), "p|p-value"}};
  for (const JudgedCandidate* one : by_loss(found)) {
    if (!one->test || data.size() == most_shown) continue;
    const double mean = one->test->mean_difference;
    data.add(
        {shown_name(one->name), mean, mean - one->test->half_width, mean + one->test->half_width, one->test->p_value});
  }
  const std::size_t drawn = data.size();
  return std::move(data).as_chart(
      "differences", "Is the chosen one better than the others?",
      "Mean loss of each candidate minus that of the chosen one on the same rows, with its 95 % interval "
      "(corrected t-test over rows). An interval across the dashed line: the difference may be noise. "
      "The intervals are not corrected for the number of tests, nor for the choice of the best one here.",
      fmt::format("Intervals of {} differences from the chosen candidate.", drawn),
      scale.words("difference of the " + scale.name));
}

Table candidates_table(const HonestChoice& found, const Scale& scale) {
  Table table{
      {"name|candidate|text", "rows|rows", Column("loss", found.zero_one ? "error" : found.score, scale.format()),
       Column("se", "std error", scale.format()), "close|as good|flag",
       Column("difference", "difference", scale.format()), "p|p-value"},
      "Every candidate with a loss",
      Where::both};
  for (const JudgedCandidate* one : by_loss(found)) {
    const auto& test = one->test;
    table.add({shown_name(one->name), one->rows, one->loss, known(one->standard_error), one->within_one_se,
               test ? Json(test->mean_difference) : Json(nullptr), test ? Json(test->p_value) : Json(nullptr)});
  }
  return table;
}

/// The terminal has the best of many candidates, the page all.
void add_candidates(Table table, Section& section) {
  const std::size_t all = table.size();
  if (all > most_shown) {
    table.where = Where::page;
    section.add(table);
    table = table.captioned(fmt::format("The best {} of {} candidates; the result in JSON has all", most_shown, all),
                            Where::terminal);
    table.rows.resize(most_shown);
  }
  section.add(std::move(table));
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

}  // namespace

Story honest_story(const HonestChoice& found, const std::string& source) {
  Story story{"The honest error of a choice", shown_source(source)};
  const Scale scale = scale_of(found);
  const JudgedCandidate& chosen = found.candidates[found.chosen];
  const std::string name = shown_name(chosen.name);
  Section& answer = story.section("chosen", "What to expect of the choice");
  if (std::isfinite(found.estimate.error)) {
    answer.headline(fmt::format("{} was chosen with {}. Expect {} instead.", name, scale.text(chosen.loss),
                                scale.text(found.estimate.error)));
  }
  add_warnings(found.stopped, found.warnings, answer);
  answer.fact("data", fmt::format("{}: {}, {}{}", shown_source(source), count_of(found.rows, "row"),
                                  count_of(found.candidates.size(), "candidate"),
                                  found.groups > 0 ? ", drawn in " + count_of(found.groups, "group") : ""));
  answer.fact("chosen", fmt::format("{}: {}", name, scale.text(chosen.loss)),
              fmt::format("optimistic: it is the smallest {1} of {0}, and no estimate to quote",
                          count_of(found.candidates.size(), "candidate"), found.zero_one ? "error" : "loss"));
  answer.fact("honest estimate", estimate_text(found, scale),
              "the figure to quote; " + honest_basis(found.estimate, false));
  const auto close = std::ranges::count_if(found.candidates, &JudgedCandidate::within_one_se);
  answer.fact("as good", close == 1 ? "no other candidate is within one standard error of the best"
                                    : fmt::format("{} of {} candidates are within one standard error of the best",
                                                  close, found.candidates.size()));
  answer.add(candidates_chart(found, scale));
  Section& sure = story.section("sure", "How sure the choice is");
  if (std::string text = verdict(found); !text.empty()) {
    sure.tell(std::move(text));
    sure.add(differences_chart(found, scale));
  }
  add_candidates(candidates_table(found, scale), sure);
  sure.tell(
      "As good: at most one standard error above the smallest. Difference, p-value: from the chosen one, on rows "
      "that both judged; corrected t-test (Nadeau and Bengio, 2003).");
  story.section(cost_id, "What it cost")
      .fact("time", fmt::format("{:.2f} s, seed {}", found.seconds, found.options.seed), Where::page);
  return story;
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
      "chosen"_key = chosen.name, "selected"_key = chosen.loss, "honest"_key = estimate_json(found.estimate, false),
      "one_se"_key = std::move(close), "candidates"_key = Json::list(found.candidates, candidate_json),
      "test"_key =
          "corrected resampled t-test over rows (Nadeau and Bengio, 2003) against the chosen one, two-sided, not "
          "adjusted for the number of tests or for the choice",
      "options"_key = std::move(options), "warnings"_key = found.warnings, "source"_key = source,
      "seed"_key = found.options.seed, "seconds"_key = found.seconds, "version"_key = found.version,
      "report"_key = story_json(honest_story(found, source)));
}

}  // namespace credence::report
