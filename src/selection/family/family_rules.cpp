#include <algorithm>

#include "credence/model/members.hpp"
#include "credence/selection/ensemble.hpp"

namespace credence::selection {

LargestMargin largest_margin(const model::Scores& scores, std::size_t row) {
  const double* first = scores.at(row, 0);
  const double* last = first + scores.models * scores.classes;
  const double* largest = std::max_element(first, last);
  const auto position = static_cast<std::size_t>(largest - first);
  return {position / scores.classes, static_cast<int>(position % scores.classes), *largest};
}

int majority(const VoteRule& rule, const model::Scores& scores, std::size_t row) {
  std::vector<std::size_t> votes(scores.classes, 0);
  for (const std::uint32_t member : rule.members) ++votes[static_cast<std::size_t>(scores.label(row, member))];
  const std::size_t most = *std::max_element(votes.begin(), votes.end());
  const int first = scores.label(row, rule.members.front());
  return votes[static_cast<std::size_t>(first)] == most
             ? first
             : static_cast<int>(std::find(votes.begin(), votes.end(), most) - votes.begin());
}

int average(const AverageRule& rule, const model::Scores& scores, std::size_t row, std::span<double> mean) {
  return model::mean_of_clipped(scores, row, rule.members, mean);
}

}  // namespace credence::selection
