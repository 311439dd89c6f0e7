#include "selection/grid/class_scores.hpp"

namespace credence::selection {

ClassScores::ClassScores(const data::Dataset& dataset, std::size_t cells, ScoredCells scored,
                         std::size_t memory_budget) {
  if (scored == ScoredCells::none || dataset.is_regression() || dataset.class_count() <= 2) return;
  const std::size_t bytes_of_cell = dataset.rows() * dataset.class_count() * sizeof(float);
  const bool fits = cells == 1 || cells * bytes_of_cell <= memory_budget / share;
  first_ = scored == ScoredCells::last ? cells - 1 : 0;
  cells_ = scored == ScoredCells::last ? 1 : fits ? cells : 0;
  classes_ = dataset.class_count();
  values_.assign(dataset.rows() * cells_ * classes_, 0);
}

data::DenseMatrix ClassScores::of(std::span<const std::size_t> rows, std::size_t cell) const {
  data::DenseMatrix scores(rows.size(), classes_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < classes_; ++c) scores.row(i)[c] = double{values_[at(rows[i], cell) + c]};
  return scores;
}

ClassScores ClassScores::joined(const ClassScores& first, const ClassScores& second) {
  ClassScores both;
  const bool whole = first.first_ == 0 && second.first_ == 0 && first.cells_ > 0 && second.cells_ > 0;
  if (!whole) return both;
  both.cells_ = first.cells_ + second.cells_;
  both.classes_ = first.classes_;
  both.values_.reserve(first.values_.size() + second.values_.size());
  const std::size_t rows = first.values_.size() / (first.cells_ * first.classes_);
  for (std::size_t i = 0; i < rows; ++i) {
    for (const ClassScores* part : {&first, &second}) {
      const std::span<const float> row = part->of_row(i);
      both.values_.insert(both.values_.end(), row.begin(), row.end());
    }
  }
  return both;
}

}  // namespace credence::selection
