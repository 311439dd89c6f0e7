#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "report/page/chart_data.hpp"
#include "report/page/stories.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

std::string stream_name(const Json& stream) {
  const std::string name = text_at(stream, "name");
  return name == "familiarity" ? "rows" : name;
}

Chart evidence_course(const Json& document) {
  Table data{"",
             {{"stream", "stream", Format::text},
              {"row", "rows so far"},
              {"log10", "log10 of the evidence"},
              {"limit", "log10 of the limit"}}};
  std::string alarms = "no alarm";
  for (const Json& stream : document.at("streams").values()) {
    const double limit = std::log10(std::max(1.0, number_at(stream, "limit", 1)));
    for (const Json& point : stream.at("course").values())
      data.add({stream_name(stream), point.at("row"), point.at("log10_evidence"), limit});
    if (stream.at("alarm_row").number()) alarms = "an alarm";
  }
  return make_chart("watch",
                    {"evidence-course", "The evidence, row after row",
                     "The capital of a gambler who bets that the rows change. As long as they do not, the capital "
                     "reaches the dashed line with at most the stated probability, however long the stream is.",
                     fmt::format("Lines of the evidence against rows; {}.", alarms)},
                    data);
}

Table errors_table(const Json& document) {
  Table data{"",
             {{"of", "class", Format::text},
              {"rows", "labelled rows"},
              {"errors", "errors"},
              {"error", "share", Format::share},
              {"lower", "from", Format::share},
              {"upper", "to", Format::share}}};
  for (const Json& one : document.at("errors").values()) {
    const std::string name = text_at(one, "class");
    data.add({name.empty() ? std::string("all") : shown_name(name), one.at("rows"), one.at("errors"), one.at("error"),
              one.at("lower"), one.at("upper")});
  }
  return data.captioned("Errors so far, with limits that hold at all times at once at 95 % for each line");
}

Table columns_table(const Json& document) {
  Table data{"",
             {{"name", "column", Format::text},
              {"log10", "log10 of what its bets earned"},
              {"above", "chance that a new value is above a known one", Format::share},
              {"z", "z of the rank test"}}};
  for (const Json& one : document.at("columns").values())
    data.add({shown_name(text_at(one, "name")), one.at("log10_evidence"), one.at("above"), one.at("z")});
  return data.captioned("How far columns have moved since the change began");
}

}  // namespace

Story watch_story(const Json& document) {
  Story story;
  const bool of_order = document.at("order").text() != nullptr;
  const bool alarm = document.at("alarm").flag().value_or(false);
  story.title = of_order ? "The order of a table" : "A watch over new rows";
  story.subtitle = shown_source(document);
  Section& section =
      story.section("watch", of_order ? "Whether the rows come in an order" : "Whether the rows changed");
  section.headline(alarm      ? of_order ? "The rows come in an order." : "Alarm: the rows are no longer as they were."
                   : of_order ? "No order is seen."
                              : "Quiet: no change is seen.");
  for (const Json& stream : document.at("streams").values()) {
    section.fact(fmt::format("Seen: {}", stream_name(stream)), core::count_of(count_at(stream, "rows"), "row"));
    if (stream.at("alarm_row").number()) {
      section.fact("Began", fmt::format("after row {:.0f}; told at row {:.0f}", number_at(stream, "began_row", 1) - 1,
                                        number_at(stream, "alarm_row", 0)));
    }
  }
  if (of_order) section.fact("Ordered by", shown_name(text_at(document, "order")));
  section.fact("False alarms", fmt::format("with probability at most {}, ever",
                                           plain_number(number_at(document.at("options"), "alarm", 0))));
  section.add(evidence_course(document));
  if (document.at("errors").size() > 0) story.section("errors", "Errors").add(errors_table(document));
  if (document.at("columns").size() > 0) {
    Section& columns = story.section("columns", "Which columns moved most");
    columns.say(
        "The rank test compares the rows since the change began with those that the model keeps of "
        "its training. Nothing is proved of it: the place where it starts was chosen by the same rows.");
    columns.add(columns_table(document));
  }
  add_repeat_section(story, document);
  return story;
}

}  // namespace credence::report
