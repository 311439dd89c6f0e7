#pragma once

#include <cstddef>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

/// The conformal predictor itself; null for other kinds.
const ConformalPredictor* as_conformal(const model::Predictor& model);

/// How a model makes its p-values unless it is asked for another way.
PValueOptions p_value_options(const model::Predictor& model);

/// How many examples of each class a new row is compared with; empty for models that compare with none.
std::vector<std::size_t> compared_with(const model::Predictor& model);

/// Predicts, and fills p_value, confidence and credibility for every model that can have them (Capabilities::p_values).
/// @param options  not looked at with PValueSource::nonconformity, whose p-values were settled by the selection
/// @throws Error as `predict`; format if the model carries a calibration, but gives no scores to compare with it
model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& rows,
                                          const PValueOptions& options, const core::Context& context);

/// p-values for the predictions of any model that carries a calibration (model::Calibration): the model's scores on new
/// rows are ranked among the scores that rows got from models which had not seen them. Fills p_value, confidence and
/// credibility; labels stay the model's own, and confidence and credibility are those of that label. A p-value larger
/// than the label's is possible where p-values are label-conditional, or several machines vote.
///
/// What this guarantees is said by Calibration::exact: nothing for finite n if the model was trained again on all rows
/// (out-of-fold scores come from its siblings, and the cell was chosen on them), though errors stay near eps in
/// practice; see docs/conformal.md.
/// @return false, with the prediction as it was, if the model has no calibration, or no scores for each class
bool add_confidence(const model::Predictor& model, const PValueOptions& options, model::Prediction& prediction);

}  // namespace credence::conformal
