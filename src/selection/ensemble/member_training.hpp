#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "credence/model/classifier_family.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/family.hpp"
#include "selection/fit/fit_task.hpp"
#include "selection/fit/grid_run.hpp"

namespace credence::selection {

/// The gamma of every so many settings.
std::vector<double> gammas_of(const std::vector<Setting>& settings, std::size_t costs);

/// The smallest rectangle of the grid with the chosen setting, or with all settings of the average, of one kernel
/// function and scaling. Smaller C, which are more regularised, are in the rectangle if they were judged: a path over
/// the same costs comes to the same machines.
struct MemberSettings {
  Options options;                   ///< whose grid is the rectangle: of one space (spaces_of)
  std::vector<Setting> settings;     ///< of that grid
  std::vector<bool> members;         ///< of each of its settings whether it takes part
  std::vector<std::size_t> of_grid;  ///< the place of each of its settings in the whole grid

  std::size_t costs() const { return costs_of(options); }  ///< of each gamma
  std::vector<double> gammas() const { return gammas_of(settings, costs()); }
  std::vector<std::vector<std::size_t>> costs_of_members() const;  ///< of each gamma
};

/// One for each kernel function and scaling that takes part, in the order of the grid.
/// @param selection  of SVMs or relevance vector machines, with a choice
std::vector<MemberSettings> member_settings(const Selection& selection);

/// Trains the settings of a grid on each resample, along each gamma to the last wanted cost.
/// @param wanted  of each setting whether its machines are kept; none: all are
/// @param kind  in a checkpoint; empty: nothing is kept  @param norms  the machines know their norms
/// @return what was found for each gamma and resample, resample fastest
std::vector<FittedTask> fit_settings(const data::Dataset& dataset, std::span<const Resample> resamples,
                                     const Options& options, const std::vector<bool>& wanted, std::string_view kind,
                                     bool norms, const core::Context& context);

/// The family of some models, as many for each gamma. Models that are not there get machines without support vectors.
/// @param options  of one kernel function and scaling
std::shared_ptr<svm::SvmFamily> family_of(const data::Dataset& dataset, const Options& options,
                                          const data::Preprocessing& preprocessing, std::vector<double> gammas,
                                          ModelMachines models);

/// All models of a grid (or of a list of k) trained on the same rows.
struct TrainedFamily {
  std::shared_ptr<model::ClassifierFamily> family;  ///< empty if the training was stopped, or no setting is feasible
  std::vector<std::size_t> settings;                ///< the setting of each model: infeasible settings have none
  data::Preprocessing preprocessing;
};

/// Trains on a part of the rows, with preprocessing fitted on them, and fills in counts and completeness of the
/// settings. A cost that is infeasible at some gamma is left out at all of them.
/// @param wanted  of each setting whether its machines are kept: those of the others become empty; none: all are kept
TrainedFamily train_family(const data::Dataset& dataset, const Resample& part, const Options& options,
                           const core::Context& context, std::vector<Setting>& settings,
                           const std::vector<bool>& wanted = {});

/// An ensemble without its rule, of models that were trained on a part of the rows.
/// @param members  each with its preprocessing; those that have the ensemble's share it then
Ensemble ensemble_of(const data::Dataset& dataset, const Resample& part, const Selection& selection,
                     model::Members members, std::vector<MemberName> names);

/// The average of a selection, its members trained on all rows, with record and calibration.
/// @throws Error interrupted if the monitor stopped the training
std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context);

MemberName name_of(const Setting& setting);

}  // namespace credence::selection
