#include <fmt/format.h>

#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/core/text.hpp"
#include "credence/data/row_key.hpp"
#include "credence/selection/error_estimation.hpp"

namespace credence::selection {
namespace {

constexpr std::uint64_t drawing_purpose = 0x5241'4E44'4F4D'0001;

}  // namespace

std::size_t RandomPredictor::drawn(const data::Features& rows, std::size_t row) const {
  if (members.empty()) throw Error(ErrorCode::invalid_argument, "there is no classifier to draw");
  return static_cast<std::size_t>(core::random_choice(seed, drawing_purpose, data::row_key(rows, row), members.size()));
}

model::Prediction RandomPredictor::predict(const data::Dataset& rows, const core::Context& context) const {
  if (rows.features.columns() != schema.columns.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the model needs {} feature columns, but the rows have {}", schema.columns.size(),
                            rows.features.columns()),
                {rows.source, 0, ""});
  }
  std::vector<std::vector<std::size_t>> rows_of(members.size());
  model::Prediction prediction;
  prediction.label.resize(rows.rows());
  prediction.chosen.resize(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const std::size_t member = drawn(rows.features, i);
    prediction.chosen[i] = static_cast<std::uint32_t>(member);
    rows_of[member].push_back(i);
  }
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (rows_of[m].empty()) continue;
    const model::Prediction part = members[m]->predict(rows.select_rows(rows_of[m]), context);
    for (std::size_t a = 0; a < rows_of[m].size(); ++a) prediction.label[rows_of[m][a]] = part.label[a];
  }
  return prediction;
}

model::Prediction RandomPredictor::predict_preprocessed(const data::Features&, const core::Context&) const {
  throw Error(ErrorCode::invalid_argument,
              "each of these classifiers has a preprocessing of its own, so that they predict from raw rows only");
}

model::Capabilities RandomPredictor::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  able.models = members.size();
  able.drawing_seed = seed;
  able.precomputed = !members.empty() && members.front()->capabilities().precomputed;
  return able;
}

std::string RandomPredictor::description() const {
  return fmt::format("{}, one drawn for each row with seed {}, {}", core::count_of(members.size(), "classifier"), seed,
                     Predictor::description());
}

std::vector<model::ModelParameter> RandomPredictor::parameters() const {
  std::vector<double> numbers(members.size());
  std::iota(numbers.begin(), numbers.end(), 1.0);
  return {{"chosen", std::move(numbers)}};
}

}  // namespace credence::selection
