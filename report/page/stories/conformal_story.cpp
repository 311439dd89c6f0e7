#include <fmt/format.h>

#include <algorithm>

#include "report/evaluation/class_facts.hpp"
#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::string count_text(const Json& document, const char* key, const char* noun) {
  return core::count_of(count_at(document, key), noun);
}

Table classes_table(const Json& document) {
  Table table{"Rows that p-values are compared with", {"class", "rows"}};
  const std::vector<std::string> names = shown_names(document.at("classes"));
  const auto counts = document.at("compared_with").values();
  for (std::size_t c = 0; c < names.size() && c < counts.size(); ++c)
    table.rows.push_back({names[c], cell_text(counts[c], Format::number)});
  return table;
}

/// What one model may miss, for each class that has rows of its own.
void add_miss_limits(Section& section, const Json& document) {
  const auto limits = document.at("may_miss").values();
  if (limits.empty()) return;
  Table table{"What this one model may miss: 95 of 100 such models miss no more",
              {"rows compared with", "level", "misses at most"},
              {}};
  for (const Json& one : limits) {
    const std::string* name = one.at("class").text();
    const double limit = number_at(one, "limit", 0);
    table.rows.push_back({(name != nullptr ? shown_name(*name) + ": " : "") + count_text(one, "rows", "row"),
                          plain_number(number_at(one, "eps", 0)),
                          limit > 0 ? percent(limit) : "too few rows to leave anything out"});
  }
  section.say(
      "The promise is an average over all draws of the rows kept apart. This model has one draw, so its regions may "
      "miss more or less. The table holds for independent rows.");
  section.add(std::move(table));
}

/// The answer to "how good is it": a second predictor, on rows that it has not seen.
void say_check(Section& section, const Json& check) {
  const Json& interval = check.at("interval");
  section.headline(fmt::format("{} of {} got a wrong label: {}. A predictor fitted on the other {} named them.",
                               count_at(check, "errors"), count_text(check, "n", "row"),
                               cell_text(check.at("error"), Format::share), count_text(check, "fitted_rows", "row")));
  section.fact("Error of new rows",
               fmt::format("{} to {} at confidence 95 %", cell_text(interval.at("lower"), Format::share),
                           cell_text(interval.at("upper"), Format::share)));
  if (const Json& baseline = check.at("baseline"); baseline.is_object())
    section.fact("Baseline error",
                 baseline_text({shown_name(text_at(baseline, "class")), number_at(baseline, "error", 0)}));
}

/// What regions of the second predictor came to.
Table check_table(const Json& check) {
  Table data{"",
             {{"eps", "level"},
              {"errors", "misses", Format::share},
              {"single", "one class", Format::share},
              {"multiple", "several classes", Format::share},
              {"empty", "no class", Format::share}}};
  const double n = std::max(1.0, number_at(check, "n", 0));
  for (const Json& level : check.at("regions").values())
    data.add({level.at("eps"), number_at(level, "errors", 0) / n, number_at(level, "single", 0) / n,
              number_at(level, "multiple", 0) / n, number_at(level, "empty", 0) / n});
  return data.captioned("Regions of the rows that were kept for the check");
}

Chart online_chart(const Json& document) {
  Table data{"",
             {{"level", "level", Format::text},
              {"t", "rows so far"},
              {"errors", "errors"},
              {"line", "promised"},
              {"lower", "band from"},
              {"upper", "band to"}}};
  for (const Json& level : document.at("levels").values())
    for (const Json& point : level.at("checkpoints").values())
      data.add(
          {eps_name(level), point.at("t"), point.at("errors"), point.at("line"), point.at("lower"), point.at("upper")});
  return make_chart("online",
                    {"online", "Is the promise kept, row after row?",
                     "Points and lines: the errors counted so far at each level. Dashed: the promise, eps times the "
                     "rows so far. Shaded: where that count lies in 95 of 100 cases.",
                     "Lines of the errors counted so far against the rows, beside the promised lines."},
                    data);
}

Chart online_sizes_chart(const Json& document) {
  Table data{"", {{"level", "level", Format::text}, {"t", "rows so far"}, {"size", "classes in a region, mean"}}};
  for (const Json& level : document.at("levels").values())
    for (const Json& point : level.at("checkpoints").values())
      data.add({eps_name(level), point.at("t"), point.at("mean_size")});
  return make_chart("online_sizes",
                    {"online-sizes", "Do the answers get clearer?",
                     "The mean number of classes in a region, over the rows so far. One is a clear answer; more "
                     "classes say that the model cannot tell them apart at that level.",
                     "Lines of the mean size of regions against the rows so far."},
                    data);
}

}  // namespace

Story fit_story(const Json& document) {
  Story story;
  story.title = "A conformal predictor";
  story.subtitle = shown_name(text_at(document, "source"));
  Section& section = story.section("chosen", "What was fitted");
  const Json& check = document.at("check");
  if (check.is_object())
    say_check(section, check);
  else
    section.headline(
        "This model says of every row how far to trust its label: p-values, confidence, credibility and regions.");
  add_warnings(section, document);
  section.fact("Measure of strangeness", text_at(document, "description"));
  section.fact("Data", count_text(document, "rows", "row") + ", " + count_text(document, "features", "feature"));
  const std::size_t apart = count_at(document, "apart");
  section.fact(
      "Scaling",
      text_at(document, "scaling") +
          (apart > 0 ? ", fitted on " + count_text(document, "apart", "row") + " that nothing is compared with" : ""));
  if (const auto error = document.at("selected_error").number())
    section.fact("Selected score", percent(*error) + " (optimistic: the score by which the setting won)");
  if (const auto least = document.at("smallest_p_value").number(); least && *least > 0) {
    section.fact("Smallest p-value",
                 fmt::format("{:.4g}: at a level below this, every region holds all classes", *least));
  }
  section.add(classes_table(document));
  Section& trust = story.section("trust", "How far single predictions can be trusted");
  if (const std::string guarantee = text_at(document, "guarantee"); !guarantee.empty())
    trust.say("What is promised: " + guarantee + ".");
  add_miss_limits(trust, document);
  if (check.is_object()) {
    trust.say(fmt::format("What follows was counted on {} that the second predictor had not seen.",
                          count_text(check, "n", "row")));
    trust.add(check_table(check));
    add_region_charts(trust, check);
  } else {
    trust.say(
        "How often the regions miss, and how many rows get a clear answer, shows on labelled rows that had no part "
        "in the training: credence evaluate MODEL DATA --report FILE.html");
  }
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

Story online_story(const Json& document) {
  Story story;
  story.title = "Prediction row after row";
  story.subtitle = shown_name(text_at(document, "source"));
  Section& section = story.section("chosen", "How good the predictions are");
  const double rows = number_at(document, "rows", 0);
  const double errors = number_at(document, "label_errors", 0);
  section.headline(
      fmt::format("{:.0f} of {:.0f} rows got a wrong label: {}. Each was predicted from the rows before it.", errors,
                  rows, rows > 0 ? percent(errors / rows) : "–"));
  section.fact("Measure of strangeness", fmt::format("{}, k = {:.0f}, {} distance", text_at(document, "measure"),
                                                     number_at(document, "k", 0), text_at(document, "metric")));
  section.fact("p-values", document.at("smoothed").flag().value_or(false) ? "smoothed" : "plain");
  section.fact("Order of rows", document.at("shuffled").flag().value_or(false) ? "shuffled" : "as in the file");
  if (!document.at("shuffled").flag().value_or(false))
    section.warn(
        "The rows came in the order of the file. The promise holds if that order means nothing; --shuffle "
        "makes that so.");
  Section& trust = story.section("trust", "How far single predictions can be trusted");
  trust.add(online_chart(document));
  trust.add(online_sizes_chart(document));
  add_limits_section(story, document);
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
