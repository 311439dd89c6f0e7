#include "outside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "apply.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"

namespace credence::cli {

using report::operator""_key;
namespace {

std::string shown_path(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace

void add_outside_files(Command command, OutsideFiles& files, const char* calibration, const char* test) {
  command.argument("CALIBRATION", &files.calibration, calibration);
  command.argument("TEST", &files.test, test);
  files.reading.add<data::ReadOptions>(command.group("Reading"), {"delimiter", "decimal", "encoding"});
  add_fields(command.group("Reading"), core::fields_of(files));
  add_fields(command.group("Output"), core::fields_of(files.style));
  command.find("--groups").excludes(command.find("--weight-column"));
}

OutsideCounting::OutsideCounting(const OutsideFiles& files, const data::Dataset& calibration) {
  if (!files.groups.empty()) {
    values_ = conformal::group_shares(calibration.groups);
    groups_ = static_cast<std::size_t>(*std::ranges::max_element(calibration.groups)) + 1;
  } else if (!files.weight_column.empty()) {
    values_ = calibration.weights;
  }
}

std::vector<std::size_t> OutsideCounting::units(const conformal::NonconformityTable& kept,
                                                bool label_conditional) const {
  std::vector<std::size_t> units;
  if (groups_ > 0 && !label_conditional) return {groups_};
  for (std::size_t c = 0; c < kept.classes(); ++c) {
    const conformal::NonconformityScores& list = kept.of(static_cast<int>(c));
    units.push_back(groups_ > 0 ? static_cast<std::size_t>(std::ceil(list.weight() - 1e-9)) : list.size());
  }
  return units;
}

void OutsideCounting::add_to(report::Json& document, const OutsideFiles& files) const {
  const bool weighs = groups_ == 0 && !values_.empty();
  document.add("groups"_key = groups_ > 0 ? report::Json(groups_) : report::Json(nullptr),
               "weight_column"_key = weighs ? report::Json(files.weight_column) : report::Json(nullptr));
  document["effective_rows"] =
      weighs ? report::Json(conformal::NonconformityScores(values_, weights()).effective()) : report::Json(nullptr);
}

std::span<const double> own_weights(const OutsideFiles& files, const data::Dataset& test) {
  return files.weight_column.empty() ? std::span<const double>() : test.weights;
}

data::ReadOptions outside_reading(const OutsideFiles& files) {
  data::ReadOptions reading;
  reading.format = data::Format::csv;
  reading.header = data::Header::present;
  files.reading.set_all(core::fields_of(reading));
  reading.numbers = true;
  if (!files.weight_column.empty()) reading.weights = files.weight_column;
  return reading;
}

data::ReadOptions calibration_reading(const OutsideFiles& files) {
  data::ReadOptions reading = outside_reading(files);
  if (!files.groups.empty()) reading.groups = files.groups;
  return reading;
}

void check_outside_files(const OutsideFiles& files) {
  std::error_code ignored;
  if (files.calibration == files.test || std::filesystem::equivalent(files.calibration, files.test, ignored)) {
    refuse(fmt::format("CALIBRATION and TEST are both {}: rows compared with themselves are never strange",
                       shown_path(files.test)));
  }
  check_output(files.output, {files.calibration, files.test});
}

std::vector<double> outside_levels(const std::string& text, const std::vector<double>& usual) {
  const std::vector<double> asked = parse_confidence_levels(text);
  return asked.empty() ? usual : asked;
}

void add_origin(const OutsideFiles& files, double seconds, report::Json& document) {
  document.add("calibration_source"_key = files.calibration,
               "calibration_checksum"_key = checksum_of(files.calibration), "source"_key = files.test,
               "threads"_key = 1, "seconds"_key = seconds, "version"_key = version());
}

std::string outside_condition(const OutsideFiles& files) {
  const std::string rows =
      fmt::format("if the rows of {} were not used in training and ", shown_path(files.calibration));
  const std::string test = shown_path(files.test);
  if (!files.groups.empty()) return rows + fmt::format("their groups are exchangeable with those of {}", test);
  if (!files.weight_column.empty()) return rows + fmt::format("differ from those of {} by their weights alone", test);
  return rows + fmt::format("are exchangeable with those of {}", test);
}

}  // namespace credence::cli
