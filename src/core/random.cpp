#include "credence/core/random.hpp"

#include <boost/random/normal_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>

namespace credence::core {
namespace {

/// The upper 64 bits of the product a * b.
std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t lower_half = 0xffffffffULL;
  const std::uint64_t a_low = a & lower_half;
  const std::uint64_t b_low = b & lower_half;
  const std::uint64_t middle = (a >> 32) * b_low + ((a_low * b_low) >> 32);
  const std::uint64_t other_middle = a_low * (b >> 32) + (middle & lower_half);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other_middle >> 32);
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t purpose) : engine_(mixed(mixed(seed) ^ purpose)) {}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  return boost::random::uniform_int_distribution<std::uint64_t>(0, bound - 1)(engine_);
}

double RandomStream::uniform() {
  return boost::random::uniform_01<double>()(engine_);
}

double RandomStream::normal() {
  return boost::random::normal_distribution<double>()(engine_);
}

std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t random_choice(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index, std::uint64_t bound) {
  return multiply_high(mixed(mixed(mixed(seed) ^ purpose) ^ index), bound);
}

}  // namespace credence::core
