#include "report/watch/watch_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/version.hpp"
#include "report/plan.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using conformal::Evidence;
using conformal::Watch;

/// Columns in a sentence, and in a table.
constexpr std::size_t columns_named = 3;
constexpr std::size_t columns_listed = 50;
constexpr double running_delta = 0.05;

/// A stream under the key of the document, and as people call it.
struct Stream {
  const char* key;
  const char* name;
  const Evidence& evidence;
};

std::vector<Stream> streams_of(const Watch& watch) {
  std::vector<Stream> streams{{"familiarity", "rows", watch.familiarity()}};
  if (watch.watches_labels()) streams.push_back({"labels", "labels", watch.labels()});
  return streams;
}

double log10_of(double natural) {
  return natural / std::numbers::ln10;
}

/// "evidence of a change 12.3", "evidence of a change 10^20".
std::string evidence_text(const Evidence& evidence) {
  constexpr double large = 6;
  const bool alarm = evidence.alarm_row() > 0;
  const double log = log10_of(alarm ? evidence.log_largest() : evidence.log_evidence());
  return log < large ? fmt::format("evidence of a change {:.3g}", std::pow(10, log))
                     : fmt::format("evidence of a change 10^{:.0f}", std::floor(log));
}

/// Of all streams.
std::string limit_text(const Evidence& evidence) {
  return fmt::format("; an alarm comes at {:.4g}", evidence.limit());
}

/// "1000 seen; changed from about row 501 on, noticed at row 515 (evidence of a change 10^9; ...)".
std::string stream_text(const Evidence& evidence) {
  const std::string change = evidence.alarm_row() == 0
                                 ? ""
                                 : fmt::format("; changed from about row {} on, noticed at row {}",
                                               evidence.began_row(), evidence.alarm_row());
  return fmt::format("{} seen{} ({}{})", evidence.rows(), change, evidence_text(evidence), limit_text(evidence));
}

std::string named_columns(const std::vector<conformal::MovedColumn>& moved) {
  std::string text;
  for (std::size_t c = 0; c < std::min(moved.size(), columns_named); ++c)
    if (c == 0 || moved[c].log_evidence > 0) text += (text.empty() ? "" : ", ") + shown_name(moved[c].name);
  return text;
}

Chart evidence_chart(const std::vector<Stream>& streams, bool alarm) {
  Table data{{"stream|stream|text", "row|rows so far", "log10|log10 of the evidence", "limit|log10 of the limit"}};
  for (const Stream& stream : streams)
    for (const auto& [row, log] : stream.evidence.course())
      data.add({stream.name, row, log10_of(log), std::log10(stream.evidence.limit())});
  return std::move(data).as_chart(
      "watch#evidence-course", "The evidence, row after row",
      "The capital of a gambler who bets that the rows change. As long as they do not, the capital "
      "reaches the dashed line with at most the stated probability, however long the stream is.",
      fmt::format("Lines of the evidence against rows; {}.", alarm ? "an alarm" : "no alarm"));
}

/// The answer in one line, and each stream; the terminal shows the streams of an alarm.
void add_streams(const std::vector<Stream>& streams, const std::string& line, const conformal::WatchOptions& options,
                 bool alarm, Section& section) {
  section.say(line, Where::terminal);
  for (const Stream& stream : streams)
    section.fact(stream.name, stream_text(stream.evidence), {}, alarm ? Where::both : Where::page);
  section.fact("false alarms", fmt::format("with probability at most {}, ever", plain_number(options.alarm)), {},
               Where::page);
}

bounds::Interval limits_of(const conformal::RunningErrors& one) {
  return bounds::running_interval(static_cast<double>(one.errors), static_cast<double>(one.rows), running_delta);
}

Table errors_table(const Watch& watch) {
  Table data{{"of|class|text", "rows|labelled rows", "errors|errors", "error|share|share", "lower|from|share",
              "upper|to|share"},
             "Errors so far, with limits that hold at all times at once at 95 % for each line"};
  for (const conformal::RunningErrors& one : watch.errors()) {
    const bounds::Interval ends = limits_of(one);
    data.add({one.of.empty() ? std::string("all") : shown_name(one.of), one.rows, one.errors,
              share(one.errors, one.rows), ends.lower, ends.upper});
  }
  return data;
}

Table columns_table(const std::vector<conformal::MovedColumn>& moved) {
  Table data{{"name|column|text", "log10|log10 of what its bets earned",
              "above|chance that a new value is above a known one|share", "z|z of the rank test"},
             "How far columns have moved since the change began"};
  for (const conformal::MovedColumn& one : moved) {
    if (data.size() == columns_listed) break;
    data.add({shown_name(one.name), log10_of(one.log_evidence), one.above, one.z});
  }
  return data;
}

/// "quiet: no change seen in 500 rows (evidence of a change 0.8) and 200 labels (...); an alarm ...".
std::string line_of(const Watch& watch) {
  if (watch.alarm()) {
    const bool rows = watch.familiarity().alarm_row() > 0;
    const bool labels = watch.labels().alarm_row() > 0;
    return fmt::format("ALARM: {}{}{}", rows ? "the rows are no longer like those of the training" : "",
                       rows && labels ? "; " : "", labels ? "the labels have changed" : "");
  }
  std::string text;
  for (const Stream& stream : streams_of(watch))
    text += fmt::format("{}{} {} ({})", text.empty() ? "quiet: no change seen in " : " and ", stream.evidence.rows(),
                        stream.name, evidence_text(stream.evidence));
  return text + limit_text(watch.familiarity());
}

Json stream_json(const Stream& stream) {
  const Evidence& evidence = stream.evidence;
  Json course = Json::list(evidence.course(), [](const auto& point) {
    return Json::object("row"_key = point.first, "log10_evidence"_key = log10_of(point.second));
  });
  const bool alarm = evidence.alarm_row() > 0;
  return Json::object(
      "name"_key = stream.key, "rows"_key = evidence.rows(), "log10_evidence"_key = log10_of(evidence.log_evidence()),
      "log10_largest"_key = log10_of(evidence.log_largest()), "limit"_key = evidence.limit(),
      "alarm_row"_key = alarm ? Json(evidence.alarm_row()) : Json(nullptr),
      "began_row"_key = alarm ? Json(evidence.began_row()) : Json(nullptr), "course"_key = std::move(course));
}

Json errors_json(const conformal::RunningErrors& one) {
  const bounds::Interval ends = limits_of(one);
  return Json::object("class"_key = one.of.empty() ? Json(nullptr) : Json(one.of), "rows"_key = one.rows,
                      "errors"_key = one.errors, "error"_key = share(one.errors, one.rows), "lower"_key = ends.lower,
                      "upper"_key = ends.upper, "confidence"_key = 1 - running_delta);
}

/// The document, which each kind of watch gives its own members.
Json document_of(const std::vector<Stream>& streams, bool alarm, conformal::WatchOptions options,
                 const std::string& source) {
  Json described = Json::object();
  add_fields(core::fields_of(options), described);
  return Json::object("kind"_key = "watch", "alarm"_key = alarm, "options"_key = std::move(described),
                      "source"_key = source, "seed"_key = options.seed, "version"_key = version(),
                      "streams"_key = Json::list(streams, stream_json), "errors"_key = Json::array(),
                      "columns"_key = Json::array(), "order"_key = nullptr, "model"_key = nullptr);
}

}  // namespace

Story watch_story(const Watch& watch, const std::string& source) {
  Story story{"A watch over new rows", shown_source(source)};
  Section& section = story.section("watch", "Whether the rows changed");
  section.headline(watch.alarm() ? "Alarm: the rows are no longer as they were." : "Quiet: no change is seen.");
  const std::vector<Stream> streams = streams_of(watch);
  add_streams(streams, line_of(watch), watch.options(), watch.alarm(), section);
  const std::vector<conformal::MovedColumn> moved = watch.moved_columns();
  if (watch.familiarity().alarm_row() > 0 && !moved.empty()) section.fact("moved most", named_columns(moved));
  section.add(evidence_chart(streams, watch.alarm()));
  if (watch.watches_labels()) story.section("errors", "Errors").add(errors_table(watch));
  if (moved.empty()) return story;
  Section& columns = story.section("columns", "Which columns moved most");
  columns.say(
      "The rank test compares the rows since the change began with those that the model keeps of its training. Nothing "
      "is proved of it: the place where it starts was chosen by the same rows.");
  columns.add(columns_table(moved));
  return story;
}

Json watch_json(const Watch& watch, const std::string& source, const std::string& model) {
  Json document = document_of(streams_of(watch), watch.alarm(), watch.options(), source);
  if (watch.watches_labels()) document["errors"] = Json::list(watch.errors(), errors_json);
  for (const conformal::MovedColumn& one : watch.moved_columns()) {
    if (document.at("columns").size() == columns_listed) break;
    document["columns"].push_back(Json::object("name"_key = one.name, "log10_evidence"_key = log10_of(one.log_evidence),
                                               "above"_key = one.above, "z"_key = one.z));
  }
  document.add("model"_key = model, "report"_key = story_json(watch_story(watch, source)));
  return document;
}

Story order_story(const Evidence& evidence, const conformal::WatchOptions& options, const std::string& order,
                  const std::string& source) {
  Story story{"The order of a table", shown_source(source)};
  Section& section = story.section("watch", "Whether the rows come in an order");
  const bool alarm = evidence.alarm_row() > 0;
  const char* found = alarm ? "The rows come in an order" : "No order is seen";
  section.headline(fmt::format("{}.", found));
  section.fact("ordered by", shown_name(order), Where::page);
  const std::vector<Stream> streams{{"order", "rows", evidence}};
  add_streams(streams,
              fmt::format("{}: {} by {}{}", found, count_of(evidence.rows(), "row"), order,
                          alarm ? "" : fmt::format(" ({}{})", evidence_text(evidence), limit_text(evidence))),
              options, alarm, section);
  section.add(evidence_chart(streams, alarm));
  return story;
}

Json order_json(const Evidence& evidence, const conformal::WatchOptions& options, const std::string& order,
                const std::string& source) {
  Json document = document_of({{"order", "rows", evidence}}, evidence.alarm_row() > 0, options, source);
  document.add("order"_key = order, "report"_key = story_json(order_story(evidence, options, order, source)));
  return document;
}

}  // namespace credence::report
