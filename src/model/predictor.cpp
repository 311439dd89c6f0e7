#include "credence/model/predictor.hpp"

#include <fmt/format.h>

#include "credence/core/error.hpp"
#include "credence/core/text.hpp"

namespace credence::model {

std::vector<int> Prediction::region(std::size_t row, double eps) const {
  std::vector<int> classes;
  const auto p = p_value.row(row);
  for (std::size_t c = 0; c < p.size(); ++c)
    if (in_region(p[c], eps)) classes.push_back(static_cast<int>(c));
  return classes;
}

Prediction Predictor::predict(const data::Dataset& rows, const core::Context& context) const {
  if (rows.features.columns() != schema.columns.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the model needs {} feature columns, but the rows have {}", schema.columns.size(),
                            rows.features.columns()),
                {rows.source, 0, ""});
  }
  // A level that the schema knows but no training row had (it was left out for validation) speaks for no level.
  return predict_preprocessed(preprocessing.apply(rows, data::UnknownLevel::ignore), context);
}

Capabilities Predictor::capabilities() const {
  const bool regression = schema.task == data::Task::regression;
  Capabilities able;
  if (!calibration.empty() && !regression) able.p_values = PValueSource::calibration;
  able.intervals = !calibration.empty() && regression;
  able.chosen = record.method != "train";
  return able;
}

std::string Predictor::description() const {
  return "trained on " + core::count_of(record.rows, "row");
}

}  // namespace credence::model
