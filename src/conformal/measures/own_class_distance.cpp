#include "credence/conformal/measures/own_class_distance.hpp"

#include <limits>
#include <numeric>

namespace credence::conformal {

double own_class_distance(std::span<const double> own, std::size_t k) {
  if (own.empty()) return std::numeric_limits<double>::infinity();
  const double sum = std::accumulate(own.begin(), own.end(), 0.0);
  return own.size() < k ? sum * static_cast<double>(k) / static_cast<double>(own.size()) : sum;
}

}  // namespace credence::conformal
