#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "credence/conformal/grouped.hpp"
#include "credence/conformal/inductive.hpp"
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

/// Predictions with confidence of rows that come block by block: what all blocks share is prepared once.
class ConfidentPredictor {
 public:
  /// @param model  which must outlive the object  @param options  as of predict_with_confidence
  /// Cost: that of sorting the scores that the model keeps of rows left out.
  ConfidentPredictor(const model::Predictor& model, const PValueOptions& options);

  /// As predict_with_confidence.
  model::Prediction predict(const data::Dataset& rows, const core::Context& context) const;
  /// As add_confidence.
  bool add_confidence(const data::Features& rows, model::Prediction& prediction) const;

 private:
  const model::Predictor& model_;
  PValueOptions options_;
  std::optional<ConformalPredictor> conformal_;    ///< the model with these options, where it is one
  std::optional<GroupedCalibration> calibration_;  ///< where the model has one, of classes; by Calibration::region_of
};

/// Predicts, and fills p_value, confidence and credibility for every model that can have them (Capabilities::p_values).
/// @param options  not looked at with PValueSource::nonconformity, whose p-values were settled by the selection
/// @throws Error as `predict`; format if the model carries a calibration, but gives no scores to compare with it
model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& rows,
                                          const PValueOptions& options, const core::Context& context);

/// Gives p-values to the predictions of any model that carries a calibration (model::Calibration). The model's scores
/// on new rows are ranked among the scores that rows got from models which had not seen them; where those rows lie in
/// regions of the feature space (Calibration::region_of), among the rows of the new row's region alone. The function
/// fills p_value, confidence and credibility. The labels stay the model's own, and confidence and credibility are those
/// of the model's label. Another class may have a larger p-value than the label if p-values are label-conditional, or
/// if several machines vote.
///
/// Calibration::exact: regions miss with probability at most eps, if rows are exchangeable. If the model was trained
/// again on all rows, nothing is guaranteed for finite n, because out-of-fold scores come from sibling models and the
/// cell was chosen on these scores. Errors are then near eps on average over models; one model may err far more
/// (docs/selection.md has measurements).
/// @param rows  the raw rows that were predicted; smoothing takes their keys (data::row_key)
/// @return false, with the prediction unchanged, if the model has no calibration or no scores for each class
bool add_confidence(const model::Predictor& model, const data::Features& rows, const PValueOptions& options,
                    model::Prediction& prediction);

}  // namespace credence::conformal
