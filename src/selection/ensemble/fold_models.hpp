#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/family.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/resample/resamples.hpp"

/// The machines that compare rows: one for each fold, with the chosen hyper-parameters (model::Members).
namespace credence::selection {

/// Which rows each sibling leaves out.
struct SiblingRows {
  std::vector<Resample> resamples;  ///< of each sibling
  std::vector<int> sibling_of;      ///< that judges each row; -1: no row is compared with that row
};

/// The folds of the method, or ten, or the splits that the data bring; none for too few rows or groups.
SiblingRows sibling_rows(const data::Dataset& dataset, const Options& options);

/// The machines at the chosen cell, or at the cells of the average, for each sibling.
/// @param rows  whose siblings without all machines (a nu that cannot be had) judge no row from now on
/// @param judged  machines of all cells that are members, on these resamples: they become the siblings. Without them
/// the siblings are trained.
/// @param preprocessing  of all siblings  @throws Error interrupted if the monitor stops the training
std::shared_ptr<svm::SvmFamily> sibling_family(const data::Dataset& dataset, const Selection& selection,
                                               const data::Preprocessing& preprocessing, const core::Context& context,
                                               SiblingRows& rows, ModelMachines judged = {});

/// The scores of the rows by the siblings that left them out; of a regression the residuals. No sibling scores the rows
/// of another.
/// @param sibling  one of them alone, as the only member  @param preprocessing  of parts without one of their own
model::Calibration judged_by_siblings(const data::Dataset& dataset,
                                      const std::function<model::Members(std::size_t)>& sibling,
                                      const data::Preprocessing& preprocessing, const std::vector<int>& sibling_of,
                                      const core::Context& context);

/// Gives the model siblings at the chosen cell, or at the cells of the average, and the scores that they give to the
/// rows which they left out. Scaling and gamma are those of the model. All siblings share kernel matrices in training,
/// and support vectors and kernel values in prediction.
/// Cost: one training for each fold along the costs that were judged up to the chosen one; n times the union of support
/// vectors.
/// @param model  of the selection, trained on all rows of the data set
/// @throws Error interrupted if the monitor stops the training
void train_siblings(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                    model::Predictor& model);

}  // namespace credence::selection
