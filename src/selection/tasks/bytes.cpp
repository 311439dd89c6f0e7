#include "selection/tasks/bytes.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <utility>

#include "credence/core/version.hpp"

namespace credence::selection {
namespace {

constexpr std::string_view magic = "CredenceTask1";

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorCode::format, sentence);
}

}  // namespace

std::string sealed(TaskName name, std::string content) {
  ByteWriter head;
  std::string library(version());
  head(library, name.kind, name.fingerprint, name.number);
  std::string bytes = std::string(magic) + head.content() + content;
  std::uint32_t sum = checksum(bytes);
  ByteWriter tail;
  tail(sum);
  return bytes + tail.content();
}

std::string_view unsealed(const TaskName& name, std::string_view bytes) {
  std::uint32_t sum = 0;
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + sizeof(sum))
    refuse(fmt::format("the result of task {} is not the result of a task", name.number));
  const std::string_view whole = bytes.substr(0, bytes.size() - sizeof(sum));
  ByteReader tail(bytes.substr(whole.size()));
  tail(sum);
  if (sum != checksum(whole)) refuse(fmt::format("the result of task {} was altered or cut off", name.number));
  ByteReader head(whole.substr(magic.size()));
  std::string library;
  TaskName found;
  head(library, found.kind, found.fingerprint, found.number);
  if (library != version()) {
    refuse(fmt::format("the result of task {} was made by version {} of the library, and this is version {}",
                       name.number, library, version()));
  }
  if (found.fingerprint != name.fingerprint)
    refuse(fmt::format("the result of task {} was made of other data or with other options", name.number));
  if (found.kind != name.kind || found.number != name.number)
    refuse(fmt::format("the result of task {} stands in the place of that of task {}", found.number, name.number));
  ByteWriter length;
  length(library, found.kind, found.fingerprint, found.number);
  return whole.substr(magic.size() + length.content().size());
}

}  // namespace credence::selection
