#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace credence::selection {

/// The scores of places under every cell, clipped, as floats. Of two classes the score of the second one is kept alone.
class ClippedScores {
 public:
  /// Keeps nothing.
  ClippedScores() = default;
  /// Room for the scores, all 0. Memory: 4 bytes x places x cells, and times the classes if there are more than two.
  ClippedScores(std::size_t places, std::size_t cells, std::size_t classes);

  bool empty() const { return values_.empty(); }
  std::size_t classes() const { return classes_; }
  /// Bytes of the scores of so many places, cells and classes.
  static std::size_t bytes_of(std::size_t places, std::size_t cells, std::size_t classes) {
    return places * cells * (classes == 2 ? 1 : classes) * sizeof(float);
  }
  /// @param score  of class c, not clipped yet; of two classes that of the first one is passed over
  void set(std::size_t place, std::size_t cell, std::size_t c, double score);
  /// The mean scores of all classes over the members.
  void mean(std::size_t place, std::span<const std::size_t> members, std::span<double> scores) const;

 private:
  std::size_t width() const { return classes_ == 2 ? 1 : classes_; }

  std::size_t cells_ = 0;
  std::size_t classes_ = 0;
  std::vector<float> values_;  ///< (place, class, cell), cell fastest
};

}  // namespace credence::selection
