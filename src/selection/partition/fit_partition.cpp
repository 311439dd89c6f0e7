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

  data::Preprocessing preprocessing(const Options& options) const {
    if (rows_->rows() == all_rows_) return fit_preprocessing(*rows_, options);
    std::vector<std::size_t> all(rows_->rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return data::Preprocessing::fit_for_others(*rows_, all, options.preparation.scaling());
  }

  /// With as many regions as all rows would have.
  model::Partition partition(const FittedPartition& fitted, const core::Context& context) const {
    const data::Features features = fitted.preprocessing.apply(*rows_, data::UnknownLevel::ignore);
    const double share = static_cast<double>(rows_->rows()) / static_cast<double>(all_rows_);
    const double size = std::round(share * static_cast<double>(fitted.options.as<Regions>().size()));
    return model::fit_partition(features, static_cast<std::size_t>(std::max(size, 1.0)), fitted.options.seed, context);
  }

 private:
  std::size_t all_rows_;
  std::optional<data::Dataset> own_;
  const data::Dataset* rows_ = nullptr;
};

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

FittedPartition first_partition(const data::Dataset& dataset, const RowSource& source, const Options& options,
                                const core::Context& context) {
  data::check_trainable(dataset);
  check_rows(dataset);
  FittedPartition fitted;
  fitted.options = options;
  fitted.options.estimate = options.estimate.value_or(Estimate::bbc);
  fix_balance(dataset, fitted.options.costs.class_weights);
  const LearntRows learnt(source, dataset.rows(), options.seed);
  fitted.preprocessing = learnt.preprocessing(options);
  fitted.partition = learnt.partition(fitted, context);
  return fitted;
}

FittedPartition next_partition(const data::Dataset& dataset, const RowSource& source, std::uint64_t seed,
                               const FittedPartition& fitted, const core::Context& context) {
  FittedPartition next{fitted.number + 1, fitted.preprocessing, {}, {}, fitted.options};
  const LearntRows learnt(source, dataset.rows(), seed);
  next.options.seed = core::mixed(fitted.options.seed ^ partition_purpose);
  next.partition = learnt.partition(next, context);
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
