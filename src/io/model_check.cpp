#include "io/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace credence::io {
namespace {

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::string check_schema(const data::Schema& schema) {
  if (schema.classes.size() < 2) return "it has fewer than two classes";
  if (std::set<std::string>(schema.classes.begin(), schema.classes.end()).size() != schema.classes.size()) {
    return "a class occurs twice";
  }
  return schema.columns.empty() ? "it has no columns" : "";
}

std::string check_raw_column(const data::Preprocessing::RawColumn& raw, const data::Column& column,
                             std::size_t outputs) {
  if (raw.kind != column.kind) return "the preprocessing takes a column for another kind";
  if (!std::isfinite(raw.fill)) return "the value for missing cells is not finite";
  if (raw.kind == data::ColumnKind::numeric) {
    return raw.output < outputs ? "" : "the preprocessing refers to a column that does not exist";
  }
  if (raw.level_output.size() != column.levels.size()) return "the preprocessing knows other levels than the columns";
  for (const std::int32_t output : raw.level_output) {
    if (output < -1 || (output >= 0 && static_cast<std::size_t>(output) >= outputs)) {
      return "the preprocessing refers to a column that does not exist";
    }
  }
  const bool fill_is_level = raw.fill == std::floor(raw.fill) && raw.fill >= 0 &&
                             (raw.fill < static_cast<double>(column.levels.size()) || raw.fill == 0);
  return fill_is_level ? "" : "the value for missing cells is not a level";
}

std::string check_preprocessing(const svm::SvmModel& model) {
  const data::Preprocessing& preprocessing = model.preprocessing;
  const std::size_t outputs = preprocessing.columns();
  if (preprocessing.raw.size() != model.schema.columns.size()) {
    return "the preprocessing has another number of columns than the data";
  }
  if (preprocessing.shift.size() != outputs || preprocessing.names.size() != outputs || outputs == 0) {
    return "the parts of the preprocessing differ in size";
  }
  if (!all_finite(preprocessing.shift) || !all_finite(preprocessing.scale)) {
    return "the preprocessing has a value that is not finite";
  }
  for (std::size_t j = 0; j < preprocessing.raw.size(); ++j) {
    std::string problem = check_raw_column(preprocessing.raw[j], model.schema.columns[j], outputs);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string check_sparse(const data::SparseMatrix& matrix) {
  if (matrix.offsets.size() != matrix.rows + 1 || matrix.offsets.front() != 0 ||
      matrix.offsets.back() != matrix.indices.size() || matrix.indices.size() != matrix.values.size() ||
      !std::is_sorted(matrix.offsets.begin(), matrix.offsets.end())) {
    return "the sparse support vectors are damaged";
  }
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto indices = matrix.row_indices(i);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (indices[k] >= matrix.columns || (k > 0 && indices[k] <= indices[k - 1])) {
        return "a support vector refers to a column that does not exist";
      }
    }
  }
  return all_finite(matrix.values) ? "" : "a support vector has a value that is not finite";
}

std::string check_support_vectors(const svm::SvmModel& model) {
  const std::size_t columns = model.preprocessing.columns();
  if (model.kernel.type == kernel::KernelType::precomputed) {
    for (const std::size_t row : model.support_rows) {
      if (row >= columns) return "a support vector refers to a column that does not exist";
    }
    return {};
  }
  const data::Features& vectors = model.support_vectors;
  if (vectors.rows() != model.support_count() || vectors.columns() != columns) {
    return "the support vectors do not fit the preprocessing";
  }
  if (vectors.is_sparse()) return check_sparse(vectors.sparse());
  const data::DenseMatrix& dense = vectors.dense();
  // Divided, not multiplied: the product of two sizes from a file can overflow.
  const bool fits = dense.rows == 0
                        ? dense.values.empty()
                        : dense.values.size() / dense.rows == dense.columns && dense.values.size() % dense.rows == 0;
  if (!fits) return "the support vectors are damaged";
  return all_finite(dense.values) ? "" : "a support vector has a value that is not finite";
}

std::string check_machines(const svm::SvmModel& model) {
  const std::size_t classes = model.schema.classes.size();
  if (model.machines.size() != classes * (classes - 1) / 2) return "the number of machines does not fit the classes";
  std::size_t index = 0;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b, ++index) {
      const svm::BinaryMachine& machine = model.machines[index];
      const std::size_t positive = classes == 2 ? b : a;
      const std::size_t negative = classes == 2 ? a : b;
      if (machine.positive != static_cast<int>(positive) || machine.negative != static_cast<int>(negative)) {
        return "the machines do not fit the classes";
      }
      if (machine.support.size() != machine.coefficients.size()) return "a machine has a damaged list of coefficients";
      for (const std::uint32_t row : machine.support) {
        if (row >= model.support_count()) return "a machine refers to a support vector that does not exist";
      }
      if (!all_finite(machine.coefficients) || !std::isfinite(machine.bias)) {
        return "a machine has a value that is not finite";
      }
    }
  }
  return {};
}

}  // namespace

std::string inconsistency(const svm::SvmModel& model) {
  std::string problem = check_schema(model.schema);
  if (problem.empty()) problem = check_preprocessing(model);
  if (problem.empty()) {
    const std::vector<std::string> problems = model.kernel.validate();
    if (!problems.empty()) problem = problems.front();
  }
  if (problem.empty()) problem = check_support_vectors(model);
  if (problem.empty()) problem = check_machines(model);
  return problem;
}

}  // namespace credence::io
