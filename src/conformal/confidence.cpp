#include "credence/conformal/confidence.hpp"

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
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
  return core::counts_of(model.calibration.labels, model.schema.classes.size());
}

namespace {

/// The examples of one fold model, or of the model itself, by region of the feature space.
std::vector<std::vector<std::optional<ScoreCalibration>>> tables_of(const model::Predictor& model) {
  const model::Calibration& kept = model.calibration;
  const auto group_of = [](const std::vector<int>& groups, std::size_t i) {
    return groups.empty() ? std::size_t{0} : static_cast<std::size_t>(groups[i]);
  };
  std::size_t fold_models = std::max<std::size_t>(model.fold_models.count(), 1);
  std::size_t regions = 1;
  for (const int region : kept.region_of) regions = std::max(regions, static_cast<std::size_t>(region) + 1);
  std::vector<std::vector<std::size_t>> rows(fold_models * regions);
  for (std::size_t i = 0; i < kept.labels.size(); ++i)
    rows[group_of(kept.fold_model_of, i) * regions + group_of(kept.region_of, i)].push_back(i);
  std::vector<std::vector<std::optional<ScoreCalibration>>> tables(fold_models);
  for (std::size_t k = 0; k < fold_models; ++k) {
    for (std::size_t p = 0; p < regions; ++p) {
      const std::vector<std::size_t>& own = rows[k * regions + p];
      auto& table = tables[k].emplace_back();
      if (!own.empty())
        table.emplace(core::picked(kept.nonconformity_scores, own), core::picked(kept.labels, own),
                      model.schema.classes.size());
    }
  }
  return tables;
}

}  // namespace

ConfidentPredictor::ConfidentPredictor(const model::Predictor& model, const PValueOptions& options)
    : model_(model), options_(options) {
  if (const ConformalPredictor* conformal = as_conformal(model)) {
    conformal_ = *conformal;
    conformal_->options = options;
  } else if (!model.calibration.empty() && model.schema.task == data::Task::classification) {
    tables_ = tables_of(model);
  }
}

model::Prediction ConfidentPredictor::predict(const data::Dataset& rows, const core::Context& context) const {
  if (conformal_) return conformal_->predict(rows, context);
  const model::Capabilities able = model_.capabilities();
  if (able.intervals && !model_.fold_models.empty()) return predict_numbers(rows, context);
  const PValueSource source = able.p_values;
  if (source == PValueSource::calibration && !model_.fold_models.empty() && !tables_.empty()) {
    Ranks ranks(rows.rows(), model_.schema.classes.size());
    model::Prediction prediction = model_.predict_with_fold_models(rows, context, ranking(ranks));
    give_p_values(ranks, rows, prediction);
    return prediction;
  }
  model::Prediction prediction = model_.predict(rows, context);
  if (source == PValueSource::nonconformity) conclude(prediction, true);
  if (source == PValueSource::calibration && !add_confidence(rows, context, prediction)) {
    throw Error(ErrorCode::format,
                "the model carries margins of rows left out, but has no scores to compare with them");
  }
  return prediction;
}

model::Prediction ConfidentPredictor::predict_numbers(const data::Dataset& rows, const core::Context& context) const {
  data::DenseMatrix means(rows.rows(), model_.fold_models.count());
  const auto keep = [&](std::size_t first, std::size_t fold_model, const model::Scores& block) {
    for (std::size_t row = 0; row < block.rows; ++row)
      for (std::size_t k = 0; k < block.models; ++k) means.row(first + row)[fold_model + k] = *block.at(row, k);
  };
  model::Prediction prediction = model_.predict_with_fold_models(rows, context, keep);
  prediction.fold_model_mean = std::move(means);
  return prediction;
}

void ConfidentPredictor::rank(std::size_t fold_model, std::size_t row, std::size_t region,
                              std::span<const double> scores, Ranks& ranks) const {
  const auto& of_regions = tables_[fold_model];
  if (region >= of_regions.size() || !of_regions[region]) return;
  for (std::size_t c = 0; c < scores.size(); ++c)
    ranks.at(row, c) += of_regions[region]->rank(scores[c], static_cast<int>(c), options_.label_conditional);
}

model::Members::Visit ConfidentPredictor::ranking(Ranks& ranks) const {
  if (!model_.calibration.region_of.empty()) {
    return [this, &ranks](std::size_t first, std::size_t fold_model, const model::Scores& block) {
      for (std::size_t row = 0; row < block.rows; ++row)
        for (std::size_t k = 0; k < block.models; ++k)
          rank(fold_model + k, first + row, static_cast<std::size_t>(block.region_of[row]),
               {block.at(row, k), ranks.classes}, ranks);
    };
  }
  return [this, &ranks](std::size_t first, std::size_t fold_model, const model::Scores& block) {
    std::vector<double> scores(block.rows);
    for (std::size_t k = 0; k < block.models; ++k) {
      const std::optional<ScoreCalibration>& judged = tables_[fold_model + k].front();
      for (std::size_t c = 0; judged && c < ranks.classes; ++c) {
        for (std::size_t row = 0; row < block.rows; ++row) scores[row] = block.at(row, k)[c];
        judged->add_ranks(scores, static_cast<int>(c), options_.label_conditional, &ranks.at(first, c), ranks.classes);
      }
    }
  };
}

void ConfidentPredictor::give_p_values(const Ranks& ranks, const data::Dataset& rows,
                                       model::Prediction& prediction) const {
  prediction.p_value =
      p_values(ranks, options_, options_.smoothed ? data::row_keys(rows.features) : std::vector<std::uint64_t>());
  conclude(prediction, true);
}

bool ConfidentPredictor::add_confidence(const data::Dataset& rows, const core::Context& context,
                                        model::Prediction& prediction) const {
  const std::size_t classes = model_.schema.classes.size();
  const std::size_t count = prediction.label.size();
  if (tables_.empty()) return false;
  Ranks ranks(count, classes);
  if (model_.fold_models.empty()) {
    const bool in_regions = !model_.calibration.region_of.empty();
    const data::DenseMatrix& scores = prediction.score;
    if (scores.columns != classes || scores.rows != count) return false;
    if (in_regions && prediction.region_of.size() != count) return false;
    for (std::size_t row = 0; row < count; ++row)
      rank(0, row, in_regions ? static_cast<std::size_t>(prediction.region_of[row]) : 0, scores.row(row), ranks);
  } else {
    model_.fold_models.score(rows, model_.preprocessing, context, ranking(ranks));
  }
  give_p_values(ranks, rows, prediction);
  return true;
}

model::Prediction predict_with_confidence(const model::Predictor& model, const data::Dataset& rows,
                                          const PValueOptions& options, const core::Context& context) {
  return ConfidentPredictor(model, options).predict(rows, context);
}

bool add_confidence(const model::Predictor& model, const data::Dataset& rows, const PValueOptions& options,
                    const core::Context& context, model::Prediction& prediction) {
  return ConfidentPredictor(model, options).add_confidence(rows, context, prediction);
}

}  // namespace credence::conformal
