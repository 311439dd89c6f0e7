#pragma once

#include <cstddef>
#include <optional>

#include "credence/conformal/fit.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"

namespace credence::conformal {

/// What a fit will take, before it starts.
struct Forecast {
  /// Fits on fewer rows take at most about a second, and are not forecast.
  static constexpr std::size_t from_rows = 5000;

  double values = 0;   ///< distances that are computed, most of them in float
  double bytes = 0;    ///< memory that the fit needs besides the data set
  double seconds = 0;  ///< with the threads of the context, if the computer stays as busy as now
};

/// Forecasts the fit of a full conformal predictor of nearest neighbours, whose cost grows with the square of the rows.
///
/// Two pilots, on a few thousand rows at random and on a quarter of them, count the distances. Distances and seconds
/// are taken to grow as the distances grew between the two pilots, like rows^g with 1 <= g <= 2: blocks of rows that
/// lie far apart are left out, and more so with more rows.
/// @return none for other measures and modes, for precomputed distances, and below Forecast::from_rows rows
/// @throws Error as fit; interrupted
std::optional<Forecast> forecast(const data::Dataset& dataset, const FitOptions& options, const core::Context& context);

}  // namespace credence::conformal
