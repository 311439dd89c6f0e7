#pragma once

#include <cstddef>
#include <span>

namespace credence::conformal {

/// The sum of the k smallest distances to the own class: the nearest-neighbour ratio without its denominator. Where
/// there are fewer than k, k times the mean of all there are; +infinity where there is none.
/// @param own  ascending distances to the nearest of the own class, at most k
double own_class_distance(std::span<const double> own, std::size_t k);

}  // namespace credence::conformal
