#include "data/files/svmlight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "credence/core/error.hpp"
#include "data/cell.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

// Every column costs a name in the schema, so an absurd index must not be able to ask for gigabytes of them: what is
// allocated stays in proportion to the file.
constexpr std::uint64_t highest_index_of_any_file = std::uint64_t{1} << 20U;
constexpr std::uint64_t indices_for_a_pair = 16;
constexpr std::string_view blanks = " \t\r\v\f";
constexpr double unknown_target = std::numeric_limits<double>::quiet_NaN();

/// Takes the next token off the front of a line; empty at its end.
std::string_view take_token(std::string_view& line) {
  const auto first = std::min(line.find_first_not_of(blanks), line.size());
  line.remove_prefix(first);
  const auto length = std::min(line.find_first_of(blanks), line.size());
  const std::string_view token = line.substr(0, length);
  line.remove_prefix(length);
  return token;
}

std::string_view without_comment(std::string_view line) {
  return line.substr(0, line.find('#'));
}

std::optional<std::uint64_t> parse_index(std::string_view text) {
  std::uint64_t index = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (code == std::errc::result_out_of_range) return std::numeric_limits<std::uint64_t>::max();
  if (code != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return index;
}

bool is_pair(std::string_view token) {
  const auto colon = token.find(':');
  if (colon == std::string_view::npos) return false;
  if (token.substr(0, colon) == "qid") return true;
  double value = 0;
  return parse_index(token.substr(0, colon)) && classify_cell(token.substr(colon + 1), value) != CellKind::text;
}

class SvmlightReader {
 public:
  SvmlightReader(const std::string& path, const ReadOptions& options) : path_(path), options_(options) {}

  void add_line(std::string_view line) {
    ++line_;
    std::string_view rest = without_comment(line);
    std::string_view token = take_token(rest);
    if (token.empty()) return;
    ++data_rows_;
    has_missing_ = false;
    label_ = no_code;
    target_ = unknown_target;
    if (token.find(':') == std::string_view::npos) {
      read_label(trimmed(token));
      token = take_token(rest);
    } else if (!may_be_unlabelled()) {
      refuse(fmt::format("the line starts with {} where its label should be", in_quotes(token)));
    }
    next_index_ = 0;
    for (; !token.empty(); token = take_token(rest)) read_pair(token);
    end_row();
  }

  Dataset finish() {
    if (data_rows_ == 0) throw Error(ErrorCode::invalid_data, "the file is empty", {.file = path_});
    if (file_rows_.empty()) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("no row is left: each of the {} has a missing value", count_of(data_rows_, "row")),
                  {.file = path_});
    }
    Dataset result;
    result.source = path_;
    number_columns(result.schema);
    matrix_.rows = file_rows_.size();
    result.features = std::move(matrix_);
    result.file_rows = std::move(file_rows_);
    if (regression_) {
      if (has_labels_) result.targets = std::move(targets_);
    } else {
      add_labels(result);
    }
    const Phrase column = [&](std::size_t j) { return result.schema.columns[j].name; };
    const Phrase row = [&](std::size_t i) { return fmt::format("data row {}", result.file_rows[i]); };
    if (options_.schema != nullptr) return result;
    for (std::string& note : column_notes(result, column, row, std::nullopt)) result.notes.push_back(std::move(note));
    return result;
  }

 private:
  bool may_be_unlabelled() const { return options_.unlabelled || options_.schema != nullptr; }

  [[noreturn]] void refuse(const std::string& sentence, std::string column = "") const {
    throw Error(ErrorCode::invalid_data, sentence, {path_, line_, std::move(column)});
  }

  void read_label(std::string_view token) {
    if (options_.unlabelled) return;
    has_labels_ = true;
    if (!is_missing(token)) {
      take_label(token);
    } else if (options_.missing == Missing::drop && options_.schema == nullptr) {
      has_missing_ = true;
    } else if (options_.schema == nullptr) {
      refuse(fmt::format("the {} is missing; correct the line or drop the rows with missing values",
                         regression_ ? "target" : "label"));
    }
  }

  void take_label(std::string_view token) {
    if (!regression_) {
      label_ = labels_.code(token, line_);
      return;
    }
    const CellKind kind = classify_cell(token, target_);
    if (kind == CellKind::infinite) refuse(fmt::format("{} is not a finite number", in_quotes(token)));
    if (kind != CellKind::number) refuse(fmt::format("the target {} is not a number", in_quotes(token)));
  }

  void read_pair(std::string_view token) {
    const auto colon = token.find(':');
    const std::string_view left = token.substr(0, colon);
    if (colon != std::string_view::npos && left == "qid") return;
    const auto index = colon == std::string_view::npos ? std::nullopt : parse_index(left);
    if (!index) refuse(fmt::format("{} is not index:value with a whole number as index", in_quotes(token)));
    if (*index > highest_index)
      refuse(fmt::format("the index {} is too high; the highest is {}", in_quotes(left), highest_index));
    if (*index < next_index_)
      refuse(fmt::format("the index {} does not ascend: {} stands before it", *index, next_index_ - 1));
    next_index_ = *index + 1;
    ++pairs_;
    if (next_index_ > index_end_) {
      index_end_ = next_index_;
      highest_line_ = line_;
    }
    if (*index == 0 && zero_line_ == 0) zero_line_ = line_;
    add_value(static_cast<std::uint32_t>(*index), token.substr(colon + 1));
  }

  void add_value(std::uint32_t index, std::string_view text) {
    double value = 0;
    switch (classify_cell(text, value)) {
      case CellKind::number:
        break;
      case CellKind::infinite:
        refuse(fmt::format("{} is not a finite number", in_quotes(text)), std::to_string(index));
      case CellKind::missing:
        if (text.empty()) refuse(fmt::format("the index {} has no value after its colon", index));
        if (options_.missing == Missing::error)
          refuse("a value is missing; missing values can be imputed, or their rows dropped", std::to_string(index));
        has_missing_ = true;
        value = std::numeric_limits<double>::quiet_NaN();
        break;
      case CellKind::text:
        refuse(fmt::format("{} is not a number", in_quotes(text)), std::to_string(index));
    }
    if (value == 0) return;
    matrix_.indices.push_back(index);
    matrix_.values.push_back(value);
  }

  void end_row() {
    if (has_missing_ && options_.missing == Missing::drop) {
      matrix_.indices.resize(matrix_.offsets.back());
      matrix_.values.resize(matrix_.offsets.back());
      return;
    }
    matrix_.offsets.push_back(matrix_.values.size());
    file_rows_.push_back(data_rows_);
    if (regression_)
      targets_.push_back(target_);
    else
      codes_.push_back(label_);
  }

  [[noreturn]] void refuse_at(std::size_t line, std::uint64_t index, const std::string& what) const {
    throw Error(ErrorCode::invalid_data, fmt::format("the index {} {}", index, what), {path_, line, ""});
  }

  /// From what the indices count: see data::read.
  std::uint64_t index_base() const {
    const bool asked = options_.index_base != IndexBase::detect;
    const std::optional<int> of_model = options_.schema != nullptr ? options_.schema->index_base : std::nullopt;
    if (!asked && !of_model) return zero_line_ > 0 ? 0 : 1;
    if (asked ? options_.index_base == IndexBase::zero : *of_model == 0) return 0;
    if (zero_line_ == 0) return 1;
    refuse_at(zero_line_, 0,
              asked ? "stands in a file whose indices are said to count from 1; leave the index base to auto, or say 0"
                    : "contradicts the model, whose training file was read as one that counts from 1; if that file "
                      "counts from 0, train again with the index base 0; if only these rows do, give the index base 0 "
                      "for them");
  }

  void number_columns(Schema& schema) {
    const std::uint64_t base = index_base();
    matrix_.columns = static_cast<std::size_t>(index_end_ > base ? index_end_ - base : 0);
    if (base == 1)
      for (std::uint32_t& index : matrix_.indices) --index;
    if (options_.schema != nullptr) {
      schema = *options_.schema;
      fit_schema(schema, base);
      return;
    }
    if (matrix_.columns == 0)
      throw Error(ErrorCode::invalid_data, "the file has labels but no index:value pair", {.file = path_});
    if (!options_.features) {
      check_highest_index();
    } else if (matrix_.columns > *options_.features) {
      refuse_at(highest_line_, index_end_ - 1,
                fmt::format("is beyond the {} that the file is said to have, which count from {}",
                            count_of(*options_.features, "feature"), base));
    }
    matrix_.columns = options_.features.value_or(matrix_.columns);
    schema.index_base = static_cast<int>(base);
    for (std::size_t j = 0; j < matrix_.columns; ++j)
      schema.columns.push_back({fmt::format("column {}", j + base), ColumnKind::numeric, {}});
    schema.task = options_.task;
    schema.has_header = false;
    schema.latin1 = options_.encoding == Encoding::latin1;
    // Where the label would stand in a CSV file of the same columns: last.
    schema.label_position = matrix_.columns;
    schema.file_columns = matrix_.columns + 1;
  }

  void check_highest_index() const {
    const std::uint64_t allowed = std::max(highest_index_of_any_file, indices_for_a_pair * pairs_);
    if (index_end_ - 1 <= allowed) return;
    refuse_at(highest_line_, index_end_ - 1,
              fmt::format("is too high for a file of {}; the highest allowed in it is {}",
                          count_of(pairs_, "index:value pair"), allowed));
  }

  void fit_schema(const Schema& schema, std::uint64_t base) {
    for (const Column& column : schema.columns) {
      if (column.kind == ColumnKind::numeric) continue;
      throw Error(ErrorCode::invalid_data,
                  fmt::format("the model's column '{}' holds text, which svmlight files cannot", column.name),
                  {path_, 0, column.name});
    }
    if (matrix_.columns > schema.columns.size()) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("the index {} is beyond the {} of the model", index_end_ - 1,
                              count_of(schema.columns.size(), "column")),
                  {path_, highest_line_, fmt::format("{}", matrix_.columns - 1 + base)});
    }
    matrix_.columns = schema.columns.size();
  }

  void add_labels(Dataset& dataset) const {
    if (!has_labels_) return;
    if (options_.schema != nullptr) {
      match_labels(dataset, labels_, codes_);
      return;
    }
    Coded coded = code_labels(labels_, codes_, LabelsAre::as_written);
    dataset.notes = std::move(coded.notes);
    check_classes(coded.spellings, dataset.file_rows.size(), {.file = path_});
    dataset.labels = std::move(coded.codes);
    dataset.schema.classes = std::move(coded.spellings);
  }

  const std::string& path_;
  const ReadOptions& options_;
  const bool regression_ = task_of(options_) == Task::regression;
  std::size_t line_ = 0;
  std::size_t data_rows_ = 0;
  SparseMatrix matrix_;
  std::vector<std::size_t> file_rows_;
  Interner labels_;
  std::vector<std::uint32_t> codes_;
  std::vector<double> targets_;
  bool has_labels_ = false;
  std::size_t zero_line_ = 0;     ///< where an index 0 stands first
  std::uint64_t index_end_ = 0;   ///< one above the highest index of the file
  std::size_t highest_line_ = 0;  ///< where that index stands first
  std::size_t pairs_ = 0;
  std::uint64_t next_index_ = 0;  ///< lowest index that may follow in the current row
  std::uint32_t label_ = no_code;
  double target_ = unknown_target;
  bool has_missing_ = false;
};

}  // namespace

bool looks_like_svmlight(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = without_comment(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view token = take_token(line);
    if (token.empty()) continue;
    if (!is_pair(token)) token = take_token(line);
    if (token.empty()) continue;  // a label alone: a row of zeros
    for (; !token.empty(); token = take_token(line))
      if (!is_pair(token)) return false;
    return true;
  }
  return false;
}

Dataset read_svmlight(TextSource& source, const ReadOptions& options) {
  SvmlightReader reader(source.path(), options);
  std::string carried;  // the beginning of a line that the last chunk broke off
  for (std::string_view chunk = source.next(); !chunk.empty(); chunk = source.next()) {
    for (auto end = chunk.find('\n'); end != std::string_view::npos; end = chunk.find('\n')) {
      if (carried.empty()) {
        reader.add_line(chunk.substr(0, end));
      } else {
        reader.add_line(carried.append(chunk.substr(0, end)));
        carried.clear();
      }
      chunk.remove_prefix(end + 1);
    }
    carried.append(chunk);
  }
  if (!carried.empty()) reader.add_line(carried);
  return reader.finish();
}

}  // namespace credence::data::detail
