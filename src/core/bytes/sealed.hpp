#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "credence/core/recall.hpp"

/// Results of shards for other machines: bytes that say what they are of, and whether somebody altered them.
namespace credence::core {

/// What every result of a shard begins with.
struct ShardName {
  char kind = ' ';  ///< of the shard
  std::uint32_t fingerprint = 0;
  std::uint64_t number = 0;
};

/// The value with the name, the version of the library and a checksum.
std::string sealed(ShardName name, const std::string& content);
/// The name of such bytes. @throws Error format for another version, and altered bytes
ShardName name_of(std::string_view bytes);
/// The content of such bytes. @throws Error format for another name or version, and altered bytes
std::string_view unsealed(const ShardName& name, std::string_view bytes);

std::string sealed_value(const ShardName& name, auto& value) {
  ByteWriter writer;
  writer(value);
  return sealed(name, writer.content());
}
template <class Value>
Value unsealed_value(const ShardName& name, std::string_view bytes) {
  ByteReader reader(unsealed(name, bytes));
  Value value;
  reader(value);
  if (!reader.at_end()) throw Error(ErrorCode::format, "the result of a shard is longer than it should be");
  return value;
}

}  // namespace credence::core
