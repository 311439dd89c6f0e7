#include "credence/model/predictor.hpp"

#include <fmt/format.h>
#include <cmath>
#include <filesystem>
#include <limits>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"

namespace credence::model {

void TrainingRecord::note_rows(const data::Dataset& dataset) {
  data = std::filesystem::path(dataset.source).filename().string();
  rows = dataset.rows();
  row_keys = data::smallest_keys(data::row_keys(dataset.features));
  class_counts.assign(dataset.class_count(), 0);
  for (const int label : dataset.labels)
    if (label >= 0) class_counts[static_cast<std::size_t>(label)] += 1;
  const std::vector<data::Column>& columns = dataset.schema.columns;
  if (dataset.features.is_sparse() || columns.size() > most_ranges) return;
  least.assign(columns.size(), std::numeric_limits<double>::quiet_NaN());
  largest = least;
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const auto row = dataset.features.dense().row(i);
    for (std::size_t j = 0; j < std::min(columns.size(), row.size()); ++j) {
      if (columns[j].kind == data::ColumnKind::categorical) continue;
      least[j] = std::fmin(least[j], row[j]);  // of a number and none: the number
      largest[j] = std::fmax(largest[j], row[j]);
    }
  }
}

std::vector<int> Prediction::prediction_set(std::size_t row, double significance) const {
  std::vector<int> classes;
  const auto p = p_value.row(row);
  for (std::size_t c = 0; c < p.size(); ++c)
    if (in_set(p[c], significance)) classes.push_back(static_cast<int>(c));
  return classes;
}

std::vector<Calibration> by_region(const Calibration& calibration) {
  if (calibration.region_of.empty()) return {calibration};
  std::vector<Calibration> regions(static_cast<std::size_t>(*std::ranges::max_element(calibration.region_of)) + 1);
  std::vector<std::vector<std::size_t>> rows(regions.size());
  for (std::size_t i = 0; i < calibration.region_of.size(); ++i)
    rows[static_cast<std::size_t>(calibration.region_of[i])].push_back(i);
  for (std::size_t p = 0; p < regions.size(); ++p) {
    Calibration& region = regions[p];
    region.source = calibration.source;
    region.p_values = calibration.p_values;
    region.nonconformity_scores = core::picked(calibration.nonconformity_scores, rows[p]);
    region.labels = core::picked(calibration.labels, rows[p]);
    if (calibration.scores.rows > 0) region.scores = calibration.scores.select_rows(rows[p]);
  }
  return regions;
}

void Predictor::check_columns(const data::Dataset& rows) const {
  if (rows.features.columns() != schema.columns.size()) {
    refuse_data(fmt::format("the model needs {} feature columns, but the rows have {}", schema.columns.size(),
                            rows.features.columns()),
                {rows.source, 0, ""});
  }
}

data::Features Predictor::preprocessed(const data::Dataset& rows) const {
  check_columns(rows);
  // A level that the schema knows but no training row had (it was left out for validation) speaks for no level.
  return preprocessing.apply(rows, data::UnknownLevel::ignore);
}

Prediction Predictor::predict(const data::Dataset& rows, const core::Context& context) const {
  return predict_preprocessed(preprocessed(rows), context);
}

Prediction Predictor::predict_with_fold_models(const data::Dataset& rows, const core::Context& context,
                                               const Members::Visit& visit) const {
  Prediction prediction = predict(rows, context);
  fold_models.score(rows, preprocessing, context, visit);
  return prediction;
}

std::shared_ptr<const ClassifierFamily> Predictor::classifiers() const {
  return nullptr;
}

Capabilities Predictor::capabilities() const {
  const bool regression = schema.task == data::Task::regression;
  Capabilities able;
  if (!calibration.empty() && !regression) able.p_values = PValueSource::calibration;
  able.intervals = !calibration.empty() && regression;
  able.chosen = record.method != "train";
  return able;
}

std::vector<std::string> Predictor::decision_names() const {
  return {};
}

std::vector<ModelParameter> Predictor::parameters() const {
  return {};
}

std::string Predictor::description() const {
  return "trained on " + core::count_of(record.rows, "row");
}

}  // namespace credence::model
