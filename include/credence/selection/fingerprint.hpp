#pragma once

#include "credence/core/fingerprint.hpp"
#include "credence/selection/options.hpp"

namespace credence::selection {

/// Adds every option, resolved.
void add_to(core::Fingerprint& sum, const Options& options);

}  // namespace credence::selection
