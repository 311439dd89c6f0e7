#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/dataset.hpp"

/// The distributions of labelled rows that promises are held against. Rows are drawn independently of each other.
namespace credence::selfcheck {

struct Problem {
  const char* name;
  std::vector<double> shares;  ///< of the classes
  std::size_t columns;
  void (*draw)(core::RandomStream& random, int label, std::span<double> x);
};

/// "clouds", "ties", "rare 1:50", "bits", "noise", "heavy tails", "copies", "three classes", "chessboard".
const Problem& problem(const std::string& name);

struct Rows {
  data::DenseMatrix x;
  std::vector<int> labels;
};
Rows draw_rows(const Problem& problem, std::size_t n, core::RandomStream& random);
/// With the classes of the problem, of which some may have no row.
data::Dataset dataset_of(const Problem& problem, const Rows& rows);

/// Known rows and new ones, drawn alike.
struct Example {
  data::Dataset known;
  data::Dataset fresh;

  std::size_t truth(std::size_t row = 0) const { return static_cast<std::size_t>(fresh.labels[row]); }
};

struct Drawing {
  std::size_t known = 0;
  std::size_t fresh = 1;
  std::optional<int> of_class{};  ///< the new rows are of this class
  /// Draws again unless each class has so many rows among known and new ones together, and (if any are asked for) some
  /// column varies whichever row is left out: conditions in which known and new rows play the same part.
  std::size_t least = 0;
};
Example draw_example(const Problem& problem, const Drawing& drawing, core::RandomStream& random);

}  // namespace credence::selfcheck
