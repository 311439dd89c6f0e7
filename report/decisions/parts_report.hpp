#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/decision.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/json.hpp"

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

/// The rows with one value of a column, or with one value of each of several columns.
struct PartOfRows {
  std::string value;  ///< "f", "30 to 50", "f, 30 to 50"
  std::size_t rows = 0;
  std::size_t errors = 0;
  bounds::Interval interval;                 ///< of the error rate; all intervals of the report hold together
  std::vector<std::size_t> of_class;         ///< rows of each class
  std::vector<std::size_t> errors_of_class;  ///< rows of each class with another label
  std::size_t region_misses = 0;             ///< regions without the true class
  double region_size = 0;                    ///< mean number of classes in a region
  std::optional<conformal::DecisionCounts> decisions;
};
struct PartsReport {
  static constexpr double delta = 0.05;  ///< of all intervals together

  struct Way {
    std::string name;
    std::vector<PartOfRows> parts;
  };
  std::vector<std::string> classes;
  std::optional<double> eps;  ///< the level of regions; none for models without p-values
  bool limited = false;       ///< whether rows were decided with limits
  std::vector<Way> ways;

  std::size_t parts() const;
  /// The part with the largest upper end of its interval. @throws std::logic_error without a part
  std::pair<const Way*, const PartOfRows*> worst() const;
};

/// Numbers are cut where a column has more than eight different numbers and nothing else. Empty values are a value.
/// @param dataset  labelled, with the columns in Dataset::texts  @param eps  of the regions that are counted
/// @throws Error invalid_data for cuts of a column that holds other texts than numbers; for more than 1,000 parts
PartsReport parts_report(const std::vector<DividedBy>& ways, const data::Dataset& dataset,
                         const std::vector<std::string>& classes, const model::Prediction& prediction,
                         std::optional<double> eps, const LimitsAsked& asked);

std::string parts_table(const PartsReport& report);
Json parts_json(const PartsReport& report);

}  // namespace credence::report
