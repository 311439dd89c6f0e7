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

/// Fold models, which compare rows: one for each fold, with the chosen hyper-parameters (model::Members).
namespace credence::selection {

/// Which rows each fold model leaves out.
struct FoldModelRows {
  std::vector<Resample> resamples;  ///< of each fold model
  std::vector<int> fold_model_of;   ///< the one that judges each row; -1: none, and no row is compared with it
};

/// The folds of the method, or ten, or the splits that the data bring; none for too few rows or groups.
FoldModelRows fold_model_rows(const data::Dataset& dataset, const Options& options);

/// Returns the fold models at the chosen setting, or at the settings of the average.
/// @param rows  its fold models that lack an SVM (infeasible nu) judge no row from now on
/// @param judged  models of all members on these resamples, which become the fold models; empty: they are trained
/// @param preprocessing  of all fold models  @throws Error interrupted if the monitor stops the training
std::shared_ptr<svm::SvmFamily> fold_model_family(const data::Dataset& dataset, const Selection& selection,
                                                  const data::Preprocessing& preprocessing,
                                                  const core::Context& context, FoldModelRows& rows,
                                                  ModelMachines judged = {});

/// The scores of the rows by the fold models that left them out; of a regression the residuals. No fold model scores
/// the rows of another.
/// @param fold_model  returns one of them, as the only member  @param preprocessing  of parts without one of their own
model::Calibration judged_by_fold_models(const data::Dataset& dataset,
                                         const std::function<model::Members(std::size_t)>& fold_model,
                                         const data::Preprocessing& preprocessing,
                                         const std::vector<int>& fold_model_of, const core::Context& context);

/// Gives the model fold models at the chosen setting, or at the settings of the average, and the scores that they give
/// to the rows which they left out. Scaling and gamma are those of the model. All fold models share kernel matrices in
/// training, and support vectors and kernel values in prediction. Cost: one training for each fold along the costs that
/// were judged up to the chosen one; n times the union of support vectors.
/// @param model  of the selection, trained on all rows of the data set
/// @throws Error interrupted if the monitor stops the training
void train_fold_models(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                       model::Predictor& model);

}  // namespace credence::selection
