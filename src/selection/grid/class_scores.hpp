#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/data/dataset.hpp"

namespace credence::selection {

/// Of which cells of a grid the scores of all classes are kept.
enum class ScoredCells {
  if_they_fit,  ///< all, if their scores take no more than a share of the memory budget, or there is one cell; else
                ///< none
  last,         ///< the last
  none,
};

/// The scores of all classes that rows got where they were left out, as floats, for data of more than two classes. The
/// scores of two classes follow from the strangeness, and a regression has none.
class ClassScores {
 public:
  /// Keeps nothing.
  ClassScores() = default;
  /// Room for the scores, all 0.
  ClassScores(const data::Dataset& dataset, std::size_t cells, ScoredCells scored, std::size_t memory_budget);

  bool any() const { return cells_ > 0; }
  bool has(std::size_t cell) const { return cell >= first_ && cell < first_ + cells_; }
  void set(std::size_t row, std::size_t cell, std::size_t c, double score) {
    values_[at(row, cell) + c] = static_cast<float>(score);
  }
  /// Of some rows: rows x classes. @param cell  one that is kept
  data::DenseMatrix of(std::span<const std::size_t> rows, std::size_t cell) const;
  /// The cells of both, those of `first` before those of `second`; nothing if either keeps not all of its cells.
  static ClassScores joined(const ClassScores& first, const ClassScores& second);

  /// The scores of all cells may take memory_budget / share bytes.
  static constexpr std::size_t share = 8;

 private:
  std::size_t at(std::size_t row, std::size_t cell) const { return (row * cells_ + cell - first_) * classes_; }
  /// Of one row, all cells.
  std::span<const float> of_row(std::size_t row) const {
    return {values_.data() + row * cells_ * classes_, cells_ * classes_};
  }

  std::size_t first_ = 0;  ///< cell that is kept
  std::size_t cells_ = 0;  ///< that are kept
  std::size_t classes_ = 0;
  std::vector<float> values_;  ///< (row, cell, class), class fastest
};

}  // namespace credence::selection
