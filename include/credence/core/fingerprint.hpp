#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/core/sha256.hpp"

namespace credence::core {

/// A checksum of data and options (SHA-256).
class Fingerprint {
 public:
  template <class T>
  void add(std::span<const T> values) {
    const std::uint64_t size = values.size();
    add_bytes(&size, sizeof(size));
    add_bytes(values.data(), values.size_bytes());
  }
  void add(std::string_view text) { add(std::span<const char>(text)); }
  /// Adds every field that has `get`, by name and value.
  void add(const std::vector<Field>& fields);
  /// Adds every field that the type of the object describes.
  void add_described(auto object) { add(fields_of(object)); }
  /// Some bits of the checksum.
  std::uint32_t value() const;
  /// The first half of the checksum.
  std::array<std::uint8_t, 16> digest() const;
  /// The whole checksum, two hexadecimal digits for each byte.
  std::string text() const;

 private:
  void add_bytes(const void* data, std::size_t size);
  Sha256 sum_;
};

}  // namespace credence::core
