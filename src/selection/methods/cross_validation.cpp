#include "credence/selection/methods/cross_validation.hpp"

#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choice.hpp"
#include "selection/grid/judged_grid.hpp"

namespace credence::selection {

Selection CrossValidation::select(const data::Dataset& dataset, const Options& options,
                                  const core::Context& context) const {
  check_data(dataset, options);
  const std::vector<Resample> resamples =
      dataset.splits.empty() ? resamples_of_folds(data::folds_of(dataset, folds, options.seed, 2, name))
                             : resamples_of_splits(dataset);
  return select_by_left_out_losses(dataset, options, resamples, score_name("CV", options), context);
}

}  // namespace credence::selection
