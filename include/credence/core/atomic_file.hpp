#pragma once

#include <string>
#include <string_view>

namespace credence::core {

/// Writes a whole file: to a temporary in the same folder, synchronised, renamed. On failure the temporary is removed
/// and an older file stays as it was. An older file's permissions and symbolic links to it are kept; what is not a
/// regular file (a pipe, a terminal) is written directly.
/// A writer that is killed leaves its temporary (.credence-*.tmp) in the folder; the next call for a file of that
/// folder removes it. A writer holds a lock on its temporary for as long as it lives, so that no other removes it.
/// @throws Error file; std::bad_alloc
void write_atomically(const std::string& path, std::string_view bytes);

/// Finds out, before long work, whether write_atomically is likely to succeed. Changes nothing.
/// @throws Error file
void check_writable(const std::string& path);

/// The whole content of a file. Never allocates more than the file holds.
/// @throws Error file
std::string read_whole_file(const std::string& path);

}  // namespace credence::core
