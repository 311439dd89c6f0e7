#pragma once

#include "credence/bounds/binomial.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/interval_report.hpp"
#include "report/json.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

namespace credence::report {

/// Targets t_i compared with the means m_i and standard deviations s_i that were predicted.
struct RegressionReport {
  std::size_t rows = 0;
  double rmse = 0;                       ///< (mean of (t - m)^2)^1/2
  double mean_absolute_error = 0;        ///< mean of |t - m|
  double baseline_rmse = 0;              ///< of always predicting the mean of these targets
  std::optional<double> r_squared;       ///< 1 - sum (t - m)^2 / sum (t - mean t)^2; none if all t are equal
  bool spreads = true;                   ///< whether standard deviations were predicted; if not, no field below is said
  double mean_negative_log_density = 0;  ///< mean of 0.5 log(2 pi s^2) + (t - m)^2 / (2 s^2)
  std::size_t covered = 0;               ///< rows with |t - m| <= 1.96 s: 95 % of them if the model is right
  double mean_width = 0;                 ///< of m - 1.96 s to m + 1.96 s
  bounds::Interval interval;             ///< of the share that is covered, see interval_delta
  std::string trained_on;                ///< says that these rows trained the model; empty if not

  static constexpr double half_width = 1.96;
  static constexpr double nominal = 0.95;
  static constexpr double interval_delta = 0.05;
};

/// Predictions without standard deviations are compared by their means alone.
/// @throws Error invalid_data with the source as place for a row without a target
RegressionReport compare_targets(const data::Dataset& dataset, const model::Prediction& prediction,
                                 const std::string& source);

/// What a regression came to on rows with targets.
struct EvaluatedNumbers {
  RegressionReport figures;
  std::vector<IntervalCoverage> coverage{};  ///< of models with intervals
  std::string guarantee{};                   ///< what intervals promise; empty: not known
  std::optional<FamiliarityReport> familiarity{};
  ColumnEffects columns{};  ///< where these are asked for
  std::vector<std::string> warnings{};
  std::string model{};
  std::string source{};
  Cost cost{};
};
Story regression_story(const EvaluatedNumbers& found, const data::Dataset& dataset,
                       const model::Prediction& prediction);
/// The figures, without the story and without where the rows came from.
Json evaluated_json(const EvaluatedNumbers& found);

}  // namespace credence::report
