#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"

namespace credence::data {

enum class ColumnKind { numeric, categorical };

/// What is to be predicted: a class, or a number.
enum class Task { classification, regression };
constexpr auto words_of(Task) {
  return std::array{core::Word{"classification", Task::classification}, core::Word{"regression", Task::regression}};
}

/// What to do with missing cells: empty, `NA`, `?`, `nan` (any case for NA and nan).
enum class Missing {
  error,   ///< refuse the file, with line and column
  drop,    ///< leave out the rows that have one
  impute,  ///< keep them as NaN; Preprocessing fills them in
};
constexpr auto words_of(Missing) {
  return std::array{core::Word{"error", Missing::error}, core::Word{"drop", Missing::drop},
                    core::Word{"impute", Missing::impute}};
}

/// One raw feature column, as it stands in the file.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::numeric;
  std::vector<std::string> levels;  ///< categorical: the spellings, sorted; a cell holds an index into them
};

/// What a reader must know to read further rows for a model: which columns, and what the labels are called.
struct Schema {
  Task task = Task::classification;
  std::vector<Column> columns;       ///< raw feature columns, in the order of Dataset::features
  bool has_header = true;            ///< columns are matched by name if true, by position otherwise
  std::string label_name;            ///< empty if the file had no header
  std::size_t label_position = 0;    ///< 0-based position of the label among all columns of the file
  std::size_t file_columns = 0;      ///< number of columns of the training file, all kinds
  std::vector<std::string> classes;  ///< class spellings, in the order of their codes; none for regression
  std::string hint_name;             ///< column of Dataset::hint; empty if there is none
};

/// Rows with features and, if known, labels. Features are raw: numbers as read, level codes of categorical
/// columns, NaN where a cell is missing. Preprocessing turns them into numbers that a kernel can use.
struct Dataset {
  Features features;            ///< n x raw columns; sparse data have numeric columns only
  Schema schema;                ///< columns.size() == features.columns()
  std::vector<int> labels;      ///< index into schema.classes, -1 for a class not among them; empty if unlabelled
  std::vector<double> targets;  ///< of a regression: a finite number for each row, NaN where a row to predict has none;
                                ///< empty if unknown
  std::vector<double> weights;  ///< sample weights > 0; empty if all are 1
  std::vector<double> hint;     ///< value of a given decision function f0 on each row; empty if there is none
  std::vector<int> groups;      ///< group codes 0.. without gaps; empty if none
  std::vector<int> folds;       ///< fixed folds 0.. without gaps; empty if none
  std::vector<std::size_t> file_rows;  ///< 1-based number of each row among the data rows of the file
  std::string source;                  ///< the path it was read from; "-" is standard input; may be empty

  std::size_t rows() const { return features.rows(); }
  std::size_t class_count() const { return schema.classes.size(); }
  bool is_regression() const { return schema.task == Task::regression; }
  /// Whether the rows bring what is to be predicted: classes, or the targets of a regression.
  bool is_labelled() const { return is_regression() ? !targets.empty() : !labels.empty(); }
  /// The name of a raw column for messages: 'age', or column 3 where the file had no header.
  std::string column_label(std::size_t column) const;
  /// The schema for a model that does not add the hint to its decision values.
  Schema schema_without_hint() const;
  /// What stays together where rows are drawn or held out: the code of each row's fixed fold, else of its group; empty
  /// if every row stands alone.
  const std::vector<int>& clusters() const { return folds.empty() ? groups : folds; }
  /// The given rows, in the given order, of every per-row field. Groups and folds that are left keep their order and
  /// are numbered anew, without gaps.
  Dataset select_rows(std::span<const std::size_t> rows) const;
};

/// Makes a data set from numbers in memory: columns named x1..xd, classes sorted (numerically if all are numbers).
/// Without labels the data set is unlabelled.
/// @throws Error invalid_data if sizes differ or a value is not finite
Dataset make_dataset(Features features, std::span<const std::string> labels);

/// The same with the targets of a regression (none: unlabelled).
/// @throws Error invalid_data if sizes differ or a value is not finite
Dataset make_regression_dataset(Features features, std::span<const double> targets);

/// Order of class spellings everywhere: ascending numbers if all of them parse as numbers, otherwise bytewise.
/// Spellings are kept: "+1", "01" and "1" are three classes.
void sort_classes(std::vector<std::string>& classes);

/// Checks that a classifier can be trained: labelled, at least two classes that occur, no -1 label, finite weights > 0.
/// @throws Error invalid_data with the file as place, also for the data of a regression
void check_trainable(const Dataset& dataset);
/// Checks that a regression can be trained: a finite target for each row, not all of them equal; at least two rows.
/// @throws Error invalid_data with the file as place, also for the data of a classifier
void check_trainable_regression(const Dataset& dataset);

}  // namespace credence::data
