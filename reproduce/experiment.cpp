#include "reproduce/experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "credence/core/version.hpp"
#include "credence/data/fingerprint.hpp"
#include "report/selection/selection_report.hpp"

namespace credence::reproduce {

void Experiment::run(const std::vector<Part>& parts, const core::Context& context) {
  for (const Part& part : parts) context.monitor.expect(part.units);
  bool complete = true;
  for (const Part& part : parts) complete = part.run(context) && complete;
  course() = {context.threads.count(), context.monitor.seconds(),
              complete ? core::StopReason::none : context.monitor.stop_reason()};
}

std::string checksum_of(const data::Dataset& dataset) {
  core::Fingerprint sum;
  data::add_with_columns(sum, dataset);
  return sum.text();
}

std::vector<std::size_t> positions_of(const char* option, const std::string& list,
                                      const std::vector<std::string>& words) {
  std::vector<std::size_t> positions(list.empty() ? words.size() : 0);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  for (std::size_t start = 0; !list.empty() && start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    const std::string word = list.substr(start, comma - start);
    const auto found = static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
    if (found == words.size()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{}: '{}' is not one of {}", option, word, fmt::join(words, ", ")));
    }
    if (std::ranges::find(positions, found) == positions.end()) positions.push_back(found);
    start = comma + 1;
  }
  return positions;
}

void check_not_stopped(bool stopped) {
  if (stopped) throw Error(ErrorCode::interrupted, "stopped");
}

std::string file_of(const std::string& folder, const std::string& stem) {
  for (const char* ending : {".csv.gz", ".csv"}) {
    const auto path = std::filesystem::path(folder) / (stem + ending);
    if (std::error_code ignored; std::filesystem::exists(path, ignored)) return path.string();
  }
  return {};
}

std::string required_file_of(const std::string& folder, const std::string& stem, const std::string& what,
                             const char* origin) {
  std::string path = file_of(folder, stem);
  if (!path.empty()) return path;
  throw Error(ErrorCode::file, fmt::format("'{}' has no {}.csv.gz (or .csv), {}; {}", folder, stem, what, origin));
}

void check_numbers(const data::Dataset& dataset) {
  for (const data::Column& column : dataset.schema.columns) {
    if (column.kind == data::ColumnKind::categorical) {
      throw Error(ErrorCode::invalid_data, "this table has numbers only, and here is text",
                  {dataset.source, 0, column.name});
    }
  }
}

void join_other_classes(data::Dataset& dataset) {
  for (int& label : dataset.labels) label = label == 0 ? 0 : 1;
  dataset.schema.classes = {dataset.schema.classes.front(), "the others"};
}

std::vector<std::string> differences(std::initializer_list<Counted> counts) {
  std::vector<std::string> found;
  for (const auto& [what, here, printed] : counts)
    if (here != printed) found.push_back(fmt::format("{} {}, in the paper {}", here, what, printed));
  return found;
}

Figure figure_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  Figure figure;
  for (const double value : values) figure.mean += value / count;
  if (values.size() < 2) return figure;
  double squares = 0;
  for (const double value : values) squares += (value - figure.mean) * (value - figure.mean);
  figure.deviation = std::sqrt(squares / (count - 1));
  figure.standard_error = std::sqrt(squares / (count - 1) / count);
  return figure;
}

std::string figure_text(const Figure& figure, int decimals) {
  const std::string mean = fmt::format("{:.{}f}", figure.mean, decimals);
  return figure.deviation ? fmt::format("{} ({:.{}f})", mean, *figure.deviation, decimals) : mean;
}

Json figure_json(const Figure& figure) {
  return Json::object("mean"_key = figure.mean, "deviation"_key = figure.deviation);
}

std::string mark_of(const std::vector<std::string>& remarks) {
  return remarks.empty() ? "" : " *";
}

std::string footnote(const std::string& name, const std::vector<std::string>& remarks) {
  return remarks.empty() ? "" : fmt::format("* {}: {}\n", name, fmt::join(remarks, "; "));
}

std::string closing_line(const Course& course) {
  return fmt::format("\n{:.1f} s in all, {}\n", course.seconds,
                     report::count_of(static_cast<std::size_t>(course.threads), "thread"));
}

Json report_document(const char* table, const char* paper, const Course& course, const Json& members,
                     report::Reproduction found) {
  found.paper = paper;
  found.stopped = course.stopped;
  found.seconds = course.seconds;
  found.threads = course.threads;
  Json document = Json::object("kind"_key = "reproduction", "table"_key = table, "paper"_key = paper,
                               "status"_key = report::status_word(course.stopped));
  document.update(members);
  return document.add("threads"_key = course.threads, "seconds"_key = course.seconds, "version"_key = version(),
                      "report"_key = story_json(reproduction_story(found)));
}

}  // namespace credence::reproduce
