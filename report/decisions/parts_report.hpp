#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/json.hpp"

/// Rows divided by the values of a column, or of a crossing of columns.
/// What a model came to on the rows of each value of a column, or of a crossing of columns.
namespace credence::report {

/// What rows are divided by: "sex", "age" with cuts at 30 and 50 ("age=30:50"), or "sex*age".
struct DividedBy {
  struct Column {
    std::string name;
    std::vector<double> cuts;  ///< ascending; empty: a column of numbers is cut at its quartiles
  };
  std::vector<Column> columns;  ///< rows are divided by all of them together

  /// "sex * age"
  std::string name() const;
  /// The ways in a list such as "sex,age=30:50,sex*age". @throws Error invalid_argument
  static std::vector<DividedBy> parse(const std::string& text);
};
/// The columns of all ways, each once, for ReadOptions::texts.
std::vector<std::string> columns_of(const std::vector<DividedBy>& ways);

/// Gives columns that were asked for by their position the name that they have among the texts, which are those of
/// columns_of.
void name_columns(std::vector<DividedBy>& ways, const std::vector<data::TextColumn>& texts);

/// The rows with one value of a column, or with one value of each of several columns.
struct Part {
  std::string value;  ///< "f", "30 to 50", "f, 30 to 50"
  std::vector<std::size_t> rows;
};
/// Numbers are cut where a column has more than eight different numbers and nothing else. Empty values are a value.
/// @param dataset  with the columns in Dataset::texts
/// @throws Error invalid_data for a column that is not there, and for cuts of a column with other texts than numbers
std::vector<Part> parts_of(const DividedBy& by, const data::Dataset& dataset);

/// How many of some rows went wrong, with the interval of that share; all intervals of a report hold together.
struct WrongRows {
  std::size_t count = 0;
  std::size_t rows = 0;
  bounds::Interval interval{0, 1};  ///< says nothing where there are no rows
};
struct PartOfRows {
  std::string value;  ///< Part::value
  WrongRows errors;   ///< wrong labels
  /// Of each class: rows whose class the limits rule out; without limits, rows with another label.
  std::vector<WrongRows> missed;
  std::optional<WrongRows> sets;  ///< without the true class
  double set_size = 0;            ///< mean number of classes in a region
  std::optional<std::size_t> decided;
};
struct PartsReport {
  static constexpr double delta = 0.05;  ///< of all intervals together

  struct Way {
    std::string name;
    std::vector<PartOfRows> parts;
  };
  /// What is most doubtful: the interval with the largest upper end.
  struct Worst {
    const Way* way = nullptr;
    const PartOfRows* part = nullptr;
    const WrongRows* rows = nullptr;
    std::size_t class_code = 0;  ///< of worst_missed
  };
  std::vector<std::string> classes;
  std::optional<double> significance;  ///< the level of prediction sets; none for models without p-values
  bool limited = false;                ///< whether rows were decided with limits
  std::vector<Way> ways;
  std::size_t intervals = 0;  ///< of shares of at least one row

  double delta_of_interval() const { return delta / static_cast<double>(intervals); }
  Worst worst_errors() const;
  /// Over all classes.
  Worst worst_missed() const;
};

/// @param dataset  labelled, with the columns in Dataset::texts  @param significance  of the prediction sets that are
/// counted
/// @throws Error as parts_of; invalid_data for more than 1,000 parts
PartsReport parts_report(const std::vector<DividedBy>& ways, const data::Dataset& dataset,
                         const std::vector<std::string>& classes, const model::Prediction& prediction,
                         std::optional<double> significance, const LimitsAsked& asked);

void add_parts(const PartsReport& report, Section& section);
Json parts_json(const PartsReport& report);

}  // namespace credence::report
