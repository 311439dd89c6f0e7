#pragma once

#include "credence/data/features.hpp"

namespace credence::conformal {

/// Distances square their numbers. Rows beyond this size are cut to it, the known ones and new ones alike.
inline constexpr double largest_familiar = 1e150;

/// The rows with numbers beyond this size cut to it; a view of the rows, if there are none.
data::Features cut_to_largest(const data::Features& rows);

}  // namespace credence::conformal
