#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"

/// Which setting of a grid a method chooses, by the losses of the settings alone; and values of gamma beyond the ends
/// of a grid, where relevance vector machines are chosen from (RvmCandidates::further).
namespace credence::selection {

/// The settings of the grid (or one for each k of nearest neighbours) with their hyper-parameters alone.
std::vector<Setting> named_settings(std::span<const double> gammas, const Options& options);

/// Whether two settings have one kernel function and one scaling. Such settings follow each other in a grid.
bool same_space(const Setting& one, const Setting& other);

/// The options of the setting's kernel function and scaling alone.
Options options_of_setting(const Options& options, const Setting& setting);

/// Settings in the order in which ties are broken: most regularised first, then the first kernel and scaling, then
/// smaller gamma.
/// @param usable_only  complete settings only
std::vector<std::size_t> preference(const Selection& selection, const Options& options, bool usable_only);

/// Adds the solver's work on a part.
void add_work(const auto& part, auto& whole) {
  whole.steps += part.steps;
  whole.factorisations += part.factorisations;
  whole.unconverged += part.unconverged;
}

/// Whether the index is the first or the last of more than one.
bool on_border(std::size_t index, std::size_t count);

/// The error of the choice, for the record of a model; none where settings have another score.
std::optional<double> selected_error(const Selection& selection);

/// Standard deviation (n - 1); 0 of fewer than two values.
double deviation(std::span<const double> values);

/// The setting with the smallest loss (NaN: not to be chosen); ties to the first in the order of preference.
std::optional<std::size_t> smallest(std::span<const double> losses, std::span<const std::size_t> preference);

/// The settings whose loss is at most the smallest one plus its standard error, by preference. NaN: no loss.
std::vector<std::size_t> within_reach(std::span<const double> losses, std::span<const std::size_t> preference,
                                      const std::function<double(std::size_t setting)>& standard_error);

/// The settings that Rule::average takes: of those within reach the SettingAverage::most_members with the smallest
/// losses, ties to the first in the order of preference. Ascending.
std::vector<std::size_t> averaged_members(std::span<const double> losses, std::span<const std::size_t> preference,
                                          const std::function<double(std::size_t setting)>& standard_error);

/// The setting that the rule chooses: with Rule::one_se the first within reach, else the one with the smallest loss.
/// NaN: not to be chosen. Ties go to the first of `preference`.
std::optional<std::size_t> chosen_by(Rule rule, std::span<const double> losses, std::span<const std::size_t> preference,
                                     const std::function<double(std::size_t setting)>& standard_error);

/// The name of the loss: "error", "weighted error", "soft loss", "1 - balanced accuracy", "mean squared error", ...
std::string loss_name(const Selection& selection);
/// The name of the loss after that of the procedure: "CV" -> "CV error".
std::string score_name(const std::string& procedure, const Selection& selection);

/// The losses by which the settings of a selection are chosen: NaN of settings that are not complete, or have no finite
/// error.
std::vector<double> losses_of_settings(const Selection& selection);

/// Fills best, runner_up and best_on_border, by the rule of the options, from the complete settings whose error is a
/// finite number.
/// @param eligible  which of them may be chosen; empty: all
void choose(const Options& options, Selection& selection, const std::function<bool(const Setting&)>& eligible = {});

/// One more value of gamma.
struct FurtherWidth {
  double gamma = 0;
  bool front = false;  ///< before the first setting, else behind the last
};

/// Says which value of gamma comes next. The caller fits it, puts its setting at that end of the grid, and chooses
/// anew. Scores alone decide, so that the values do not depend on threads.
class WidthWalk {
 public:
  /// @param selection  with the settings of the grid, one for each gamma
  WidthWalk(const Options& options, const Selection& selection);

  /// The value beyond the best setting, if that lies on the border. None once `further` values were added at that end,
  /// the last one added is no better than the best before it, some setting is not complete, or the run is to stop. None
  /// either where the values do not ascend, or the model repeats its targets, as narrower kernels do even more.
  std::optional<FurtherWidth> next(const Selection& selection, const core::Context& context);

  /// Marks the settings that were added (Setting::added).
  void mark_added(Selection& selection) const;

 private:
  std::size_t further_ = 0;  ///< at either end; 0: no walk
  double first_ratio_ = 1;   ///< below 1
  double last_ratio_ = 1;    ///< above 1
  std::size_t front_ = 0;    ///< added so far
  std::size_t back_ = 0;
  std::optional<double> least_;  ///< the best score before the last value was added
};

}  // namespace credence::selection
