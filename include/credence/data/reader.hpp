#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "credence/data/dataset.hpp"

namespace credence::data {

enum class Format { detect, csv, svmlight };
constexpr auto words_of(Format) {
  return std::array{core::Word{"auto", Format::detect}, core::Word{"csv", Format::csv},
                    core::Word{"svmlight", Format::svmlight}};
}
enum class Header { detect, present, absent };
constexpr auto words_of(Header) {
  return std::array{core::Word{"auto", Header::detect}, core::Word{"yes", Header::present},
                    core::Word{"no", Header::absent}};
}
/// Plain options with defaults; columns are given by name or by 1-based position.
struct ReadOptions {
  /// detect: by extension (.csv .tsv .svm .svmlight .libsvm, with or without .gz), else by content
  Format format = Format::detect;
  char delimiter = ',';  ///< CSV only; a file called .tsv has tabs unless another one is given
  Header header = Header::detect;
  Missing missing = Missing::error;
  /// regression: the label column holds numbers, Dataset::targets; with a schema, that one says
  Task task = Task::classification;
  /// default: `label`, `target`, `class` or `y` if present (any case, in this order), else the last column
  std::optional<std::string> label{};
  bool unlabelled = false;                 ///< there is no label column at all
  std::optional<std::string> weights{};    ///< column of sample weights
  std::optional<std::string> hint{};       ///< column of Dataset::hint: finite numbers; CSV only
  std::optional<std::string> groups{};     ///< column of group names
  std::optional<std::string> folds{};      ///< column of fold names or numbers
  std::vector<std::string> categorical{};  ///< columns to treat as text although (some) cells are numbers
  std::vector<std::string> only{};         ///< features by name, those that are there; CSV without a schema
  bool numbers = false;                    ///< features are numbers: text in one is an error; those without a
                                           ///< name in the header, as of row numbers, are left out
  const Schema* schema = nullptr;          ///< read rows for a model with this schema; see `read`

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("format", &ReadOptions::format, "csv or svmlight text; auto goes by the name and the content");
    field("delimiter", &ReadOptions::delimiter, "between the cells of a CSV row: one character, or tab");
    field("header", &ReadOptions::header, "whether the first row of a CSV file names the columns");
    field("task", &ReadOptions::task, "whether the label is a class or a number");
    field("label", &ReadOptions::label,
          "column of the label, its name or position; otherwise label, target, class or y, else the last column");
    field("missing", &ReadOptions::missing,
          "what becomes of cells that are empty, NA, ? or nan: an error, drop the row, or impute (median, most "
          "frequent level)");
    field("categorical", &ReadOptions::categorical, "a column of numbers that are names; may be repeated");
    field("weights", &ReadOptions::weights, "column of sample weights above 0");
    field("groups", &ReadOptions::groups, "column of groups: the rows of one group share a fold");
    field("fold_column", &ReadOptions::folds, "column of fixed folds");
    field("hint_column", &ReadOptions::hint,
          "column of decision values that are known before, for methods that can start from a hint; CSV only");
  }
};

/// Reads a CSV (RFC 4180; quotes, CRLF, BOM) or svmlight/LIBSVM text file, plain or gzip (by content, not by name).
///
/// A column whose cells are all numbers is numeric; one without any number is categorical; a mixture is refused with
/// the first offending cell's place, unless the column is listed in `categorical`.
/// The target of a regression is a finite number in every row to train on: it is never imputed, but its row may be
/// dropped. In rows for a model it may be missing, and is NaN then.
///
/// With `schema`, columns are matched by name (by position where the model's file had no header), extra columns are
/// ignored, the label column may be absent, labels not among the schema's classes become -1, and a missing column,
/// an unknown level or text in a numeric column is an error with the column's name.
///
/// Without Header::present or absent, the first row is a header if none of its cells is a number and a number stands
/// below it, or one of its cells is the label's name and does not appear again below it, or none of its cells does;
/// also if it has such a name and counts 0, 1, ... or 1, 2, ... otherwise. Names are trimmed; a column without one is
/// "column N". A number is a finite decimal, whatever the locale. Blank lines are skipped.
///
/// svmlight text gives sparse features without zeros. Indices ascend strictly from 1; if a 0 occurs they start at 0.
/// The highest index allowed is 2^24. `qid:` and comments are ignored. Columns match a schema's by position.
///
/// @param path  a path, or "-" for standard input
/// @throws Error file | invalid_data with file, line and column
/// Cost: one pass; at least ten million cells a second.
Dataset read(const std::string& path, const ReadOptions& options = {});

/// A cell of a CSV file, quoted as RFC 4180 asks if it must be, or if it has blanks at an end, which readers drop.
std::string csv_cell(std::string_view text);

/// Writes numbers as svmlight text: label, then index:value (1-based, zeros left out), shortest exact decimals.
/// The label (the target of a regression) is 0 if there are none, nan if it is unknown. Both writers pack the file if
/// its name ends in .gz.
/// @throws Error file; invalid_argument if sizes differ or a class has a blank, '#' or ':'
void write_svmlight(const std::string& path, const Features& features, const Dataset& labels);
/// Writes numbers as CSV with the given header; last column `label` if the data set is labelled, `target` for a
/// regression. NaN and unknown labels are empty cells.
/// @throws Error file; invalid_argument if sizes differ
void write_csv(const std::string& path, const Features& features, const std::vector<std::string>& names,
               const Dataset& labels);

}  // namespace credence::data

/// A delimiter is one character, or the word tab.
template <>
struct credence::core::Conversion<char> {
  static constexpr Kind kind = Kind::text;
  static Value to(char value) { return {value == '\t' ? std::string("tab") : std::string(1, value)}; }
  static char from(const Value& value) {
    const std::string& text = string_of(value);
    if (text == "tab" || text == "\\t") return '\t';
    if (text.size() == 1 && text != "\"" && text != "\n") return text.front();
    refuse_kind(value, "one character, or tab");
  }
};
