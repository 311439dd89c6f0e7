#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "data/cell.hpp"
#include "data/column_notes.hpp"
#include "data/csv/csv.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

constexpr double missing_cell = std::numeric_limits<double>::quiet_NaN();

class Builder {
 public:
  Builder(CsvFile& file, std::size_t count, const ReadOptions& options)
      : table_(file.table), layout_(file.layout), count_(std::min(count, table_.rows())), options_(options) {}

  Dataset build(Built& built) {
    start_levels();
    if (schema_ != nullptr) make_levels();
    choose_rows(built);
    if (schema_ == nullptr) make_levels();
    Dataset result;
    result.source = layout_.file;
    result.features = take_features(result);
    result.schema = schema_ != nullptr ? *schema_ : new_schema();
    add_labels(result);
    if (layout_.groups) result.groups = sort_codes(spellings(*layout_.groups), group_codes_).codes;
    if (layout_.folds) result.folds = sort_codes(spellings(*layout_.folds), fold_codes_).codes;
    result.targets = std::move(targets_);
    result.weights = std::move(weights_);
    result.hint = std::move(hint_);
    result.file_rows = std::move(file_rows_);
    const Phrase column = [this](std::size_t feature) { return layout_.phrase(layout_.features[feature]); };
    const Phrase row = [this](std::size_t kept) { return fmt::format("line {}", lines_[kept]); };
    if (schema_ != nullptr) {
      note_unseen(result, built);
      return result;
    }
    for (std::string& note : column_notes(result, column, row, layout_.categorical))
      result.notes.push_back(std::move(note));
    return result;
  }

 private:
  const Interner& spellings(std::size_t position) const { return table_.columns[position].spellings; }
  bool is_categorical(std::size_t feature) const {
    return layout_.categorical[feature] || table_.columns[layout_.features[feature]].texts > 0;
  }

  void choose_rows(Built& built) {
    keep_.assign(count_, true);
    if (options_.missing == Missing::drop) {
      std::vector<std::size_t> needed = layout_.features;
      for (const auto& other : {layout_.weights, layout_.hint, layout_.groups, layout_.folds})
        if (other) needed.push_back(*other);
      if (layout_.label && schema_ == nullptr) needed.push_back(*layout_.label);
      table_.for_each_row(count_, [&](std::size_t row, std::size_t, const double* cells) {
        keep_[row] = std::ranges::none_of(needed, [cells](std::size_t j) { return std::isnan(cells[j]); });
        for (std::size_t k = 0; schema_ != nullptr && keep_[row] && k < layout_.features.size(); ++k)
          keep_[row] = !std::isnan(value_of(k, cells));
      });
    }
    for (std::size_t row = 0; row < keep_.size(); ++row)
      if (keep_[row]) file_rows_.push_back(built.rows + row + 1);
    built.rows += keep_.size();
    built.kept += file_rows_.size();
  }

  void start_levels() {
    levels_.resize(layout_.features.size());
    level_of_.resize(layout_.features.size());
    const bool other = schema_ != nullptr && options_.unseen == Unseen::other;
    for (std::size_t k = 0; k < layout_.features.size(); ++k) {
      if (!is_categorical(k)) continue;
      const double unseen = other ? static_cast<double>(schema_->columns[k].levels.size()) : missing_cell;
      level_of_[k].assign(spellings(layout_.features[k]).size(), unseen);
    }
  }

  /// Levels that occur in the kept rows, and for every categorical feature the map from codes to levels.
  void make_levels() {
    if (schema_ == nullptr) mark_used_levels();
    for (std::size_t k = 0; k < layout_.features.size(); ++k)
      if (is_categorical(k)) number_levels(k);
  }

  void mark_used_levels() {
    if (std::ranges::all_of(level_of_, &std::vector<double>::empty)) return;
    table_.for_each_row(count_, [&](std::size_t row, std::size_t, const double* cells) {
      if (!keep_[row]) return;
      for (std::size_t k = 0; k < level_of_.size(); ++k) {
        const double code = cells[layout_.features[k]];
        if (!level_of_[k].empty() && !std::isnan(code)) level_of_[k][static_cast<std::size_t>(code)] = 0;
      }
    });
  }

  void number_levels(std::size_t feature) {
    const Interner& known = spellings(layout_.features[feature]);
    std::vector<std::string>& levels = levels_[feature];
    if (schema_ != nullptr) {
      levels = schema_->columns[feature].levels;
    } else {
      for (std::size_t code = 0; code < known.size(); ++code)
        if (!std::isnan(level_of_[feature][code])) levels.push_back(known.spelling(code));
      sort_classes(levels);
      refuse_misread_numbers(feature);
    }
    std::unordered_map<std::string_view, std::size_t> position;
    for (std::size_t i = 0; i < levels.size(); ++i) position.emplace(levels[i], i);
    for (std::size_t code = 0; code < known.size(); ++code) {
      const auto level = position.find(known.spelling(code));
      if (level != position.end()) level_of_[feature][code] = static_cast<double>(level->second);
    }
  }

  bool decimal_comma() const { return options_.decimal == Decimal::comma; }

  void refuse_misread_numbers(std::size_t feature) const {
    constexpr std::size_t most_distinct_rows = 50;
    const bool all_differ = file_rows_.size() > most_distinct_rows && levels_[feature].size() == file_rows_.size();
    if (layout_.categorical[feature] || !all_differ) return;
    const std::string what = likeness_of_numbers(levels_[feature], decimal_comma());
    if (what.empty()) return;
    refuse_data(fmt::format("the column has a different text in each of the {} rows, all of them numbers with {}",
                            file_rows_.size(), what),
                layout_.where(0, layout_.features[feature]));
  }

  DenseMatrix take_features(Dataset& dataset) {
    for (const std::size_t position : layout_.texts)
      dataset.texts.push_back({layout_.names[position], {}, position + 1});
    // The rows are added one by one while those of the table go, so that memory never holds all of them twice.
    std::vector<double> values;
    values.reserve(file_rows_.size() * layout_.features.size());
    std::vector<double> features(layout_.features.size());
    table_.consume_rows(count_, [&](std::size_t row, std::size_t line, const double* cells, std::string* texts) {
      if (!keep_[row]) return;
      if (schema_ == nullptr) lines_.push_back(line);
      for (std::size_t i = 0; i < layout_.texts.size(); ++i) dataset.texts[i].cells.push_back(texts[layout_.texts[i]]);
      copy_features(cells, features);
      values.insert(values.end(), features.begin(), features.end());
      if (layout_.weights) weights_.push_back(cells[*layout_.weights]);
      if (layout_.hint) hint_.push_back(cells[*layout_.hint]);
      if (regression_ && layout_.label) targets_.push_back(cells[*layout_.label]);
      if (!regression_) add_code(layout_.label, cells, label_codes_);
      add_code(layout_.groups, cells, group_codes_);
      add_code(layout_.folds, cells, fold_codes_);
    });
    DenseMatrix matrix;
    matrix.rows = file_rows_.size();
    matrix.columns = layout_.features.size();
    matrix.values = std::move(values);
    return matrix;
  }

  void copy_features(const double* cells, std::span<double> out) const {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = value_of(k, cells);
  }

  /// Of a feature: a number, a level, or NaN where it is missing.
  double value_of(std::size_t feature, const double* cells) const {
    const double cell = cells[layout_.features[feature]];
    const bool is_plain = level_of_[feature].empty() || std::isnan(cell);
    return is_plain ? cell : level_of_[feature][static_cast<std::size_t>(cell)];
  }

  /// Once for each column, however many blocks the rows are read in.
  void note_unseen(Dataset& dataset, Built& built) const {
    built.unseen_noted.resize(layout_.features.size(), false);
    for (std::size_t k = 0; k < layout_.features.size(); ++k) {
      const std::optional<UnseenLevel> unseen = first_unseen(table_, layout_, *schema_, k);
      if (!unseen || built.unseen_noted[k]) continue;
      built.unseen_noted[k] = true;
      dataset.notes.push_back(fmt::format("{} holds {} in line {}, which is {}; values of unknown levels count as {}",
                                          layout_.phrase(layout_.features[k]), in_quotes(unseen->level), unseen->line,
                                          unseen->known,
                                          options_.unseen == Unseen::missing ? "missing" : "none of the levels"));
    }
  }

  static void add_code(const std::optional<std::size_t>& position, const double* cells,
                       std::vector<std::uint32_t>& codes) {
    if (!position) return;
    const double cell = cells[*position];
    codes.push_back(std::isnan(cell) ? no_code : static_cast<std::uint32_t>(cell));
  }

  Schema new_schema() {
    Schema schema;
    schema.task = options_.task;
    for (std::size_t k = 0; k < layout_.features.size(); ++k) {
      schema.columns.push_back({layout_.names[layout_.features[k]],
                                is_categorical(k) ? ColumnKind::categorical : ColumnKind::numeric,
                                std::move(levels_[k])});
    }
    schema.has_header = layout_.has_header;
    schema.file_columns = layout_.names.size();
    schema.label_position = layout_.label.value_or(schema.file_columns);
    if (layout_.label && layout_.has_header) schema.label_name = layout_.names[*layout_.label];
    if (layout_.hint) schema.hint_name = layout_.names[*layout_.hint];
    schema.delimiter = options_.delimiter;
    schema.decimal_comma = options_.decimal == Decimal::comma;
    schema.latin1 = options_.encoding == Encoding::latin1;
    add_codes(schema);
    return schema;
  }

  /// Those that rows to predict may hold: of all columns, of features and of the label.
  void add_codes(Schema& schema) const {
    for (MissingCode code : layout_.given_codes) {
      if (code.column) {
        const auto feature = std::ranges::find(layout_.features, *code.column);
        if (feature == layout_.features.end() && code.column != layout_.label) continue;
        code.column = static_cast<std::size_t>(feature - layout_.features.begin());
      }
      schema.missing_codes.push_back(std::move(code));
    }
  }

  void add_labels(Dataset& dataset) const {
    if (!layout_.label || regression_) return;
    const Interner& known = spellings(*layout_.label);
    if (schema_ != nullptr) {
      match_labels(dataset, known, label_codes_);
      return;
    }
    const LabelsAre labels = layout_.label_is_name ? LabelsAre::names : LabelsAre::as_written;
    Coded coded = code_labels(known, label_codes_, labels);
    // Where a column of scores has the name of each class, labels are classes.
    check_classes(coded.spellings, options_.numbers ? 0 : file_rows_.size(), layout_.where(0, *layout_.label), labels);
    dataset.notes.insert(dataset.notes.end(), coded.notes.begin(), coded.notes.end());
    if (const std::string note = note_on_fractions(coded.spellings, labels); !note.empty() && !options_.numbers)
      dataset.notes.push_back(note);
    dataset.schema.classes = std::move(coded.spellings);
    dataset.labels = std::move(coded.codes);
  }

  Table& table_;
  const Layout& layout_;
  std::size_t count_;
  const ReadOptions& options_;
  const Schema* schema_ = options_.schema;
  const bool regression_ = task_of(options_) == Task::regression;
  std::vector<bool> keep_;
  std::vector<std::size_t> file_rows_;
  std::vector<std::size_t> lines_;  ///< of the rows, for notes
  std::vector<std::vector<std::string>> levels_;
  std::vector<std::vector<double>> level_of_;  ///< code -> level; empty for numeric features
  std::vector<double> targets_;
  std::vector<double> weights_;
  std::vector<double> hint_;
  std::vector<std::uint32_t> label_codes_;
  std::vector<std::uint32_t> group_codes_;
  std::vector<std::uint32_t> fold_codes_;
};

/// Why a column of text says nothing about new rows, and what to do about that; empty if it may say something.
std::string reason_to_leave_out_texts(const TableColumn& column, std::size_t rows, bool decimal_comma) {
  if (column.texts == 0 || column.numbers > 0) return "";
  std::vector<std::string> texts;
  for (std::size_t code = 0; code < column.spellings.size(); ++code) texts.push_back(column.spellings.spelling(code));
  return reason_to_leave_out(texts, rows, decimal_comma);
}

/// The same of numbers, which may be those of the rows.
std::string reason_to_leave_out_numbers(const CsvFile& file, std::size_t position) {
  const std::string name = file.layout.is_unnamed(position) ? "" : file.layout.names[position];
  if (!file.layout.has_header || file.table.columns[position].texts > 0 || !names_index(name, position)) return "";
  std::vector<double> numbers;
  file.table.for_each_row(file.table.rows(),
                          [&](std::size_t, std::size_t, const double* cells) { numbers.push_back(cells[position]); });
  const std::string likeness = likeness_of_row_numbers(name, position, std::move(numbers));
  return likeness.empty() ? "" : likeness + ", so it is left out; otherwise keep the column";
}

}  // namespace

void leave_out_columns(CsvFile& file, const ReadOptions& options) {
  if (options.schema != nullptr || options.numbers) return;
  Layout& layout = file.layout;
  std::vector<std::size_t> features;
  std::vector<bool> categorical;
  std::vector<std::size_t> empty;
  std::string last;
  for (std::size_t k = 0; k < layout.features.size(); ++k) {
    const std::size_t position = layout.features[k];
    std::string reason;
    if (!layout.categorical[k] && std::ranges::find(layout.kept, position) == layout.kept.end()) {
      reason =
          reason_to_leave_out_texts(file.table.columns[position], file.table.rows(), options.decimal == Decimal::comma);
      if (reason.empty()) reason = reason_to_leave_out_numbers(file, position);
      const TableColumn& column = file.table.columns[position];
      if (column.numbers + column.texts == 0 && (!layout.has_header || layout.is_unnamed(position))) {
        empty.push_back(position + 1);
        continue;
      }
    }
    if (reason.empty()) {
      features.push_back(position);
      categorical.push_back(layout.categorical[k]);
      continue;
    }
    last = fmt::format("{} {}", layout.phrase(position), reason);
    file.notes.push_back(last);
  }
  if (!empty.empty()) {
    last = fmt::format("columns without a name and without any value are left out: {}", fmt::join(empty, ", "));
    file.notes.push_back(last);
  }
  if (features.empty() && !last.empty()) refuse_data("no column is left for features: " + last, {.file = layout.file});
  layout.features = std::move(features);
  layout.categorical = std::move(categorical);
}

Dataset build_dataset(CsvFile& file, std::size_t count, const ReadOptions& options, Built& built) {
  Dataset dataset = Builder(file, count, options).build(built);
  dataset.notes.insert(dataset.notes.begin(), file.notes.begin(), file.notes.end());
  file.notes.clear();
  return dataset;
}

void refuse_no_rows(const CsvFile& file, const Built& built) {
  if (built.kept > 0) return;
  refuse_data(fmt::format("no row is left: each of the {} has a missing value", count_of(built.rows, "row")),
              {.file = file.layout.file});
}

}  // namespace credence::data::detail
