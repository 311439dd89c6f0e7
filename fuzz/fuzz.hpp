#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "credence/core/error.hpp"

/// What the fuzz targets share. A target hands its input to a reader and accepts two ends: a core::Error with a
/// sentence, or a result that keeps what the reader's header promises. All else stops the program, and is a finding.
namespace credence::fuzz {

/// Stops the program as a finding unless the condition holds.
inline void require(bool condition, std::string_view promise) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

/// A file in memory, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : number_(::memfd_create("fuzz", 0)) {
    require(number_ >= 0, "the system gives files in memory");
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      require(written > 0, "a file in memory can be written");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    path_ = "/proc/self/fd/" + std::to_string(number_);
  }
  ~MemoryFile() { ::close(number_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  int number_;
  std::string path_;
};

/// The last bytes of an input choose among options; the bytes before them are the text or file that is read. Inputs
/// are thus files of the format with a few bytes behind the end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size, std::size_t choices)
      : bytes_(reinterpret_cast<const char*>(data), size) {
    const std::size_t taken = choices < size ? choices : size;
    choices_ = bytes_.substr(size - taken);
    bytes_.remove_suffix(taken);
  }
  std::string_view bytes() const { return bytes_; }
  /// A number below `count`; 0 when all choices are made.
  unsigned choose(unsigned count) {
    if (choices_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(choices_.back());
    choices_.remove_suffix(1);
    return byte % count;
  }

 private:
  std::string_view bytes_;
  std::string_view choices_;
};

/// The refusal as text, or nothing if the action succeeded.
template <class Action>
std::optional<std::string> refusal(Action action) {
  try {
    action();
  } catch (const Error& error) {
    require(!error.sentence().empty(), "an error has a sentence");
    return error.sentence();
  }
  return std::nullopt;
}

}  // namespace credence::fuzz
