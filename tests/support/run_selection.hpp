#pragma once

#include "credence/selection/selector.hpp"
#include "support/context.hpp"

namespace credence::test {

inline selection::Selection run_selection(const data::Dataset& dataset, const selection::Options& options,
                                          int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

}  // namespace credence::test
