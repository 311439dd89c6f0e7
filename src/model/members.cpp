#include "credence/model/members.hpp"

#include <algorithm>

namespace credence::model {
namespace {

/// What the members say that are averages of models.
Scores averaged(const Scores& block, const std::vector<std::vector<std::uint32_t>>& averages) {
  Scores scores(block.rows, averages.size(), block.classes);
  scores.region_of = block.region_of;
  for (std::size_t row = 0; row < block.rows; ++row)
    for (std::size_t k = 0; k < averages.size(); ++k)
      scores.labels[row * averages.size() + k] =
          mean_of_clipped(block, row, averages[k], {scores.at(row, k), block.classes});
  return scores;
}

}  // namespace

int mean_of_clipped(const Scores& scores, std::size_t row, std::span<const std::uint32_t> models,
                    std::span<double> mean) {
  std::ranges::fill(mean, 0.0);
  for (const std::uint32_t model : models) {
    const double* const own = scores.at(row, model);
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += clipped(own[c]);
  }
  for (double& score : mean) score /= static_cast<double>(models.size());
  return static_cast<int>(std::ranges::max_element(mean) - mean.begin());
}

std::size_t Members::count() const {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.count();
  return count;
}

const ClassifierFamily* Members::alone() const {
  return parts.size() == 1 && !parts.front().preprocessing ? parts.front().family.get() : nullptr;
}

void Members::Part::hand_over(const Scores& block, std::size_t first, std::size_t member, const Visit& visit) const {
  if (averages.empty())
    visit(first, member, block);
  else
    visit(first, member, averaged(block, averages));
}

void Members::score(const data::Dataset& rows, const data::Preprocessing& preprocessing, const core::Context& context,
                    const Visit& visit) const {
  std::size_t member = 0;
  for (const Part& part : parts) {
    const data::Features own = part.preprocessing.value_or(preprocessing).apply(rows, data::UnknownLevel::ignore);
    part.family->score(own, context,
                       [&](std::size_t first, const Scores& block) { part.hand_over(block, first, member, visit); });
    member += part.count();
  }
}

}  // namespace credence::model
