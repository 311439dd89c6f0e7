#include "core/bytes/sealed.hpp"

#include <fmt/format.h>

#include "core/bytes/checksum.hpp"
#include "credence/core/version.hpp"

namespace credence::core {
namespace {

constexpr std::string_view shard_magic = "CredenceShard1";

[[noreturn]] void refuse_shard(const std::string& sentence) {
  throw Error(ErrorCode::format, sentence);
}

}  // namespace

std::string sealed(ShardName name, const std::string& content) {
  ByteWriter head;
  std::string library(version());
  head(library, name.kind, name.fingerprint, name.number);
  std::string bytes = std::string(shard_magic) + head.content() + content;
  std::uint32_t sum = checksum(bytes);
  ByteWriter tail;
  tail(sum);
  return bytes + tail.content();
}

namespace {

/// The bytes between the magic and the checksum.
std::string_view checked(std::string_view bytes) {
  std::uint32_t sum = 0;
  if (!bytes.starts_with(shard_magic) || bytes.size() < shard_magic.size() + sizeof(sum))
    refuse_shard("the result of a shard is cut off, or is none");
  const std::string_view whole = bytes.substr(0, bytes.size() - sizeof(sum));
  ByteReader tail(bytes.substr(whole.size()));
  tail(sum);
  if (sum != checksum(whole)) refuse_shard("the result of a shard was altered or cut off");
  return whole.substr(shard_magic.size());
}

/// Reads the name. @return what follows
std::string_view take_name(std::string_view bytes, ShardName& name) {
  ByteReader head(bytes);
  std::string library;
  head(library, name.kind, name.fingerprint, name.number);
  if (library != version()) {
    refuse_shard(fmt::format("the result of a shard was made by version {} of the library, and this is version {}",
                             library, version()));
  }
  return head.rest();
}

}  // namespace

ShardName name_of(std::string_view bytes) {
  ShardName name;
  take_name(checked(bytes), name);
  return name;
}

std::string_view unsealed(const ShardName& name, std::string_view bytes) {
  ShardName found;
  const std::string_view content = take_name(checked(bytes), found);
  if (found.fingerprint != name.fingerprint)
    refuse_shard(fmt::format("the result of shard {} was made of other data or with other options", name.number));
  if (found.kind != name.kind || found.number != name.number)
    refuse_shard(
        fmt::format("the result of shard {} stands in the place of that of shard {}", found.number, name.number));
  return content;
}

}  // namespace credence::core
