#include "credence/conformal/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/conformal/inductive.hpp"
#include "credence/conformal/transductive_svm.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/row_key.hpp"

namespace credence::conformal {
namespace {

void check_predictor(const ConformalPredictor& predictor) {
  if (predictor.machine == nullptr) refuse("the conformal predictor has no machine to rank new examples");
  const std::size_t known = predictor.machine->class_counts().size();
  const std::size_t named = predictor.schema.classes.size();
  if (named != 0 && named != known)
    refuse(fmt::format("the conformal predictor names {} classes, but its machine knows {}", named, known));
}

const Inductive* as_inductive(const ConformalPredictor& predictor) {
  return dynamic_cast<const Inductive*>(predictor.machine.get());
}

std::vector<double> values_of(const data::Features& raw, std::size_t column) {
  if (raw.is_sparse()) refuse("sparse rows have no column of categories");
  return core::made(raw.rows(), [&](std::size_t i) { return raw.dense().row(i)[column]; });
}

}  // namespace

CategoryColumn CategoryColumn::of(const data::Features& raw, std::size_t column) {
  CategoryColumn by{column, values_of(raw, column)};
  const auto missing =
      std::partition(by.values.begin(), by.values.end(), [](double value) { return !std::isnan(value); });
  const bool some = missing != by.values.end();
  std::sort(by.values.begin(), missing);
  by.values.erase(std::unique(by.values.begin(), missing), by.values.end());
  if (some) by.values.push_back(std::nan(""));
  return by;
}

std::vector<int> CategoryColumn::codes(const data::Features& raw) const {
  std::vector<int> codes;
  const bool missing = !values.empty() && std::isnan(values.back());
  const auto end = values.end() - (missing ? 1 : 0);
  for (const double value : values_of(raw, column)) {
    const auto found = std::isnan(value) ? end : std::lower_bound(values.begin(), end, value);
    const bool known = std::isnan(value) ? missing : found != end && *found == value;
    codes.push_back(known ? static_cast<int>(found - values.begin()) : -1);
  }
  return codes;
}

model::Prediction ConformalPredictor::predict(const data::Dataset& rows, const core::Context& context) const {
  if (!by && weight_column.empty() && of_folds.empty()) return Predictor::predict(rows, context);
  check_predictor(*this);
  if (!weight_column.empty() && rows.weights.empty()) {
    refuse_data(fmt::format("the model weighs rows, so that new rows need their weights, column '{}'", weight_column),
                {rows.source});
  }
  std::vector<data::Features> features{preprocessed(rows)};
  const auto* const inductive = as_inductive(*this);
  if (inductive == nullptr) {
    if (by || !of_folds.empty()) refuse("only rows held out from training have folds or categories");
    return compared_with_all(features.front(), rows.weights, context);
  }
  for (std::size_t k = 1; k < of_folds.size(); ++k)
    features.push_back(of_folds[k].apply(rows, data::UnknownLevel::ignore));
  model::Prediction prediction;
  if (by) prediction.category_of = by->codes(rows.features);
  const AskedRows known{prediction.category_of, weight_column.empty() ? std::span<const double>() : rows.weights};
  const Ranks ranks = inductive->ranks(features, options.label_conditional, context, known);
  const data::Features& told_apart = of_folds.empty() ? features.front() : rows.features;
  prediction.p_value =
      p_values(ranks, options, options.smoothed ? data::row_keys(told_apart) : std::vector<std::uint64_t>());
  conclude(prediction);
  return prediction;
}

model::Prediction ConformalPredictor::predict_preprocessed(const data::Features& rows,
                                                           const core::Context& context) const {
  check_predictor(*this);
  if (!weight_column.empty()) refuse("preprocessed rows do not show the weights that the model asks for");
  if (!of_folds.empty()) refuse("each fold preprocesses raw rows in its own way, so that the model asks for raw rows");
  return compared_with_all(rows, {}, context);
}

model::Prediction ConformalPredictor::compared_with_all(const data::Features& rows, std::span<const double> own,
                                                        const core::Context& context) const {
  check_own_weights(own);
  model::Prediction prediction;
  const auto* svm = dynamic_cast<const TransductiveSvm*>(machine.get());
  Ranks ranks = svm != nullptr ? svm->ranks(rows, options.label_conditional, context, prediction.solver_cost.emplace())
                               : machine->ranks(rows, options.label_conditional, context);
  for (std::size_t row = 0; row < own.size(); ++row)
    for (std::size_t c = 0; c < ranks.classes; ++c) ranks.at(row, c).own = own[row];
  prediction.p_value = p_values(ranks, options, options.smoothed ? data::row_keys(rows) : std::vector<std::uint64_t>());
  conclude(prediction);
  return prediction;
}

model::Capabilities ConformalPredictor::capabilities() const {
  model::Capabilities able = Predictor::capabilities();
  able.p_values = model::PValueSource::conformal;
  return able;
}

std::string ConformalPredictor::description() const {
  check_predictor(*this);
  return machine->description(record);
}

Validity ConformalPredictor::validity() const {
  check_predictor(*this);
  if (fitted_on_compared || (stratified && !options.label_conditional)) return Validity::approximate;
  return machine->validity();
}

bool ConformalPredictor::is_of_new_groups() const {
  const auto* inductive = as_inductive(*this);
  return inductive != nullptr ? inductive->has_groups() : one_of_each_group;
}

std::optional<double> ConformalPredictor::effective_rows() const {
  check_predictor(*this);
  return machine->effective_rows();
}

bool ConformalPredictor::is_split() const {
  const auto* inductive = as_inductive(*this);
  return inductive != nullptr && inductive->parts().size() == 1;
}

double smallest_p_value(std::span<const std::size_t> class_counts, bool label_conditional) {
  if (class_counts.empty()) return 1;
  const std::size_t compared = label_conditional
                                   ? *std::ranges::min_element(class_counts)
                                   : std::accumulate(class_counts.begin(), class_counts.end(), std::size_t{0});
  return p_value({.of = static_cast<double>(compared)});
}

std::optional<std::size_t> examples_missing(std::size_t compared, double significance) {
  if (!(significance > 0)) return std::nullopt;
  const auto too_few = [&](std::size_t examples) {
    return in_set(p_value({.of = static_cast<double>(examples)}), significance);
  };
  if (!too_few(compared)) return 0;
  // 1 / (n + 1) <= eps, where the p-value itself decides for n that round.
  auto enough = std::max(static_cast<std::size_t>(1 / significance), compared);
  while (!too_few(enough - 1)) --enough;
  while (too_few(enough)) ++enough;
  return enough - compared;
}

}  // namespace credence::conformal
