#include "credence/conformal/confidence.hpp"

#include "credence/conformal/inductive.hpp"

namespace credence::conformal {

bool add_confidence(const model::Predictor& model, const PValueOptions& options, model::Prediction& prediction) {
  const std::size_t classes = model.schema.classes.size();
  const data::DenseMatrix& scores = prediction.score;
  if (model.calibration.empty() || scores.columns != classes || scores.rows != prediction.label.size()) return false;
  const ScoreCalibration calibration(model.calibration.strangeness, model.calibration.labels, classes);
  prediction.p_value = p_values(calibration.ranks(scores, options.label_conditional), options);
  conclude(prediction, true);
  return true;
}

}  // namespace credence::conformal
