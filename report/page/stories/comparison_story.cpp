#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

constexpr double significant_p_value = 0.05;

std::string score_name(const Scale& scale) {
  return scale.is_error() ? "share of wrong labels" : scale.name;
}
std::string name_of(const Json& method) {
  return shown_name(text_at(method, "name"));
}

const Json* best_method(const Json& document) {
  const Json* best = nullptr;
  for (const Json& method : document.at("methods").values()) {
    const auto error = method.at("mean_error").number();
    if (error && (best == nullptr || *error < *best->at("mean_error").number())) best = &method;
  }
  return best;
}

std::size_t differences_beyond_noise(const Json& document) {
  const auto tests = document.at("tests").values();
  return static_cast<std::size_t>(std::ranges::count_if(
      tests, [](const Json& test) { return number_at(test, "p_value", 1) < significant_p_value; }));
}

Chart methods_chart(const Json& document) {
  const Scale scale = scale_of(document);
  Table data{"",
             {{"method", "method", Format::text},
              {"value", score_name(scale), format_of(scale)},
              {"kind", "of", Format::text},
              {"fold", "fold"}}};
  for (const Json& method : document.at("methods").values()) {
    int fold = 0;
    for (const Json& one : method.at("folds").values()) {
      ++fold;
      if (one.at("loss").number()) data.add({name_of(method), shown(scale, one.at("loss")), "one fold", fold});
    }
    if (method.at("mean_error").number())
      data.add({name_of(method), shown(scale, method.at("mean_error")), "mean", nullptr});
  }
  return make_chart("methods",
                    {"methods", "How often is each method wrong?",
                     fmt::format("Each small point is one fold of rows that the method had not seen when it chose; the "
                                 "bar is their mean. Further {} is better. Points that lie far apart say that the rows "
                                 "decide, not the method.",
                                 scale.is_turned() ? "right" : "left"),
                     "Points of the errors of each method on each outer fold, with the means."},
                    data, {{"$value", score_name(scale)}, {"$format", vega_of(scale)}});
}

std::optional<Chart> claims_chart(const Json& document) {
  const Scale scale = scale_of(document);
  Table data{"",
             {{"method", "method", Format::text},
              {"value", score_name(scale), format_of(scale)},
              {"kind", "what", Format::text}}};
  bool any = false;
  std::vector<std::string> kinds;  // that are drawn
  for (const Json& method : document.at("methods").values()) {
    const auto add = [&](const char* key, const char* kind) {
      const auto value = method.at(key).number();
      if (!value) return;
      any = any || std::string_view(key) != "mean_error";
      // A vacuous bound would stretch the axis for nothing.
      if (std::string_view(key) == "mean_bound" && *value >= 1) return;
      data.add({name_of(method), scale.shown(*value), kind});
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.emplace_back(kind);
    };
    add("mean_error", "on rows it had not seen");
    add("mean_honest", "its honest estimate");
    add("mean_selected_score", "its selected score (optimistic)");
    add("mean_bound", "its bound");
  }
  if (!any) return std::nullopt;
  return make_chart(
      "claims",
      {"claims", "Did the methods know how good they are?",
       "What each method said of itself from its training rows alone, beside what it then came to on "
       "rows it had not seen. The honest estimate should lie near; the selected score is too good by "
       "nature" +
           std::string(std::ranges::find(kinds, "its bound") == kinds.end() ? "."
                                                                            : "; a bound should lie to the right."),
       "Points for each method: error on unseen rows, honest estimate, selected score, bound."},
      data, {{"$value", score_name(scale)}, {"$format", vega_of(scale)}, {"$kinds", Json(kinds)}});
}

Chart differences_chart(const Json& document) {
  const Scale scale = scale_of(document);
  Table data{"",
             {{"pair", "pair", Format::text},
              {"value", "mean difference", format_of(scale)},
              {"lower", "from", format_of(scale)},
              {"upper", "to", format_of(scale)},
              {"p", "p-value"}}};
  for (const Json& test : document.at("tests").values()) {
    const bool turned = scale.is_turned();
    const auto end = [&](const char* key) {
      return turned && test.at(key).number() ? Json(-*test.at(key).number()) : test.at(key);
    };
    data.add({shown_name(text_at(test, "first")) + " minus " + shown_name(text_at(test, "second")),
              end("mean_difference"), end(turned ? "upper" : "lower"), end(turned ? "lower" : "upper"),
              test.at("p_value")});
  }
  const std::size_t beyond = differences_beyond_noise(document);
  return make_chart(
      "differences",
      {"differences", "Is one method better than another?",
       fmt::format("Mean difference over the same folds, with its 95 % interval (corrected resampled t-test). An "
                   "interval across the dashed line: the difference may be noise. {} of {} differences are beyond "
                   "noise at 5 %; the intervals are not adjusted for the number of pairs.",
                   beyond, data.size()),
       fmt::format("Intervals of the differences between methods; {} of {} keep off zero.", beyond, data.size())},
      data, {{"$value", "difference of the " + score_name(scale)}, {"$format", vega_of(scale)}});
}

Chart time_chart(const Json& document) {
  Table data{"", {{"method", "method", Format::text}, {"value", "seconds"}, {"relative", "times the fastest"}}};
  for (const Json& method : document.at("methods").values())
    data.add({name_of(method), method.at("seconds"), method.at("relative_seconds")});
  return make_chart("time",
                    {"time", "How long did each method take?",
                     "Seconds on the clock over all outer folds, without the time for the honest estimates.",
                     "Bars of the seconds that each method took."},
                    data);
}

void add_comparison_findings(Section& section, const Json& document) {
  const Scale scale = scale_of(document);
  if (const Json* best = best_method(document)) {
    const std::size_t beyond = differences_beyond_noise(document);
    section.headline(fmt::format("{} {} here: {}. {}", name_of(*best),
                                 scale.is_error() ? "was wrong least often" : "had the best score",
                                 scale.text(*best->at("mean_error").number()),
                                 document.at("tests").size() == 0 ? ""
                                 : beyond == 0 ? "But no difference between the methods is beyond noise."
                                               : fmt::format("{} of {} differences between methods are beyond noise.",
                                                             beyond, document.at("tests").size())));
  }
  add_warnings(section, document);
  const bool listed = document.at("warnings").is_array();  // earlier documents have those of the methods alone
  for (const Json& method : document.at("methods").values()) {
    const auto warnings = method.at("warnings").values();
    if (!listed && !warnings.empty() && warnings.front().text() != nullptr)
      section.warn(fmt::format("{}: {}{}", name_of(method), *warnings.front().text(),
                               warnings.size() > 1 ? fmt::format(" (and {} more)", warnings.size() - 1) : "."));
    if (const auto bound = method.at("mean_bound").number(); bound && *bound >= 1)
      section.warn(
          fmt::format("{}: its bound of {:.4g} is vacuous: it says nothing about the error.", name_of(method), *bound));
  }
}

void add_comparison(Story& story, const Json& document) {
  Section& section = story.section("chosen", "Which method chose best");
  add_comparison_findings(section, document);
  section.fact("Data", core::count_of(count_at(document, "n"), "row"));
  const auto methods = document.at("methods").values();
  if (const std::string costs = methods.empty() ? "" : text_at(methods.front().at("options"), "cost"); !costs.empty())
    section.fact("Label costs", shown_name(costs));
  const double repeats = number_at(document.at("options"), "repeats", 1);
  section.fact("Judged on",
               fmt::format("{:.0f} outer folds{}, the same for all methods", number_at(document, "outer_folds", 0),
                           repeats > 1 ? fmt::format(", drawn {:.0f} times", repeats) : ""));
  section.add(methods_chart(document));
  if (auto chart = claims_chart(document)) section.add(std::move(*chart));
  Section& sure = story.section("sure", "How sure the difference is");
  if (document.at("tests").size() > 0) sure.add(differences_chart(document));
}

}  // namespace

Story comparison_story(const Json& document) {
  Story story;
  story.title = "Comparison of methods";
  story.subtitle = shown_source(document);
  if (document.at("methods").values().empty()) return story;
  add_comparison(story, document);
  add_cost_section(story, document);
  story.sections.back().add(time_chart(document));
  add_repeat_section(story, document);
  return story;
}

Story comparisons_story(const Json& document) {
  Story story;
  story.title = "Comparison of methods on several files";
  const auto files = document.at("comparisons").values();
  story.subtitle = core::count_of(files.size(), "file");
  const auto judged = std::ranges::find_if(files, [](const Json& file) { return file.at("methods").size() > 0; });
  const Scale scale = judged == files.end() ? Scale{} : scale_of(*judged);  // all files have the same score
  Table overview{"",
                 {{"file", "file", Format::text},
                  {"method", "method", Format::text},
                  {"value", score_name(scale), format_of(scale)},
                  {"kind", "", Format::text}}};
  Section summary{"chosen", "Which method chose best", {}};
  std::size_t number = 0;
  Table cost{
      "Seconds on the clock and threads; the results do not depend on threads", {"file", "seconds", "threads"}, {}};
  std::vector<Section> sections;
  for (const Json& file : files) {
    const std::string name = fmt::format("{}. {}", ++number, shown_name(text_at(file, "source")));
    if (text_at(file, "status") == "failed") {
      summary.warn(fmt::format("{}: this file could not be compared: {}", name, text_at(file, "error")));
      continue;
    }
    for (const Json& method : file.at("methods").values())
      if (const auto error = method.at("mean_error").number())
        overview.add({name, name_of(method), scale.shown(*error), "mean"});
    if (file.at("seconds").number())
      cost.rows.push_back(
          {name, cell_text(file.at("seconds"), Format::number), cell_text(file.at("threads"), Format::number)});
    Section section{fmt::format("file-{}", number), name, {}};
    add_comparison_findings(section, file);
    if (file.at("methods").size() == 0) continue;
    Chart chart = methods_chart(file);
    chart.id += fmt::format("-{}", number);
    section.add(std::move(chart));
    if (file.at("tests").size() > 0) {
      Chart differences = differences_chart(file);
      differences.id += fmt::format("-{}", number);
      section.add(std::move(differences));
    }
    sections.push_back(std::move(section));
  }
  if (!overview.empty()) {
    summary.add(make_chart("files",
                           {"files", "How often is each method wrong on each file?",
                            fmt::format("One point for each method: the mean over the outer folds. Further {} is "
                                        "better.",
                                        scale.is_turned() ? "right" : "left"),
                            "Points of the mean error of each method on each file."},
                           overview, {{"$value", score_name(scale)}, {"$format", vega_of(scale)}}));
  }
  story.sections.push_back(std::move(summary));
  for (Section& section : sections) story.sections.push_back(std::move(section));
  if (cost.rows.size() > 0) story.section("cost", "What it cost").add(std::move(cost));
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
