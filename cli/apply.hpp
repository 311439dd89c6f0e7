#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "credence/conformal/p_value.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/rvm/model.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/family_predictor.hpp"
#include "credence/svm/model.hpp"
#include "flags.hpp"
#include "options.hpp"
#include "p_value_words.hpp"
#include "run.hpp"

namespace credence::cli {

/// --label-conditional, --smoothed and --seed.
void add_p_value_options(Command command, PValueOverrides& overrides);

/// A Credence model, or one of LIBSVM. @throws Error file | format
std::unique_ptr<model::Predictor> load_any_model(const std::string& path);

/// Rows to apply the model to; says on standard error if rows were dropped for missing cells.
data::Dataset read_for(const model::Predictor& model, const DataOptions& options, bool quiet);

/// Predicts; Ctrl-C ends it. @throws Error interrupted
model::Prediction predict_rows(const model::Predictor& model, const data::Dataset& dataset, Run& run);

/// The same, with p-values, confidence and credibility of every model that can have them: conformal predictors, models
/// that carry a calibration, families chosen from by nonconformity. Others predict as ever.
/// @throws Error invalid_argument if p-values are to be made in a way that the model does not know; format if it
/// carries
///         a calibration but no single model's scores; interrupted
model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& dataset,
                                          const PValueOverrides& overrides, Run& run);

/// Whether `predict_with_confidence` gives p-values.
bool has_p_values(const model::Predictor& model);
/// Whether the model is a regression that carries residuals of rows left out, which make intervals.
bool has_intervals(const model::Predictor& model);
/// How the model's p-values are made: its own way, but for what was asked. Defaults for models without.
conformal::PValueOptions p_value_options(const model::Predictor& model, const PValueOverrides& overrides);
/// The rule of a predictor that keeps validation margins; null for others.
const selection::NonconformityRule* nonconformity_rule(const model::Predictor& model);

/// One that draws among classifiers; null for others.
const selection::RandomPredictor* as_random(const model::Predictor& model);

/// Whether rows are kernel values instead of features.
bool is_precomputed(const model::Predictor& model);

/// "decision", or "decision_a_vs_b" or "decision_a_vs_rest" for machines of more than two classes.
std::string decision_name(const model::Predictor& model, const svm::BinaryMachine& machine);
std::string decision_name(const model::Predictor& model, const rvm::Machine& machine);

/// What a model is made of: "38 support vectors, trained on 398 rows", "10 classifiers, one drawn for each row with
/// seed 0, trained on 398 rows".
std::string describe(const model::Predictor& model);

/// Significance levels of regions (--eps), to twelve digits; none if none were asked for.
/// @throws Error invalid_argument
std::vector<double> parse_eps(const std::string& text);
/// What was asked for, or 0.05; none for models without p-values and without intervals.
/// @throws Error invalid_argument if levels were asked of such a model, or 0 of intervals
std::vector<double> eps_levels(const model::Predictor& model, const std::vector<double>& asked);

}  // namespace credence::cli
