#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/recall.hpp"

namespace credence::test {

inline std::uint32_t crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// A record as checkpoints have them: length, its checksum, content, its checksum.
inline std::string record_of(const std::string& content) {
  core::ByteWriter record;
  auto length = static_cast<std::uint64_t>(content.size());
  record(length);
  std::uint32_t sum = crc(record.content());
  record(sum);
  record.content() += content;
  sum = crc(content);
  record(sum);
  return record.content();
}

/// The first line of a checkpoint.
inline std::string magic_of(const std::string& file) {
  return file.substr(0, file.find('\n') + 1);
}

/// The contents of a checkpoint's records, the head's first.
inline std::vector<std::string> contents_of(const std::string& file) {
  std::vector<std::string> contents;
  for (std::size_t at = magic_of(file).size(); at < file.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + at, sizeof(length));
    at += sizeof(length) + sizeof(std::uint32_t);
    contents.push_back(file.substr(at, length));
    at += length + sizeof(std::uint32_t);
  }
  return contents;
}

}  // namespace credence::test
