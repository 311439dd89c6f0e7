#include "credence/bounds/uniform.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/core/error.hpp"

namespace credence::bounds {
namespace {

void check_deviation(std::size_t n, std::size_t dimension, double delta) {
  std::vector<std::string> problems;
  if (n == 0) problems.emplace_back("a deviation needs a sample of at least one");
  if (dimension == 0) problems.emplace_back("the VC dimension must be at least 1");
  if (!(delta > 0 && delta < 1)) problems.emplace_back("delta must lie between 0 and 1, both excluded");
  throw_if_any(problems);
}

}  // namespace

double vc_deviation(std::size_t n, std::size_t dimension, double delta) {
  check_deviation(n, dimension, delta);
  const auto size = static_cast<double>(n);
  const auto d = static_cast<double>(std::min(dimension, n));
  return 5.66 * std::sqrt((d * (1 + std::log(size / d)) + std::log(8.0) - std::log(delta)) / size);
}

double dkw_deviation(std::size_t n, double delta) {
  check_deviation(n, 1, delta);
  return std::sqrt((std::log(2.0) - std::log(delta)) / (2 * static_cast<double>(n)));
}

double hoeffding_deviation(std::size_t n, double delta) {
  check_deviation(n, 1, delta);
  return std::sqrt(-std::log(delta) / (2 * static_cast<double>(n)));
}

}  // namespace credence::bounds
