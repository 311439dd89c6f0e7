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

/// What a model predicts: a class, or a number.
enum class Task { classification, regression };
constexpr auto words_of(Task) {
  return std::array{core::Word{"classification", Task::classification}, core::Word{"regression", Task::regression}};
}

/// What a reader does with missing values. A value is missing if it is empty, `NA`, `N/A`, `#N/A`, `<NA>`, `NULL` or
/// `nan` in upper or lower case, `None` or `?`, or if ReadOptions::na names it.
enum class Missing {
  error,   ///< the reader refuses the file and names line and column
  drop,    ///< the reader leaves out the rows that have a missing value
  impute,  ///< the reader keeps missing values as NaN; Preprocessing fills them in
};
constexpr auto words_of(Missing) {
  return std::array{core::Word{"error", Missing::error}, core::Word{"drop", Missing::drop},
                    core::Word{"impute", Missing::impute}};
}

/// One raw feature column as the file has it.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::numeric;
  std::vector<std::string> levels;  ///< categorical: the sorted spellings; a value holds an index into this list
};

/// A text that means a missing value, in upper or lower case; numbers are compared by value.
struct MissingCode {
  std::string text;
  std::optional<std::size_t> column{};  ///< of the schema; one beyond the last: the label; none: all columns
};

/// What a reader must know to read further rows for a model: the columns and the names of the classes.
struct Schema {
  Task task = Task::classification;
  std::vector<Column> columns;               ///< raw feature columns, in the order of Dataset::features
  bool has_header = true;                    ///< true: columns are matched by name; false: by position
  std::string label_name;                    ///< empty if the file had no header
  std::size_t label_position = 0;            ///< 0-based position of the label among all columns of the file
  std::size_t file_columns = 0;              ///< number of columns of the training file, of all kinds
  std::vector<std::string> classes;          ///< class spellings in the order of their codes; empty for regression
  std::string hint_name;                     ///< name of the column of Dataset::hint; empty if there is none
  char delimiter = ',';                      ///< of the training file
  bool decimal_comma = false;                ///< whether its numbers had decimal commas
  bool latin1 = false;                       ///< whether it was encoded in Windows-1252
  std::vector<MissingCode> missing_codes{};  ///< of the training file, beside those that all files have
  std::optional<int> index_base;             ///< of svmlight text: whether its indices counted from 0 or from 1

  /// Which column of the file is the label: "'sick' (the last column)", "'sick'"; empty if it has no name.
  std::string label_column() const;
};

/// A split of rows: models are trained on the one part and judged on the other. Rows may be in neither.
struct Split {
  std::vector<std::size_t> training;  ///< 0-based rows; a row that is named twice counts twice
  std::vector<std::size_t> held_out;  ///< each row once
};

/// A column of a file, its values as they are written.
struct TextColumn {
  std::string name;
  std::vector<std::string> cells;
  std::size_t position = 0;  ///< in the file, counted from 1; 0 if unknown
};

/// A class that is not among those of the schema, and the line on which it first occurs.
struct OtherClass {
  std::string name;  ///< empty: the row has no label
  std::size_t line = 0;
};

/// Rows with features and, if they are known, labels. Features are raw: numbers as the reader found them, level codes
/// in categorical columns, and NaN where a value is missing. Preprocessing turns features into numbers that a kernel
/// can use.
struct Dataset {
  Features features;                        ///< n x raw columns; sparse data have numeric columns only
  Schema schema;                            ///< columns.size() == features.columns()
  std::vector<int> labels;                  ///< index into schema.classes, -1 for any other class; empty if unlabelled
  std::optional<OtherClass> other_class{};  ///< of the first row with the label -1, where a file names it
  std::vector<double> targets;  ///< regression: a finite number for each row, NaN where a row to predict has none;
                                ///< empty if unknown
  std::vector<double> weights;  ///< sample weights > 0; empty if all are 1
  std::vector<double> hint;     ///< value of a given decision function f0 on each row; may be empty
  std::vector<int> groups;      ///< group codes from 0 on without gaps; empty if there are no groups
  std::vector<int> folds;       ///< fixed folds from 0 on without gaps; empty if there are none
  /// If copies of a row share a fold: for each row the index of the distinct row that it equals, from 0 on without
  /// gaps. A selection sets it (selection::Options::copies) where there are neither groups nor folds; else empty.
  std::vector<int> copies{};
  bool copies_count_once = false;  ///< there are so many copies that estimates count the distinct rows
  std::vector<Split> splits;  ///< splits of the rows that the caller gives, for the method cv; empty if there are none
  std::vector<std::size_t> file_rows;  ///< 1-based number of each row among the data rows of the file
  std::string source;                  ///< the path of the file; "-" is standard input; may be empty
  std::vector<TextColumn> texts;       ///< the columns of ReadOptions::texts; `select_rows` leaves them out
  std::vector<std::string> notes;  ///< one sentence for each fact that the reader found; `select_rows` leaves them out

  std::size_t rows() const { return features.rows(); }
  std::size_t class_count() const { return schema.classes.size(); }
  bool is_regression() const { return schema.task == Task::regression; }
  /// Whether the rows have what a model predicts: classes, or the targets of a regression.
  bool is_labelled() const { return is_regression() ? !targets.empty() : !labels.empty(); }
  /// Returns the name of a raw column for messages: 'age', or column 3 if the file had no header.
  std::string column_label(std::size_t column) const;
  /// Checks that every row has a class of the schema. Cost: one pass over the labels.
  /// @throws Error invalid_data, with line and class where they are known, if a row has none of the schema's classes
  void refuse_other_classes() const;
  /// Returns the cells of the column of `texts` with that name, or else at that position (as ReadOptions::texts takes
  /// both); nullptr if there is none.
  const std::vector<std::string>* texts_of(const std::string& name) const;
  /// Returns the schema for a model that does not add the hint to its decision values.
  Schema schema_without_hint() const;
  /// Returns the cluster of each row: its fixed fold, or else its group, or else its distinct row where copies count
  /// once. Rows of one cluster depend on each other. The list is empty if every row stands alone.
  const std::vector<int>& clusters() const {
    return !folds.empty() ? folds : groups.empty() && copies_count_once ? copies : groups;
  }
  /// Returns what stays together wherever rows are drawn or held out: the clusters, or else the copies of a row.
  const std::vector<int>& together() const { return clusters().empty() ? copies : clusters(); }
  /// Returns the number of groups, or of distinct rows where copies share a fold, or of rows: the most folds possible.
  std::size_t units() const;
  /// Returns the distinct rows as a share of the rows, where copies count once; else 1.
  double share_that_counts() const;
  /// Returns a data set of the given rows in the given order, with every per-row field. The groups and folds that
  /// remain keep their order and get new codes without gaps. Splits are left out, because they are about all rows.
  Dataset select_rows(std::span<const std::size_t> rows) const;
  /// Returns the same rows with other features; texts and notes are left out.
  Dataset with_features(Features others) const;
};

/// Makes a data set from numbers in memory. The columns get the names x1..xd; labels are classes as in a file (`read`).
/// Without labels the data set is unlabelled.
/// @throws Error invalid_data if sizes differ, a value is not finite, or sparse rows are damaged
Dataset make_dataset(Features features, std::span<const std::string> labels);

/// Makes a data set from numbers in memory, with the targets of a regression. Without targets the data set is
/// unlabelled.
/// @throws Error invalid_data if sizes differ, a value is not finite, or sparse rows are damaged
Dataset make_regression_dataset(Features features, std::span<const double> targets);

/// Sorts class spellings in the order that all of Credence uses: as ascending numbers if all spellings parse as
/// numbers, otherwise bytewise, and equal numbers bytewise too.
void sort_classes(std::vector<std::string>& classes);

/// Checks that a classifier can be trained: every row has a label of a known class, at least two classes occur, and the
/// weights are finite and > 0.
/// @throws Error invalid_data with the file as place, also for the data of a regression
void check_trainable(const Dataset& dataset);
/// Checks that a regression can be trained: a finite target for each row, not all of them equal; at least two rows.
/// @throws Error invalid_data with the file as place, also for the data of a classifier
void check_trainable_regression(const Dataset& dataset);

}  // namespace credence::data
