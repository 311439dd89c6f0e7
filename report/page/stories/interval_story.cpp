#include <fmt/format.h>

#include <algorithm>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

bool has_widths(const Json& level) {
  return level.at("widths").at("median").number().has_value();
}

/// The first level, as they were asked for, that has intervals with two ends.
std::optional<std::size_t> main_level(std::span<const Json> levels) {
  const auto found = std::ranges::find_if(levels, has_widths);
  if (found == levels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - levels.begin());
}

std::string width_words(const Json& level) {
  const Json& widths = level.at("widths");
  const double median = number_at(widths, "median", 0);
  const double least = number_at(widths, "least", 0);
  const double largest = number_at(widths, "largest", 0);
  // Widths of one half-width differ by rounding alone.
  constexpr double rounding = 1e-9;
  if (largest - least <= rounding * largest) return fmt::format("each interval is {:.4g} wide", median);
  return fmt::format("the intervals are {:.4g} to {:.4g} wide, half of them at most {:.4g}", least, largest, median);
}

std::string headline(const Json& document) {
  const auto levels = document.at("levels").values();
  const auto main = main_level(levels);
  if (!main) return "No interval has ends: there are too few rows to compare with for the levels that were asked for.";
  const Json& level = levels[*main];
  const double eps = number_at(level, "eps", 0);
  return fmt::format("An interval at {} holds the target with a probability of at least {} %; {}.", eps_name(level),
                     plain_number(100 * (1 - eps)), width_words(level));
}

void say_whole_lines(Section& section, const Json& document) {
  for (const Json& level : document.at("levels").values()) {
    const std::size_t infinite = count_at(level.at("widths"), "infinite");
    if (infinite == 0) continue;
    section.say(fmt::format(
        "At {}, {} of {} intervals are infinite, from minus to plus infinity: they hold every target and say nothing. "
        "With {} to compare with, the smallest level that gives intervals with ends is {}.",
        eps_name(level), infinite, count_at(document, "n"), core::count_of(count_at(document, "compared_with"), "row"),
        plain_number(number_at(document, "smallest_p_value", 1))));
  }
}

Chart widths_chart(const Json& document) {
  Table data{"",
             {{"name", "level", Format::text},
              {"least", "least width"},
              {"lower_quartile", "a quarter is at most"},
              {"median", "half is at most"},
              {"upper_quartile", "three quarters are at most"},
              {"largest", "largest width"},
              {"infinite", "infinite intervals"}}};
  for (const Json& level : document.at("levels").values()) {
    const Json& widths = level.at("widths");
    data.add({eps_name(level), widths.at("least"), widths.at("lower_quartile"), widths.at("median"),
              widths.at("upper_quartile"), widths.at("largest"), widths.at("infinite")});
  }
  return make_chart(
      "interval_widths",
      {"interval-widths", "How wide are the intervals?",
       "A line for each level, from the least width to the largest; the bar holds the middle half of the intervals, "
       "and the mark is the median. Without a column of difficulties all intervals of a level have one width. The "
       "unit is that of the target.",
       "Bars of the widths of intervals at each level."},
      data);
}

Chart sample_chart(const Json& document, std::size_t e) {
  const Json& sample = document.at("sample");
  Table data{"",
             {{"row", "row"},
              {"prediction", "prediction"},
              {"lower", "from"},
              {"upper", "to"},
              {"point", "target"},
              {"kind", "what the point is", Format::text},
              {"order", ""}}};
  bool known = false;
  for (const Json& row : sample.at("rows").values()) {
    const auto lower = row.at("lower").values();
    const auto upper = row.at("upper").values();
    if (e >= lower.size() || e >= upper.size()) continue;
    const auto target = row.at("target").number();
    known = known || target.has_value();
    const bool inside =
        target && *target >= lower[e].number().value_or(*target) && *target <= upper[e].number().value_or(*target);
    data.add({row.at("row"), row.at("prediction"), lower[e], upper[e], target ? row.at("target") : row.at("prediction"),
              !target  ? "prediction"
              : inside ? "target inside"
                       : "target outside",
              target && !inside ? 1 : 0});
  }
  const Json kinds = known ? Json::list(std::vector{"target inside", "target outside"}, [](auto kind) { return kind; })
                           : Json::list(std::vector{"prediction"}, [](auto kind) { return kind; });
  const std::size_t of = count_at(sample, "of");
  return make_chart(
      "intervals",
      {"intervals", fmt::format("Where do the intervals lie? ({})", eps_name(document.at("levels").values()[e])),
       fmt::format("A line for each row, from the lower to the upper end, at the place of its prediction{}.{}",
                   known ? "; the point is the target" : "",
                   of > data.size() ? fmt::format(" Shown: {} of {} rows, evenly taken.", data.size(), of) : ""),
       "Lines from the lower to the upper end of intervals, against the prediction."},
      data, {{"$kinds", kinds}, {"$y", known ? "interval and target" : "interval and prediction"}});
}

void add_widths(Story& story, const Json& document) {
  Section& section = story.section("chosen", "How wide the intervals are");
  section.headline(headline(document));
  add_warnings(section, document);
  say_whole_lines(section, document);
  section.fact("Rows", std::to_string(count_at(document, "n")));
  section.fact("Compared with", core::count_of(count_at(document, "compared_with"), "row"));
  if (const std::string column = text_at(document, "difficulty"); !column.empty()) {
    section.fact("Widths grow with", fmt::format("the column '{}', to which beta = {} is added", shown_name(column),
                                                 plain_number(number_at(document, "beta", 0))));
  }
  const auto main = main_level(document.at("levels").values());
  if (!main) return;
  section.add(widths_chart(document));
  if (document.at("sample").at("rows").size() > 0) section.add(sample_chart(document, *main));
}

void add_promise(Story& story, const Json& document) {
  Section& section = story.section("trust", "How far single predictions can be trusted");
  if (const std::string guarantee = text_at(document, "guarantee"); !guarantee.empty())
    section.say("What is promised: " + guarantee + ".");
  if (document.at("calibration").size() == 0) {
    section.say(
        fmt::format("How many targets the intervals hold was not counted, as the rows have no column '{}' of targets.",
                    shown_name(text_at(document, "target"))));
    return;
  }
  section.add(coverage_chart(document.at("levels")));
  section.add(level_error_chart(document, "An interval", "the target"));
  section.say(fmt::format(
      "The band is for independent targets and for rows compared with that are drawn anew. All intervals of this page "
      "rest on the same {}, so that the points of the line move up or down together.",
      core::count_of(count_at(document, "compared_with"), "row")));
}

}  // namespace

Story interval_story(const Json& document) {
  Story story;
  story.title = "Intervals around predictions";
  story.subtitle = fmt::format("Predictions of another tool in {}", shown_source(document));
  add_widths(story, document);
  add_promise(story, document);
  add_cost_section(story, document);
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
