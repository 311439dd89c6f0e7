#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/partition/prepared_rows.hpp"
#include "selection/resample/set_aside_rows.hpp"

namespace credence::selection {
namespace {

/// Changing it changes everyone's partitions of many rows.
constexpr std::uint64_t learnt_purpose = 0x5041'5254'0000'0004;
constexpr std::size_t routed_at_once = 65536;

std::vector<std::size_t> numbers_up_to(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

void add(std::span<const std::size_t> more, std::vector<std::size_t>& rows) {
  std::vector<std::size_t> both;
  std::ranges::set_union(rows, more, std::back_inserter(both));
  rows = std::move(both);
}

}  // namespace

std::vector<std::size_t> learnt_rows(std::size_t rows, std::uint64_t seed) {
  if (rows <= most_learnt_rows) return numbers_up_to(rows);
  core::RandomStream random(seed, learnt_purpose);
  std::vector<std::size_t> chosen;
  chosen.reserve(most_learnt_rows);
  for (std::size_t i = 0; i < rows && chosen.size() < most_learnt_rows; ++i)
    if (random.below(rows - i) < most_learnt_rows - chosen.size()) chosen.push_back(i);
  return chosen;
}

std::vector<std::size_t> looked_at_rows(std::size_t rows) {
  constexpr std::size_t most = 1000;
  const std::size_t count = std::min(rows, most);
  std::vector<std::size_t> looked_at(count);
  for (std::size_t i = 0; i < count; ++i) looked_at[i] = i * rows / count;
  return looked_at;
}

RowSource RowSource::of(const data::Dataset& dataset) {
  return {&dataset, [&dataset](std::span<const std::size_t> rows) { return dataset.select_rows(rows); },
          [&dataset] { return data::smallest_keys(data::row_keys(dataset.features)); },
          dataset.features.stored().size()};
}

std::vector<std::size_t> rows_apart(const data::Dataset& dataset, const Options& options) {
  if (options.estimate.value_or(default_estimate(dataset, options)) != Estimate::holdout) return {};
  return data::rows_where(set_aside_rows(dataset, options), true);
}

std::vector<std::size_t> rows_needed(const data::Dataset& dataset, const Options& options) {
  const std::size_t n = dataset.rows();
  if (n <= most_learnt_rows) return numbers_up_to(n);
  std::vector<std::size_t> rows = rows_apart(dataset, options);
  std::vector<std::size_t> training;
  std::ranges::set_difference(numbers_up_to(n), rows, std::back_inserter(training));
  const auto of_training = [&](std::vector<std::size_t> numbers) {
    for (std::size_t& number : numbers) number = training[number];
    return numbers;
  };
  add(of_training(learnt_rows(training.size(), options.seed)), rows);
  // A row of one number stands for the most rows that are kept; of wider rows the first of these are.
  add(of_training(model::known_row_numbers(training.size(), 1, options.seed)), rows);
  add(model::known_row_numbers(n, 1, options.seed), rows);
  add(looked_at_rows(n), rows);
  return rows;
}

std::vector<std::uint32_t> regions_of_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                                           const core::Context& context) {
  if (dataset.rows() <= routed_at_once) return fitted.partition.regions_of(features_in(fitted, dataset), context);
  std::vector<std::uint32_t> regions;
  regions.reserve(dataset.rows());
  for (std::size_t first = 0; first < dataset.rows(); first += routed_at_once) {
    std::vector<std::size_t> block(std::min(routed_at_once, dataset.rows() - first));
    std::iota(block.begin(), block.end(), first);
    const data::Features features = features_in(fitted, dataset.select_rows(block));
    const std::vector<std::uint32_t> own = fitted.partition.regions_of(features, context);
    regions.insert(regions.end(), own.begin(), own.end());
  }
  return regions;
}

void keep_rows(std::size_t rows, const RowSource& source, model::Predictor& predictor) {
  predictor.record.rows = rows;
  predictor.record.row_keys = source.keys();
  const data::Preprocessing& preprocessing = predictor.preprocessing;
  const double numbers_of_a_row = preprocessing.sparse ? static_cast<double>(source.stored) / static_cast<double>(rows)
                                                       : static_cast<double>(preprocessing.columns());
  const data::Dataset known = source.select(model::known_row_numbers(rows, numbers_of_a_row, predictor.record.seed));
  predictor.known_rows = predictor.compared(known);
  predictor.known_rows.own();
}

}  // namespace credence::selection
