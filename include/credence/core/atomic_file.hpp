#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace credence::core {

/// Writes a whole file: the bytes go to a temporary file in the same folder, which is synchronised and then renamed. If
/// writing fails, the temporary file is removed and an older file stays as it was. The permissions of an older file and
/// symbolic links to it are kept. A path that names no regular file (a pipe, a terminal) is written directly.
/// A writer that is killed leaves its temporary file (.credence-*.tmp) in the folder; the next call for a file of that
/// folder removes the leftover. A living writer holds a lock on its temporary file, so that no other writer removes the
/// file.
/// @throws Error file; std::bad_alloc
void write_atomically(const std::string& path, std::string_view bytes);

/// The same for bytes in pieces. `commit` gives the file its name; without it the bytes are removed with the object.
class AtomicFile {
 public:
  /// @throws Error file; std::bad_alloc
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// To be called once, after the last byte.
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Checks, before long work, whether write_atomically is likely to succeed. The check changes nothing.
/// @throws Error file
void check_writable(const std::string& path);

/// Checks that a file can be opened for reading.  @throws Error file
void check_readable(const std::string& path);

/// Returns the whole content of a file. The function never allocates more than the file holds.
/// @throws Error file
std::string read_whole_file(const std::string& path);

}  // namespace credence::core
