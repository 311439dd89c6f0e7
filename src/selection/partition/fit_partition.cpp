#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
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
    std::vector<std::size_t> all(rows_->rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return fitted(prepared_rows(*rows_, partition, all), scaling);
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
    std::vector<std::size_t> all(rows.rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return data::Preprocessing::fit_for_others(rows, all, scaling);
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

}  // namespace credence::selection
