#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

#include "credence/core/error.hpp"

namespace credence::core {

/// Throws what a call of the system reported of a file: "WHAT: the system's words".
[[noreturn]] inline void throw_file_error(const std::string& path, const std::string& what, int error) {
  if (error == ENOMEM) throw std::bad_alloc();
  throw Error(ErrorCode::file, what + ": " + std::strerror(error), {path, 0, {}});
}

/// Writes all bytes; false if the system reports an error, which errno then holds.
inline bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace credence::core
