#include "credence/selection/selector.hpp"

#include "credence/core/error.hpp"

namespace credence::selection {

Selector::Selector(const Options& options) : options_(options.resolved()) {
  throw_if_any(options.validate());
}

Selection Selector::select(const data::Dataset& dataset, const core::Context& context) const {
  return std::visit([&](const auto& method) { return method.select(dataset, options_, context); }, options_.method);
}

}  // namespace credence::selection
