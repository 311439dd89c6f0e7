#ifdef _WIN32

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// After windows.h.
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "system/files.hpp"
#include "system/process.hpp"

namespace credence::system {
namespace {

int errno_of(DWORD error) {
  switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      return ENOENT;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return EEXIST;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return EACCES;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
      return ENOMEM;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return ENOSPC;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
      return EPIPE;
    default:
      return EIO;
  }
}

bool succeeded(BOOL done) {
  if (done == FALSE) errno = errno_of(::GetLastError());
  return done != FALSE;
}

HANDLE handle_of(int file) {
  return reinterpret_cast<HANDLE>(::_get_osfhandle(file));
}

constexpr std::uint64_t together(DWORD high, DWORD low) {
  return std::uint64_t{high} << 32U | low;
}

OVERLAPPED at(std::uint64_t place) {
  OVERLAPPED overlapped{};
  overlapped.Offset = static_cast<DWORD>(place);
  overlapped.OffsetHigh = static_cast<DWORD>(place >> 32U);
  return overlapped;
}

std::optional<FileStatus> status_from(HANDLE handle) {
  FileStatus status;
  const DWORD type = ::GetFileType(handle);
  if (type != FILE_TYPE_DISK) {
    status.kind = type == FILE_TYPE_CHAR ? FileKind::character_device : FileKind::other;
    status.names = 1;
    return status;
  }
  BY_HANDLE_FILE_INFORMATION found{};
  if (!succeeded(::GetFileInformationByHandle(handle, &found))) return std::nullopt;
  FILE_STANDARD_INFO standard{};
  if (!succeeded(::GetFileInformationByHandleEx(handle, FileStandardInfo, &standard, sizeof(standard))))
    return std::nullopt;
  status.kind = (found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0       ? FileKind::folder
                : (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0 ? FileKind::other
                                                                               : FileKind::regular;
  status.size = together(found.nFileSizeHigh, found.nFileSizeLow);
  status.device = found.dwVolumeSerialNumber;
  status.number = together(found.nFileIndexHigh, found.nFileIndexLow);
  status.names = standard.DeletePending != 0 ? 0 : found.nNumberOfLinks;
  status.permissions = (found.dwFileAttributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0444 : 0666;
  return status;
}

std::optional<FileStatus> status_named(const std::string& path, DWORD flags) {
  constexpr DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  HANDLE handle =
      ::CreateFileA(path.c_str(), 0, all, nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, nullptr);
  if (!succeeded(handle != INVALID_HANDLE_VALUE ? TRUE : FALSE)) return std::nullopt;
  const auto status = status_from(handle);
  ::CloseHandle(handle);
  return status;
}

}  // namespace

std::optional<FileStatus> status_of(int file) noexcept {
  return status_from(handle_of(file));
}

std::optional<FileStatus> status_of(const std::string& path) noexcept {
  return status_named(path, 0);
}

std::optional<FileStatus> status_of_link(const std::string& path) noexcept {
  return status_named(path, FILE_FLAG_OPEN_REPARSE_POINT);
}

int open_file(const std::string& path, Opening opening) noexcept {
  const bool reads = opening == Opening::read || opening == Opening::checkpoint;
  const bool makes = opening == Opening::append || opening == Opening::checkpoint;
  const DWORD access = (reads ? GENERIC_READ : 0U) | (opening != Opening::read ? GENERIC_WRITE : 0U);
  // Others may rename and remove the file while it is open, as on other systems.
  constexpr DWORD all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const DWORD way = opening == Opening::create ? CREATE_NEW : makes ? OPEN_ALWAYS : OPEN_EXISTING;
  // A folder can be opened to be looked at, so that the caller can say what it is.
  const DWORD flags = opening == Opening::leftover ? FILE_FLAG_OPEN_REPARSE_POINT
                      : opening == Opening::read   ? FILE_FLAG_BACKUP_SEMANTICS
                                                   : 0U;
  HANDLE handle = ::CreateFileA(path.c_str(), access, all, nullptr, way, FILE_ATTRIBUTE_NORMAL | flags, nullptr);
  if (!succeeded(handle != INVALID_HANDLE_VALUE ? TRUE : FALSE)) return -1;
  const int file =
      ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT | (makes ? _O_APPEND : 0) |
                                                                (opening == Opening::read ? _O_RDONLY : 0));
  if (file < 0) ::CloseHandle(handle);
  return file;
}

bool Descriptor::close() noexcept {
  return ::_close(std::exchange(number_, -1)) == 0;
}

int duplicate(int file) noexcept {
  return ::_dup(file);
}

std::ptrdiff_t read_some(int file, char* bytes, std::size_t size) noexcept {
  constexpr std::size_t most = std::size_t{1} << 30U;
  return ::_read(file, bytes, static_cast<unsigned>(std::min(size, most)));
}

bool read_at(int file, std::uint64_t place, char* bytes, std::size_t size) noexcept {
  constexpr std::size_t most = std::size_t{1} << 30U;
  for (std::size_t got = 0; got < size;) {
    OVERLAPPED from = at(place + got);
    DWORD read = 0;
    const auto part = static_cast<DWORD>(std::min(size - got, most));
    if (!succeeded(::ReadFile(handle_of(file), bytes + got, part, &read, &from)) || read == 0) return false;
    got += read;
  }
  return true;
}

bool write_all(int file, std::string_view bytes) noexcept {
  constexpr std::size_t most = std::size_t{1} << 30U;
  while (!bytes.empty()) {
    const int written = ::_write(file, bytes.data(), static_cast<unsigned>(std::min(bytes.size(), most)));
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool cut_off(int file, std::uint64_t size) noexcept {
  return ::_chsize_s(file, static_cast<long long>(size)) == 0;
}

bool sync_file(int file) noexcept {
  return ::_commit(file) == 0;
}

void sync_data(int file) noexcept {
  ::_commit(file);
}

void sync_folder(const std::string&) noexcept {}

/// A byte far behind the end of every file is locked: locks keep other processes from reading and writing.
Lock lock_file(int file, bool wait) noexcept {
  OVERLAPPED place = at(std::uint64_t{1} << 62U);
  const DWORD flags = LOCKFILE_EXCLUSIVE_LOCK | (wait ? 0U : LOCKFILE_FAIL_IMMEDIATELY);
  if (::LockFileEx(handle_of(file), flags, 0, 1, 0, &place) != 0) return Lock::taken;
  return ::GetLastError() == ERROR_LOCK_VIOLATION || ::GetLastError() == ERROR_IO_PENDING ? Lock::busy : Lock::unknown;
}

/// Files have no permissions beside "read only", with which they could not be renamed over.
bool set_permissions(int, std::uint32_t) noexcept {
  return true;
}

bool rename_over(const std::string& from, const std::string& to) noexcept {
  return succeeded(::MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}

bool remove_file(const std::string& path) noexcept {
  return succeeded(::DeleteFileA(path.c_str()));
}

bool may_write(const std::string& path) noexcept {
  constexpr int to_write = 2;
  return ::_access(path.c_str(), to_write) == 0;
}

bool may_write_into(const std::string& folder) noexcept {
  return may_write(folder);
}

std::string make_folder(const std::string& start) {
  static std::atomic<int> number{0};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    std::string name = start + std::to_string(process_number()) + "-" + std::to_string(number++);
    if (::CreateDirectoryA(name.c_str(), nullptr) != 0) return name;
    if (::GetLastError() != ERROR_ALREADY_EXISTS) break;
  }
  errno = errno_of(::GetLastError());
  return {};
}

std::size_t longest_name() noexcept {
  return 255;
}

std::size_t start_of_name(std::string_view path) noexcept {
  return path.find_last_of("/\\") + 1;
}

}  // namespace credence::system

#endif
