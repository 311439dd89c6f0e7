#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/cell.hpp"
#include "data/csv/csv.hpp"
#include "data/csv/text_columns.hpp"
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
    if (schema_ == nullptr)
      note_columns(result);
    else
      note_unseen(result, built);
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
    throw Error(ErrorCode::invalid_data,
                fmt::format("the column has a different text in each of the {} rows, all of them numbers with {}",
                            file_rows_.size(), what),
                layout_.where(0, layout_.features[feature]));
  }

  /// What looks like a mistake but may be meant: a column of days may well count.
  void note_columns(Dataset& dataset) const {
    for (std::size_t k = 0; k < dataset.schema.columns.size(); ++k) {
      const Column& column = dataset.schema.columns[k];
      const std::string phrase = layout_.phrase(layout_.features[k]);
      if (const std::string what = layout_.categorical[k] ? "" : likeness_of_numbers(column.levels, decimal_comma());
          !what.empty()) {
        dataset.notes.push_back(fmt::format("{} is read as text, but all its texts are numbers with {}", phrase, what));
      } else if (const std::string likeness = likeness_of_identifier(dataset, k); !likeness.empty()) {
        dataset.notes.push_back(
            fmt::format("{} {}, so it looks like an identifier, which says nothing about new rows; "
                        "drop the column",
                        phrase, likeness));
      } else if (const std::string doubt =
                     layout_.categorical[k] ? "" : doubt_about_texts(column.levels, dataset.rows());
                 !doubt.empty()) {
        dataset.notes.push_back(fmt::format(
            "{} {}, and each becomes a column of its own; if they say little about new rows, drop the column", phrase,
            doubt));
      }
      for (std::string& note : notes_on_spellings(phrase + ": the levels", column.levels))
        dataset.notes.push_back(std::move(note));
    }
  }

  /// Why a column looks like an identifier; empty if it does not.
  static std::string likeness_of_identifier(const Dataset& dataset, std::size_t k) {
    constexpr std::size_t least_rows = 10;
    const DenseMatrix& matrix = dataset.features.dense();
    const Column& column = dataset.schema.columns[k];
    if (matrix.rows < least_rows) return "";
    if (column.kind == ColumnKind::categorical)
      return column.levels.size() == matrix.rows ? "has a different text in each row" : "";
    if (counts_rows(matrix, k, dataset.file_rows)) return "counts the rows";
    const bool distinct = is_called_identifier(column.name) && has_distinct_integers(matrix, k);
    return distinct ? "has a different whole number in each row" : "";
  }

  static bool counts_rows(const DenseMatrix& matrix, std::size_t column, const std::vector<std::size_t>& file_rows) {
    const double first = matrix.row(0)[column] - static_cast<double>(file_rows[0]);
    if (first != std::floor(first)) return false;  // of NaN too
    for (std::size_t i = 0; i < matrix.rows; ++i)
      if (matrix.row(i)[column] - static_cast<double>(file_rows[i]) != first) return false;
    return true;
  }

  static bool is_called_identifier(std::string_view name) {
    const std::string_view end = name.size() > 3 ? name.substr(name.size() - 3) : std::string_view{};
    return equal_ignoring_case(name, "id") || equal_ignoring_case(name, "index") || equal_ignoring_case(end, "_id") ||
           equal_ignoring_case(end, " id") || equal_ignoring_case(end, "-id");
  }

  static bool has_distinct_integers(const DenseMatrix& matrix, std::size_t column) {
    std::unordered_set<double> seen;
    for (std::size_t i = 0; i < matrix.rows; ++i) {
      const double value = matrix.row(i)[column];
      if (value != std::floor(value) || !seen.insert(value).second) return false;
    }
    return true;
  }

  DenseMatrix take_features(Dataset& dataset) {
    for (const std::size_t position : layout_.texts) dataset.texts.push_back({layout_.names[position], {}});
    // The rows are added one by one while those of the table go, so that memory never holds all of them twice.
    std::vector<double> values;
    values.reserve(file_rows_.size() * layout_.features.size());
    std::vector<double> features(layout_.features.size());
    table_.consume_rows(count_, [&](std::size_t row, std::size_t, const double* cells, std::string* texts) {
      if (!keep_[row]) return;
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
    return schema;
  }

  void add_labels(Dataset& dataset) const {
    if (!layout_.label || regression_) return;
    const Interner& known = spellings(*layout_.label);
    if (schema_ != nullptr) {
      dataset.labels = match_codes(known, label_codes_, schema_->classes);
      return;
    }
    const LabelsAre labels = layout_.label_is_name ? LabelsAre::names : LabelsAre::as_written;
    Coded coded = code_labels(known, label_codes_, labels);
    // Where a column of scores has the name of each class, labels are classes.
    check_classes(coded.spellings, options_.numbers ? 0 : file_rows_.size(), layout_.where(0, *layout_.label), labels);
    dataset.notes.insert(dataset.notes.end(), coded.notes.begin(), coded.notes.end());
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
  std::vector<std::vector<std::string>> levels_;
  std::vector<std::vector<double>> level_of_;  ///< code -> level; empty for numeric features
  std::vector<double> targets_;
  std::vector<double> weights_;
  std::vector<double> hint_;
  std::vector<std::uint32_t> label_codes_;
  std::vector<std::uint32_t> group_codes_;
  std::vector<std::uint32_t> fold_codes_;
};

}  // namespace

Dataset build_dataset(CsvFile& file, std::size_t count, const ReadOptions& options, Built& built) {
  Dataset dataset = Builder(file, count, options).build(built);
  dataset.notes.insert(dataset.notes.begin(), file.notes.begin(), file.notes.end());
  file.notes.clear();
  return dataset;
}

void refuse_no_rows(const CsvFile& file, const Built& built) {
  if (built.kept > 0) return;
  throw Error(ErrorCode::invalid_data,
              fmt::format("no row is left: each of the {} has a missing value", count_of(built.rows, "row")),
              {.file = file.layout.file});
}

}  // namespace credence::data::detail
