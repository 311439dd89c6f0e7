#include <memory>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choice.hpp"

namespace credence::selection {
namespace {

const Cell& chosen_cell(const Selection& selection) {
  if (!selection.best) {
    throw Error(ErrorCode::invalid_argument, "there is no chosen cell to train");
  }
  return selection.grid[*selection.best];
}

/// The chosen cell as a relevance vector machine on all rows.
std::shared_ptr<const model::Predictor> retrain_rvm(const data::Dataset& dataset, const Options& options,
                                                    const Selection& selection, const core::Context& context) {
  const Cell& best = chosen_cell(selection);
  rvm::TrainOptions chosen;
  chosen.kernel = options.kernel;
  chosen.gamma = {kernel::GammaRule::Kind::value, options.kernel.uses_gamma() ? best.gamma : 1};
  chosen.fit = options.rvm;
  chosen.validity = options.validity;
  chosen.centres = options.centres;
  chosen.scaling = options.resolved_scaling();
  chosen.missing = options.missing;
  chosen.seed = options.seed;
  auto model = std::make_shared<rvm::RvmModel>(rvm::train(dataset, chosen, context).model);
  model->record.method = selection.method;
  if (!selection.kernel_validity) {
    model->record.selected_error = best.error;
    model->record.folds = selection.folds;
  }
  model->calibration = selection.calibration;
  return model;
}

}  // namespace

svm::TrainResult retrain(const data::Dataset& dataset, const Options& options, const Selection& selection,
                         const core::Context& context) {
  const Cell& best = chosen_cell(selection);
  if (options.resolved_learner() == Learner::rvm) {
    throw Error(ErrorCode::invalid_argument, "the chosen cell is no SVM; `fitted` trains relevance vector machines");
  }
  svm::TrainOptions chosen;
  if (options.grid.nu.empty()) {
    chosen.C = best.C;
  } else {
    chosen.nu = best.nu;
  }
  chosen.kernel = options.kernel;
  chosen.gamma = {kernel::GammaRule::Kind::value, best.gamma};
  if (chosen.kernel.uses_gamma()) {
    chosen.kernel.gamma = best.gamma;
  }
  chosen.scaling = options.resolved_scaling();
  chosen.missing = options.missing;
  chosen.class_weights = options.class_weights;
  chosen.solver = options.solver;
  chosen.seed = options.seed;
  svm::TrainResult result = svm::train(dataset, chosen, context);
  result.model.record.method = selection.method;
  result.model.record.selected_error = best.error;
  result.model.record.folds = selection.folds;
  result.model.calibration = selection.calibration;
  return result;
}

std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const Options& options,
                                               const Selection& selection, const core::Context& context) {
  if (selection.predictor) {
    return selection.predictor;
  }
  if (options.resolved_learner() == Learner::rvm) {
    return retrain_rvm(dataset, options, selection, context);
  }
  svm::TrainResult result = retrain(dataset, options, selection, context);
  if (result.statistics.status == qp::Status::cancelled || result.statistics.status == qp::Status::time_budget) {
    throw Error(ErrorCode::interrupted, "training the chosen cell on all rows was stopped");
  }
  return std::make_shared<svm::SvmModel>(std::move(result.model));
}

}  // namespace credence::selection
