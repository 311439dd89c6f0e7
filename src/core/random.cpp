#include "credence/core/random.hpp"

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace credence::core {
namespace {

/// One step of SplitMix64: a bijection that sends neighbouring seeds far apart.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t purpose) : engine_(mix(mix(seed) ^ purpose)) {}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  return boost::random::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
}

double RandomStream::uniform() {
  return boost::random::uniform_01<double>()(engine_);
}

double RandomStream::normal() {
  return boost::random::normal_distribution<double>()(engine_);
}

}  // namespace credence::core
