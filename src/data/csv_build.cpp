#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/cell.hpp"
#include "data/csv.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

/// Remembers the first problem of the file, in reading order.
class Problems {
 public:
  explicit Problems(const Layout& layout) : layout_(layout) {}

  void add(std::size_t line, std::size_t position, const std::string& sentence) {
    if (first_ && std::tie(first_->line, first_->position) <= std::tie(line, position)) return;
    first_ = {line, position, sentence};
  }
  void throw_first() const {
    if (first_) throw Error(ErrorCode::invalid_data, first_->sentence, layout_.where(first_->line, first_->position));
  }

 private:
  struct Problem {
    std::size_t line;
    std::size_t position;
    std::string sentence;
  };
  const Layout& layout_;
  std::optional<Problem> first_;
};

class Builder {
 public:
  Builder(CsvFile file, const ReadOptions& options)
      : table_(std::move(file.table)), layout_(std::move(file.layout)), options_(options) {}

  Dataset build() {
    if (layout_.features.empty()) refuse_no_features();
    find_problems();
    choose_rows();
    make_levels();
    Dataset result;
    result.source = layout_.file;
    result.features = take_features();
    result.schema = schema_ != nullptr ? *schema_ : new_schema();
    add_labels(result);
    if (layout_.groups) result.groups = sort_codes(spellings(*layout_.groups), group_codes_).codes;
    if (layout_.folds) result.folds = sort_codes(spellings(*layout_.folds), fold_codes_).codes;
    result.targets = std::move(targets_);
    result.weights = std::move(weights_);
    result.hint = std::move(hint_);
    result.file_rows = std::move(file_rows_);
    return result;
  }

 private:
  const Interner& spellings(std::size_t position) const { return table_.columns[position].spellings; }
  bool is_categorical(std::size_t feature) const {
    return layout_.categorical[feature] || table_.columns[layout_.features[feature]].texts > 0;
  }

  [[noreturn]] void refuse_no_features() const {
    if (!options_.only.empty()) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("the file has none of the columns '{}'", fmt::join(options_.only, "', '")),
                  {.file = layout_.file});
    }
    throw Error(ErrorCode::invalid_data,
                fmt::format("the file has {} and none is left for features; check the delimiter",
                            count_of(layout_.names.size(), "column")),
                {.file = layout_.file});
  }

  void find_problems() const {
    Problems problems(layout_);
    for (std::size_t k = 0; k < layout_.features.size(); ++k) check_feature(k, problems);
    check_weights(problems);
    if (layout_.hint) check_numbers(*layout_.hint, "hint", problems);
    for (const auto& [position, what] :
         {std::pair{layout_.hint, "hint"}, std::pair{layout_.groups, "group"}, std::pair{layout_.folds, "fold"}}) {
      if (position) check_required(*position, what, problems);
    }
    check_label(problems);
    problems.throw_first();
  }

  /// Rows for a model need no label; but what stands in a column of numbers must be one.
  void check_label(Problems& problems) const {
    if (!layout_.label) return;
    if (schema_ == nullptr) check_required(*layout_.label, regression_ ? "target" : "label", problems);
    if (regression_) check_numbers(*layout_.label, "target", problems);
  }

  void check_feature(std::size_t feature, Problems& problems) const {
    const std::size_t position = layout_.features[feature];
    const TableColumn& column = table_.columns[position];
    if (column.first_infinite.line > 0) add_infinite(position, problems);
    if (column.missing > 0 && options_.missing == Missing::error) {
      problems.add(column.first_missing.line, position,
                   fmt::format("a cell is missing ({} in {}){}", count_of(column.missing, "missing cell"),
                               layout_.phrase(position),
                               options_.numbers ? "" : "; missing cells can be imputed, or their rows dropped"));
    }
    if (options_.numbers && column.texts > 0) {
      problems.add(
          column.first_text.line, position,
          fmt::format("{} must hold numbers; {} is not one", layout_.phrase(position), quoted(column.first_text.text)));
    } else if (schema_ != nullptr) {
      check_schema_feature(feature, problems);
    } else if (column.numbers > 0 && column.texts > 0) {
      add_mixture(position, problems);
    }
  }

  void check_schema_feature(std::size_t feature, Problems& problems) const {
    const std::size_t position = layout_.features[feature];
    const TableColumn& column = table_.columns[position];
    if (!layout_.categorical[feature]) {
      if (column.texts == 0) return;
      problems.add(column.first_text.line, position,
                   fmt::format("{} is numeric in the model; {} is not a number", layout_.phrase(position),
                               quoted(column.first_text.text)));
      return;
    }
    const std::vector<std::string>& levels = schema_->columns[feature].levels;
    const std::unordered_set<std::string_view> known(levels.begin(), levels.end());
    for (std::size_t code = 0; code < column.spellings.size(); ++code) {
      const std::string& level = column.spellings.spelling(code);
      if (known.contains(level)) continue;
      problems.add(column.spellings.line(code), position,
                   fmt::format("{} holds {}, which is none of the {} that the model knows", layout_.phrase(position),
                               quoted(level), count_of(levels.size(), "level")));
      return;
    }
  }

  void add_mixture(std::size_t position, Problems& problems) const {
    const TableColumn& column = table_.columns[position];
    const bool numeric = column.numbers >= column.texts;
    const Place& place = numeric ? column.first_text : column.first_number;
    problems.add(place.line, position,
                 fmt::format("{} holds {} and the {} {}; correct the cell or declare the column categorical",
                             layout_.phrase(position),
                             numeric ? count_of(column.numbers, "number") : count_of(column.texts, "text"),
                             numeric ? "text" : "number", quoted(place.text)));
  }

  void add_infinite(std::size_t position, Problems& problems) const {
    const Place& place = table_.columns[position].first_infinite;
    problems.add(place.line, position, fmt::format("{} is not a finite number", quoted(place.text)));
  }

  void check_weights(Problems& problems) const {
    if (!layout_.weights) return;
    const std::size_t position = *layout_.weights;
    check_required(position, "weight", problems);
    if (!check_numbers(position, "weight", problems)) return;
    table_.for_each_row([&](std::size_t row, const double* cells) {
      if (cells[position] <= 0) {
        problems.add(table_.line(row), position,
                     fmt::format("the weight {} is not above 0; leave rows out instead", cells[position]));
      }
    });
  }

  /// Of a column that is no feature. False if there is text in it.
  bool check_numbers(std::size_t position, std::string_view what, Problems& problems) const {
    const TableColumn& column = table_.columns[position];
    if (column.first_infinite.line > 0) add_infinite(position, problems);
    if (column.texts == 0) return true;
    problems.add(column.first_text.line, position,
                 fmt::format("the {} {} is not a number", what, quoted(column.first_text.text)));
    return false;
  }

  /// Only dropping rows is a way to deal with a missing label, target, weight, hint, group or fold.
  void check_required(std::size_t position, std::string_view what, Problems& problems) const {
    const TableColumn& column = table_.columns[position];
    if (column.missing == 0 || options_.missing == Missing::drop) return;
    problems.add(column.first_missing.line, position,
                 fmt::format("the {} is missing; correct the cell or drop the rows with missing cells", what));
  }

  void choose_rows() {
    keep_.assign(table_.rows(), true);
    if (options_.missing == Missing::drop) {
      std::vector<std::size_t> needed = layout_.features;
      for (const auto& other : {layout_.weights, layout_.hint, layout_.groups, layout_.folds})
        if (other) needed.push_back(*other);
      if (layout_.label && schema_ == nullptr) needed.push_back(*layout_.label);
      table_.for_each_row([&](std::size_t row, const double* cells) {
        keep_[row] = std::ranges::none_of(needed, [cells](std::size_t j) { return std::isnan(cells[j]); });
      });
    }
    for (std::size_t row = 0; row < keep_.size(); ++row)
      if (keep_[row]) file_rows_.push_back(row + 1);
    if (file_rows_.empty()) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("no row is left: each of the {} has a missing cell", count_of(keep_.size(), "row")),
                  {.file = layout_.file});
    }
  }

  /// Levels that occur in the kept rows, and for every categorical feature the map from codes to levels.
  void make_levels() {
    levels_.resize(layout_.features.size());
    level_of_.resize(layout_.features.size());
    for (std::size_t k = 0; k < layout_.features.size(); ++k)
      if (is_categorical(k)) level_of_[k].assign(spellings(layout_.features[k]).size(), missing_value);
    if (schema_ == nullptr) mark_used_levels();
    for (std::size_t k = 0; k < layout_.features.size(); ++k)
      if (is_categorical(k)) number_levels(k);
  }

  void mark_used_levels() {
    if (std::ranges::all_of(level_of_, &std::vector<double>::empty)) return;
    table_.for_each_row([&](std::size_t row, const double* cells) {
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
      refuse_identifier(feature);
    }
    std::unordered_map<std::string_view, std::size_t> position;
    for (std::size_t i = 0; i < levels.size(); ++i) position.emplace(levels[i], i);
    for (std::size_t code = 0; code < known.size(); ++code) {
      const auto level = position.find(known.spelling(code));
      if (level != position.end()) level_of_[feature][code] = static_cast<double>(level->second);
    }
  }

  void refuse_identifier(std::size_t feature) const {
    constexpr std::size_t most_distinct_rows = 50;
    if (file_rows_.size() <= most_distinct_rows || levels_[feature].size() < file_rows_.size()) return;
    const std::size_t position = layout_.features[feature];
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} has a different text in each of the {} rows, so it looks like an identifier; leave it "
                            "out of the file",
                            layout_.phrase(position), file_rows_.size()),
                layout_.where(0, position));
  }

  DenseMatrix take_features() {
    DenseMatrix matrix(file_rows_.size(), layout_.features.size());
    std::size_t kept = 0;
    table_.consume_rows([&](std::size_t row, const double* cells) {
      if (!keep_[row]) return;
      copy_features(cells, matrix.row(kept++));
      if (layout_.weights) weights_.push_back(cells[*layout_.weights]);
      if (layout_.hint) hint_.push_back(cells[*layout_.hint]);
      if (regression_ && layout_.label) targets_.push_back(cells[*layout_.label]);
      if (!regression_) add_code(layout_.label, cells, label_codes_);
      add_code(layout_.groups, cells, group_codes_);
      add_code(layout_.folds, cells, fold_codes_);
    });
    return matrix;
  }

  void copy_features(const double* cells, std::span<double> out) const {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double cell = cells[layout_.features[k]];
      out[k] = level_of_[k].empty() || std::isnan(cell) ? cell : level_of_[k][static_cast<std::size_t>(cell)];
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
    return schema;
  }

  void add_labels(Dataset& dataset) const {
    if (!layout_.label || regression_) return;
    const Interner& known = spellings(*layout_.label);
    if (schema_ != nullptr) {
      dataset.labels = match_codes(known, label_codes_, schema_->classes);
      return;
    }
    Coded coded = sort_codes(known, label_codes_);
    check_classes(coded.spellings, layout_.where(0, *layout_.label));
    dataset.schema.classes = std::move(coded.spellings);
    dataset.labels = std::move(coded.codes);
  }

  Table table_;
  Layout layout_;
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

Dataset build_dataset(CsvFile file, const ReadOptions& options) {
  return Builder(std::move(file), options).build();
}

}  // namespace credence::data::detail
