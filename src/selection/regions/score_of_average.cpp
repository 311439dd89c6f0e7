#include "selection/regions/merged_regions.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "credence/core/list.hpp"
#include "selection/judge/out_of_sample.hpp"

namespace credence::selection {
namespace {

/// The out-of-fold predictions of some rows, as those of a grid of one cell.
class SaidOutOfFold {
 public:
  SaidOutOfFold(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options)
      : scores_(average.calibration()), labels_(average.labels()), dataset_(dataset), options_(options) {
    folds_ = static_cast<std::size_t>(*std::ranges::max_element(scores_.sibling_of)) + 1;
  }

  /// @param rows  ascending
  OutOfSample of(std::span<const std::size_t> rows) const {
    std::vector<std::vector<std::size_t>> held_out(folds_);
    for (const std::size_t row : rows) held_out[static_cast<std::size_t>(scores_.sibling_of[row])].push_back(row);
    OutOfSample said = room_for(options_, held_out, dataset_.labels, dataset_.weights, dataset_.schema.classes, 1);
    for (std::size_t p = 0; p < said.places(); ++p) {
      const std::size_t row = said.rows[p];
      if (said.takes_labels())
        said.set_label(0, p, static_cast<std::size_t>(labels_[row]));
      else
        said.values[p] = scores_.labels[row] == 1 ? -scores_.strangeness[row] : scores_.strangeness[row];
    }
    return said;
  }

  /// Log losses, from sigmoids of the rows of each region.
  OutOfSample log_losses(const core::Context& context) const {
    const auto regions = static_cast<std::size_t>(*std::ranges::max_element(scores_.region_of)) + 1;
    std::vector<std::vector<std::size_t>> rows(regions);
    for (std::size_t i = 0; i < labels_.size(); ++i) rows[static_cast<std::size_t>(scores_.region_of[i])].push_back(i);
    std::vector<double> losses(labels_.size());
    for (const std::vector<std::size_t>& own : rows) {
      OutOfSample said = of(own);
      judge_by_sigmoids(options_.seed, context, said);
      for (std::size_t p = 0; p < said.places(); ++p) losses[said.rows[p]] = said.values[p];
    }
    OutOfSample all = of_all();
    for (std::size_t p = 0; p < all.places(); ++p) all.values[p] = losses[all.rows[p]];
    return all;
  }

  OutOfSample of_all() const { return of(core::numbers_below(labels_.size())); }

 private:
  model::Calibration scores_;
  std::vector<int> labels_;
  const data::Dataset& dataset_;
  const Options& options_;
  std::size_t folds_ = 0;
};

}  // namespace

Cell score_of_average(const MeanOfPartitions& average, const data::Dataset& dataset, const Options& options,
                      const core::Context& context) {
  const SaidOutOfFold said(average, dataset, options);
  Cell cell;
  set_score(options.score == Score::log_loss ? said.log_losses(context) : said.of_all(), 0, cell);
  cell.split_scores.clear();  // a cell of regions has none
  return cell;
}

}  // namespace credence::selection
