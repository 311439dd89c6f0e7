#pragma once

#include <cstddef>
#include <span>

#include "credence/conformal/measures/nearest.hpp"

namespace credence::conformal {

/// Returns the sum of the k smallest distances to the own class: the nearest-neighbour ratio without its denominator.
/// If there are fewer than k distances, the result is k times the mean of all; without a distance the result is
/// +infinity.
/// @param own  ascending distances to the nearest examples of the own class, at most k
double own_class_distance(std::span<const double> own, std::size_t k);

/// The measure of that sum.
struct OwnClassDistance : Nearest<OwnClassDistance> {
  static constexpr const char* name = "nn-own";
  static constexpr const char* sentence = "distances to the k nearest of the own class";
  static constexpr Others others = Others::ignored;

  static double strangeness(std::span<const double> own, std::span<const double>, std::size_t k) {
    return own_class_distance(own, k);
  }
};

}  // namespace credence::conformal
