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

/// Columns in a line, and in a document.
constexpr std::size_t columns_named = 3;
constexpr std::size_t columns_listed = 50;
constexpr double running_delta = 0.05;

double log10_of(double natural) {
  return natural / std::numbers::ln10;
}

/// "12.3", "3.4e+20".
std::string evidence_text(double natural) {
  const double log = log10_of(natural);
  constexpr double large = 6;
  if (log < large) return fmt::format("{:.3g}", std::pow(10, log));
  return fmt::format("10^{:.0f}", std::floor(log));
}

std::string alarm_text(const Evidence& evidence) {
  return fmt::format("since row {}, told at row {} (evidence {}, an alarm from {:.4g} on)", evidence.began_row(),
                     evidence.alarm_row(), evidence_text(evidence.log_largest()), evidence.limit());
}

std::string quiet_text(const Evidence& evidence) {
  return fmt::format("evidence {}, an alarm from {:.4g} on", evidence_text(evidence.log_evidence()), evidence.limit());
}

std::string columns_text(const Watch& watch) {
  std::string text;
  const std::vector<conformal::MovedColumn> moved = watch.moved_columns();
  for (std::size_t c = 0; c < std::min(moved.size(), columns_named); ++c)
    text += fmt::format("{}{}", text.empty() ? "; moved most: " : ", ", moved[c].name);
  return text;
}

Json stream_json(const char* name, const Evidence& evidence) {
  Json course = Json::array();
  for (const auto& [row, log] : evidence.course())
    course.push_back(Json::object("row"_key = row, "log10_evidence"_key = log10_of(log)));
  const bool alarm = evidence.alarm_row() > 0;
  return Json::object(
      "name"_key = name, "rows"_key = evidence.rows(), "log10_evidence"_key = log10_of(evidence.log_evidence()),
      "log10_largest"_key = log10_of(evidence.log_largest()), "limit"_key = evidence.limit(),
      "alarm_row"_key = alarm ? Json(evidence.alarm_row()) : Json(nullptr),
      "began_row"_key = alarm ? Json(evidence.began_row()) : Json(nullptr), "course"_key = std::move(course));
}

Json errors_json(const conformal::RunningErrors& one) {
  const auto rows = static_cast<double>(one.rows);
  const bounds::Interval ends = bounds::running_interval(static_cast<double>(one.errors), rows, running_delta);
  return Json::object("class"_key = one.of.empty() ? Json(nullptr) : Json(one.of), "rows"_key = one.rows,
                      "errors"_key = one.errors,
                      "error"_key = one.rows == 0 ? Json(nullptr) : Json(static_cast<double>(one.errors) / rows),
                      "lower"_key = ends.lower, "upper"_key = ends.upper, "confidence"_key = 1 - running_delta);
}

Json head(bool alarm, conformal::WatchOptions options, const std::string& source) {
  Json described = Json::object();
  add_fields(core::fields_of(options), described);
  return Json::object("kind"_key = "watch", "alarm"_key = alarm, "options"_key = std::move(described),
                      "source"_key = source, "seed"_key = options.seed, "version"_key = version());
}

}  // namespace

std::string watch_line(const Watch& watch) {
  const Evidence& rows = watch.familiarity();
  const Evidence& labels = watch.labels();
  std::string text = count_of(rows.rows(), "row");
  if (watch.watches_labels()) text += fmt::format(", {} with a label", labels.rows());
  if (!watch.alarm()) {
    return fmt::format("quiet: {}; {}{}\n", text, quiet_text(rows),
                       watch.watches_labels() ? "; labels: " + quiet_text(labels) : "");
  }
  if (rows.alarm_row() > 0) text += "; rows are unlike those of the training " + alarm_text(rows) + columns_text(watch);
  if (labels.alarm_row() > 0) text += "; labels have changed " + alarm_text(labels);
  return "ALARM: " + text + "\n";
}

Json watch_json(const Watch& watch, const std::string& source, const std::string& model) {
  Json document = head(watch.alarm(), watch.options(), source);
  Json streams = Json::array();
  streams.push_back(stream_json("familiarity", watch.familiarity()));
  Json errors = Json::array();
  if (watch.watches_labels()) {
    streams.push_back(stream_json("labels", watch.labels()));
    for (const conformal::RunningErrors& one : watch.errors()) errors.push_back(errors_json(one));
  }
  Json columns = Json::array();
  for (const conformal::MovedColumn& one : watch.moved_columns()) {
    if (columns.size() == columns_listed) break;
    columns.push_back(Json::object("name"_key = one.name, "log10_evidence"_key = log10_of(one.log_evidence),
                                   "above"_key = one.above, "z"_key = one.z));
  }
  document.add("streams"_key = std::move(streams), "errors"_key = std::move(errors), "columns"_key = std::move(columns),
               "order"_key = nullptr, "model"_key = model);
  return document;
}

std::string order_line(const Evidence& evidence, const std::string& order) {
  const std::string rows = count_of(evidence.rows(), "row");
  if (evidence.alarm_row() == 0)
    return fmt::format("no order is seen: {} by {}; {}\n", rows, order, quiet_text(evidence));
  return fmt::format("the rows come in an order: {} by {}; {}\n", rows, order, alarm_text(evidence));
}

Json order_json(const Evidence& evidence, const conformal::WatchOptions& options, const std::string& order,
                const std::string& source) {
  Json document = head(evidence.alarm_row() > 0, options, source);
  Json streams = Json::array();
  streams.push_back(stream_json("order", evidence));
  document.add("streams"_key = std::move(streams), "errors"_key = Json::array(), "columns"_key = Json::array(),
               "order"_key = order, "model"_key = nullptr);
  return document;
}

}  // namespace credence::report
