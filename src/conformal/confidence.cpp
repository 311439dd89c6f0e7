#include "credence/conformal/confidence.hpp"

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

ConfidentPredictor::ConfidentPredictor(const model::Predictor& model, const PValueOptions& options)
    : model_(model), options_(options) {
  if (const ConformalPredictor* conformal = as_conformal(model)) {
    conformal_ = *conformal;
    conformal_->options = options;
  } else if (!model.calibration.empty() && model.schema.task == data::Task::classification) {
    const model::Calibration& kept = model.calibration;
    calibration_.emplace(kept.strangeness, kept.labels, model.schema.classes.size(),
                         kept.region_of.empty() ? std::vector<int>(kept.labels.size(), 0) : kept.region_of);
  }
}

model::Prediction ConfidentPredictor::predict(const data::Dataset& rows, const core::Context& context) const {
  if (conformal_) return conformal_->predict(rows, context);
  model::Prediction prediction = model_.predict(rows, context);
  const PValueSource source = model_.capabilities().p_values;
  if (source == PValueSource::nonconformity) conclude(prediction, true);
  if (source == PValueSource::calibration && !add_confidence(rows.features, prediction)) {
    throw Error(ErrorCode::format,
                "the model carries margins of rows left out, but has no scores to compare with them");
  }
  return prediction;
}

bool ConfidentPredictor::add_confidence(const data::Features& rows, model::Prediction& prediction) const {
  const data::DenseMatrix& scores = prediction.score;
  if (!calibration_ || scores.columns != model_.schema.classes.size() || scores.rows != prediction.label.size())
    return false;
  const bool in_regions = !model_.calibration.region_of.empty();
  if (in_regions && prediction.region_of.size() != scores.rows) return false;
  const Ranks ranks = calibration_->ranks(scores, in_regions ? prediction.region_of : std::vector<int>(scores.rows, 0),
                                          options_.label_conditional);
  prediction.p_value =
      p_values(ranks, options_, options_.smoothed ? data::row_keys(rows) : std::vector<std::uint64_t>());
  conclude(prediction, true);
  return true;
}

model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& rows,
                                          const PValueOptions& options, const core::Context& context) {
  return ConfidentPredictor(model, options).predict(rows, context);
}

bool add_confidence(const model::Predictor& model, const data::Features& rows, const PValueOptions& options,
                    model::Prediction& prediction) {
  return ConfidentPredictor(model, options).add_confidence(rows, prediction);
}

}  // namespace credence::conformal
