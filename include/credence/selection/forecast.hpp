#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/one_setting.hpp"
#include "credence/selection/selector.hpp"

/// What a selection, a comparison or a fit will cost, from a pilot on a few rows.
namespace credence::selection {

struct JudgedRung;

/// A forecast: its count of solver updates decides whether a selection races. Its seconds are right within an order of
/// magnitude, if the computer stays as busy as during the pilot: docs/large-data.md measures how well they hold.
struct Forecast {
  /// Runs on fewer rows are not forecast: they take seconds.
  static constexpr std::size_t from_rows = 3000;
  /// Where the updates of the exact grid exceed this, about a minute on two cores, `cv` is replaced by regions of the
  /// feature space (way_of), or else races.
  static constexpr double stated_cost = 1e11;

  std::size_t rows = 0;       ///< that the method judges
  std::size_t set_aside = 0;  ///< further rows, for Estimate::holdout
  std::size_t pilot_rows = 0;
  double growth = 0;  ///< updates and seconds are taken to grow as this power of the rows
  /// Multiplications and additions of the solver, for every setting on all rows: SMO steps times rows; of relevance
  /// vector machines Newton steps times rows times the square of the candidate centres. The count does not depend on
  /// the speed of the computer.
  double updates = 0;
  double exact_seconds = 0;  ///< of every setting on all rows
  /// What a race takes after the pilot, where method and data allow one. Used for time limits alone: it depends on the
  /// settings that are dropped, and is off by more than a factor of 3 at times.
  std::optional<double> race_seconds;
  std::optional<double> regions_seconds;  ///< of regions of the feature space, where the method has them
  std::size_t region_size = Regions::usual_rows;
  bool finished = true;             ///< false: the run was stopped within the pilot, and only `grid` is valid
  bool in_regions = false;          ///< the selection is in regions
  bool by_default = false;          ///< regions were not asked for
  bool races = false;               ///< the selection races
  std::vector<std::size_t> gammas;  ///< indices of the grid's gammas, the best of the pilot first
  std::vector<Setting> grid;        ///< results of the pilot, on Setting::rung rows
  /// The larger sample of the pilot, with which a race by `cv` begins; null for what cannot race.
  std::shared_ptr<const JudgedRung> first_rung;

  double seconds() const { return in_regions ? *regions_seconds : races ? *race_seconds : exact_seconds; }
};

/// Selects on stratified samples of 500 and 1,000 rows (1,000 and 2,000 from 16,000 rows on), and extrapolates their
/// updates and seconds. Where `cv` may race, the larger sample is the race's smallest rung. There is no forecast for
/// fewer than Forecast::from_rows rows, or if the method cannot run on a sample of the rows (a precomputed kernel). If
/// the monitor says stop there is none before a setting is judged; after that it is not finished.
std::shared_ptr<const Forecast> forecast(const data::Dataset& dataset, const Options& options,
                                         const core::Context& context);

/// How a selection is made once its cost is known (way_of).
struct Way {
  Options options;                           ///< those that were asked for, or the method Regions in place of `cv`
  std::shared_ptr<const Forecast> forecast;  ///< null where none was made
};

/// Replaces `cv` by regions of the feature space if all of these hold:
///
/// - there are Regions::default_from rows or more, without groups, folds or splits;
/// - the forecast counts more updates than Forecast::stated_cost;
/// - Options::race is automatic, and no Options::rule is given;
/// - SVMs of rbf and laplacian kernels are chosen, by any score but an area under the curve;
/// - regions can follow the other options (Regions::problems).
///
/// If a time limit leaves fewer seconds than the forecast has for regions, `cv` races instead.
/// @param forecast_wanted  make a forecast even if nothing depends on it
Way way_of(const data::Dataset& dataset, const Options& options, const core::Context& context, bool forecast_wanted);

/// What a comparison of methods will cost.
struct ComparisonForecast {
  struct Method {
    std::string name;
    double seconds = 0;  ///< on all outer folds of all repeats
  };
  std::size_t rows = 0;
  int outer_folds = 0;  ///< of one repeat
  int repeats = 1;
  double seconds = 0;  ///< the sum over methods
  std::vector<Method> methods;
};

/// Forecasts every method on the training rows of an outer fold. Methods that cannot be forecast, and those that race,
/// are left out.
ComparisonForecast forecast(const data::Dataset& dataset, std::span<const Contestant> contestants,
                            const ComparisonOptions& options, const core::Context& context);

/// What training one setting will cost.
struct FitForecast {
  std::size_t rows = 0;
  std::size_t pilot_rows = 0;
  double growth = 0;
  double seconds = 0;
};

/// Forecasts the setting trained on all rows and, with folds, on the training rows of each fold. None where a selection
/// has no forecast.
/// @param folds  0, or at least 2
std::optional<FitForecast> forecast(const data::Dataset& dataset, const OneSetting& setting, int folds,
                                    const core::Context& context);

}  // namespace credence::selection
