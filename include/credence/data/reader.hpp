#pragma once

/// ```cpp
/// using namespace credence;
/// const data::Dataset dataset = data::read("data/breast_cancer.csv");
/// std::cout << dataset.rows() << " x " << dataset.features.columns() << '\n';  // prints 569 x 30
/// for (const std::string& name : dataset.schema.classes) std::cout << name << ' ';
/// std::cout << "by " << dataset.schema.label_name << '\n';  // prints benign malignant by diagnosis
/// ```

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
enum class Decimal { detect, point, comma };
constexpr auto words_of(Decimal) {
  return std::array{core::Word{"auto", Decimal::detect}, core::Word{"point", Decimal::point},
                    core::Word{"comma", Decimal::comma}};
}
/// The encoding of a file.
enum class Encoding {
  detect,  ///< UTF-8, or that of the model's training file if the bytes are not UTF-8
  utf8,
  latin1,  ///< Windows-1252: ISO 8859-1 with further characters
};
constexpr auto words_of(Encoding) {
  return std::array{core::Word{"auto", Encoding::detect}, core::Word{"utf-8", Encoding::utf8},
                    core::Word{"latin1", Encoding::latin1}, core::Word{"windows-1252", Encoding::latin1}};
}
/// Whether the indices of svmlight text count from 0 or 1.
enum class IndexBase { detect, zero, one };
constexpr auto words_of(IndexBase) {
  return std::array{core::Word{"auto", IndexBase::detect}, core::Word{"0", IndexBase::zero},
                    core::Word{"1", IndexBase::one}};
}
inline constexpr std::size_t highest_index = std::size_t{1} << 24U;  ///< of svmlight text
/// What becomes of a categorical value, in rows for a model, if no training row had its level.
enum class Unseen {
  error,    ///< the rows are refused
  missing,  ///< the value counts as missing, and the model does with it what it does with missing values
  other,    ///< the value is none of the levels: zero in each of their one-hot columns
};
constexpr auto words_of(Unseen) {
  return std::array{core::Word{"error", Unseen::error}, core::Word{"missing", Unseen::missing},
                    core::Word{"other", Unseen::other}};
}
/// A delimiter that the content decides.
inline constexpr char any_delimiter = '\0';

/// Options of `read`. Columns are given by name or by 1-based position.
struct ReadOptions {
  /// detect: the extension decides (.csv .tsv .svm .svmlight .libsvm, with or without .gz), or else the content
  Format format = Format::detect;
  char delimiter = any_delimiter;     ///< CSV only
  Decimal decimal = Decimal::detect;  ///< CSV only
  Header header = Header::detect;
  Encoding encoding = Encoding::detect;
  IndexBase index_base = IndexBase::detect;  ///< svmlight only
  std::optional<std::size_t> features{};     ///< number of columns; svmlight without a schema
  Missing missing = Missing::error;
  /// texts that mean a missing value, beside NA and the like: "n/a,.,-99" in all columns, "age=-99,-1" in one; CSV only
  std::vector<std::string> na{};
  /// regression: the label column holds numbers, which become Dataset::targets. A schema overrides this field.
  Task task = Task::classification;
  /// default: the column `label`, `target`, `class` or `y` (in upper or lower case), else the last column
  std::optional<std::string> label{};
  bool unlabelled = false;                 ///< there is no label column at all
  std::optional<std::string> weights{};    ///< column of sample weights
  std::optional<std::string> hint{};       ///< column of Dataset::hint: finite numbers; CSV only
  std::optional<std::string> groups{};     ///< column of group names
  std::optional<std::string> folds{};      ///< column of fold names or numbers
  std::vector<std::string> categorical{};  ///< columns that are text even where values are numbers
  std::vector<std::string> drop{};         ///< columns that are left out; CSV without a schema
  std::vector<std::string>
      keep{};  ///< columns to keep that would be left out, such as row numbers; CSV without a schema
  std::vector<std::string> only{};   ///< names of the features to read, as far as they exist; CSV without a schema
  bool numbers = false;              ///< all features are numbers: text is an error; a feature without
                                     ///< a name in the header (often row numbers) is left out
  const Schema* schema = nullptr;    ///< the rows are for a model with this schema; see `read`
  Unseen unseen = Unseen::error;     ///< with a schema
  int threads = 0;                   ///< that parse a large CSV file; 0 means one for each core
  std::vector<std::string> texts{};  ///< columns whose values are also given as written, in Dataset::texts; CSV only
  bool all_texts = false;            ///< the same for all columns

  static void describe(auto&& field) {
    field("format", &ReadOptions::format, "csv or svmlight text; auto goes by the name and the content");
    field("delimiter", &ReadOptions::delimiter,
          "separates the values of a CSV row: one character, tab, or auto, which finds a comma, semicolon, tab or |");
    field("decimal", &ReadOptions::decimal,
          "the decimal sign of numbers in a CSV file; auto finds decimal commas where commas do not separate values");
    field("header", &ReadOptions::header, "whether the first row of a CSV file names the columns");
    field("encoding", &ReadOptions::encoding,
          "the encoding of the file; latin1 and windows-1252 are the same; auto takes UTF-8, or that of the model's "
          "training file");
    field("index_base", &ReadOptions::index_base,
          "whether the indices of svmlight text count from 0 or 1; auto takes that of the model's training file, else "
          "1 unless a 0 occurs");
    field("features", &ReadOptions::features,
          "number of features of svmlight text; a higher index is an error; by default the highest index decides",
          core::from_to(1, static_cast<double>(highest_index)));
    field("task", &ReadOptions::task, "whether the label is a class or a number");
    field("label", &ReadOptions::label,
          "column of the label, its name or position; otherwise label, target, class or y, else the last column");
    field("missing", &ReadOptions::missing,
          "what becomes of missing values: an error, drop the row, or impute (median, most frequent level)");
    field("na", &ReadOptions::na,
          {"further texts for a missing value, such as n/a,-99 in all columns, or COL=-99 in one; may be repeated. "
           "Empty cells, NA, N/A, NULL, NaN, None and ? are always missing",
           "TEXT"});
    field("categorical", &ReadOptions::categorical,
          "a column whose numbers stand for categories; may be repeated, or name several: A,B");
    field("drop", &ReadOptions::drop,
          "a column to leave out, such as row numbers; may be repeated, or name several: A,B; CSV only");
    field("keep", &ReadOptions::keep,
          "a column to keep that would be left out, such as row numbers; may be repeated, or name several: A,B");
    field("unseen", &ReadOptions::unseen,
          "what becomes of a level of a categorical column that no training row had: an error, a missing value, or "
          "none of the levels");
    field("weights", &ReadOptions::weights, "column of sample weights above 0");
    field("groups", &ReadOptions::groups, "column of groups: the rows of one group stay together in folds and draws");
    field("fold_column", &ReadOptions::folds, "column of fixed folds");
    field("hint_column", &ReadOptions::hint,
          "column with decision values of a known classifier, from which rademacher and maximal-discrepancy start; CSV "
          "only");
  }
};

/// Reads a CSV file (RFC 4180; quotes, CRLF, BOM) or an svmlight/LIBSVM text file, plain, packed by gzip or alone in a
/// zip archive. The content, not the name, tells whether a file is packed.
///
/// A column is numeric if all its values are numbers, and categorical if none is. A mixture is an error with the place
/// of the first cell that does not fit, unless `categorical` lists the column. One Error names the first problem of
/// each column. The target of a regression is a finite number in every training row. A missing target is never imputed;
/// its row may be dropped. In rows that are read for a model a target may be missing and is then NaN.
///
/// Labels, levels and names are trimmed of white space, no-break spaces too. Labels that are all numbers, and are not
/// declared categorical, are numbers: equal ones (1, +1, 1.0) are one class, which has the shortest of their spellings,
/// and a note names them. Otherwise they are names. Labels that are names, and levels, stay different even if they are
/// equal numbers or differ by case alone; a note lists them. A model whose classes are different numbers compares
/// labels of new rows by their value.
///
/// Without `schema`, columns are left out that say nothing about new rows, and a note names each of them:
/// - row numbers (likeness_of_row_numbers), and texts that are all dates;
/// - texts of which there are more different ones than half the rows, if there are more than 20 rows. Texts that are
///   numbers written in another way stay.
/// `keep` keeps such a column, and so does `categorical`. So many different labels are an error (check_classes).
/// Further notes are those of `column_notes`.
///
/// With `schema`, columns are matched by name, or by position if the model's file had no header. Extra columns are
/// ignored, the label column may be absent, and labels outside the schema's classes become -1. A missing column, text
/// in a numeric column and, unless `unseen` says otherwise, an unknown level are errors with the column's name. A note
/// names the first unknown level of each column.
///
/// Text that is not UTF-8 is an error with its line and column, unless `encoding` says that it is latin1, or the
/// training file of the schema was. UTF-16 is refused, and so is UTF-8 that `encoding` calls latin1.
///
/// A label word is `label`, `target`, `class` or `y`; a text is a value that is neither a number nor missing. With
/// Header::detect, the first row is a header if the schema says that its file had one, or if the row has the column
/// name that `label` gives (a name, not a position). A row without a number is also a header if
/// - there is a number below one of its texts;
/// - there is no schema, and a label word of the row does not occur again in its column; or
/// - there is no schema, no text of the row occurs again in its column, and no cell names a missing value, as NA does.
///
/// A row of texts and numbers is a header, with a note, if there is no schema, no text of the row occurs again in its
/// column, and one of these conditions holds. All but the first hold only if no cell of the row names a missing value.
/// - One of the texts is `label`, `target` or `class`.
/// - A text stands above numbers alone, or a number above texts alone.
/// - There are ten rows or more, and a text that is no date is the only value that occurs once in its column.
/// - A text that is no date stands in a column whose values that occur once fill at most a hundredth of the rows.
///
/// The first 1,000 rows decide, or as many as hold 100,000 cells, if these are fewer.
/// Names are trimmed; a column without a name is called "column N". Where a name stands twice, the second column is
/// called NAME.1, the third NAME.2. A number is a finite decimal, whatever the locale. Blank lines are skipped. Rows
/// without a value (unless the model imputes) and columns without name and value are skipped with a note. A first line
/// "sep=;" names the delimiter, and Ctrl-Z at the end of a text is ignored.
///
/// With any_delimiter, a file called .tsv has tabs; in other files the first 100 lines decide. The delimiter is the
/// first of comma, semicolon, tab and | that splits every line into the same number of values, two or more, and else
/// the comma. One of the others is preferred if the commas can be decimal commas of its values. With Decimal::detect,
/// numbers have decimal commas if values are not separated by commas, and some of the first values (256 kB) are numbers
/// with a decimal comma while none is one with a point. Rows for a model are assumed to be written as those that the
/// model was trained on, unless their content speaks against it. Dataset::notes say what was found.
///
/// svmlight text gives sparse features without zeros. Indices ascend strictly. They count from what `index_base` says,
/// else as in the training file of the schema, else from 1, or from 0 if a 0 occurs. A 0 where they count from 1 is an
/// error with its line, and so is an index beyond `features`. The highest index allowed is 2^24; without `features`, an
/// index above 2^20 may be at most 16 times the number of index:value pairs in the file, so that the columns' names
/// need memory in proportion to the file. `qid:` and comments are ignored. Columns match those of a schema by position.
///
/// @param path  a path, or "-" for standard input
/// @throws Error file | invalid_data with file, line and column
/// Cost: one pass; at least ten million values for each second and core. Lines of CSV without quotes are parsed in
/// parallel, and gzip is unpacked meanwhile; the data set does not depend on the number of threads. Memory: the data
/// set, 8 bytes for each cell of the file, and a few megabytes.
Dataset read(const std::string& path, const ReadOptions& options = {});

/// How the text of a table is written.
struct Written {
  char delimiter = ',';
  bool decimal_comma = false;
  bool marked = false;  ///< a table written like it begins with a byte order mark: it did, or it was not UTF-8
};

/// Reads rows for a model block by block, so that memory does not grow with the number of rows. The blocks together are
/// what `read` returns; Dataset::file_rows continues from block to block. An Error is the one that `read` throws: after
/// the first block with a problem, the rest of the file is read too. svmlight text is held as a whole, because only the
/// whole text tells whether its indices count from 0 or 1.
class RowReader {
 public:
  /// @param options  with a schema, which must outlive the reader, and without groups and folds
  /// @throws Error invalid_argument, or as `read`
  RowReader(const std::string& path, const ReadOptions& options);
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  /// Returns the next `count` >= 1 rows of the file, or as many as are left, without those that are dropped; none at
  /// the end.
  /// @throws Error as `read`
  std::optional<Dataset> next(std::size_t count);
  /// How the file is written, as far as it was read.
  Written written() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns rows that were made in memory as rows for a model: columns match by position, levels and classes by
/// spelling, as in `read`. A label that the schema lacks becomes -1. Values in Schema::missing_codes count as missing.
/// @param unseen   what becomes of a level that the schema does not have
/// @param missing  what the model does with missing values; only Missing::impute goes with Unseen::missing
/// @throws Error invalid_data for a wrong number of columns, a column of a wrong kind, an unknown level, or a code that
/// the model cannot fill, with the column's name
Dataset rows_for(Dataset rows, const Schema& schema, Unseen unseen = Unseen::error, Missing missing = Missing::error);

/// Whether labels that are written as numbers are numbers to predict, or names.
enum class LabelsAre { as_written, names };

/// Refuses labels that cannot be classes. The readers call this function. Too many different labels are
/// - more than 1,000;
/// - more than half the rows, if there are more than 20 rows;
/// - more than 20 numbers that are not declared names, if one has a fraction;
/// - more than 30 such numbers with fewer than 10 rows each on average: one of 10 folds then lacks some of them.
/// @param classes  the different labels
/// @param rows     0 where labels are known to be classes
/// @throws Error invalid_data with the place `where`
void check_classes(const std::vector<std::string>& classes, std::size_t rows, const Location& where = {},
                   LabelsAre labels = LabelsAre::as_written);

/// Whether a column has the name of an index: `index`, a name of pandas (`level_0`, `Unnamed: 0`, `__index_level_0__`)
/// or, if the column is the first, no name.  @param position  counted from 0
bool names_index(std::string_view name, std::size_t position);
/// Returns why a column numbers the rows, so that readers leave it out: it has the name of an index, ten rows or more,
/// and different whole numbers in at least 19 of 20 rows (with fewer than 40 rows, in all but one). Otherwise nothing.
std::string likeness_of_row_numbers(std::string_view name, std::size_t position, std::vector<double> numbers);

/// How sentences name a column, or a row, counted from 0: "column 'age'", "line 17".
using Phrase = std::function<std::string(std::size_t)>;
/// Returns a sentence for each thing that looks like a mistake in the columns of training rows:
/// - texts that are numbers written in another way, or dates; very many texts; levels that differ by spelling alone;
/// - identifiers: a different text in each row; whole numbers that count the rows, or that differ in nearly all rows
///   and have no gaps or the name id;
/// - a few numbers so far off that the others are nearly equal once scaled; a frequent number far from all others, such
///   as -99 for a missing value; columns that seem to name subjects.
/// @param declared  whether each column was declared categorical; none: only far numbers are noted
std::vector<std::string> column_notes(const Dataset& dataset, const Phrase& column, const Phrase& row,
                                      const std::optional<std::vector<bool>>& declared);

/// Returns why `read` leaves out a column of these texts, and how to keep it; nothing where the column stays.
/// @param texts  the different texts of the column
std::string reason_to_leave_out(const std::vector<std::string>& texts, std::size_t rows, bool decimal_comma = false);

/// Returns a note on names that are equal numbers, and one on names that differ by case alone, where there are any.
/// @param what  "the classes", or "column 'town': the levels"
std::vector<std::string> notes_on_spellings(const std::string& what, const std::vector<std::string>& names);

/// Returns what `read` makes of a column of texts that stands in memory: numbers, or codes and the levels of a
/// categorical column; NaN where a value is missing.
/// @param phrase       what a message calls the column
/// @param categorical  it is text even where texts are numbers
/// @throws Error invalid_data for numbers beside texts, and for numbers that are not finite
std::pair<std::vector<double>, std::optional<std::vector<std::string>>> read_texts(
    const std::vector<std::string>& texts, const std::string& phrase, bool categorical);

/// Returns a text as a value of a CSV file. The value is quoted where RFC 4180 asks for quotes, and where the text
/// begins or ends with a blank, which readers drop.
std::string csv_cell(std::string_view text, char delimiter = ',');

/// Writes numbers as svmlight text: the label, then index:value in the shortest exact decimals, zeros left out. Indices
/// count as the schema of the labels says, else from 1; a file that counts from 0 shows it by an index 0, if need be
/// with the value 0. The label (the target of a regression) is 0 if the data set has none, and nan if a row's label is
/// unknown. This function and write_csv pack the file if its name ends in .gz.
/// @throws Error file; invalid_argument if sizes differ or a class has a blank, '#' or ':'
void write_svmlight(const std::string& path, const Features& features, const Dataset& labels);
/// Writes numbers as CSV with the given header. The last column is `label` if the data set is labelled, and `target`
/// for a regression. NaN and unknown labels become empty values.
/// @throws Error file; invalid_argument if sizes differ
void write_csv(const std::string& path, const Features& features, const std::vector<std::string>& names,
               const Dataset& labels);

}  // namespace credence::data

/// A delimiter is one character, or the word tab, or auto.
template <>
struct credence::core::Conversion<char> {
  static constexpr Kind kind = Kind::text;
  static Value to(char value) {
    if (value == data::any_delimiter) return {std::string("auto")};
    return {value == '\t' ? std::string("tab") : std::string(1, value)};
  }
  static char from(const Value& value) {
    const std::string& text = string_of(value);
    if (text == "auto") return data::any_delimiter;
    if (text == "tab" || text == "\\t") return '\t';
    if (text.size() == 1 && text != "\"" && text != "\n") return text.front();
    refuse_kind(value, "one character, tab or auto");
  }
};
