#include "credence/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "data/cell.hpp"
#include "data/labels.hpp"

namespace credence::data {

namespace {

template <class T>
std::vector<T> pick(const std::vector<T>& items, std::span<const std::size_t> rows) {
  std::vector<T> result;
  if (items.empty()) return result;
  result.reserve(rows.size());
  for (const std::size_t i : rows) result.push_back(items[i]);
  return result;
}

[[noreturn]] void refuse(const Dataset& dataset, const std::string& sentence, const std::string& column = "") {
  throw Error(ErrorCode::invalid_data, sentence, {dataset.source, 0, column});
}

void check_finite(const Features& features) {
  const std::vector<double>& values = features.is_sparse() ? features.sparse().values : features.dense().values;
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (bad == values.end()) return;
  const auto at = static_cast<std::size_t>(bad - values.begin());
  std::size_t row = 0;
  std::size_t column = 0;
  if (features.is_sparse()) {
    const SparseMatrix& matrix = features.sparse();
    row = static_cast<std::size_t>(std::ranges::upper_bound(matrix.offsets, at) - matrix.offsets.begin()) - 1;
    column = matrix.indices[at];
  } else {
    row = at / features.columns();
    column = at % features.columns();
  }
  throw Error(ErrorCode::invalid_data, fmt::format("row {}, column {} holds {}; every value must be a finite number",
                                                   row + 1, column + 1, *bad));
}

}  // namespace

std::string Dataset::column_label(std::size_t column) const {
  const std::string& name = schema.columns.at(column).name;
  if (name.empty()) return fmt::format("column {}", column + 1);
  return schema.has_header ? "'" + name + "'" : name;
}

Schema Dataset::schema_without_hint() const {
  Schema plain = schema;
  plain.hint_name.clear();
  return plain;
}

Dataset Dataset::select_rows(std::span<const std::size_t> rows) const {
  Dataset result;
  result.features = features.select_rows(rows);
  result.schema = schema;
  result.labels = pick(labels, rows);
  result.weights = pick(weights, rows);
  result.hint = pick(hint, rows);
  result.groups = pick(groups, rows);
  result.folds = pick(folds, rows);
  result.file_rows = pick(file_rows, rows);
  result.source = source;
  return result;
}

Dataset make_dataset(Features features, std::span<const std::string> labels) {
  const std::size_t n = features.rows();
  if (!labels.empty() && labels.size() != n) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("there are {} for {}; each row needs one", detail::counted(labels.size(), "label"),
                            detail::counted(n, "row")));
  }
  check_finite(features);
  Dataset result;
  detail::Interner interner;
  std::vector<std::uint32_t> codes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) throw Error(ErrorCode::invalid_data, fmt::format("the label of row {} is empty", i + 1));
    codes.push_back(interner.code(labels[i], i + 1));
  }
  detail::Coded coded = detail::sort_codes(interner, codes);
  result.labels = std::move(coded.codes);
  result.schema.classes = std::move(coded.spellings);
  result.schema.has_header = false;
  for (std::size_t j = 0; j < features.columns(); ++j) {
    result.schema.columns.push_back({fmt::format("x{}", j + 1), ColumnKind::numeric, {}});
  }
  result.schema.label_position = features.columns();
  result.schema.file_columns = features.columns() + 1;
  result.file_rows.resize(n);
  std::iota(result.file_rows.begin(), result.file_rows.end(), std::size_t{1});
  result.features = std::move(features);
  return result;
}

void sort_classes(std::vector<std::string>& classes) {
  std::vector<std::pair<double, std::string>> keyed;
  keyed.reserve(classes.size());
  for (const std::string& spelling : classes) {
    double value = 0;
    if (detail::classify_cell(spelling, value) != detail::CellKind::number) {
      std::ranges::sort(classes);
      return;
    }
    keyed.emplace_back(value, spelling);
  }
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < keyed.size(); ++i) classes[i] = std::move(keyed[i].second);
}

void check_trainable(const Dataset& dataset) {
  const std::size_t n = dataset.rows();
  if (!dataset.is_labelled()) refuse(dataset, "the data have no labels, so nothing can be learnt from them");
  if (dataset.labels.size() != n) {
    refuse(dataset, fmt::format("there are {} for {}", detail::counted(dataset.labels.size(), "label"),
                                detail::counted(n, "row")));
  }
  std::vector<std::size_t> counts(dataset.class_count(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    const int label = dataset.labels[i];
    if (label < 0 || static_cast<std::size_t>(label) >= counts.size()) {
      const std::size_t row = dataset.file_rows.empty() ? i + 1 : dataset.file_rows[i];
      refuse(dataset, fmt::format("data row {} has no known label; every row to train on needs one", row),
             dataset.schema.label_name);
    }
    ++counts[static_cast<std::size_t>(label)];
  }
  if (std::ranges::count_if(counts, [](std::size_t count) { return count > 0; }) < 2) {
    const auto only = std::ranges::find_if(counts, [](std::size_t count) { return count > 0; });
    const std::string name = dataset.schema.classes.at(static_cast<std::size_t>(only - counts.begin()));
    refuse(dataset,
           fmt::format("all {} have the label {}; a classifier needs at least two classes", detail::counted(n, "row"),
                       detail::quoted(name)),
           dataset.schema.label_name);
  }
  if (!dataset.weights.empty() && dataset.weights.size() != n) {
    refuse(dataset, fmt::format("there are {} for {}", detail::counted(dataset.weights.size(), "weight"),
                                detail::counted(n, "row")));
  }
  for (std::size_t i = 0; i < dataset.weights.size(); ++i) {
    const double weight = dataset.weights[i];
    if (!std::isfinite(weight) || weight <= 0) {
      refuse(dataset, fmt::format("the weight {} of row {} is not a finite number above 0", weight, i + 1));
    }
  }
}

}  // namespace credence::data
