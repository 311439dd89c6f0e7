#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/data/dataset.hpp"
#include "report/evaluation/evaluation_report.hpp"
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
  int threads = 0;
};

/// @param check  a second predictor, on rows that it has not seen
Story fit_story(const FittedConformal& run, const std::optional<FitCheck>& check,
                const std::vector<std::string>& warnings);
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
/// The rows that got intervals.
struct OutsideRows {
  const data::Dataset& dataset;
  const std::vector<double>& targets;  ///< empty where they are not known
  const std::vector<double>& predictions;
};
Story outside_intervals_story(const OutsideIntervals& found, const OutsideRows& rows, const std::string& source);
Json outside_intervals_json(const OutsideIntervals& found, const OutsideRows& rows);

}  // namespace credence::report
