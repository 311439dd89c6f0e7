#pragma once

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

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

}  // namespace credence::core
