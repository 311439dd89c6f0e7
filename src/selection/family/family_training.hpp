#pragma once

#include <memory>
#include <vector>

#include "credence/model/classifier_family.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/family.hpp"
#include "selection/grid/grid_run.hpp"

namespace credence::selection {

/// All models of a grid (or of a list of k) trained on the same rows.
struct TrainedFamily {
  std::shared_ptr<model::ClassifierFamily> family;  ///< empty if the training was stopped, or no cell is feasible
  std::vector<std::size_t> cells;                   ///< the cell of each model: infeasible cells have none
  data::Preprocessing preprocessing;
};

/// Trains on a part of the rows, with preprocessing fitted on them, and fills in counts and completeness of the cells.
/// A cost that is infeasible at some gamma is left out at all of them.
/// @param wanted  of each cell whether its machines are kept: those of the others become empty; none: all are kept
TrainedFamily train_family(const data::Dataset& dataset, const Resample& part, const Options& options,
                           const core::Context& context, std::vector<Cell>& cells,
                           const std::vector<bool>& wanted = {});

/// An ensemble without its rule, of models that were trained on a part of the rows.
/// @param members  each with its preprocessing; those that have the ensemble's share it then
Ensemble ensemble_of(const data::Dataset& dataset, const Resample& part, const Selection& selection,
                     model::Members members, std::vector<MemberName> names);

/// The average of a selection, its members trained on all rows, with record and calibration.
/// @throws Error interrupted if the monitor stopped the training
std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context);

MemberName name_of(const Cell& cell);

}  // namespace credence::selection
