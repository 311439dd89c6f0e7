#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"

/// What the bounds and p-values of the library promise, held against simulation: `credence selfcheck`.
namespace credence::selfcheck {

/// What is said of the values of a check at each level t.
enum class Promise {
  exact,         ///< P(value <= t) = t
  conservative,  ///< P(value <= t) <= t
  approximate,   ///< P(value <= t) is near t; nothing is proved, so the check measures and cannot fail
};

/// A value that stands for "not broken at any level".
inline constexpr double never = 2;
inline constexpr std::array<double, 5> all_levels{0.01, 0.05, 0.1, 0.2, 0.5};

/// One trial appends its values, each of which is the smallest level at which the promise is broken: of a p-value the
/// p-value of the truth, of a bound the smallest delta at which the bound failed (or `never`). The values depend on the
/// seed alone.
using Trial = std::function<void(std::uint64_t seed, const core::Context& context, std::vector<double>& values)>;

/// A distribution and a size.
struct Setting {
  std::string problem;
  std::size_t n = 0;
  Trial trial;
  std::function<double(double level)> nominal{};  ///< what P(value <= t) is held against; empty: t itself
};

struct Effort {
  std::size_t quick = 0;  ///< trials of each setting
  std::size_t full = 0;
};

/// One promise.
struct Check {
  std::string name;    ///< "split-svm", for --only
  std::string what;    ///< in a few words
  std::string source;  ///< where the promise is made: a header, a paper
  Promise promise = Promise::conservative;
  Effort trials;
  std::vector<Setting> settings;
  std::vector<double> levels{all_levels.begin(), all_levels.end()};
  /// The values are p-values, which have to be uniform (exact) or above uniform ones (conservative) over all levels at
  /// once.
  bool curve = true;
  /// The values of one trial are independent of each other. Dependent values count for less in the interval, and a
  /// check of a proved promise has none.
  bool independent = true;
};

/// Every promise; a new bound or p-value is one more line of registry.cpp.
std::vector<Check> checks();

/// The smallest of the levels at which `fails(level)`, or `never`.
template <class Fails>
double breaking_level(const std::vector<double>& levels, const Fails& fails) {
  for (const double level : levels)
    if (fails(level)) return level;
  return never;
}
template <class Fails>
double breaking_level(const Fails& fails) {
  return breaking_level(std::vector<double>(all_levels.begin(), all_levels.end()), fails);
}

}  // namespace credence::selfcheck
