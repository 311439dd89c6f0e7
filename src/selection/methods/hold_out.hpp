#pragma once

#include <vector>

#include "credence/selection/selector.hpp"
#include "selection/ensemble/member_training.hpp"
#include "selection/judge/predictions.hpp"

namespace credence::selection {

/// Shared by the methods that hold rows out once, train all models on the rest, and judge them on the rows held out.
struct HeldOutRun {
  Selection selection;     ///< the report, with the validation error of each setting
  Resample part;           ///< the rows that train
  model::Members members;  ///< a part for each kernel and scaling; empty if stopped, or no setting is feasible
  std::vector<std::size_t> settings;  ///< the setting of each model: infeasible settings have no model
  model::Scores scores;               ///< of the validation rows
  std::vector<int> labels;            ///< their classes
  Predictions predictions;            ///< of the models on them
  std::vector<int> clusters;          ///< which of them stay together, see data::Dataset::clusters

  /// Returns an ensemble of all models, without a rule.
  Ensemble predictor(const data::Dataset& dataset) const;
};

/// @throws Error invalid_data if the training rows have one class only
HeldOutRun hold_out(const data::Dataset& dataset, const Options& options, const core::Context& context);

}  // namespace credence::selection
