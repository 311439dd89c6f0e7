#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/regions/merged_regions.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {

namespace {

/// Changing it changes everyone's further partitions.
constexpr std::uint64_t partition_purpose = 0x5041'5254'0000'0002;

/// Folds that are given are about all rows; a region may have rows of one of them only.
void check_rows(const data::Dataset& dataset) {
  const char* given = !dataset.splits.empty() ? "splits" : !dataset.folds.empty() ? "a fold column" : nullptr;
  if (given == nullptr) return;
  refuse_data(
      std::string("the data bring ") + given +
          ", which the regions of the feature space cannot follow: every region draws folds of its own, and whole "
          "groups stay together in them",
      {dataset.source});
}

/// The rows from which preprocessing and partitions are learnt.
class LearntRows {
 public:
  LearntRows(const RowSource& source, std::size_t rows, std::uint64_t seed) : all_rows_(rows) {
    if (source.whole != nullptr && rows <= most_learnt_rows)
      rows_ = source.whole;
    else
      rows_ = &own_.emplace(source.select(learnt_rows(rows, seed)));
  }

  data::Preprocessing preprocessing(data::Scaling scaling) const { return fitted(*rows_, scaling); }
  /// Of rows that are preprocessed already.
  data::Preprocessing scaling(const FittedPartition& partition, data::Scaling scaling) const {
    return fitted(prepared_rows(*rows_, partition, core::numbers_below(rows_->rows())), scaling);
  }

  /// With as many regions as all rows would have.
  model::Partition partition(const FittedPartition& fitted, const core::Context& context) const {
    const data::Features features = features_in(fitted, *rows_);
    const double share = static_cast<double>(rows_->rows()) / static_cast<double>(all_rows_);
    const double size = std::round(share * static_cast<double>(fitted.options.as<Regions>().size()));
    return model::fit_partition(features, static_cast<std::size_t>(std::max(size, 1.0)), fitted.options.seed, context);
  }

 private:
  data::Preprocessing fitted(const data::Dataset& rows, data::Scaling scaling) const {
    if (rows_->rows() == all_rows_) return data::Preprocessing::fit(rows, scaling);
    return data::Preprocessing::fit_for_others(rows, core::numbers_below(rows.rows()), scaling);
  }

  std::size_t all_rows_;
  std::optional<data::Dataset> own_;
  const data::Dataset* rows_ = nullptr;
};

/// What all partitions have in common: quantiles are those of rows that are scaled otherwise, where another scaling is
/// among the candidates.
data::Scaling common_scaling(const Options& options) {
  for (const data::Scaling scaling : options.preparation.scalings)
    if (scaling != data::Scaling::quantile) return scaling;
  return options.preparation.scaling();
}

void set_space(const LearntRows& learnt, std::size_t space, FittedPartition& fitted) {
  fitted.space = space;
  const data::Scaling own = spaces_of(fitted.options)[space].preparation.scaling();
  if (own != fitted.preprocessing.scaling) fitted.scaling = learnt.scaling(fitted, own);
}

}  // namespace

data::Features features_in(const FittedPartition& fitted, const data::Dataset& rows) {
  data::Features features = fitted.preprocessing.apply(rows, data::UnknownLevel::ignore);
  return fitted.scaling ? fitted.scaling->apply(features) : features;
}

void fix_balance(const data::Dataset& dataset, svm::ClassWeights& weights) {
  if (!weights.balanced) return;
  const std::vector<double> factors = svm::box_factors(dataset, weights, std::vector<bool>(dataset.rows(), true));
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const std::string& name = dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])];
    weights.named[name] = factors[i] / (dataset.weights.empty() ? 1 : dataset.weights[i]);
  }
  weights.balanced = false;
}

FittedPartition first_partition(const data::Dataset& dataset, const RowSource& source, const Options& options,
                                const core::Context& context) {
  data::check_trainable(dataset);
  check_rows(dataset);
  FittedPartition fitted;
  fitted.options = options;
  fitted.options.estimate = options.estimate.value_or(Estimate::bbc);
  fix_balance(dataset, fitted.options.costs.class_weights);
  const LearntRows learnt(source, dataset.rows(), options.seed);
  fitted.preprocessing = learnt.preprocessing(common_scaling(options));
  set_space(learnt, 0, fitted);
  fitted.partition = learnt.partition(fitted, context);
  return fitted;
}

FittedPartition next_partition(const data::Dataset& dataset, const RowSource& source, std::uint64_t seed,
                               const FittedPartition& fitted, std::size_t space, const core::Context& context) {
  FittedPartition next;
  next.number = fitted.number + 1;
  next.preprocessing = fitted.preprocessing;
  next.options = fitted.options;
  const LearntRows learnt(source, dataset.rows(), seed);
  next.options.seed = core::mixed(fitted.options.seed ^ partition_purpose);
  set_space(learnt, space, next);
  next.partition = learnt.partition(next, context);
  return next;
}

data::Dataset prepared_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                            std::span<const std::size_t> rows) {
  data::Dataset own = dataset.select_rows(rows);
  own.features = features_in(fitted, own);
  own.hint.clear();
  own.schema.hint_name.clear();
  own.schema.columns.clear();
  for (const std::string& name : fitted.preprocessing.names)
    own.schema.columns.push_back({name, data::ColumnKind::numeric, {}});
  return own;
}

namespace {

/// Changing it changes everyone's partitions of many rows.
constexpr std::uint64_t learnt_purpose = 0x5041'5254'0000'0004;
constexpr std::size_t routed_at_once = 65536;

void add(std::span<const std::size_t> more, std::vector<std::size_t>& rows) {
  std::vector<std::size_t> both;
  std::ranges::set_union(rows, more, std::back_inserter(both));
  rows = std::move(both);
}

}  // namespace

std::vector<std::size_t> learnt_rows(std::size_t rows, std::uint64_t seed) {
  if (rows <= most_learnt_rows) return core::numbers_below(rows);
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
  return core::made(count, [&](std::size_t i) { return i * rows / count; });
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
  if (n <= most_learnt_rows) return core::numbers_below(n);
  std::vector<std::size_t> rows = rows_apart(dataset, options);
  std::vector<std::size_t> training;
  std::ranges::set_difference(core::numbers_below(n), rows, std::back_inserter(training));
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
    const std::size_t count = std::min(routed_at_once, dataset.rows() - first);
    const data::Features features = features_in(fitted, dataset.select_rows(core::numbers_from(first, count)));
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
