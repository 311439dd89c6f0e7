#include "credence/selection/methods/cross_validation.hpp"

#include "credence/selection/selector.hpp"
#include "selection/frame/head.hpp"
#include "selection/methods/left_out_losses.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {

Selection CrossValidation::select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                  const Forecast* forecast) const {
  check_data(dataset, options);
  return select_by_left_out_losses(dataset, options, resamples_of_cv(dataset, options), "CV", context,
                                   {.forecast = forecast});
}

}  // namespace credence::selection
