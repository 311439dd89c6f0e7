#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"
#include "credence/selection/selector.hpp"
#include "selection/resample/resamples.hpp"

/// The growing subsets of the rows on which a race judges its settings, and which settings it drops.
namespace credence::selection {

/// The smallest number of rows for a race.
inline constexpr std::size_t least_rows_to_race = 4000;
/// Rows of the smallest rung of a race on n rows, and of the larger sample of a pilot: 1,000, or 2,000 from 16,000 rows
/// on.
std::size_t first_rung_size(std::size_t n);
/// Rows of each rung, ascending: the smallest, then n / 16, n / 4 and so on where they are at least twice the smallest,
/// and all n. The rung after the smallest has two to eight times its rows, the others four times those of the one
/// before. One rung of n rows if no race is possible.
std::vector<std::size_t> rung_sizes(std::size_t n);
/// The rows of the next rung divided by `rows`, those of a rung, in a race on n rows; 1 on the last rung.
double growth_after(std::size_t rows, std::size_t n);

/// All rows in such an order that the first k are a stratified sample, for every k: rows of the same class and pattern
/// of resamples (for folds, the same fold) take turns in proportion to their number. Drawn by the seed.
std::vector<std::size_t> stratified_order(const data::Dataset& dataset, std::span<const Resample> resamples,
                                          std::uint64_t seed);

/// The first `count` rows of an order, ascending.
std::vector<std::size_t> first_rows(std::span<const std::size_t> order, std::size_t count);

/// Restricts resamples of all rows to some of the rows, which keep their roles in each resample.
std::vector<Resample> restricted(std::span<const Resample> resamples, std::span<const std::size_t> rows);

/// The data set of some rows, without the groups, folds and splits from which resamples are made.
data::Dataset rung_data(const data::Dataset& dataset, std::span<const std::size_t> rows);

/// The losses of the settings that one rung, or a part of the last rung, judged.
struct RungLosses {
  std::vector<std::size_t> rows;      ///< of the data set, ascending
  std::vector<std::size_t> settings;  ///< of the grid, in the order in which ties are broken
  LossTable losses;                   ///< (row, position in `settings`)
  std::size_t most;                   ///< how many settings may survive, besides those that tie with the last of them
  double growth;                      ///< rows of the next rung over those of this one; 1: both have the same
};

/// A setting is dropped where the mean of its losses minus those of the best setting, over the same rows, is above this
/// number of standard errors of that mean.
inline constexpr double standard_errors_to_drop = 2.0;
/// At most this number of settings go on to the next rung, besides those that tie with the last of them.
inline constexpr std::size_t most_after_rung = 24;

/// A part of the last rung, which has all rows.
struct LastRungPart {
  std::size_t until;  ///< resamples that have judged the settings at its end
  std::size_t most;   ///< settings that go on from there, see RungLosses::most
};
/// Parts end after a tenth, a fifth and half of the resamples, and at the end; of two that end at once the later one
/// counts. The fewer resamples have judged the settings, the more go on. The rows of kernel matrices that solvers visit
/// in one part are computed together for the next, at a fraction of the cost of computing them one by one: the first
/// part is short for that reason too.
std::vector<LastRungPart> parts_of_last_rung(std::size_t resamples, std::optional<Rule> rule);

/// Indices (in the grid) of the allowed settings that survive the rung, best first. A setting survives if its mean loss
/// is within two standard errors of the best. At most `RungLosses::most` survive, and all that tie with the last of
/// them: where errors are rare, many settings tie. The list is empty if no setting is allowed. Rows whose losses are
/// NaN do not count. For losses of 0 and 1 the rule is McNemar's: a setting that errs on b rows where the best does
/// not, and is right on c rows where the best errs, is dropped if b - c > z sqrt(b + c - (b - c)^2 / n).
/// @param times  how often each row counts; empty: once
/// @param allowed  for each setting of the grid; empty: all
/// Cost: rows x settings.
std::vector<std::size_t> survivors(const RungLosses& rung, std::span<const std::uint32_t> times = {},
                                   const std::vector<bool>& allowed = {});

/// For each setting of the grid the sum of its losses over the rows of the rung; infinite where the setting is not
/// judged or not allowed. Parameters as of `survivors`. Cost: rows x settings.
std::vector<double> sums_of_losses(const RungLosses& rung, std::size_t settings,
                                   std::span<const std::uint32_t> times = {}, const std::vector<bool>& allowed = {});

/// The setting of each gamma with the smallest loss, the first of equal ones; none of a gamma without a finite loss.
/// @param losses  of the settings of the grid  @param costs  settings of each gamma
std::vector<std::size_t> best_of_gammas(std::span<const double> losses, std::size_t costs);

/// The settings that go on from a rung: the survivors, and where the next rung has more rows also the neighbours of the
/// best setting, along either axis or diagonally, because the best setting may move. More rows ask for less
/// regularisation: where the next rung has more than four times the rows, the settings one step behind the less
/// regularised neighbours join too. More rows also show detail that few rows cannot: then the best setting of every
/// larger gamma joins as well, with its less regularised neighbour, however far they are behind.
/// @param kept  survivors, the best first  @param growth  see RungLosses  @param settings  number in the grid
/// @param costs  settings of each gamma  @param of_gammas  see best_of_gammas
std::vector<bool> settings_after(std::span<const std::size_t> kept, double growth, std::size_t settings,
                                 std::size_t costs, std::span<const std::size_t> of_gammas);
/// The same from the losses of the rung; parameters as of `survivors`.
std::vector<bool> settings_after(const RungLosses& rung, std::size_t settings, std::size_t costs,
                                 std::span<const std::uint32_t> times = {}, const std::vector<bool>& allowed = {});

/// The solver's steps in each setting, by which progress is counted.
std::vector<double> steps_of(std::span<const Setting> settings);

/// The gammas of a grid by the smallest error of their complete settings, the best first; ties by their order.
std::vector<std::size_t> gammas_by_error(std::span<const Setting> settings, std::size_t costs);

}  // namespace credence::selection
