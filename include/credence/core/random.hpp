#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace credence::core {

/// A stream of random numbers that is the same on every platform.
/// Two streams with different (seed, purpose) are independent for all practical ends. Each user of randomness takes a
/// purpose of its own, and each thread a stream of its own.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t purpose = 0);

  /// Draws uniformly from {0, ..., bound - 1}; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  /// Draws uniformly from [0, 1).
  double uniform();
  /// Draws from the standard normal distribution.
  double normal();

  /// Puts the items in random order (Fisher-Yates shuffle).
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[static_cast<std::size_t>(below(i))]);
  }

 private:
  boost::random::mt19937_64 engine_;
};

/// Returns one step of SplitMix64: a bijection that sends neighbouring numbers far apart.
std::uint64_t mixed(std::uint64_t x);

/// Returns a number that depends on seed, purpose and index alone. It serves random choices that must not depend on the
/// order in which they are made. The number is uniform on {0, ..., bound - 1} up to bound / 2^64; bound >= 1.
/// Hash: SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), one step for each argument.
std::uint64_t random_choice(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index, std::uint64_t bound);

}  // namespace credence::core
