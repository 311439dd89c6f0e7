#pragma once

#include "credence/conformal/p_value.hpp"
#include "credence/model/predictor.hpp"

namespace credence::conformal {

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
