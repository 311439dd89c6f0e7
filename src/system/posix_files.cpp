#ifndef _WIN32

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "system/files.hpp"

namespace credence::system {
namespace {

constexpr mode_t as_the_user_says = 0666;

FileStatus status_from(const struct stat& found) {
  FileStatus status;
  status.kind = S_ISREG(found.st_mode)   ? FileKind::regular
                : S_ISDIR(found.st_mode) ? FileKind::folder
                : S_ISCHR(found.st_mode) ? FileKind::character_device
                                         : FileKind::other;
  status.size = static_cast<std::uint64_t>(found.st_size);
  status.device = static_cast<std::uint64_t>(found.st_dev);
  status.number = static_cast<std::uint64_t>(found.st_ino);
  status.names = static_cast<std::uint64_t>(found.st_nlink);
  status.permissions = found.st_mode & 07777U;
  return status;
}

int flags_of(Opening opening) {
  switch (opening) {
    case Opening::read:
      return O_RDONLY;
    case Opening::write:
      return O_WRONLY;
    case Opening::create:
      return O_WRONLY | O_CREAT | O_EXCL;
    case Opening::append:
      return O_WRONLY | O_APPEND | O_CREAT;
    case Opening::checkpoint:
      return O_RDWR | O_APPEND | O_CREAT | O_NONBLOCK;
    case Opening::leftover:
      return O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
  }
  return O_RDONLY;
}

}  // namespace

std::optional<FileStatus> status_of(int file) noexcept {
  struct stat found {};
  return ::fstat(file, &found) == 0 ? std::optional(status_from(found)) : std::nullopt;
}

std::optional<FileStatus> status_of(const std::string& path) noexcept {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? std::optional(status_from(found)) : std::nullopt;
}

std::optional<FileStatus> status_of_link(const std::string& path) noexcept {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 ? std::optional(status_from(found)) : std::nullopt;
}

int open_file(const std::string& path, Opening opening) noexcept {
  return ::open(path.c_str(), flags_of(opening) | O_CLOEXEC, as_the_user_says);
}

bool Descriptor::close() noexcept {
  return ::close(std::exchange(number_, -1)) == 0;
}

int duplicate(int file) noexcept {
  return ::fcntl(file, F_DUPFD_CLOEXEC, 0);
}

std::ptrdiff_t read_some(int file, char* bytes, std::size_t size) noexcept {
  while (true) {
    const ssize_t got = ::read(file, bytes, size);
    if (got >= 0 || errno != EINTR) return got;
  }
}

bool read_at(int file, std::uint64_t place, char* bytes, std::size_t size) noexcept {
  for (std::size_t got = 0; got < size;) {
    const ssize_t read = ::pread(file, bytes + got, size - got, static_cast<off_t>(place + got));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return false;
    got += static_cast<std::size_t>(read);
  }
  return true;
}

bool write_all(int file, std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool cut_off(int file, std::uint64_t size) noexcept {
  return ::ftruncate(file, static_cast<off_t>(size)) == 0;
}

bool sync_file(int file) noexcept {
  return ::fsync(file) == 0;
}

void sync_folder(const std::string& folder) noexcept {
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() >= 0) ::fsync(directory.number());
}

Lock lock_file(int file, bool wait) noexcept {
  if (::flock(file, wait ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return Lock::taken;
  return errno == EWOULDBLOCK ? Lock::busy : Lock::unknown;
}

bool set_permissions(int file, std::uint32_t permissions) noexcept {
  return ::fchmod(file, static_cast<mode_t>(permissions)) == 0;
}

bool rename_over(const std::string& from, const std::string& to) noexcept {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool remove_file(const std::string& path) noexcept {
  return ::unlink(path.c_str()) == 0;
}

bool may_write(const std::string& path) noexcept {
  return ::access(path.c_str(), W_OK) == 0;
}

bool may_write_into(const std::string& folder) noexcept {
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::string make_folder(const std::string& start) {
  std::string pattern = start + "XXXXXX";
  return ::mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
}

std::size_t longest_name() noexcept {
  return NAME_MAX;
}

std::size_t start_of_name(std::string_view path) noexcept {
  return path.rfind('/') + 1;
}

}  // namespace credence::system

#endif
