#pragma once

#include <span>

#include "credence/conformal/measures/nearest.hpp"

namespace credence::conformal {

/// Returns the nearest-neighbour ratio: the sum of the k smallest distances to the own class over the sum of the k
/// smallest distances to all other classes. The ratio is large for an example that is far from its own class or near
/// another.
///
/// If a side has fewer than k examples, all of them count, and the ratio is that of the means. 0 / 0 is 1; a positive
/// number over 0 is +infinity. Without an example of the own class the ratio is +infinity; with examples of the own
/// class and none of the others the ratio is 0.
/// @param own    ascending distances to the nearest examples of the own class, at most k
/// @param other  ascending distances to the nearest examples of the other classes, at most k
/// Sums run in ascending order.  Source: Proedrou et al., ECML 2002, equation (2). own_class_distance.hpp is the
/// simplified form without the denominator.
double neighbour_ratio(std::span<const double> own, std::span<const double> other);

/// The measure of that ratio.
struct NeighbourRatio : Nearest<NeighbourRatio> {
  static constexpr const char* name = "nn-ratio";
  static constexpr const char* sentence =
      "distances to the k nearest of the own class over those to the k nearest others";
  static constexpr Others others = Others::divide;

  static double strangeness(std::span<const double> own, std::span<const double> other, std::size_t) {
    return neighbour_ratio(own, other);
  }
  /// Scores are minus the ratio (neighbours::NeighbourFamily). @throws Error invalid_argument for more neighbours than
  /// rows
  Train training(const Preparation& preparation) const;
};

}  // namespace credence::conformal
