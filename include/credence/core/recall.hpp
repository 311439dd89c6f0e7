#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "credence/core/checkpoint.hpp"
#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "credence/core/fingerprint.hpp"

namespace credence::core {

// Values as bytes, and back. A struct lists its members once, for both directions:
//
//     template <class Bytes>
//     void visit(Bytes& bytes, OuterFold& fold) { bytes(fold.complete, fold.rows, fold.errors); }

static_assert(std::endian::native == std::endian::little, "bytes go between computers of one byte order");

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Appends values.
class ByteWriter {
 public:
  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  std::string& content() { return content_; }

 private:
  template <Plain T>
  void put(T& value) {
    append(&value, sizeof(T));
  }
  void put(std::string& text) { put_block(text); }
  template <class T, std::size_t count>
  void put(std::array<T, count>& values) {
    for (T& value : values) put(value);
  }
  template <Plain T>
  void put(std::vector<T>& values) {
    put_block(values);
  }
  template <class T>
  void put(std::vector<T>& values) {
    auto size = static_cast<std::uint64_t>(values.size());
    put(size);
    for (T& value : values) put(value);
  }
  template <class T>
  void put(std::optional<T>& value) {
    bool there = value.has_value();
    put(there);
    if (there) put(*value);
  }
  void put(auto& value) { visit(*this, value); }
  template <class Block>
  void put_block(Block& block) {
    auto size = static_cast<std::uint64_t>(block.size());
    put(size);
    append(block.data(), block.size() * sizeof(typename Block::value_type));
  }
  void append(const void* data, std::size_t size) {
    if (size > 0) content_.append(static_cast<const char*>(data), size);
  }

  std::string content_;
};

/// Reads values from the front.  @throws Error format if the bytes end too early
class ByteReader {
 public:
  explicit ByteReader(std::string_view content) : rest_(content) {}

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  template <Plain T>
  void take(T& value) {
    std::memcpy(&value, cut(sizeof(T)).data(), sizeof(T));
  }
  template <class T, std::size_t count>
  void take(std::array<T, count>& values) {
    for (T& value : values) take(value);
  }
  void take(bool& value) { value = cut(1).front() != 0; }
  void take(std::string& text) { text = std::string(cut(count(1))); }
  template <Plain T>
  void take(std::vector<T>& values) {
    const std::size_t size = count(sizeof(T));
    values.resize(size);
    const std::string_view bytes = cut(size * sizeof(T));
    if (size > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  }
  template <class T>
  void take(std::vector<T>& values) {
    values.resize(count(1));
    for (T& value : values) take(value);
  }
  template <class T>
  void take(std::optional<T>& value) {
    bool there = false;
    take(there);
    value.reset();
    if (there) take(value.emplace());
  }
  void take(auto& value) { visit(*this, value); }

  /// Reads the number of elements that follow, each of at least `least_bytes` bytes.
  std::size_t count(std::size_t least_bytes) {
    std::uint64_t size = 0;
    take(size);
    if (size > rest_.size() / least_bytes) fail();
    return static_cast<std::size_t>(size);
  }
  std::string_view cut(std::size_t size) {
    if (size > rest_.size()) fail();
    const std::string_view front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }
  [[noreturn]] static void fail() { throw Error(ErrorCode::format, "the result of a shard is cut off"); }

  std::string_view rest_;
};

/// The value that the context's checkpoint has under a key; none without a checkpoint.
/// @param fits  returns whether the sizes of a value, and the indices in it, are possible for this work
/// @throws Error format for a value that does not fit
template <class Value, class Fits>
std::optional<Value> recalled(const Context& context, const Fingerprint& key, const Fits& fits) {
  if (context.checkpoint == nullptr) return std::nullopt;
  const std::optional<std::string> bytes = context.checkpoint->find(key.digest());
  if (!bytes) return std::nullopt;
  ByteReader reader(*bytes);
  std::optional<Value> value(std::in_place);
  try {
    reader(*value);
  } catch (const Error&) {
    context.checkpoint->refuse_result();
  }
  if (!reader.at_end() || !fits(*value)) context.checkpoint->refuse_result();
  return value;
}

/// Keeps a value in the context's checkpoint, if there is one.
void keep(const Context& context, const Fingerprint& key, auto& value) {
  if (context.checkpoint == nullptr) return;
  ByteWriter writer;
  writer(value);
  context.checkpoint->keep(key.digest(), writer.content());
}

}  // namespace credence::core
