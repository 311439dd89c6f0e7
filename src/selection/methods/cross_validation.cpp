#include "credence/selection/methods/cross_validation.hpp"

#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choice.hpp"
#include "selection/grid/judged_grid.hpp"

namespace credence::selection {

std::vector<Resample> resamples_of_cv(const data::Dataset& dataset, const Options& options) {
  const auto& own = options.as<CrossValidation>();
  return dataset.splits.empty() ? resamples_of_folds(data::folds_of(dataset, own.folds, options.seed, 2, own.name))
                                : resamples_of_splits(dataset);
}

Selection CrossValidation::select(const data::Dataset& dataset, const Options& options,
                                  const core::Context& context) const {
  check_data(dataset, options);
  return select_by_left_out_losses(dataset, options, resamples_of_cv(dataset, options), score_name("CV", options),
                                   context);
}

}  // namespace credence::selection
