#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "credence/core/bytes.hpp"

/// Results of tasks for other machines: bytes that say what they are of, and whether somebody altered them.
namespace credence::core {

/// What every result of a task begins with.
struct TaskName {
  char kind = ' ';  ///< of the task
  std::uint32_t fingerprint = 0;
  std::uint64_t number = 0;
};

/// The value with the name, the version of the library and a checksum.
std::string sealed(TaskName name, const std::string& content);
/// The name of such bytes. @throws Error format for another version, and altered bytes
TaskName name_of(std::string_view bytes);
/// The content of such bytes. @throws Error format for another name or version, and altered bytes
std::string_view unsealed(const TaskName& name, std::string_view bytes);

template <class Value>
std::string sealed_value(const TaskName& name, Value& value) {
  ByteWriter writer;
  writer(value);
  return sealed(name, writer.content());
}
template <class Value>
Value unsealed_value(const TaskName& name, std::string_view bytes) {
  ByteReader reader(unsealed(name, bytes));
  Value value;
  reader(value);
  if (!reader.at_end()) throw Error(ErrorCode::format, "the result of a task is longer than it should be");
  return value;
}

}  // namespace credence::core
