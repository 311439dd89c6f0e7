#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr double tested_at = 0.05;
/// Candidates in the charts; the table has all.
constexpr std::size_t candidates_drawn = 30;

/// Those with a loss, from the smallest on.
std::vector<const Json*> by_loss(const Json& document) {
  std::vector<const Json*> found;
  for (const Json& one : document.at("candidates").values())
    if (one.at("loss").number()) found.push_back(&one);
  std::ranges::stable_sort(found, {}, [](const Json* one) { return *one->at("loss").number(); });
  return found;
}

bool is_chosen(const Json& document, const Json& candidate) {
  return text_at(document, "chosen") == text_at(candidate, "name");
}

std::string loss_name(const Json& document, const Scale& scale) {
  return scale.is_error() ? "share of wrong labels" : text_at(document, "score");
}

std::string left_out(std::size_t all) {
  return all > candidates_drawn ? fmt::format(" The best {} of {} are drawn; the table has all.", candidates_drawn, all)
                                : "";
}

Chart candidates_chart(const Json& document, const Scale& scale) {
  constexpr const char* own = "chosen, own score";
  constexpr const char* corrected = "chosen, corrected";
  constexpr const char* close = "within one standard error";
  constexpr const char* other = "other";
  Table data{"",
             {{"method", "candidate", Format::text},
              {"value", loss_name(document, scale), format_of(scale)},
              {"kind", "what", Format::text}}};
  const std::vector<const Json*> order = by_loss(document);
  const std::size_t drawn = std::min(order.size(), candidates_drawn);
  for (std::size_t k = 0; k < drawn; ++k) {
    const Json& one = *order[k];
    const std::string name = shown_name(text_at(one, "name"));
    const bool is_best = is_chosen(document, one);
    data.add({name, one.at("loss"), is_best ? own : one.at("within_one_se").flag().value_or(false) ? close : other});
    if (is_best && document.at("honest").at("error").number())
      data.add({name, document.at("honest").at("error"), corrected});
  }
  return make_chart("claims",
                    {"candidates", "How good is each candidate?",
                     "The mean loss on rows that the candidate had not seen; further left is better. The score of the "
                     "chosen one is optimistic, because it is the smallest of many; the corrected estimate stands "
                     "beside it." +
                         left_out(order.size()),
                     fmt::format("Points of the mean losses of {} candidates, with the corrected estimate of the "
                                 "chosen one.",
                                 drawn)},
                    data,
                    {{"$value", loss_name(document, scale)},
                     {"$format", vega_of(scale)},
                     {"$kinds", Json(std::vector<std::string>{own, corrected, close, other})}});
}

Chart differences_chart(const Json& document, const Scale& scale) {
  Table data{"",
             {{"pair", "candidate", Format::text},
              {"value", "mean difference", format_of(scale)},
              {"lower", "from", format_of(scale)},
              {"upper", "to", format_of(scale)},
              {"p", "p-value"}}};
  for (const Json* one : by_loss(document)) {
    if (!one->at("p_value").number() || data.size() == candidates_drawn) continue;
    data.add({shown_name(text_at(*one, "name")), one->at("mean_difference"), one->at("lower"), one->at("upper"),
              one->at("p_value")});
  }
  return make_chart(
      "differences",
      {"differences", "Is the chosen one better than the others?",
       "Mean loss of each candidate minus that of the chosen one on the same rows, with its 95 % interval (corrected "
       "t-test over rows). An interval across the dashed line: the difference may be noise. The intervals count "
       "neither the number of tests, nor that the chosen one was the best here.",
       fmt::format("Intervals of {} differences from the chosen candidate.", data.size())},
      data, {{"$value", "difference of the " + loss_name(document, scale)}, {"$format", vega_of(scale)}});
}

Table candidates_table(const Json& document, const Scale& scale) {
  Table data{"",
             {{"name", "candidate", Format::text},
              {"rows", "rows"},
              {"loss", loss_name(document, scale), format_of(scale)},
              {"se", "standard error", format_of(scale)},
              {"close", "within one standard error", Format::flag},
              {"p", "p-value against the chosen one"}}};
  for (const Json* one : by_loss(document)) {
    data.add({shown_name(text_at(*one, "name")), one->at("rows"), one->at("loss"), one->at("standard_error"),
              one->at("within_one_se"), one->at("p_value")});
  }
  return data.captioned("Every candidate that judged a row");
}

void add_answer(Section& section, const Json& document, const Scale& scale) {
  const Json& honest = document.at("honest");
  const auto selected = document.at("selected").number();
  const auto error = honest.at("error").number();
  const std::string chosen = shown_name(text_at(document, "chosen"));
  if (selected && error) {
    section.headline(
        fmt::format("{} was chosen with {}. Expect {} instead.", chosen, scale.text(*selected), scale.text(*error)));
  }
  add_warnings(section, document);
  if (const auto lower = honest.at("lower").number(), upper = honest.at("upper").number(); lower && upper) {
    section.fact("Corrected estimate",
                 fmt::format("{:.4g} % interval {} ({})", 100 * (1 - number_at(honest, "delta", 0)),
                             scale.ends(*lower, *upper), text_at(honest, "interval")));
  }
  if (const std::string basis = text_at(honest, "basis"); !basis.empty()) section.fact("Made by", basis);
  section.fact("Data", fmt::format("{}, {}", core::count_of(count_at(document, "n"), "row"),
                                   core::count_of(document.at("candidates").size(), "candidate")));
  if (const std::size_t groups = count_at(document, "groups"); groups > 0)
    section.fact("Drawn together", core::count_of(groups, "group"));
}

}  // namespace

Story honest_story(const Json& document) {
  Story story;
  story.title = "The honest error of a choice";
  story.subtitle = shown_source(document);
  const Scale scale = scale_of(document);
  Section& answer = story.section("chosen", "What to expect of the choice");
  add_answer(answer, document, scale);
  answer.add(candidates_chart(document, scale));
  Section& sure = story.section("sure", "How sure the choice is");
  const auto tests = document.at("candidates").values();
  const auto tested =
      std::ranges::count_if(tests, [](const Json& one) { return one.at("p_value").number().has_value(); });
  const auto beyond =
      std::ranges::count_if(tests, [](const Json& one) { return number_at(one, "p_value", 1) < tested_at; });
  sure.say(fmt::format(
      "{} of {} candidates are within one standard error of the best. {} of {} differences from the chosen one are "
      "beyond noise at 5 %.",
      document.at("one_se").size(), document.at("candidates").size(), beyond, tested));
  if (tested > 0) sure.add(differences_chart(document, scale));
  sure.add(candidates_table(document, scale));
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
