#include "credence/selection/selector.hpp"

#include "credence/core/error.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/front/proof.hpp"

namespace credence::selection {

Selector::Selector(const Options& options) : options_(options.resolved()) {
  throw_if_any(options.validate());
}

Selection Selector::select(const data::Dataset& dataset, const core::Context& context) const {
  Options options = options_;
  options.estimate = options.estimate.value_or(default_estimate(dataset, options));
  Selection selection =
      options.estimate == Estimate::holdout
          ? select_with_rows_set_aside(dataset, options, context)
          : std::visit([&](const auto& method) { return method.select(dataset, options, context); }, options.method);
  state_gaps(dataset, selection);
  return selection;
}

std::optional<double> Selection::error_bound() const {
  if (in_sample()) return in_sample()->error_bound;
  if (!estimation() || !estimation()->independent) return std::nullopt;
  for (const ErrorBound& bound : estimation()->bounds)
    if (bound.name == "Clopper-Pearson" && bound.loss == Loss::hard) return bound.bound;
  return std::nullopt;
}

}  // namespace credence::selection
