#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "credence/core/context.hpp"
#include "data/cell.hpp"
#include "data/csv/csv.hpp"
#include "data/csv/csv_cells.hpp"
#include "data/csv/csv_plain.hpp"
#include "data/csv/csv_text.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Takes cells and line ends from the parser and puts them into a table.
///
/// A first row without a number is a header or not depending on the rows below it. Until a number turns up there (it
/// is a header) or the file ends, it is kept aside; all cells seen so far are then text, and text is coded alike
/// whatever its column turns out to be for, so nothing has to be read twice.
class CsvLoader {
 public:
  CsvLoader(const std::string& path, const ReadOptions& options, bool thousands)
      : path_(path), options_(options), thousands_(thousands) {}

  void add_cell(std::string_view cell) {
    after_return_ = false;
    if (cells_in_row_ == 0) row_line_ = line_;
    if (!take_cell(cell)) line_ += count_lines(cell);  // quoted text may hold line breaks
    ++cells_in_row_;
  }

  void end_line(char terminator) {
    if (cells_in_row_ > 0) end_row();
    cells_in_row_ = 0;
    if (terminator == '\r' || !after_return_) ++line_;
    after_return_ = terminator == '\r';
  }

  /// Takes rows that were parsed apart, and follow a line feed.
  void add_rows(PlainRows plain) {
    const std::optional<WrongRow> wrong = plain.wrong;
    const std::size_t line = line_;
    rows_ += plain.rows.lines.size();
    line_ += plain.lines;
    file_.table.append(std::move(plain.rows), line);
    if (wrong) refuse_row(wrong->cells, wrong->line + line - 1);
  }

  void finish() {
    if (state_ == State::first_row) throw Error(ErrorCode::invalid_data, "the file is empty", {.file = path_});
    // Rows for a model that was trained without a header have most likely none either.
    if (state_ == State::undecided) decide(options_.schema == nullptr && is_header_of(first_row_, file_.table));
    if (rows_ == 0) throw Error(ErrorCode::invalid_data, "the file has a header but no rows of data", {.file = path_});
  }

  std::size_t line() const { return line_; }
  /// Of the cell that is not complete: its column's name or position.
  std::string column() const {
    const bool is_known = state_ == State::decided && cells_in_row_ < file_.layout.names.size();
    return is_known ? file_.layout.where(0, cells_in_row_).column : std::to_string(cells_in_row_ + 1);
  }
  bool decided() const { return state_ == State::decided; }
  CsvFile& file() { return file_; }
  PlainRules rules() const {
    PlainRules rules{options_.delimiter, decimal_comma(), thousands_, keeps_texts(), {}};
    for (const TableColumn& column : file_.table.columns) rules.uses.push_back(column.use);
    return rules;
  }

 private:
  enum class State { first_row, undecided, decided };

  bool decimal_comma() const { return options_.decimal == Decimal::comma; }
  bool keeps_texts() const { return options_.all_texts || !options_.texts.empty(); }

  bool is_number(std::string_view cell) const {
    double value = 0;
    const CellKind kind = classify_cell(trimmed(cell), value, decimal_comma());
    return kind == CellKind::number || kind == CellKind::infinite ||
           (thousands_ && grouped(trimmed(cell), decimal_comma()) != Grouped::no);
  }

  /// Returns whether the cell is a number.
  bool take_cell(std::string_view cell) {
    if (state_ == State::first_row) {
      first_row_.emplace_back(trimmed(cell));
      return false;
    }
    if (cells_in_row_ >= file_.table.width()) return false;
    if (state_ == State::undecided && is_number(cell)) decide(true);
    return file_.table.add_cell(cells_in_row_, cell, line_);
  }

  void end_row() {
    if (state_ == State::first_row) {
      end_first_row();
      return;
    }
    if (cells_in_row_ != file_.table.width()) refuse_row(cells_in_row_, row_line_);
    file_.table.end_row(row_line_);
    ++rows_;
  }

  [[noreturn]] void refuse_row(std::size_t cells, std::size_t line) const {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the row has {} where the first row has {}", count_of(cells, "cell"), file_.table.width()),
                {path_, line, ""});
  }

  void end_first_row() {
    first_line_ = row_line_;
    file_.table.set_width(first_row_.size(), decimal_comma(), thousands_, keeps_texts());
    state_ = State::undecided;
    const FirstRow verdict = judge_first_row(first_row_, options_);
    if (verdict != FirstRow::undecided) decide(verdict == FirstRow::header);
  }

  void decide(bool has_header) {
    state_ = State::decided;
    file_.layout = make_layout(path_, first_row_, has_header, options_);
    file_.notes = file_.layout.notes;
    const Layout& layout = file_.layout;
    std::vector<TableColumn>& columns = file_.table.columns;
    std::vector<TableColumn::Use> uses(columns.size(), TableColumn::Use::ignore);
    for (std::size_t k = 0; k < layout.features.size(); ++k)
      uses[layout.features[k]] = layout.categorical[k] ? TableColumn::Use::text : TableColumn::Use::detect;
    for (const auto& numeric : {layout.weights, layout.hint})
      if (numeric) uses[*numeric] = TableColumn::Use::detect;
    for (const auto& coded : {layout.label, layout.groups, layout.folds})
      if (coded) uses[*coded] = TableColumn::Use::text;
    if (layout.label && task_of(options_) == Task::regression) uses[*layout.label] = TableColumn::Use::detect;
    for (std::size_t j = 0; j < columns.size(); ++j) columns[j].use = uses[j];
    if (!has_header) {
      file_.table.insert_first_row(first_row_, first_line_);
      ++rows_;
    }
    first_row_ = {};
  }

  const std::string& path_;
  const ReadOptions& options_;
  bool thousands_;
  State state_ = State::first_row;
  std::vector<std::string> first_row_;
  std::size_t first_line_ = 1;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  std::size_t cells_in_row_ = 0;
  bool after_return_ = false;
  std::size_t rows_ = 0;  ///< of data, with those that were taken away
  CsvFile file_;
};

}  // namespace

struct CsvReader::Impl {
  Impl(TextSource& text, const ReadOptions& options, bool thousands)
      : source(text), cutter(text), cells(options.delimiter), loader(text.path(), options, thousands) {
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    workers = options.threads > 0 ? static_cast<std::size_t>(options.threads) : cores;
  }

  TextSource& source;
  TextCutter cutter;
  CsvCells cells;
  CsvLoader loader;
  std::size_t workers = 1;
  std::optional<core::Threads> threads;  ///< made for the second round: small files need none
  std::optional<TextRound> read_ahead;

  void feed(std::string_view text);
  std::string_view feed_until_decided(std::string_view text);
  void rethrow_with_column(const std::exception_ptr& failure) const;
  std::vector<std::optional<PlainRows>> parse_round(const std::vector<std::string_view>& parts, bool reads_on);
  void finish(const TextRound& round);
};

/// Cell by cell, whatever the state in which the text before ended.
void CsvReader::Impl::feed(std::string_view text) {
  cells.add(text);
  for (CsvCells::Found found = cells.next(); found != CsvCells::Found::piece_end; found = cells.next()) {
    if (found == CsvCells::Found::cell) {
      loader.add_cell(cells.cell());
    } else if (found == CsvCells::Found::row_end) {
      loader.end_line(cells.row_end());
    } else {
      throw Error(ErrorCode::invalid_data,
                  "a double quote stands inside a cell; put the whole cell in quotes and double the quotes inside",
                  {source.path(), loader.line(), ""});
    }
  }
}

/// Row by row until the columns are known. @return what is left
std::string_view CsvReader::Impl::feed_until_decided(std::string_view text) {
  while (!text.empty() && !(loader.decided() && cells.at_row_start())) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    feed(text.substr(0, size));
    text.remove_prefix(size);
  }
  return text;
}

/// Parses the parts that look as if no parser's state were needed, and reads the next round at the same time.
std::vector<std::optional<PlainRows>> CsvReader::Impl::parse_round(const std::vector<std::string_view>& parts,
                                                                   bool reads_on) {
  std::vector<std::optional<PlainRows>> parsed(parts.size());
  const bool decided = loader.decided();
  const PlainRules rules = loader.rules();
  const auto task = [&](std::size_t i) {
    if (i == 0) {
      if (reads_on) read_ahead = cutter.next(4 * workers);
    } else if (decided && is_plain(parts[i - 1])) {
      parsed[i - 1] = parse_plain(parts[i - 1], rules);
    }
  };
  if (!reads_on && parts.size() < 2) {
    for (std::size_t i = 0; i <= parts.size(); ++i) task(i);
    return parsed;
  }
  if (!threads) threads.emplace(static_cast<int>(workers));
  threads->for_each(parts.size() + 1, task);
  return parsed;
}

/// A place in the text that was refused gets the column of the cell where the text ends.
void CsvReader::Impl::rethrow_with_column(const std::exception_ptr& failure) const {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_data || error.location().line == 0) throw;
    throw Error(error.code(), error.sentence(), {error.location().file, error.location().line, loader.column()});
  }
}

void CsvReader::Impl::finish(const TextRound& round) {
  feed(round.rest);
  if (round.failure) rethrow_with_column(round.failure);
  if (cells.in_quotes()) {
    throw Error(ErrorCode::invalid_data, "the quote that opens a cell of this row is never closed",
                {source.path(), loader.line(), ""});
  }
  if (!cells.at_row_start()) feed("\n");
  loader.finish();
}

CsvReader::CsvReader(TextSource& source, const ReadOptions& options, bool thousands)
    : impl_(std::make_unique<Impl>(source, options, thousands)) {
  impl_->read_ahead = impl_->cutter.next(1);
}

CsvReader::~CsvReader() = default;

bool CsvReader::advance() {
  Impl& impl = *impl_;
  if (!impl.read_ahead) return false;
  const TextRound round = std::move(*impl.read_ahead);
  impl.read_ahead.reset();
  std::vector<std::string_view> parts(round.parts.begin(), round.parts.end());
  if (!parts.empty() && !impl.loader.decided()) parts.front() = impl.feed_until_decided(parts.front());
  std::vector<std::optional<PlainRows>> parsed = impl.parse_round(parts, !round.is_last);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parsed[i] && impl.cells.at_row_start())
      impl.loader.add_rows(std::move(*parsed[i]));
    else
      impl.feed(parts[i]);
    parsed[i].reset();
  }
  if (round.is_last) impl.finish(round);
  return true;
}

CsvFile& CsvReader::file() {
  return impl_->loader.file();
}

bool CsvReader::knows_columns() const {
  return impl_->loader.decided();
}

}  // namespace credence::data::detail
