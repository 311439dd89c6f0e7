#include "selection/score/clipped_scores.hpp"

#include "credence/model/members.hpp"

namespace credence::selection {

ClippedScores::ClippedScores(std::size_t places, std::size_t cells, std::size_t classes)
    : cells_(cells), classes_(classes), values_(places * cells * width(), 0.0F) {}

void ClippedScores::set(std::size_t place, std::size_t cell, std::size_t c, double score) {
  if (classes_ == 2 && c == 0) return;
  const std::size_t column = classes_ == 2 ? 0 : c;
  values_[(place * width() + column) * cells_ + cell] = static_cast<float>(model::clipped(score));
}

void ClippedScores::mean(std::size_t place, std::span<const std::size_t> members, std::span<double> scores) const {
  for (std::size_t column = 0; column < width(); ++column) {
    const float* const values = values_.data() + (place * width() + column) * cells_;
    double sum = 0;
    for (const std::size_t cell : members) sum += double{values[cell]};
    scores[classes_ == 2 ? 1 : column] = sum / static_cast<double>(members.size());
  }
  if (classes_ == 2) scores[0] = -scores[1];
}

}  // namespace credence::selection
