#pragma once

#include <cstddef>
#include <optional>

#include "credence/conformal/fit.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"

namespace credence::conformal {

/// What a fit will take, before it starts.
struct Forecast {
  /// Fits on this number of rows, or fewer, take at most about a second, and are not forecast.
  static constexpr std::size_t from_rows = 5000;

  double values = 0;   ///< distances that are computed, most of them in float
  double bytes = 0;    ///< memory that the fit needs besides the data set
  double seconds = 0;  ///< with the threads of the context, if the computer stays as busy as now
};

/// Forecasts the fit of a full conformal predictor of nearest neighbours, whose cost grows with the square of the rows.
///
/// Two pilots count the distances, on a quarter of the rows (1,600 to 32,768, at random) and on a quarter of these.
/// Distances and seconds are taken to grow like rows^g, where 1 <= g <= 2 comes from the distances of the pilots. g can
/// be below 2, because blocks of rows that lie far apart are left out.
/// @return none for other measures and modes, for precomputed distances, and up to Forecast::from_rows rows
/// @throws Error as fit; interrupted
std::optional<Forecast> forecast(const data::Dataset& dataset, const FitOptions& options, const core::Context& context);

}  // namespace credence::conformal
