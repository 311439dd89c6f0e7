#pragma once

#include "credence/data/features.hpp"

namespace credence::conformal {

/// The rows with numbers beyond 1e150 cut to it, as distances square them.
data::Features cut_to_largest(const data::Features& rows);

}  // namespace credence::conformal
