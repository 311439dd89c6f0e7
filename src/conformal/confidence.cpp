#include "credence/conformal/confidence.hpp"

#include "credence/conformal/inductive.hpp"
#include "credence/core/error.hpp"
#include "credence/data/row_key.hpp"

namespace credence::conformal {

using model::PValueSource;

const ConformalPredictor* as_conformal(const model::Predictor& model) {
  return dynamic_cast<const ConformalPredictor*>(&model);
}

PValueOptions p_value_options(const model::Predictor& model) {
  const ConformalPredictor* conformal = as_conformal(model);
  return conformal == nullptr ? PValueOptions{} : conformal->options;
}

std::vector<std::size_t> compared_with(const model::Predictor& model) {
  if (const ConformalPredictor* conformal = as_conformal(model)) return conformal->machine->class_counts();
  if (model.capabilities().p_values != PValueSource::calibration) return {};
  std::vector<std::size_t> counts(model.schema.classes.size(), 0);
  for (const int label : model.calibration.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& rows,
                                          const PValueOptions& options, const core::Context& context) {
  if (const ConformalPredictor* conformal = as_conformal(model)) {
    ConformalPredictor changed = *conformal;
    changed.options = options;
    return changed.predict(rows, context);
  }
  const PValueSource source = model.capabilities().p_values;
  model::Prediction prediction = model.predict(rows, context);
  if (source == PValueSource::nonconformity) conclude(prediction, true);
  if (source == PValueSource::calibration && !add_confidence(model, rows.features, options, prediction)) {
    throw Error(ErrorCode::format,
                "the model carries margins of rows left out, but has no scores to compare with them");
  }
  return prediction;
}

bool add_confidence(const model::Predictor& model, const data::Features& rows, const PValueOptions& options,
                    model::Prediction& prediction) {
  const std::size_t classes = model.schema.classes.size();
  const data::DenseMatrix& scores = prediction.score;
  if (model.calibration.empty() || scores.columns != classes || scores.rows != prediction.label.size()) return false;
  const ScoreCalibration calibration(model.calibration.strangeness, model.calibration.labels, classes);
  prediction.p_value = p_values(calibration.ranks(scores, options.label_conditional), options,
                                options.smoothed ? data::row_keys(rows) : std::vector<std::uint64_t>());
  conclude(prediction, true);
  return true;
}

}  // namespace credence::conformal
