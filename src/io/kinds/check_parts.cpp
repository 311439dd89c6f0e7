#include "io/kinds/document_parts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace credence::io {
namespace {

std::string check_classes(const data::Schema& schema) {
  if (schema.classes.size() < 2) return "it has fewer than two classes";
  if (std::set<std::string>(schema.classes.begin(), schema.classes.end()).size() != schema.classes.size())
    return "a class occurs twice";
  return {};
}

std::string check_schema(const model::Predictor& predictor) {
  const data::Schema& schema = predictor.schema;
  if (schema.columns.empty()) return "it has no columns";
  if (schema.task == data::Task::classification) return check_classes(schema);
  if (!predictor.capabilities().numbers) return "it is a classifier, but for a regression";
  return schema.classes.empty() ? "" : "it is a regression, but has classes";
}

std::string check_raw_column(const data::Preprocessing::RawColumn& raw, const data::Column& column,
                             std::size_t outputs) {
  if (raw.kind != column.kind) return "the preprocessing takes a column for another kind";
  if (!std::isfinite(raw.fill)) return "the value for missing values is not finite";
  if (raw.kind == data::ColumnKind::numeric)
    return raw.output < outputs ? "" : "the preprocessing refers to a column that does not exist";
  if (raw.level_output.size() != column.levels.size()) return "the preprocessing knows other levels than the columns";
  for (const std::int32_t output : raw.level_output)
    if (output < -1 || (output >= 0 && static_cast<std::size_t>(output) >= outputs))
      return "the preprocessing refers to a column that does not exist";
  const bool fill_is_level = raw.fill == std::floor(raw.fill) && raw.fill >= 0 &&
                             (raw.fill < static_cast<double>(column.levels.size()) || raw.fill == 0);
  return fill_is_level ? "" : "the value for missing values is not a level";
}

/// Of a regression.
std::string check_residuals(const model::Calibration& calibration) {
  if (!calibration.labels.empty() || calibration.scores.rows > 0)
    return "it is a regression, but its calibration has classes";
  const bool sound = std::ranges::all_of(calibration.nonconformity_scores,
                                         [](double residual) { return residual >= 0 && std::isfinite(residual); });
  return sound ? "" : "a row of its calibration has a residual that is not a finite number from 0 on";
}

std::string check_calibration(const model::Calibration& calibration, std::size_t classes) {
  if (calibration.nonconformity_scores.size() != calibration.labels.size())
    return "its calibration has other rows than classes of rows";
  for (const int label : calibration.labels)
    if (label < 0 || static_cast<std::size_t>(label) >= classes)
      return "a row of its calibration has a class that does not exist";
  const auto is_nan = [](double value) { return std::isnan(value); };
  if (std::ranges::any_of(calibration.nonconformity_scores, is_nan))
    return "a row of its calibration has a nonconformity score that is not a number";
  const data::DenseMatrix& scores = calibration.scores;
  const bool fits = scores.rows == 0 || (scores.rows == calibration.labels.size() && scores.columns == classes);
  if (!fits) return "its calibration has scores of other rows or classes";
  return std::ranges::any_of(scores.values, is_nan) ? "a row of its calibration has a score that is not a number" : "";
}

std::string check_sparse(const data::SparseMatrix& matrix) {
  if (std::string problem = matrix.problem(); !problem.empty()) return problem;
  return all_finite(matrix.values) ? "" : "a row has a value that is not finite";
}

/// Every fold model exists, and judged rows are those of the calibration.
std::string check_fold_models(const model::Predictor& predictor) {
  const std::vector<int>& fold_model_of = predictor.calibration.fold_model_of;
  if (std::string problem = check_members(predictor.fold_models, predictor); !problem.empty()) return problem;
  const auto count = static_cast<int>(predictor.fold_models.count());
  if (predictor.fold_models.empty() != fold_model_of.empty()) return "its fold models judged other rows than it keeps";
  const bool exist = std::ranges::all_of(fold_model_of, [&](int k) { return k >= 0 && k < count; });
  const bool fits = fold_model_of.empty() || fold_model_of.size() == predictor.calibration.nonconformity_scores.size();
  return exist && fits ? "" : "a row of its calibration was judged by a fold model that does not exist";
}

std::string check_quantiles(const data::Preprocessing& preprocessing) {
  const std::size_t outputs = preprocessing.scaling == data::Scaling::quantile ? preprocessing.columns() : 0;
  if (preprocessing.quantiles.size() != outputs || preprocessing.standard_shift.size() != outputs ||
      preprocessing.standard_scale.size() != outputs)
    return "the parts of the preprocessing differ in size";
  if (preprocessing.sparse && outputs > 0) return "the preprocessing has quantiles of sparse rows";
  if (!all_finite(preprocessing.standard_shift) || !all_finite(preprocessing.standard_scale))
    return "the preprocessing has a value that is not finite";
  for (const data::NormalScores& known : preprocessing.quantiles) {
    const auto stays = std::ranges::adjacent_find(known.values, std::ranges::greater_equal{});
    const bool ascending = stays == known.values.end() && std::ranges::is_sorted(known.scores);
    if (known.values.size() != known.scores.size() || !all_finite(known.values) || !all_finite(known.scores) ||
        !ascending)
      return "the quantiles of a column are not ascending numbers with a score each";
  }
  return {};
}

}  // namespace

std::string check_preprocessing(const data::Preprocessing& preprocessing, const std::vector<data::Column>& columns) {
  const std::size_t outputs = preprocessing.columns();
  if (preprocessing.raw.size() != columns.size())
    return "the preprocessing has another number of columns than the data";
  if (preprocessing.shift.size() != outputs || preprocessing.names.size() != outputs || outputs == 0)
    return "the parts of the preprocessing differ in size";
  if (!all_finite(preprocessing.shift) || !all_finite(preprocessing.scale))
    return "the preprocessing has a value that is not finite";
  for (std::size_t j = 0; j < preprocessing.raw.size(); ++j) {
    std::string problem = check_raw_column(preprocessing.raw[j], columns[j], outputs);
    if (!problem.empty()) return problem;
  }
  return check_quantiles(preprocessing);
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::string check_members(const model::Members& members, const model::Predictor& predictor) {
  // The models of a regression have one score, the number that they predict.
  const bool regression = predictor.schema.task == data::Task::regression;
  const std::size_t scores = regression ? 1 : predictor.schema.classes.size();
  for (const model::Members::Part& part : members.parts) {
    const std::size_t columns = part.preprocessing ? part.preprocessing->columns() : predictor.preprocessing.columns();
    std::string problem;
    if (part.preprocessing) problem = check_preprocessing(*part.preprocessing, predictor.schema.columns);
    if (problem.empty()) problem = check_classifiers(*part.family, scores, columns);
    if (!problem.empty()) return problem;
  }
  for (const auto& models : members.averages)
    if (models.empty() || std::ranges::any_of(models, [&](auto k) { return k >= members.models(); }))
      return "a member is the average of models that do not exist";
  return {};
}

std::string check_predictor(const model::Predictor& predictor) {
  std::string problem = check_schema(predictor);
  if (problem.empty()) problem = check_preprocessing(predictor.preprocessing, predictor.schema.columns);
  if (!problem.empty()) return problem;
  const std::span<const int> region_of = predictor.calibration.region_of;
  const auto family = region_of.empty() ? nullptr : predictor.classifiers();
  problem = check_region_numbers(region_of, predictor.calibration.nonconformity_scores.size(),
                                 family == nullptr ? 0 : family->region_count());
  if (problem.empty()) problem = check_fold_models(predictor);
  if (!problem.empty()) return problem;
  if (const data::Features& known = predictor.known_rows; known.rows() > 0) {
    problem = check_features(known, known.rows(), predictor.preprocessing.columns());
    if (!problem.empty()) return problem;
  }
  return predictor.schema.task == data::Task::regression
             ? check_residuals(predictor.calibration)
             : check_calibration(predictor.calibration, predictor.schema.classes.size());
}

std::string check_region_numbers(std::span<const int> region, std::size_t rows, std::size_t regions) {
  if (region.empty()) return {};
  const bool exist =
      std::ranges::all_of(region, [&](int p) { return p >= 0 && static_cast<std::size_t>(p) < regions; });
  return exist && region.size() == rows ? "" : "a row of its calibration lies in a region that does not exist";
}

std::string check_kernel(const kernel::Kernel& kernel) {
  const std::vector<std::string> problems = kernel.validate();
  return problems.empty() ? "" : problems.front();
}

std::string check_features(const data::Features& features, std::size_t rows, std::size_t columns) {
  if (features.rows() != rows || features.columns() != columns)
    return "its rows do not fit the preprocessing, or are more or fewer than it says";
  if (features.is_sparse()) return check_sparse(features.sparse());
  return all_finite(features.dense().values) ? "" : "a row has a value that is not finite";
}

std::string check_support_vectors(const kernel::Kernel& kernel, const data::Features& vectors,
                                  const std::vector<std::size_t>& support_rows, std::size_t columns) {
  if (kernel.type != kernel::KernelType::precomputed) return check_features(vectors, support_rows.size(), columns);
  const bool exist = std::ranges::all_of(support_rows, [&](auto row) { return row < columns; });
  return exist ? "" : "a support vector refers to a column that does not exist";
}

}  // namespace credence::io
