#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/model/members.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/selector.hpp"
#include "selection/fit/grid_run.hpp"

/// The classifiers of resamples at their chosen settings, which equations 23 and 24 of Anguita et al. (2012) bound.
namespace credence::selection {

/// A setting for a resample.
struct Chosen {
  std::size_t resample = 0;  ///< index into the list of resamples
  std::size_t setting = 0;
};

/// The options with one gamma of the grid and its first `costs` costs.
Options narrowed(const Options& options, std::size_t gamma, std::size_t costs);

struct ChosenModels {
  bool complete = false;                      ///< all were trained; false if the monitor said stop
  std::vector<Judgement> judgements;          ///< for each choice, on the rows left out; no rows for an infeasible nu
  std::vector<model::Members::Part> members;  ///< the feasible ones, each with its preprocessing; empty unless kept
};

/// Trains each resample's SVMs along the path up to its chosen setting, and no further, or its relevance vector
/// machines. The soft loss of a regression is the squared error.
/// @param keep  also return the classifiers
/// @throws Error memory if the support vectors of those kept do not fit into the memory budget
ChosenModels train_chosen(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                          std::span<const Chosen> choices, bool keep, const core::Context& context);

/// The estimation with its bounds, as the options ask for.
ErrorEstimation estimation_of(std::string procedure, std::vector<Judgement> judgements, bool independent,
                              const Options& options);

/// The predictor that draws one of the models for each row. It has the preprocessing of the first of them; if scalings
/// differ, of the first with the standard one.
/// @param dataset  the rows that trained them, which it keeps (Predictor::known_rows)
std::shared_ptr<const model::Predictor> random_predictor(const data::Dataset& dataset, ChosenModels models,
                                                         const Options& options, const Selection& selection);

/// Trains relevance vector machines of one setting on all rows. @param gamma  of the setting: a number, or a rule for
/// the rows
/// @param index  options of the validity index; nullptr: it is not computed
std::shared_ptr<rvm::TrainResult> train_rvm(const data::Dataset& dataset, const Options& options,
                                            const kernel::GammaRule& gamma, const rvm::ValidityOptions* index,
                                            const core::Context& context);
/// The same for an SVM. @param nu  0: a C-SVC
svm::TrainResult train_svm(const data::Dataset& dataset, const Options& options, const kernel::GammaRule& gamma,
                           double C, double nu, const core::Context& context);

/// "C = 8, gamma = 0.5": the hyper-parameters of a setting.
std::string setting_words(const Setting& setting);

/// Trains the regression of the chosen setting and its fold models, and adds its warnings. It becomes the selection's
/// predictor, with the residuals of the rows that the fold models left out. Partial results get no predictor. If it
/// cannot be trained there is none either, and `fitted` says why.
void keep_regression(const data::Dataset& dataset, const Options& options, const core::Context& context,
                     Selection& selection);

}  // namespace credence::selection
