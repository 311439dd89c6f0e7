#include <algorithm>
#include <string>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/partition.hpp"
#include "selection/partition/prepared_rows.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Changing it changes everyone's further partitions.
constexpr std::uint64_t partition_purpose = 0x5041'5254'0000'0002;

/// Folds that are given are about all rows; a region may have rows of one of them only.
void check_rows(const data::Dataset& dataset) {
  const char* given = !dataset.splits.empty() ? "splits" : !dataset.folds.empty() ? "a fold column" : nullptr;
  if (given == nullptr) return;
  throw Error(
      ErrorCode::invalid_data,
      std::string("the data bring ") + given +
          ", which the regions of the feature space cannot follow: every region draws folds of its own, and whole "
          "groups stay together in them",
      {dataset.source, 0, ""});
}

}  // namespace

void fix_balance(const data::Dataset& dataset, svm::ClassWeights& weights) {
  if (!weights.balanced) return;
  const std::vector<double> factors = svm::box_factors(dataset, weights, std::vector<bool>(dataset.rows(), true));
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    const std::string& name = dataset.schema.classes[static_cast<std::size_t>(dataset.labels[i])];
    weights.named[name] = factors[i] / (dataset.weights.empty() ? 1 : dataset.weights[i]);
  }
  weights.balanced = false;
}

FittedPartition first_partition(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  data::check_trainable(dataset);
  check_rows(dataset);
  FittedPartition fitted;
  fitted.options = options;
  fitted.options.estimate = options.estimate.value_or(Estimate::bbc);
  fix_balance(dataset, fitted.options.costs().class_weights);
  fitted.preprocessing = fit_preprocessing(dataset, options);
  const data::Features features = fitted.preprocessing.apply(dataset, data::UnknownLevel::ignore);
  fitted.partition = model::fit_partition(features, options.region_rows(), options.seed, context);
  fitted.region_of = fitted.partition.regions_of(features, context);
  return fitted;
}

FittedPartition next_partition(const data::Dataset& dataset, const FittedPartition& fitted,
                               const core::Context& context) {
  FittedPartition next{fitted.number + 1, fitted.preprocessing, {}, {}, fitted.options};
  next.options.seed = core::mixed(fitted.options.seed ^ partition_purpose);
  const data::Features features = next.preprocessing.apply(dataset, data::UnknownLevel::ignore);
  next.partition = model::fit_partition(features, next.options.region_rows(), next.options.seed, context);
  next.region_of = next.partition.regions_of(features, context);
  return next;
}

data::Dataset prepared_rows(const data::Dataset& dataset, const FittedPartition& fitted,
                            std::span<const std::size_t> rows) {
  data::Dataset own = dataset.select_rows(rows);
  own.features = fitted.preprocessing.apply(own, data::UnknownLevel::ignore);
  own.hint.clear();
  own.schema.hint_name.clear();
  own.schema.columns.clear();
  for (const std::string& name : fitted.preprocessing.names)
    own.schema.columns.push_back({name, data::ColumnKind::numeric, {}});
  return own;
}

}  // namespace credence::selection
