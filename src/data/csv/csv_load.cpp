#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "credence/core/context.hpp"
#include "data/cell.hpp"
#include "data/column_notes.hpp"
#include "data/csv/csv.hpp"
#include "data/csv/csv_cells.hpp"
#include "data/csv/csv_plain.hpp"
#include "data/csv/csv_text.hpp"
#include "data/labels.hpp"

namespace credence::data::detail {

namespace {

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// Whether the first row of a file is a header, by the rules of `read` in reader.hpp; nothing as long as that is open.
class HeaderJudge {
 public:
  /// @param thousands  numbers may have their thousands separated
  HeaderJudge(std::vector<std::string> first_row, const ReadOptions& options, bool thousands)
      : cells_(std::move(first_row)), options_(options), codes_(codes_of_all_columns(options)), thousands_(thousands) {
    for (const std::string& cell : cells_) {
      kinds_.push_back(kind_of(cell));
      if (number_.empty() && kinds_.back() == number) number_ = cell;
      // Na is sodium.
      has_missing_ = has_missing_ || (kinds_.back() == missing && !cell.empty() && cell != "Na" && cell != "na");
    }
  }

  std::optional<bool> by_itself() const {
    if (options_.header == Header::present) return true;
    if (options_.header == Header::absent) return false;
    if (options_.schema != nullptr && options_.schema->has_header) return true;
    if (options_.label && is_name(trimmed(*options_.label))) return true;
    // Rows for a model that was trained without a header have most likely none either.
    const bool is_plain = options_.schema != nullptr || std::ranges::find(kinds_, text) == kinds_.end();
    return !number_.empty() && is_plain ? std::optional(false) : std::nullopt;
  }

  std::optional<bool> by_cell_below(std::size_t column, std::string_view cell) const {
    if (kinds_[column] == text && number_.empty() && kind_of(cell) == number) return true;
    if (kinds_[column] == text && !number_.empty() && cell == cells_[column]) return false;
    return std::nullopt;
  }

  /// @param cells  row by row
  bool by_rows_below(const std::vector<std::string_view>& cells) const {
    constexpr std::size_t percent = 100;
    const std::size_t rows = cells.size() / cells_.size();
    bool has_label_word = false;
    const bool is_blank = std::ranges::all_of(cells_, &std::string::empty);
    bool reappears = !is_blank && std::ranges::find(kinds_, text) == kinds_.end();
    bool has_sign = false;
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      std::unordered_map<std::string_view, std::size_t> counts;
      std::array<std::size_t, 3> kinds{};
      for (std::size_t at = j; at < cells.size(); at += cells_.size()) {
        ++counts[cells[at]];
        ++kinds.at(kind_of(cells[at]));
      }
      has_sign = has_sign || (kinds_[j] != missing && kinds.at(kinds_[j]) == 0 && rows - kinds[missing] > 1);
      if (kinds_[j] != text) continue;
      const auto single = std::ranges::count_if(counts, [](const auto& count) { return count.second == 1; });
      const std::size_t alone = static_cast<std::size_t>(single) + 1;
      const bool stands_out = rows >= least_rows && (alone == 1 || percent * alone <= rows);
      has_sign = has_sign || (stands_out && !is_date(cells_[j]));  // the first day of a log may have one row
      const bool below = counts.contains(cells_[j]);
      reappears = reappears || below;
      // In tables of votes, y is no name of a label.
      if (!below && is_label_word(cells_[j]) && (number_.empty() || cells_[j].size() > 1)) has_label_word = true;
    }
    if (options_.schema != nullptr) return false;
    return has_label_word || (!reappears && !has_missing_ && (has_sign || number_.empty()));
  }

  /// Of the row; empty if it has none.
  const std::string& first_number() const { return number_; }

 private:
  enum Kind : std::uint8_t { missing, number, text };

  Kind kind_of(std::string_view cell) const {
    double value = 0;
    const bool comma = options_.decimal == Decimal::comma;
    if (codes_.has(cell, comma)) return missing;
    const CellKind kind = classify_cell(cell, value, comma);
    if (kind == CellKind::missing) return missing;
    return kind == CellKind::text && !(thousands_ && grouped(cell, comma) != Grouped::no) ? text : number;
  }

  /// Whether a cell is so called. A number that may be a position is no name.
  bool is_name(std::string_view name) const {
    double value = 0;
    const bool is_position =
        classify_cell(name, value) == CellKind::number && value <= static_cast<double>(cells_.size());
    return !is_position && std::ranges::find(cells_, name) != cells_.end();
  }

  std::vector<std::string> cells_;
  std::vector<Kind> kinds_;
  std::string number_;
  bool has_missing_ = false;  ///< a cell names a missing value, as no name of a column does
  const ReadOptions& options_;
  MissingCodes codes_;
  bool thousands_;
};

/// Takes cells and line ends from the parser and puts them into a table.
///
/// Where the rows below decide whether the first row is a header, the cells are kept aside until they do, and go into
/// the table then, which knows what its columns are for. Rows below the first without any value, as spreadsheets leave
/// them at the end, are skipped; but not where each row has its own place: for a model that imputes, in scores, and in
/// losses.
class CsvLoader {
 public:
  CsvLoader(const std::string& path, const ReadOptions& options, const Dialect& dialect)
      : path_(path), options_(options), thousands_(dialect.thousands), empty_at_end_(dialect.empty_at_end) {}

  void add_cell(std::string_view cell) {
    after_return_ = false;
    if (cells_in_row_ + empty_cells_ == 0) row_line_ = line_;
    if (cell.empty() && cells_in_row_ == 0 && skips_empty()) {
      ++empty_cells_;
      return;
    }
    for (; empty_cells_ > 0; --empty_cells_) add_next_cell({});
    add_next_cell(cell);
  }

  void end_line(char terminator) {
    if (cells_in_row_ > 0) end_row();
    if (empty_cells_ > 0) ++empty_rows_;
    cells_in_row_ = empty_cells_ = 0;
    if (terminator == '\r' || !after_return_) ++line_;
    after_return_ = terminator == '\r';
  }

  /// Takes rows that were parsed apart, and follow a line feed.
  void add_rows(PlainRows plain) {
    const std::optional<WrongRow> wrong = plain.wrong;
    const std::size_t line = line_;
    rows_ += plain.rows.lines.size();
    line_ += plain.lines;
    empty_rows_ += plain.empty;
    file_.table.append(std::move(plain.rows), line);
    if (wrong) refuse_row(wrong->cells, wrong->line + line - 1);
  }

  void finish() {
    if (state_ == State::first_row) refuse_data("the file is empty", {.file = path_});
    if (state_ == State::undecided) decide_by_rows();
    if (rows_ == 0)
      refuse_data(empty_rows_ == 0 ? "the file has a header but no rows of data" : "no row of the file has a value",
                  {.file = path_});
    if (empty_rows_ > 0)
      file_.notes.push_back(fmt::format("{} without any value {} skipped", count_of(empty_rows_, "row"),
                                        empty_rows_ == 1 ? "is" : "are"));
  }

  std::size_t line() const { return line_; }
  /// Of the cell that is not complete: its column's name or position.
  std::string column() const {
    const std::size_t position = cells_in_row_ + empty_cells_;
    const bool is_known = state_ == State::decided && position < file_.layout.names.size();
    return is_known ? file_.layout.where(0, position).column : std::to_string(position + 1);
  }
  bool decided() const { return state_ == State::decided; }
  CsvFile& file() { return file_; }
  PlainRules rules() const {
    PlainRules rules{options_.delimiter, decimal_comma(), thousands_, keeps_texts(), skips_empty(), {}, {}};
    for (const TableColumn& column : file_.table.columns) {
      rules.uses.push_back(column.use);
      rules.codes.push_back(column.codes);
    }
    return rules;
  }

 private:
  enum class State { first_row, undecided, decided };

  bool decimal_comma() const { return options_.decimal == Decimal::comma; }
  bool keeps_texts() const { return options_.all_texts || !options_.texts.empty(); }

  bool skips_empty() const {
    const bool keeps = options_.numbers ||
                       ((options_.schema != nullptr || options_.unlabelled) && options_.missing == Missing::impute);
    return !keeps && state_ != State::first_row && file_.table.width() > 1;
  }

  void add_next_cell(std::string_view cell) {
    if (!take_cell(cell)) line_ += count_lines(cell);  // quoted text may hold line breaks
    ++cells_in_row_;
  }

  /// Returns whether the cell is a number, which has no line break; false while cells are kept aside.
  bool take_cell(std::string_view cell) {
    if (state_ == State::first_row) {
      first_row_.emplace_back(trimmed(cell));
      return false;
    }
    if (cells_in_row_ >= file_.table.width()) return false;
    if (state_ == State::undecided) {
      const std::optional<bool> has_header = judge_->by_cell_below(cells_in_row_, trimmed(cell));
      if (!has_header) {
        aside_.emplace_back(std::string(cell), line_);
        return false;
      }
      decide(*has_header);
    }
    return file_.table.add_cell(cells_in_row_, cell, line_);
  }

  void end_row() {
    if (state_ == State::first_row) {
      end_first_row();
      return;
    }
    if (cells_in_row_ != file_.table.width()) refuse_row(cells_in_row_, row_line_);
    ++rows_;
    if (state_ == State::decided) {
      file_.table.end_row(row_line_);
      return;
    }
    aside_lines_.push_back(row_line_);
    constexpr std::size_t most_rows = 1000;
    constexpr std::size_t most_cells = 100000;
    if (aside_lines_.size() >= most_rows || aside_.size() >= most_cells) decide_by_rows();
  }

  [[noreturn]] void refuse_row(std::size_t cells, std::size_t line) const {
    refuse_data(fmt::format("the row has {} where the first row has {}", count_of(cells, "cell"), file_.table.width()),
                {path_, line, ""});
  }

  void end_first_row() {
    if (tells_delimiter(first_row_.front()) && (first_row_.size() == 1 || first_row_.back().empty()))
      return first_row_.clear();
    first_line_ = row_line_;
    file_.table.set_width(first_row_.size(), decimal_comma(), thousands_, keeps_texts());
    state_ = State::undecided;
    judge_.emplace(first_row_, options_, thousands_);
    if (const std::optional<bool> has_header = judge_->by_itself()) decide(*has_header);
  }

  void decide_by_rows() {
    std::vector<std::string_view> cells;
    for (const auto& [cell, line] : aside_) cells.push_back(trimmed(cell));
    const std::string number = judge_->first_number();
    const bool has_header = judge_->by_rows_below(cells);
    decide(has_header);
    if (has_header && !number.empty())
      file_.notes.push_back(fmt::format(
          "the first row, with the number {}, is taken for a header; otherwise say that there is no header", number));
  }

  void decide(bool has_header) {
    state_ = State::decided;
    file_.layout = make_layout(path_, first_row_, has_header, options_, empty_at_end_);
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
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].use = uses[j];
      columns[j].codes = layout.codes[j];
    }
    if (!has_header) {
      for (std::size_t j = 0; j < first_row_.size(); ++j) file_.table.add_cell(j, first_row_[j], first_line_);
      file_.table.end_row(first_line_);
      ++rows_;
    }
    for (std::size_t i = 0; i < aside_.size(); ++i) {
      file_.table.add_cell(i % columns.size(), aside_[i].first, aside_[i].second);
      if ((i + 1) % columns.size() == 0 && i / columns.size() < aside_lines_.size())
        file_.table.end_row(aside_lines_[i / columns.size()]);
    }
    first_row_ = {};
    aside_ = {};
    judge_.reset();
  }

  const std::string& path_;
  const ReadOptions& options_;
  bool thousands_;
  std::size_t empty_at_end_;
  State state_ = State::first_row;
  std::vector<std::string> first_row_;
  std::optional<HeaderJudge> judge_;
  std::vector<std::pair<std::string, std::size_t>> aside_;  ///< cells below the first row, and their lines
  std::vector<std::size_t> aside_lines_;                    ///< of the rows that are complete
  std::size_t first_line_ = 1;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
  std::size_t cells_in_row_ = 0;
  std::size_t empty_cells_ = 0;  ///< of a row that has no other cells yet; they are not in cells_in_row_
  std::size_t empty_rows_ = 0;   ///< which were skipped
  bool after_return_ = false;
  std::size_t rows_ = 0;  ///< of data, with those that were taken away
  CsvFile file_;
};

}  // namespace

struct CsvReader::Impl {
  Impl(TextSource& text, const ReadOptions& options, const Dialect& dialect)
      : source(text), cutter(text), cells(options.delimiter), loader(text.path(), options, dialect) {
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

  /// Cell by cell, whatever the state in which the text before ended.
  void feed(std::string_view text) {
    cells.add(text);
    for (CsvCells::Found found = cells.next(); found != CsvCells::Found::piece_end; found = cells.next()) {
      if (found == CsvCells::Found::cell) {
        loader.add_cell(cells.cell());
      } else if (found == CsvCells::Found::row_end) {
        loader.end_line(cells.row_end());
      } else {
        refuse_data("a double quote stands inside a cell; put the whole cell in quotes and double the quotes inside",
                    {source.path(), loader.line(), ""});
      }
    }
  }

  /// Row by row until the columns are known. @return what is left
  std::string_view feed_until_decided(std::string_view text) {
    while (!text.empty() && !(loader.decided() && cells.at_row_start())) {
      const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
      feed(text.substr(0, size));
      text.remove_prefix(size);
    }
    return text;
  }

  /// A place in the text that was refused gets the column of the cell where the text ends.
  void rethrow_with_column(const std::exception_ptr& failure) const {
    try {
      std::rethrow_exception(failure);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_data || error.location().line == 0) throw;
      throw Error(error.code(), error.sentence(), {error.location().file, error.location().line, loader.column()});
    }
  }

  /// Parses the parts that look as if no parser's state were needed, and reads the next round at the same time.
  std::vector<std::optional<PlainRows>> parse_round(const std::vector<std::string_view>& parts, bool reads_on) {
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

  void finish(const TextRound& round) {
    feed(round.rest);
    if (round.failure) rethrow_with_column(round.failure);
    if (cells.in_quotes())
      refuse_data("the quote that opens a cell of this row is never closed", {source.path(), loader.line(), ""});
    if (!cells.at_row_start()) feed("\n");
    loader.finish();
  }
};

CsvReader::CsvReader(TextSource& source, const ReadOptions& options, const Dialect& dialect)
    : impl_(std::make_unique<Impl>(source, options, dialect)) {
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
