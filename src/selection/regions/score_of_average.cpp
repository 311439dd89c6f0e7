#include "selection/regions/merged_regions.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "credence/core/list.hpp"
#include "selection/judge/predictions.hpp"

namespace credence::selection {
namespace {

/// The out-of-fold predictions of some rows, as those of a grid of one setting.
class OutOfFold {
 public:
  OutOfFold(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options)
      : scores_(average.calibration()), labels_(average.labels()), dataset_(dataset), options_(options) {
    folds_ = static_cast<std::size_t>(*std::ranges::max_element(scores_.fold_model_of)) + 1;
  }

  /// @param rows  ascending
  Predictions of(std::span<const std::size_t> rows) const {
    std::vector<std::vector<std::size_t>> held_out(folds_);
    for (const std::size_t row : rows) held_out[static_cast<std::size_t>(scores_.fold_model_of[row])].push_back(row);
    Predictions found = room_for(options_, held_out, dataset_.labels, dataset_.weights, dataset_.schema.classes, 1);
    for (std::size_t p = 0; p < found.places(); ++p) {
      found.labels[p] = static_cast<std::uint16_t>(labels_[found.rows[p]]);
      found.scores[p] = -scores_.nonconformity_scores[found.rows[p]];
    }
    return found;
  }

  /// Log losses, from sigmoids of the rows of each region.
  Predictions log_losses(const core::Context& context) const {
    const auto regions = static_cast<std::size_t>(*std::ranges::max_element(scores_.region_of)) + 1;
    std::vector<std::vector<std::size_t>> rows(regions);
    for (std::size_t i = 0; i < labels_.size(); ++i) rows[static_cast<std::size_t>(scores_.region_of[i])].push_back(i);
    std::vector<double> losses(labels_.size());
    for (const std::vector<std::size_t>& own : rows) {
      Predictions found = of(own);
      judge_by_sigmoids(options_.seed, context, found);
      for (std::size_t p = 0; p < found.places(); ++p) losses[found.rows[p]] = found.log_losses[p];
    }
    Predictions all = of_all();
    for (std::size_t p = 0; p < all.places(); ++p) all.log_losses[p] = losses[all.rows[p]];
    return all;
  }

  Predictions of_all() const { return of(core::numbers_below(labels_.size())); }

 private:
  model::Calibration scores_;
  std::vector<int> labels_;
  const data::Dataset& dataset_;
  const Options& options_;
  std::size_t folds_ = 0;
};

}  // namespace

Setting score_of_average(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options,
                         const core::Context& context) {
  const OutOfFold found(average, dataset, options);
  Setting setting;
  set_score(options.score == Score::log_loss ? found.log_losses(context) : found.of_all(), 0, setting);
  setting.split_scores.clear();  // a setting of regions has none
  return setting;
}

}  // namespace credence::selection
