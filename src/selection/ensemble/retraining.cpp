#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/ensemble/fold_models.hpp"
#include "selection/ensemble/member_training.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/frame/frame.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
namespace {

const Setting& chosen_setting(const Selection& selection) {
  if (!selection.best)
    refuse("there is no chosen setting to train: no setting has a score, as where each fold holds out one class");
  return selection.grid[*selection.best];
}

/// What SVMs and relevance vector machines look at alike to train the chosen setting.
template <class TrainOptions>
TrainOptions retraining_of(const Options& options, const kernel::GammaRule& gamma) {
  TrainOptions chosen;
  chosen.kernel = options.kernels.shape();
  chosen.gamma = gamma;
  chosen.scaling = options.preparation.scaling();
  chosen.missing = options.preparation.missing;
  chosen.seed = options.seed;
  return chosen;
}

kernel::GammaRule gamma_of(const Options& options, const Setting& best) {
  return {kernel::GammaRule::Kind::value, kernel_of(options, best.gamma).gamma};
}

void keep_choice(const Selection& selection, model::Predictor& model) {
  model.record.method = selection.options.name();
  if (!selection.evidence()) {
    model.record.selected_error = selected_error(selection);
    model.record.resamples = selection.resamples;
  }
  model.calibration = selection.calibration;
}

/// Where a time limit ends before that, the machine itself stands for its fold models, with the residuals of the grid.
/// @return false where it did
bool train_fold_models_in_time(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                               model::Predictor& model) {
  try {
    train_fold_models(dataset, selection, context, model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || context.monitor.stop_reason() != core::StopReason::time_budget) throw;
    model.fold_models = {};
    return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<rvm::TrainResult> train_rvm(const data::Dataset& dataset, const Options& options,
                                            const kernel::GammaRule& gamma, const rvm::ValidityOptions* index,
                                            const core::Context& context) {
  auto chosen = retraining_of<rvm::TrainOptions>(options, gamma);
  chosen.fit = options.rvms.fit;
  chosen.index = index != nullptr;
  if (index != nullptr) chosen.validity = *index;
  chosen.centres = options.rvms.centres;
  return std::make_shared<rvm::TrainResult>(rvm::train(dataset, chosen, context));
}

namespace {

/// The chosen relevance vector machines, trained on all rows.
std::shared_ptr<rvm::TrainResult> chosen_rvm(const data::Dataset& dataset, const Options& options,
                                             const Selection& selection, const core::Context& context) {
  auto result = train_rvm(dataset, options, gamma_of(options, chosen_setting(selection)), nullptr, context);
  keep_choice(selection, result->model);
  return result;
}

}  // namespace

svm::TrainResult train_svm(const data::Dataset& dataset, const Options& options, const kernel::GammaRule& gamma,
                           double C, double nu, const core::Context& context) {
  auto chosen = retraining_of<svm::TrainOptions>(options, gamma);
  if (nu > 0)
    chosen.nu = nu;
  else
    chosen.C = C;
  chosen.class_weights = options.costs.class_weights;
  chosen.solver = options.costs.solver;
  return svm::train(dataset, chosen, context);
}

svm::TrainResult retrain(const data::Dataset& given, const Selection& selection, const core::Context& context) {
  const RowsInUse used = rows_in_use(given, selection.options);
  const Setting& best = chosen_setting(selection);
  const Options options = options_of_setting(selection.options, best);
  if (options.learner() == Learner::rvm)
    refuse("the chosen setting is no SVM; `fitted` trains relevance vector machines");
  svm::TrainResult result = train_svm(*used.rows, options, gamma_of(options, best), best.C, best.nu, context);
  keep_choice(selection, result.model);
  return result;
}

void keep_regression(const data::Dataset& dataset, const Options& options, const core::Context& context,
                     Selection& selection) {
  if (!selection.best || selection.stopped != core::StopReason::none || context.monitor.should_stop()) return;
  core::Monitor apart(context.monitor, 0);
  try {
    const auto result = chosen_rvm(dataset, options, selection, context.with(apart));
    if (result->fit.machines.front().memorised) warn_of_memory(selection);
    note_effective(rvm::effective_kernels(result->fit), selection);
    const auto model = std::make_shared<rvm::RvmModel>(std::move(result->model));
    if (!selection.fold_models.empty())
      model->fold_models = selection.fold_models;
    else
      train_fold_models_in_time(dataset, selection, context.with(apart), *model);
    selection.calibration = model->calibration;
    selection.predictor = model;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) selection.stopped = context.monitor.stop_reason();
  }
}

std::shared_ptr<const model::Predictor> model_without_folds(const data::Dataset& given, const Selection& selection,
                                                            const core::Context& context) {
  const Options& options = selection.options;
  if (selection.predictor) return selection.predictor;
  const RowsInUse used = rows_in_use(given, options);
  const data::Dataset& dataset = *used.rows;
  if (selection.average) return train_average(dataset, selection, context);
  if (options.learner() == Learner::rvm)
    return std::make_shared<rvm::RvmModel>(std::move(chosen_rvm(dataset, options, selection, context)->model));
  svm::TrainResult result = retrain(dataset, selection, context);
  if (result.statistics.status == qp::Status::cancelled || result.statistics.status == qp::Status::time_budget)
    throw Error(ErrorCode::interrupted, "training the chosen setting on all rows was stopped");
  return std::make_shared<svm::SvmModel>(std::move(result.model));
}

bool add_fold_models(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                     model::Predictor& model) {
  if (dataset.is_regression() && selection.predictor) model.fold_models = selection.predictor->fold_models;
  const bool compares = !selection.calibration.empty() && !selection.calibration.exact() && !selection.predictor &&
                        selection.stopped == core::StopReason::none && !dataset.is_regression();
  if (!compares) return true;
  if (!selection.fold_models.empty()) {
    model.fold_models = selection.fold_models;
    model.calibration = selection.calibration;
    return true;
  }
  if (train_fold_models_in_time(*rows_in_use(dataset, selection.options).rows, selection, context, model)) return true;
  model.calibration = {};  // scores of machines that are not there
  return false;
}

bool lacks_fold_models(const Selection& selection, const model::Predictor& model) {
  return selection.options.task == data::Task::classification && selection.stopped == core::StopReason::none &&
         !selection.predictor && !selection.calibration.empty() && model.calibration.empty();
}

std::string setting_words(const Setting& setting) {
  std::vector<std::string> words;
  if (setting.kernel) words = {core::word(*setting.kernel), core::word(*setting.scale)};
  Setting::parameters([&](const char* name, auto member) {
    if (setting.*member != 0) words.push_back(fmt::format("{} = {:.6g}", name, static_cast<double>(setting.*member)));
  });
  return fmt::format("{}", fmt::join(words, ", "));
}

namespace {

std::shared_ptr<const model::Predictor> fitted_as_chosen(const data::Dataset& dataset, const Selection& selection,
                                                         const core::Context& context) {
  const std::shared_ptr<const model::Predictor> trained = model_without_folds(dataset, selection, context);
  if (selection.predictor) return trained;
  // Safe: the predictor was made here, without const, and nothing else refers to it.
  add_fold_models(dataset, selection, context, *std::const_pointer_cast<model::Predictor>(trained));
  return trained;
}

/// The complete settings but the best, the smallest error first; empty where the model is not one setting trained.
std::vector<std::size_t> other_settings(const Selection& selection) {
  std::vector<std::size_t> others;
  if (selection.predictor || selection.average || !selection.best) return others;
  for (std::size_t k = 0; k < selection.grid.size(); ++k)
    if (k != *selection.best && selection.grid[k].complete) others.push_back(k);
  std::ranges::stable_sort(others, {}, [&](std::size_t k) { return selection.grid[k].error; });
  return others;
}

/// Keeps the honest estimate, which is of the way of choosing, with the model.
std::shared_ptr<model::Predictor> with_estimate(const std::shared_ptr<const model::Predictor>& trained,
                                                const Selection& selection) {
  auto model = std::const_pointer_cast<model::Predictor>(trained);
  if (!selection.honest || !std::isfinite(selection.honest->error)) return model;
  model->record.honest = *selection.honest;
  model->record.honest->seconds = 0;  // which differ from run to run
  model->record.honest_kind = core::word(selection.honest_kind());
  return model;
}

}  // namespace

std::shared_ptr<const model::Predictor> fitted(const data::Dataset& dataset, const Selection& selection,
                                               const core::Context& context) {
  try {
    return with_estimate(fitted_as_chosen(dataset, selection, context), selection);
  } catch (const Error& reason) {
    if (reason.code() != ErrorCode::invalid_data) throw;
    Selection next = selection;
    for (const std::size_t setting : other_settings(selection)) {
      next.best = setting;
      try {
        const auto model = with_estimate(fitted_as_chosen(dataset, next, context), selection);
        model->record.next_best = fmt::format(
            "the chosen setting, {}, cannot be trained on all rows ({}); the model is that of the next best, {}",
            setting_words(chosen_setting(selection)), reason.sentence(), setting_words(chosen_setting(next)));
        return model;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::invalid_data) throw;
      }
    }
    throw;
  }
}

}  // namespace credence::selection
