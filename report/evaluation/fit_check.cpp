#include "report/evaluation/evaluation_report.hpp"

#include <algorithm>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "report/rows/p_value_words.hpp"

namespace credence::report {
namespace {

constexpr std::size_t one_in = 5;

std::vector<bool> rows_of_check(const data::Dataset& dataset, const conformal::PValueOptions& options) {
  if (options.label_conditional) return data::hold_out(dataset.labels, 1.0 / one_in, options.seed);
  return data::random_hold_out(dataset.rows(), dataset.rows() / one_in, dataset.clusters(), options.seed);
}

}  // namespace

std::optional<FitCheck> fit_check(const data::Dataset& dataset, const conformal::PValueOptions& options,
                                  const std::vector<double>& levels, const FitOnRows& fit,
                                  const core::Context& context) try {
  const std::vector<bool> checked = rows_of_check(dataset, options);
  const data::Dataset fitted = dataset.select_rows(data::rows_where(checked, false));
  const data::Dataset rows = dataset.select_rows(data::rows_where(checked, true));
  const auto predictor = fit(fitted);
  const model::Prediction prediction = predictor->predict(rows, context);
  FitCheck check;
  check.fitted_rows = fitted.rows();
  check.found.labels = compare_labels(dataset.schema.classes, rows, prediction);
  check.found.p_values = conformal::evaluate(prediction.p_value, rows.labels, levels, options.smoothed);
  check.found.sets = check.found.p_values->levels;
  check.found.made = options;
  check.found.compared_with = predictor->machine->class_counts();
  check.found.guarantee = validity_sentence(*predictor);
  Section of_rows;
  add_trust_charts(prediction, rows, of_rows);
  check.of_rows = std::move(of_rows.blocks);
  return check;
} catch (const Error& error) {
  if (error.code() != ErrorCode::invalid_data && error.code() != ErrorCode::invalid_argument) throw;
  return std::nullopt;
}

Json fit_check_json(const FitCheck& check) {
  Json document = evaluated_json(check.found, nullptr);
  document["fitted_rows"] = check.fitted_rows;
  return document;
}

}  // namespace credence::report
