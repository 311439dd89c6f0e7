#pragma once

#include <algorithm>
#include <cmath>

namespace credence::model {

/// Log losses take a probability below this as this one: a row costs at most 34.5. Without a floor a single row that a
/// steep sigmoid or an isotonic step gets wrong costs 700, or all there is, and decides the mean of any number of rows.
inline constexpr double least_probability = 1e-15;

/// -log of the probability of the true class. Every log loss of the library, of reports and of honest estimates is
/// this.
inline double log_loss(double probability) {
  return -std::log(std::max(probability, least_probability));
}

}  // namespace credence::model
