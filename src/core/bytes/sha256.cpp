#include "credence/core/sha256.hpp"

#include <algorithm>
#include <bit>

namespace credence::core {
namespace {

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::array<std::uint32_t, 64> schedule_of(const std::uint8_t* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t t = 0; t < 16; ++t)
    for (std::size_t b = 0; b < 4; ++b) words[t] = words[t] << 8U | block[4 * t + b];
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t near = words[t - 15];
    const std::uint32_t far = words[t - 2];
    words[t] = words[t - 16] + words[t - 7] + (std::rotr(near, 7) ^ std::rotr(near, 18) ^ near >> 3U) +
               (std::rotr(far, 17) ^ std::rotr(far, 19) ^ far >> 10U);
  }
  return words;
}

}  // namespace

void Sha256::add_block(const std::uint8_t* block) {
  const std::array<std::uint32_t, 64> words = schedule_of(block);
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                                round_constants[t] + words[t];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> added{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Sha256::add(std::string_view bytes) {
  total_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), block_.size() - in_block_);
    std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(in_block_));
    bytes.remove_prefix(taken);
    in_block_ += taken;
    if (in_block_ < block_.size()) return;
    add_block(block_.data());
    in_block_ = 0;
  }
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = total_ * 8;
  constexpr std::size_t before_length = 56;
  std::string padding(1, '\x80');
  padding.append((before_length + block_.size() - (in_block_ + 1) % block_.size()) % block_.size(), '\0');
  for (int shift = 56; shift >= 0; shift -= 8) padding += static_cast<char>(bits >> static_cast<unsigned>(shift));
  add(padding);
  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Sha256::Digest sha256(std::string_view bytes) {
  Sha256 sum;
  sum.add(bytes);
  return sum.finish();
}

std::string hexadecimal(const Sha256::Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

std::string base64(const Sha256::Digest& digest) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < digest.size(); i += 3) {
    const std::size_t held = std::min<std::size_t>(3, digest.size() - i);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b) group = group << 8U | (b < held ? digest[i + b] : 0U);
    for (std::size_t c = 0; c < 4; ++c) text += c <= held ? digits[group >> (18 - 6 * c) & 63U] : '=';
  }
  return text;
}

}  // namespace credence::core
