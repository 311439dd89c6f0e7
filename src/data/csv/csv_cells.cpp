#include "data/csv/csv_cells.hpp"

#include <algorithm>

namespace credence::data::detail {

CsvCells::Found CsvCells::next() {
  while (true) {
    if (state_ == State::row_start || state_ == State::cell_start || state_ == State::after_cell) skip_blanks();
    if (rest_.empty()) return Found::piece_end;
    const char c = rest_.front();
    switch (state_) {
      case State::row_start:
        if (c == '\n' || c == '\r') return end_row();
        [[fallthrough]];
      case State::cell_start:
        cell_.clear();
        state_ = c == '"' ? State::quoted : State::text;
        if (c == '"') rest_.remove_prefix(1);
        break;
      case State::text:
        take_text();
        if (!rest_.empty()) state_ = State::after_cell;
        break;
      case State::quoted:
        take_quoted();
        break;
      case State::after_quote:
        state_ = c == '"' ? State::quoted : State::after_cell;
        if (c == '"') {
          cell_ += c;
          rest_.remove_prefix(1);
        }
        break;
      case State::after_cell:
        if (c == '"' || !ends_text(c)) return Found::stray_quote;
        return end_cell();
      case State::row_over:
        return end_row();
    }
  }
}

void CsvCells::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
}

/// Up to the first character that no text holds. Blanks in front of it do not count.
void CsvCells::take_text() {
  std::size_t size = 0;
  while (size < rest_.size() && !ends_text(rest_[size])) ++size;
  cell_.append(rest_.substr(0, size));
  rest_.remove_prefix(size);
  if (rest_.empty()) return;
  while (!cell_.empty() && is_blank(cell_.back())) cell_.pop_back();
}

void CsvCells::take_quoted() {
  const std::size_t size = std::min(rest_.find('"'), rest_.size());
  cell_.append(rest_.substr(0, size));
  rest_.remove_prefix(size);
  if (rest_.empty()) return;
  rest_.remove_prefix(1);
  state_ = State::after_quote;
}

CsvCells::Found CsvCells::end_cell() {
  const bool ends_row = rest_.front() != delimiter_;
  if (!ends_row) rest_.remove_prefix(1);
  state_ = ends_row ? State::row_over : State::cell_start;
  return Found::cell;
}

CsvCells::Found CsvCells::end_row() {
  row_end_ = rest_.front();
  rest_.remove_prefix(1);
  state_ = State::row_start;
  return Found::row_end;
}

}  // namespace credence::data::detail
