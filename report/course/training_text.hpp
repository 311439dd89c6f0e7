#pragma once

#include <optional>
#include <span>
#include <string>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/train.hpp"
#include "report/story.hpp"

/// What the training of one model came to.
/// Races and forecasts in words.
namespace credence::report {

/// "rbf, gamma = 0.02", or with both spellings of the width.
std::string kernel_text(const kernel::Kernel& kernel, bool by_sigma);
/// Kernel, cost and support vectors of an SVM; with --verbose also the work of the solver.
void add_svm(const svm::TrainResult& result, bool by_sigma, Section& section);

/// "2000 rows: 110 settings, 14 kept; 8000 rows: 43 settings, 9 within chance of the best", and why the settings raced.
std::string race_text(const selection::Selection& selection);

/// Why a selection was made in regions of the feature space that nobody asked for, and how to have the other ways.
std::string regions_by_default_text();

/// Seconds from which on a forecast says what would be shorter.
inline constexpr double long_wait_seconds = 600;
/// What a selection will cost, and what its alternatives would, in a few lines.
/// @param seconds_left  of a time limit
std::string forecast_text(const selection::Forecast& forecast, std::optional<double> seconds_left = {});
/// What a comparison will cost, method by method, and what would be shorter if it takes long.
/// @param contestants  all that are compared, also those without a forecast
std::string forecast_text(const selection::ComparisonForecast& forecast,
                          std::span<const selection::Contestant> contestants);
std::string forecast_text(const selection::FitForecast& forecast);

/// One digit, for forecasts: "40 s", "3 min", "2 h".
std::string rough_duration_text(double seconds);

}  // namespace credence::report
