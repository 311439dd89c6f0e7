#include "credence/model/members.hpp"

#include <algorithm>

#include "credence/core/list.hpp"

namespace credence::model {
namespace {

/// Rows whose means over several parts are in memory together.
constexpr std::size_t meant_at_once = 32768;

/// Of each average the models of the part that begins with model `first`, by their numbers there.
std::vector<std::vector<std::uint32_t>> within(const std::vector<std::vector<std::uint32_t>>& averages,
                                               std::size_t first, std::size_t models) {
  std::vector<std::vector<std::uint32_t>> own(averages.size());
  for (std::size_t k = 0; k < averages.size(); ++k)
    for (const std::uint32_t model : averages[k])
      if (model >= first && model < first + models) own[k].push_back(static_cast<std::uint32_t>(model - first));
  return own;
}

void add_clipped(const Scores& scores, std::size_t row, std::span<const std::uint32_t> models, std::span<double> sum) {
  for (const std::uint32_t model : models) {
    const double* const own = scores.at(row, model);
    for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += clipped(own[c]);
  }
}

/// Adds the clipped scores of the models of a part to the sums of the averages.
void add(const Scores& block, const std::vector<std::vector<std::uint32_t>>& averages, std::size_t first,
         Scores& sums) {
  for (std::size_t row = 0; row < block.rows; ++row)
    for (std::size_t k = 0; k < averages.size(); ++k)
      add_clipped(block, row, averages[k], {sums.at(first + row, k), block.classes});
}

/// Makes means of the sums over so many models.
void divide(const std::vector<std::vector<std::uint32_t>>& averages, Scores& sums) {
  for (std::size_t row = 0; row < sums.rows; ++row)
    for (std::size_t k = 0; k < averages.size(); ++k)
      for (std::size_t c = 0; c < sums.classes; ++c) sums.at(row, k)[c] /= static_cast<double>(averages[k].size());
}

}  // namespace

int mean_of_clipped(const Scores& scores, std::size_t row, std::span<const std::uint32_t> models,
                    std::span<double> mean) {
  std::ranges::fill(mean, 0.0);
  add_clipped(scores, row, models, mean);
  for (double& score : mean) score /= static_cast<double>(models.size());
  return static_cast<int>(std::ranges::max_element(mean) - mean.begin());
}

std::size_t Members::models() const {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.family->models();
  return count;
}

const ClassifierFamily* Members::alone() const {
  return parts.size() == 1 && !parts.front().preprocessing ? parts.front().family.get() : nullptr;
}

void Members::score(const data::Dataset& rows, const data::Preprocessing& preprocessing, const core::Context& context,
                    const Visit& visit) const {
  if (!averages.empty()) return score_means(averages, rows, preprocessing, context, visit);
  std::size_t member = 0;
  for (const Part& part : parts) {
    const data::Features own = part.preprocessing.value_or(preprocessing).apply(rows, data::UnknownLevel::ignore);
    part.family->score(own, context, [&](std::size_t first, const Scores& block) { visit(first, member, block); });
    member += part.family->models();
  }
}

Scores Members::score_all(const data::Dataset& rows, const data::Preprocessing& preprocessing,
                          const core::Context& context) const {
  Scores all(rows.rows(), count(), parts.front().family->classes());
  score(rows, preprocessing, context, [&](std::size_t first, std::size_t member, const Scores& block) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      std::copy_n(block.at(row, 0), block.models * block.classes, all.at(first + row, member));
      for (std::size_t k = 0; k < block.models; ++k)
        all.labels[(first + row) * all.models + member + k] = block.label(row, k);
    }
  });
  return all;
}

void Members::score_means(const std::vector<std::vector<std::uint32_t>>& means, const data::Dataset& rows,
                          const data::Preprocessing& preprocessing, const core::Context& context,
                          const Visit& visit) const {
  const auto prepared = [&](const Part& part, const data::Dataset& some) {
    return part.preprocessing.value_or(preprocessing).apply(some, data::UnknownLevel::ignore);
  };
  for (std::size_t begin = 0; begin < rows.rows(); begin += meant_at_once) {
    std::vector<std::size_t> some = core::numbers_from(begin, std::min(meant_at_once, rows.rows() - begin));
    const data::Dataset block = rows.select_rows(some);
    Scores sums(block.rows(), means.size(), parts.front().family->classes());
    std::size_t model = 0;
    for (const Part& part : parts) {
      const auto own = within(means, model, part.family->models());
      part.family->score(prepared(part, block), context,
                         [&](std::size_t first, const Scores& scores) { add(scores, own, first, sums); });
      model += part.family->models();
    }
    divide(means, sums);
    sums.label_by_score();
    visit(begin, 0, sums);
  }
}

}  // namespace credence::model
