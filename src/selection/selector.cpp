#include "credence/selection/selector.hpp"

#include "credence/core/error.hpp"

namespace credence::selection {

Selector::Selector(const Options& options) : options_(options.resolved()) {
  throw_if_any(options.validate());
}

Selection Selector::select(const data::Dataset& dataset, const core::Context& context) const {
  return std::visit([&](const auto& method) { return method.select(dataset, options_, context); }, options_.method);
}

std::optional<double> Selection::error_bound() const {
  if (in_sample()) return in_sample()->error_bound;
  if (!estimation() || !estimation()->independent) return std::nullopt;
  for (const ErrorBound& bound : estimation()->bounds)
    if (bound.name == "Clopper-Pearson" && bound.loss == Loss::hard) return bound.bound;
  return std::nullopt;
}

}  // namespace credence::selection
