#pragma once

// Before Highway, so that a test walks the targets that the library has code for.
#include "kernel/simd_targets.hpp"

#include <hwy/targets.h>

#include <cstdint>

namespace credence::test {

/// Makes the library run on one Highway target while it lives.
class OnTarget {
 public:
  explicit OnTarget(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~OnTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  OnTarget(const OnTarget&) = delete;
  OnTarget& operator=(const OnTarget&) = delete;
};

}  // namespace credence::test
