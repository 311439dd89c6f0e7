#pragma once

#include <string>
#include <vector>

#include "flags.hpp"
#include "options.hpp"
#include "report/json.hpp"

/// What `conformal scores` and `conformal intervals` share: two files of numbers that another tool wrote.
namespace credence::cli {

/// Rows kept from training, and new ones.
struct OutsideFiles {
  std::string calibration;
  std::string test;
  Described reading;
  std::string output;
};

void add_outside_files(Command command, OutsideFiles& files, const char* calibration, const char* test);
/// Of CSV files with a header, all of whose features are numbers. @throws Error invalid_argument for wrong options
data::ReadOptions outside_reading(const OutsideFiles& files);
/// @throws Error invalid_argument if the two files are one, or the output is one of them; file if it cannot be written
void check_outside_files(const OutsideFiles& files);
/// Levels of --eps, or these if none were asked for. @throws Error invalid_argument
std::vector<double> outside_levels(const std::string& text, const std::vector<double>& usual);
/// The two files, with the checksum of CALIBRATION, and what the run cost, which was done on one thread.
void add_origin(const OutsideFiles& files, double seconds, report::Json& document);
/// What validity rests on: "if the rows of CALIBRATION ..."
std::string outside_condition(const OutsideFiles& files);

}  // namespace credence::cli
