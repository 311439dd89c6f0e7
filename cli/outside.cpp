#include "outside.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "apply.hpp"
#include "credence/core/version.hpp"
#include "output.hpp"

namespace credence::cli {
namespace {

std::string shown_path(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

}  // namespace

void add_outside_files(Command command, OutsideFiles& files, const char* calibration, const char* test) {
  command.argument("CALIBRATION", &files.calibration, calibration);
  command.argument("TEST", &files.test, test);
  data::ReadOptions usual;
  files.reading.add(command.group("Reading"), reading_fields(usual, {"delimiter", "decimal", "encoding"}));
}

data::ReadOptions outside_reading(const OutsideFiles& files) {
  data::ReadOptions reading;
  reading.format = data::Format::csv;
  reading.header = data::Header::present;
  files.reading.set_all(core::fields_of(reading));
  reading.numbers = true;
  return reading;
}

void check_outside_files(const OutsideFiles& files) {
  std::error_code ignored;
  if (files.calibration == files.test || std::filesystem::equivalent(files.calibration, files.test, ignored)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("CALIBRATION and TEST are both {}: rows compared with themselves are never strange",
                            shown_path(files.test)));
  }
  check_output(files.output, {files.calibration, files.test});
}

std::vector<double> outside_levels(const std::string& text, const std::vector<double>& usual) {
  const std::vector<double> asked = parse_eps(text);
  return asked.empty() ? usual : asked;
}

void add_origin(const OutsideFiles& files, double seconds, report::Json& document) {
  document["calibration_source"] = files.calibration;
  document["calibration_checksum"] = checksum_of(files.calibration);
  document["source"] = files.test;
  document["threads"] = 1;
  document["seconds"] = seconds;
  document["version"] = version();
}

std::string outside_condition(const OutsideFiles& files) {
  return fmt::format("if the rows of {} were not used in training and are exchangeable with those of {}",
                     shown_path(files.calibration), shown_path(files.test));
}

}  // namespace credence::cli
