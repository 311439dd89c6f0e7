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

/// Throws for a file that cannot be opened for reading; EISDIR for a directory.
[[noreturn]] inline void throw_unopened(const std::string& path, int error) {
  if (error == EISDIR) throw Error(ErrorCode::file, "this is a directory; give a file", {path, 0, {}});
  throw_file_error(path, "the file cannot be opened", error);
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
