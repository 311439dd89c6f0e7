#pragma once

#include <span>

#include "credence/conformal/measures/nearest.hpp"

namespace credence::conformal {

/// Nearest-neighbour ratio: the sum of the k smallest distances to the own class over the sum of the k smallest to all
/// others. Large for an example that is far from its class or near another.
///
/// Where a class has fewer than k, all there are are taken, and the ratio is that of the means. 0 / 0 is 1; a positive
/// number over 0 is +infinity; without any example of the own class +infinity; without any other (but some own) 0.
/// @param own    ascending distances to the nearest of the own class, at most k
/// @param other  the same of the others
/// Sums run in ascending order.  Source: Proedrou et al., ECML 2002, equation (2); its simplified form without the
/// denominator is own_class_distance.hpp.
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
