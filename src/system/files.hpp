#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// Files by their descriptors, as the system itself knows them. Where a call fails, errno holds the reason.
namespace credence::system {

enum class FileKind : std::uint8_t { regular, folder, character_device, other };

struct FileStatus {
  FileKind kind = FileKind::other;
  std::uint64_t size = 0;    ///< in bytes
  std::uint64_t device = 0;  ///< with `number`, what tells the file from every other
  std::uint64_t number = 0;
  std::uint64_t names = 0;        ///< how many names lead to the file; 0 once it was removed
  std::uint32_t permissions = 0;  ///< as chmod has them

  bool is_same_file(const FileStatus& other) const { return device == other.device && number == other.number; }
};

std::optional<FileStatus> status_of(int file) noexcept;
std::optional<FileStatus> status_of(const std::string& path) noexcept;
/// Of a symbolic link itself.
std::optional<FileStatus> status_of_link(const std::string& path) noexcept;

enum class Opening : std::uint8_t {
  read,        ///< a file that exists
  write,       ///< a file that exists
  create,      ///< a new file, for writing; EEXIST if there is one
  append,      ///< each write goes to the end; made if there is none
  checkpoint,  ///< as `append`, for reading too, and without waiting for a pipe's other end
  leftover,    ///< for writing, neither through a symbolic link nor waiting
};

/// The descriptor of a file, which programs that this one starts do not get; negative if it cannot be opened.
int open_file(const std::string& path, Opening opening) noexcept;

/// An open file, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close();
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  /// Some file systems report a failed write only here.
  bool close() noexcept;

 private:
  int number_;
};

/// Another descriptor of the same open file, with its lock; negative if there is none.
int duplicate(int file) noexcept;

/// How many bytes were read: 0 at the end, negative if the system reports an error.
std::ptrdiff_t read_some(int file, char* bytes, std::size_t size) noexcept;
/// Reads from a place on; false at the end of the file or if the system reports an error.
bool read_at(int file, std::uint64_t place, char* bytes, std::size_t size) noexcept;
/// Writes all bytes; false if the system reports an error.
bool write_all(int file, std::string_view bytes) noexcept;
bool cut_off(int file, std::uint64_t size) noexcept;

/// Brings a file with all that belongs to it to the disk.
bool sync_file(int file) noexcept;
/// Brings the bytes of a file to the disk.
void sync_data(int file) noexcept;
/// Brings the names in a folder to the disk, where the system can.
void sync_folder(const std::string& folder) noexcept;

enum class Lock : std::uint8_t { taken, busy, unknown };  ///< unknown: there are no locks here

/// A lock that the system drops when the process ends, however that ends; other processes still read and write.
Lock lock_file(int file, bool wait) noexcept;

bool set_permissions(int file, std::uint32_t permissions) noexcept;
/// Gives a file the name of another one, which is gone then; at no moment does the name lead nowhere.
bool rename_over(const std::string& from, const std::string& to) noexcept;
bool remove_file(const std::string& path) noexcept;
bool may_write(const std::string& path) noexcept;
bool may_write_into(const std::string& folder) noexcept;
/// A new folder of a name that begins so; empty if the system reports an error.
std::string make_folder(const std::string& start);
/// Bytes that the name of a file may have.
std::size_t longest_name() noexcept;
/// Where the name of a file begins in a path.
std::size_t start_of_name(std::string_view path) noexcept;

}  // namespace credence::system
