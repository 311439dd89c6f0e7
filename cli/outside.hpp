#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/data/dataset.hpp"
#include "flags.hpp"
#include "options.hpp"
#include "report/json.hpp"
#include "report/rows/prediction_columns.hpp"

/// What `conformal scores` and `conformal intervals` share: two files of numbers that another tool wrote.
namespace credence::cli {

/// Rows kept from training, and new ones.
struct OutsideFiles {
  std::string calibration;
  std::string test;
  Described reading;
  std::string groups;
  std::string weight_column;
  std::string output;
  report::TableStyle style;

  static void describe(auto&& field) {
    field("groups", &OutsideFiles::groups,
          {"column of groups in CALIBRATION, if new rows are of new groups; each group then counts once", "COL"});
    field("weight_column", &OutsideFiles::weight_column,
          {"a column of known weights in both files: how much likelier a row is in TEST than in CALIBRATION", "COL"});
  }
};

/// How much the rows of CALIBRATION count: one each, by shares of their groups, or by known weights.
class OutsideCounting {
 public:
  OutsideCounting() = default;
  OutsideCounting(const OutsideFiles& files, const data::Dataset& calibration);

  conformal::RowWeights weights() const { return {values_, groups_ > 0}; }
  std::size_t groups() const { return groups_; }  ///< 0: rows do not count by groups
  bool alike() const { return values_.empty(); }
  /// What is compared with, which decides how small p-values get: rows, or groups, which stand for more rows.
  std::vector<std::size_t> units(const conformal::NonconformityTable& kept, bool label_conditional) const;
  const char* unit() const { return groups_ > 0 ? "group" : "row"; }
  /// "groups", "weight_column" and "effective_rows", which are null where they say nothing.
  void add_to(report::Json& document, const OutsideFiles& files) const;

 private:
  std::vector<double> values_;
  std::size_t groups_ = 0;
};
/// Of each row of TEST; empty: 1.
std::span<const double> own_weights(const OutsideFiles& files, const data::Dataset& test);

void add_outside_files(Command command, OutsideFiles& files, const char* calibration, const char* test);
/// Of CSV files with a header, all of whose features are numbers. @throws Error invalid_argument for wrong options
data::ReadOptions outside_reading(const OutsideFiles& files);
/// The same for CALIBRATION, with its groups.
data::ReadOptions calibration_reading(const OutsideFiles& files);
/// @throws Error invalid_argument if the two files are one, or the output is one of them; file if it cannot be written
void check_outside_files(const OutsideFiles& files);
/// Levels of --confidence-level, or these if none were asked for. @throws Error invalid_argument
std::vector<double> outside_levels(const std::string& text, const std::vector<double>& usual);
/// The two files, with the checksum of CALIBRATION, and what the run cost, which was done on one thread.
void add_origin(const OutsideFiles& files, double seconds, report::Json& document);
/// What validity rests on: "if the rows of CALIBRATION ..."
std::string outside_condition(const OutsideFiles& files);

}  // namespace credence::cli
