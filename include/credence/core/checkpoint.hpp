#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace credence::core {

/// What the results of a checkpoint belong to. A checkpoint is used for the same subject only.
struct CheckpointSubject {
  std::string command;  ///< "select"
  std::string options;  ///< a checksum of all options that the results depend on
  std::string data;     ///< a checksum of the data
};

/// A file that keeps the results of finished work, so that a run that was ended early can be resumed: a piece of work
/// whose result is in the file is not done again. A result has a key made of all that the result depends on; pieces of
/// any kind, on any level of the work, share one file.
///
/// The file is a head that names the version and the subject, and records that are appended, each with its length and
/// checksums. Each record is written with one call when its piece ends, and the file is synchronised with the disk
/// every few seconds. A last record that is cut off was being written when the run ended, and is dropped. Any other
/// damage, another subject, another version or another process that uses the file is an Error, and the file stays as it
/// is. Any thread may call any member.
class Checkpoint {
 public:
  using Key = std::array<std::uint8_t, 16>;

  /// Opens the file, or makes it.
  /// @throws Error file where the file cannot be read or written, or is in use; format if it is damaged, or of another
  /// subject or version
  Checkpoint(const std::string& path, const CheckpointSubject& subject);
  ~Checkpoint();
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  /// The result with that key, if there is one.
  std::optional<std::string> find(const Key& key) const;
  /// Appends a result. If the file cannot be written any more, the checkpoint keeps what it has, and the work goes on.
  void keep(const Key& key, std::string_view result);

  /// Reports that a result of `find` does not fit its piece of work. @throws Error format
  [[noreturn]] void refuse_result() const;

  std::size_t found() const;     ///< results that were there when the file was opened
  std::size_t recalled() const;  ///< calls of `find` that found a result
  std::size_t kept() const;      ///< results that were appended since
  /// Why no further result was kept; empty if all were.
  std::string problem() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::core
