#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

/// Limits of each class, what they decide, and errors by group.
namespace credence::report {
namespace {

std::string share_of(const Json& part, const Json& whole) {
  const double all = whole.number().value_or(0);
  return all > 0 ? percent(part.number().value_or(0) / all) : "-";
}

std::string interval_text(const Json& interval) {
  return interval.is_object() ? fmt::format("{} to {}", cell_text(interval.at("lower"), Format::share),
                                            cell_text(interval.at("upper"), Format::share))
                              : "-";
}

/// "sick 2.00 %, well 10.00 %"
std::string limits_words(const std::vector<std::string>& names, const Json& limits) {
  std::vector<std::string> texts;
  const auto values = limits.values();
  for (std::size_t c = 0; c < names.size() && c < values.size(); ++c)
    texts.push_back(fmt::format("{} {}", names[c], cell_text(values[c], Format::share)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Table points_of(const Json& document, const std::vector<std::string>& names) {
  const bool two = names.size() == 2;
  std::vector<Column> columns{{"y", two ? "limit of " + names[0] : "limit of every class"}};
  columns.push_back({"x", two ? "limit of " + names[1] : ""});
  columns.push_back({"value", "rows decided", Format::share});
  columns.push_back({"wrong", "decided wrongly", Format::share});
  for (const std::string& name : names) columns.push_back({"missed_" + name, name + " missed"});
  columns.push_back({"cost", document.at("costs").is_null() ? "" : "cost of a row"});
  columns.push_back({"mark", ""});
  Table data{"", std::move(columns)};
  const double rows = std::max(1.0, number_at(document, "n", 1));
  const Json& best = document.at("best");
  for (const Json& point : document.at("points").values()) {
    const auto limits = point.at("limits").values();
    const bool is_best = json_line(point) == json_line(best);
    std::vector<Json> values{limits.front(), limits.back(), number_at(point, "decided", 0) / rows,
                             number_at(point, "wrong", 0) / rows};
    for (const Json& missed : point.at("missed").values()) values.push_back(missed);
    values.push_back(point.at("cost"));
    values.emplace_back(is_best ? "chosen" : "");
    data.add(std::move(values));
  }
  return data;
}

}  // namespace

Story limits_story(const Json& document) {
  Story story;
  story.title = "Limits of the errors of each class";
  story.subtitle = fmt::format("{} on {}", shown_name(text_at(document, "model")), shown_source(document));
  Section& section = story.section("chosen", "What the limits decide");
  const std::vector<std::string> names = shown_names(document.at("classes"));
  const bool costs = !document.at("costs").is_null();
  const Json& best = document.at("best");
  section.headline(fmt::format("{} at the limits {}: {} of the rows are decided, the others go to a person.",
                               costs ? "The least cost is" : "Fewest rows go to a person or are decided wrongly",
                               limits_words(names, best.at("limits")), share_of(best.at("decided"), document.at("n"))));
  section.say(
      "A class is struck out of a row where its p-value is at most the limit of the class. A row with one class left "
      "is decided. A row with none left is doubtful and goes to a person, so large limits may decide fewer rows. "
      "A row of a class is decided wrongly with probability at most the limit of the class.");
  if (const std::string guarantee = text_at(document, "guarantee"); !guarantee.empty())
    section.say("What is promised, with the limit of its class as eps: " + guarantee + ".");
  const Table data = points_of(document, names);
  if (names.size() == 2) {
    const std::string x = "limit of " + names[1];
    const std::string y = "limit of " + names[0];
    section.add(make_chart(
        "heat_map",
        {"decided", "How many rows are decided?",
         fmt::format("Each square is one pair of limits; the brighter, the more rows are decided. Diamond: {}.",
                     costs ? "the least cost" : "the fewest rows that go to a person or are decided wrongly"),
         fmt::format("Heat map of the share of rows decided over the {} and the {}.", x, y)},
        data, {{"$x", x}, {"$y", y}, {"$value", "rows decided"}, {"$format", ".1~%"}, {"$reverse", false}}));
    const Json& pair = document.at("smallest_without_asking");
    section.fact("Nobody is asked",
                 pair.is_array() ? "at the limits " + limits_words(names, pair) : std::string("at no pair of limits"));
  } else {
    section.add(data.captioned("What each limit decides"));
  }
  if (costs) {
    section.fact("Costs", shown_name(*document.at("costs").text()));
    section.fact("Least cost of a row", cell_text(best.at("cost"), Format::number));
  }
  section.fact("Rows", std::to_string(count_at(document, "n")));
  section.say(
      "These shares were read off these rows, from which the best was taken. New rows may do a little worse; the "
      "limits hold as promised.");
  add_repeat_section(story, document);
  return story;
}

void add_limits_section(Story& story, const Json& document) {
  const Json& limits = document.at("limits");
  if (!limits.is_object()) return;
  Section& section = story.section("limits", "Decisions with a limit for each class");
  section.headline(fmt::format("{} of the rows are decided, {} wrongly; {} go to a person.",
                               share_of(limits.at("decided"), limits.at("n")), count_at(limits, "wrong"),
                               count_at(limits, "none_left") + count_at(limits, "several_left")));
  Table table{"Each class", {"class", "rows", "limit", "missed", "exact interval", "decided", "compared with"}};
  for (const Json& own : limits.at("per_class").values()) {
    table.rows.push_back({shown_name(text_at(own, "class")), cell_text(own.at("n"), Format::number),
                          cell_text(own.at("limit"), Format::share), cell_text(own.at("missed_share"), Format::share),
                          interval_text(own.at("interval")), share_of(own.at("decided"), own.at("n")),
                          cell_text(own.at("compared_with"), Format::number)});
    if (const std::size_t missing = count_at(own, "rows_missing"); missing > 0) {
      section.warn(fmt::format("The class {} is never struck out: {} of the class are missing to compare with.",
                               shown_name(text_at(own, "class")), count_of(missing, "row")));
    }
  }
  section.add(std::move(table));
  section.say("Missed: the true class was struck out. Intervals are exact, at confidence 95 % for each class.");
  const Json& place = document.at("place");
  if (!place.is_object()) return;
  section.fact("Error at the class shares given", fmt::format("{} ({})", cell_text(place.at("error"), Format::share),
                                                              interval_text(place.at("interval"))));
}

namespace {

/// "group b: 12.50 % wrong labels, at most 30.1 %"
std::string worst_part(const Json& worst, const std::string& what) {
  return fmt::format("{} {}: {} {}, at most {}", shown_name(text_at(worst, "by")), shown_name(text_at(worst, "value")),
                     cell_text(worst.at("share"), Format::share), what, cell_text(worst.at("upper"), Format::share));
}

Table table_of_parts(const Json& way, bool regions, bool limited) {
  Table table{"By " + shown_name(text_at(way, "by")), {"group", "rows", "wrong labels", "interval"}};
  if (regions) table.columns.insert(table.columns.end(), {"regions that miss", "interval", "classes in a region"});
  if (limited) table.columns.emplace_back("decided");
  for (const Json& part : way.at("parts").values()) {
    std::vector<Json> row{shown_name(text_at(part, "value")), cell_text(part.at("n"), Format::number),
                          cell_text(part.at("error"), Format::share), interval_text(part.at("interval"))};
    if (regions) {
      row.emplace_back(share_of(part.at("region_misses"), part.at("n")));
      row.emplace_back(interval_text(part.at("region_interval")));
      row.emplace_back(fmt::format("{:.2f}", number_at(part, "region_size", std::nan(""))));
    }
    if (limited) row.emplace_back(share_of(part.at("decided"), part.at("n")));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table table_of_missed(const Json& way) {
  Table table{"Missed by " + shown_name(text_at(way, "by")), {"group", "class", "rows", "missed", "interval"}};
  for (const Json& part : way.at("parts").values()) {
    for (const Json& own : part.at("per_class").values()) {
      const bool some = own.at("interval").is_object();
      table.rows.push_back({shown_name(text_at(part, "value")), shown_name(text_at(own, "class")),
                            cell_text(own.at("n"), Format::number), some ? share_of(own.at("missed"), own.at("n")) : "",
                            some ? interval_text(own.at("interval")) : ""});
    }
  }
  return table;
}

}  // namespace

void add_parts_section(Story& story, const Json& document) {
  const Json& parts = document.at("parts");
  if (!parts.is_object()) return;
  Section& section = story.section("parts", "Errors by group");
  section.headline(fmt::format("The most doubtful group is {}.", worst_part(parts.at("worst_error"), "wrong labels")));
  if (const Json& missed = parts.at("worst_missed"); missed.is_object())
    section.fact("Most doubtful class", worst_part(missed, shown_name(text_at(missed, "class")) + " missed"));
  section.say(fmt::format(
      "All {} exact intervals hold together at confidence 95 %, so that the worst one is no worse than its interval "
      "says. Missed: {}.",
      cell_text(parts.at("intervals"), Format::number),
      parts.at("limited").flag().value_or(false) ? "the limits strike out the true class"
                                                 : "the row has another label"));
  for (const Json& way : parts.at("ways").values()) {
    section.add(table_of_parts(way, parts.at("eps").number().has_value(), parts.at("limited").flag().value_or(false)));
    section.add(table_of_missed(way));
  }
}

}  // namespace credence::report
