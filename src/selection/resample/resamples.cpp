#include "selection/resample/resamples.hpp"

#include <algorithm>

#include "credence/data/splits.hpp"

namespace credence::selection {

std::vector<std::size_t> Resample::training_rows() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < drawn.size(); ++i) rows.insert(rows.end(), drawn[i], i);
  return rows;
}

std::vector<std::size_t> Resample::held_out() const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < drawn.size(); ++i)
    if (drawn[i] == 0 && (apart.empty() || !apart[i])) rows.push_back(i);
  return rows;
}

std::vector<Resample> resamples_of_folds(std::span<const int> folds) {
  const auto count = static_cast<std::size_t>(*std::max_element(folds.begin(), folds.end()) + 1);
  std::vector<Resample> resamples(count, all_rows(folds.size()));
  for (std::size_t i = 0; i < folds.size(); ++i) resamples[static_cast<std::size_t>(folds[i])].drawn[i] = 0;
  return resamples;
}

std::vector<Resample> resamples_of_splits(const data::Dataset& dataset) {
  data::check_splits(dataset);
  std::vector<Resample> resamples;
  for (const data::Split& split : dataset.splits) {
    resamples.push_back({std::vector<std::uint32_t>(dataset.rows(), 0), std::vector<bool>(dataset.rows(), true)});
    Resample& resample = resamples.back();
    for (const std::size_t row : split.training) ++resample.drawn[row];
    for (const std::size_t row : split.held_out) resample.apart[row] = false;
  }
  return resamples;
}

Resample all_rows(std::size_t n) {
  return {std::vector<std::uint32_t>(n, 1)};
}

std::vector<Resample> resamples_of_cv(const data::Dataset& dataset, const Options& options) {
  if (!dataset.splits.empty()) return resamples_of_splits(dataset);
  const auto folds = static_cast<int>(options.resample_count(dataset.rows()));
  return resamples_of_folds(data::folds_of(dataset, folds, options.seed, 2, options.name()));
}

}  // namespace credence::selection
