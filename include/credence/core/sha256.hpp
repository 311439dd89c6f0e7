#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace credence::core {

/// The checksum SHA-256 of bytes that come one part after the other: the number that `sha256sum` prints.
/// Source: FIPS 180-4 (2015).
class Sha256 {
 public:
  using Digest = std::array<std::uint8_t, 32>;

  void add(std::string_view bytes);
  /// The checksum of all bytes so far. The object takes no bytes afterwards.
  Digest finish();

 private:
  void add_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t in_block_ = 0;
  std::uint64_t total_ = 0;
};

Sha256::Digest sha256(std::string_view bytes);
/// "e3b0c442...": two digits a byte.
std::string hexadecimal(const Sha256::Digest& digest);
/// "47DEQpj8...=": as Content-Security-Policy writes a checksum.
std::string base64(const Sha256::Digest& digest);

}  // namespace credence::core
