#pragma once

#include "credence/core/context.hpp"

namespace credence::test {

/// Threads, a monitor without limits, and the context of both.
struct Surroundings {
  explicit Surroundings(int count = 1) : threads(count) {}
  core::Threads threads;
  core::Monitor monitor;
  core::Context context{threads, monitor};
};

}  // namespace credence::test
