#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/data/dataset.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/json.hpp"
#include "report/rows/p_value_words.hpp"

/// What `conformal fit` fitted, and what the predictor promises.
/// Intervals around predictions that another tool made.
namespace credence::report {

struct FittedConformal {
  const data::Dataset& dataset;
  const std::string& source;
  const conformal::FitOptions& options;
  const conformal::ConformalPredictor& predictor;
  bool selected = false;  ///< the model of the measure was chosen on the rows that were not held out
  const MissLimits& limits;
  double seconds = 0;
  const std::string& output;  ///< the file of the predictor
};

std::string fit_table(const FittedConformal& run);
Json fit_json(const FittedConformal& run);

struct OutsideIntervals {
  std::vector<double> levels;
  std::size_t compared = 0;  ///< rows that new rows are compared with
  std::size_t units = 0;     ///< these rows, or their groups where each counts once
  bool alike = true;         ///< whether rows count alike, so that a limit of what intervals miss is known
  Intervals intervals;
  std::vector<double> p{};  ///< of the targets, where these are known
  double seconds = 0;
  std::string target{};  ///< the names of the columns
  std::string prediction{};
  std::optional<std::string> difficulty{};
  std::optional<double> beta{};  ///< added to each difficulty
  std::string guarantee{};
};

MissLimits miss_limits_of(const OutsideIntervals& found);
std::vector<std::string> warnings_of(const OutsideIntervals& found);
/// How many targets were covered; of rows with known targets.
std::string outside_intervals_table(const OutsideIntervals& found);
/// @param targets  empty where they are not known
Json outside_intervals_json(const OutsideIntervals& found, const data::Dataset& dataset,
                            const std::vector<double>& targets, const std::vector<double>& predictions);

}  // namespace credence::report
