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

/// The gammas of a list of settings that has `costs` settings for each gamma.
std::vector<double> gammas_of(const std::vector<Setting>& settings, std::size_t costs);

/// The part of a grid to train for the members of one kernel function and scaling: the smallest rectangle with the
/// chosen setting, or with all settings of the average. Smaller C are in the rectangle too if they were judged, because
/// a path over the same costs gives the same SVMs.
struct MemberSettings {
  Options options;                   ///< options of one space (spaces_of), whose grid is the rectangle
  std::vector<Setting> settings;     ///< of that grid
  std::vector<bool> members;         ///< for each of these settings, whether it is a member
  std::vector<std::size_t> of_grid;  ///< index of each of these settings in the whole grid

  std::size_t costs() const { return costs_of(options); }  ///< number for each gamma
  std::vector<double> gammas() const { return gammas_of(settings, costs()); }
  std::vector<std::vector<std::size_t>> costs_of_members() const;  ///< for each gamma
};

/// Returns one object for each kernel function and scaling that has a member, in the order of the grid.
/// @param selection  of SVMs or relevance vector machines, with a choice
std::vector<MemberSettings> member_settings(const Selection& selection);

/// Trains the settings of a grid on each resample, along each gamma to the last wanted cost.
/// @param wanted  for each setting, whether its models are kept; empty: all are
/// @param kind  of the results in a checkpoint; empty: none are kept  @param norms  kept SVMs have their norms |w|
/// @return the result of each gamma and resample, the resample varying fastest
std::vector<FittedTask> fit_settings(const data::Dataset& dataset, std::span<const Resample> resamples,
                                     const Options& options, const std::vector<bool>& wanted, std::string_view kind,
                                     bool norms, const core::Context& context);

/// Makes a family of models, as many for each gamma. A missing model becomes SVMs without support vectors.
/// @param options  of one kernel function and scaling
std::shared_ptr<svm::SvmFamily> family_of(const data::Dataset& dataset, const Options& options,
                                          const data::Preprocessing& preprocessing, std::vector<double> gammas,
                                          ModelMachines models);

/// All models of a grid (or of a list of k) trained on the same rows.
struct TrainedFamily {
  std::shared_ptr<model::ClassifierFamily> family;  ///< empty if the training was stopped, or no setting is feasible
  std::vector<std::size_t> settings;                ///< the setting of each model: infeasible settings have no model
  data::Preprocessing preprocessing;
};

/// Trains on a part of the rows, with preprocessing fitted on them, and fills in counts and completeness of the
/// settings. A cost that is infeasible at some gamma is left out at every gamma.
/// @param wanted  for each setting, whether its model is kept, or else becomes empty; no list: all are kept
TrainedFamily train_family(const data::Dataset& dataset, const Resample& part, const Options& options,
                           const core::Context& context, std::vector<Setting>& settings,
                           const std::vector<bool>& wanted = {});

/// Makes an ensemble, still without a rule, of models that were trained on a part of the rows.
/// @param members  each with its preprocessing; those that have the ensemble's then share it
Ensemble ensemble_of(const data::Dataset& dataset, const Resample& part, const Selection& selection,
                     model::Members members, std::vector<MemberName> names);

/// Trains the members of a selection's average on all rows, and returns the average with record and calibration.
/// @throws Error interrupted if the monitor stopped the training
std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context);

MemberName name_of(const Setting& setting);

}  // namespace credence::selection
