#include "credence/data/dataset.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "data/cell.hpp"
#include "data/labels.hpp"

namespace credence::data {

std::string Schema::label_column() const {
  if (label_name.empty()) return {};
  return '\'' + label_name + '\'' + (label_position + 1 == file_columns ? " (the last column)" : "");
}

namespace {

/// The same codes in the same order, numbered 0, 1, ...
std::vector<int> without_gaps(std::vector<int> codes) {
  std::vector<int> used = codes;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (int& code : codes) code = static_cast<int>(std::ranges::lower_bound(used, code) - used.begin());
  return codes;
}

/// Other features, with what `list` and `codes` make of the lists that a data set has for its rows.
Dataset with_lists(const Dataset& from, Features features, const auto& list, const auto& codes) {
  Dataset result;
  result.features = std::move(features);
  result.schema = from.schema;
  result.labels = list(from.labels);
  result.targets = list(from.targets);
  result.weights = list(from.weights);
  result.hint = list(from.hint);
  result.groups = codes(from.groups);
  result.folds = codes(from.folds);
  result.copies = codes(from.copies);
  result.copies_count_once = from.copies_count_once;
  result.file_rows = list(from.file_rows);
  result.source = from.source;
  return result;
}

[[noreturn]] void refuse_dataset(const Dataset& dataset, const std::string& sentence, const std::string& column = "") {
  refuse_data(sentence, {dataset.source, 0, column});
}

void check_numbers(const Features& features) {
  if (features.is_sparse()) {
    if (const std::string problem = features.sparse().problem(); !problem.empty()) refuse_data(problem);
  }
  const std::span<const double> values = features.stored();
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
  refuse_data(
      fmt::format("row {}, column {} holds {}; every value must be a finite number", row + 1, column + 1, *bad));
}

void check_count(const Features& features, std::size_t count, std::string_view noun) {
  if (count == 0 || count == features.rows()) return;
  refuse_data(fmt::format("there are {} for {}; each row needs one", detail::count_of(count, noun),
                          detail::count_of(features.rows(), "row")));
}

/// Features, their names and the numbers of their rows.
void add_features(Dataset& dataset, Features features) {
  dataset.schema.has_header = false;
  for (std::size_t j = 0; j < features.columns(); ++j)
    dataset.schema.columns.push_back({fmt::format("x{}", j + 1), ColumnKind::numeric, {}});
  dataset.schema.label_position = features.columns();
  dataset.schema.file_columns = features.columns() + 1;
  dataset.file_rows = core::numbers_from(1, features.rows());
  dataset.features = std::move(features);
}

std::size_t file_row(const Dataset& dataset, std::size_t row) {
  return dataset.file_rows.empty() ? row + 1 : dataset.file_rows[row];
}

void check_per_row(const Dataset& dataset, std::size_t count, std::string_view noun) {
  if (count == dataset.rows()) return;
  refuse_dataset(dataset, fmt::format("there are {} for {}", detail::count_of(count, noun),
                                      detail::count_of(dataset.rows(), "row")));
}

void check_classes_occur(const Dataset& dataset) {
  const std::size_t n = dataset.rows();
  std::vector<std::size_t> counts(dataset.class_count(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    const int label = dataset.labels[i];
    if (label < 0 || static_cast<std::size_t>(label) >= counts.size()) {
      refuse_dataset(dataset,
                     fmt::format("data row {} has no known label; every training row needs one", file_row(dataset, i)),
                     dataset.schema.label_name);
    }
    ++counts[static_cast<std::size_t>(label)];
  }
  if (std::ranges::count_if(counts, [](std::size_t count) { return count > 0; }) >= 2) return;
  const auto only = std::ranges::find_if(counts, [](std::size_t count) { return count > 0; });
  const std::string name = dataset.schema.classes.at(static_cast<std::size_t>(only - counts.begin()));
  refuse_dataset(dataset,
                 fmt::format("{} the label {}; a classifier needs at least two classes",
                             n == 1 ? "the only row has" : fmt::format("all {} rows have", n), detail::in_quotes(name)),
                 dataset.schema.label_name);
}

void check_weights(const Dataset& dataset) {
  if (!dataset.weights.empty()) check_per_row(dataset, dataset.weights.size(), "weight");
  for (std::size_t i = 0; i < dataset.weights.size(); ++i) {
    const double weight = dataset.weights[i];
    if (weight >= 1e-100 && weight <= 1e100) continue;
    const bool positive = std::isfinite(weight) && weight > 0;
    refuse_dataset(dataset, fmt::format("the weight {} of row {} is {}", weight, i + 1,
                                        positive ? "beyond 1e-100 to 1e100, so that sums of squares lose it"
                                                 : "not a finite number above 0"));
  }
}

}  // namespace

std::string Dataset::column_label(std::size_t column) const {
  const std::string& name = schema.columns.at(column).name;
  if (name.empty()) return fmt::format("column {}", column + 1);
  return schema.has_header ? "'" + name + "'" : name;
}

const std::vector<std::string>* Dataset::texts_of(const std::string& name) const {
  auto found = std::ranges::find(texts, name, &TextColumn::name);
  if (found == texts.end())
    found = std::ranges::find_if(texts, [&](const TextColumn& one) { return std::to_string(one.position) == name; });
  return found == texts.end() ? nullptr : &found->cells;
}

Schema Dataset::schema_without_hint() const {
  Schema plain = schema;
  plain.hint_name.clear();
  return plain;
}

Dataset Dataset::select_rows(std::span<const std::size_t> rows) const {
  const auto picked = [&](const auto& list) { return core::picked(list, rows); };
  return with_lists(*this, features.select_rows(rows), picked,
                    [&](const std::vector<int>& codes) { return without_gaps(picked(codes)); });
}

void Dataset::refuse_other_classes() const {
  const auto first = std::ranges::find_if(labels, [](int label) { return label < 0; });
  if (first == labels.end()) return;
  const std::size_t row = file_row(*this, static_cast<std::size_t>(first - labels.begin()));
  if (other_class && other_class->name.empty()) refuse_data(fmt::format("row {} has no label", row), {source, 0, {}});
  const std::string other = other_class ? fmt::format("the class '{}'", other_class->name) : "a class";
  refuse_data(fmt::format("row {} has {} that the model does not know; its classes are {}", row, other,
                          fmt::join(schema.classes, ", ")),
              {source, other_class ? other_class->line : 0, {}});
}

Dataset Dataset::with_features(Features others) const {
  Dataset result = with_lists(*this, std::move(others), std::identity{}, std::identity{});
  result.splits = splits;
  return result;
}

std::size_t Dataset::units() const {
  const std::vector<int>& codes = groups.empty() ? copies : groups;
  return codes.empty() ? rows() : static_cast<std::size_t>(*std::ranges::max_element(codes)) + 1;
}

double Dataset::share_that_counts() const {
  return copies_count_once ? static_cast<double>(units()) / static_cast<double>(rows()) : 1;
}

Dataset make_dataset(Features features, std::span<const std::string> labels) {
  check_count(features, labels.size(), "label");
  check_numbers(features);
  Dataset result;
  detail::Interner interner;
  std::vector<std::uint32_t> codes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::string_view label = detail::trimmed(labels[i]);
    if (label.empty()) refuse_data(fmt::format("the label of row {} is empty", i + 1));
    codes.push_back(interner.code(label, i + 1));
  }
  detail::Coded coded = detail::code_labels(interner, codes, LabelsAre::as_written);
  result.notes = std::move(coded.notes);
  check_classes(coded.spellings, labels.size());
  result.labels = std::move(coded.codes);
  result.schema.classes = std::move(coded.spellings);
  add_features(result, std::move(features));
  return result;
}

Dataset make_regression_dataset(Features features, std::span<const double> targets) {
  check_count(features, targets.size(), "target");
  check_numbers(features);
  const auto bad = std::ranges::find_if(targets, [](double target) { return !std::isfinite(target); });
  if (bad != targets.end()) {
    refuse_data(fmt::format("the target of row {} is {}; every target must be a finite number",
                            bad - targets.begin() + 1, *bad));
  }
  Dataset result;
  result.schema.task = Task::regression;
  result.targets.assign(targets.begin(), targets.end());
  add_features(result, std::move(features));
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
  if (dataset.is_regression()) {
    refuse_dataset(dataset,
                   "the data are those of a regression, with numbers to predict, but a classifier needs classes",
                   dataset.schema.label_name);
  }
  if (!dataset.is_labelled()) refuse_dataset(dataset, "the data have no labels, and training needs labels");
  check_per_row(dataset, dataset.labels.size(), "label");
  check_classes_occur(dataset);
  check_weights(dataset);
}

void check_trainable_regression(const Dataset& dataset) {
  const std::string& column = dataset.schema.label_name;
  if (!dataset.is_regression()) {
    refuse_dataset(
        dataset, "the data are those of a classifier, with classes to predict, but a regression needs numbers", column);
  }
  if (!dataset.is_labelled()) refuse_dataset(dataset, "the data have no targets, and training needs targets");
  check_per_row(dataset, dataset.targets.size(), "target");
  if (dataset.rows() < 2) refuse_dataset(dataset, "there is one row; a regression needs at least two");
  const std::vector<double>& targets = dataset.targets;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (std::isfinite(targets[i])) continue;
    refuse_dataset(
        dataset, fmt::format("data row {} has no target; every training row needs one", file_row(dataset, i)), column);
  }
  if (std::ranges::all_of(targets, [&](double target) { return target == targets.front(); })) {
    refuse_dataset(dataset,
                   fmt::format("all {} have the target {}; a regression needs targets that differ",
                               detail::count_of(dataset.rows(), "row"), targets.front()),
                   column);
  }
  check_weights(dataset);
}

}  // namespace credence::data
