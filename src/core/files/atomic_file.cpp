#include "credence/core/atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/files/system_file.hpp"
#include "credence/core/error.hpp"
#include "system/files.hpp"
#include "system/process.hpp"

namespace credence::core {
namespace {

using system::Descriptor;
using system::FileKind;
using system::FileStatus;
using system::Lock;
using system::Opening;

/// The file that a path leads to, through symbolic links, whose last one may lead to a file that does not exist yet.
std::string resolve(const std::string& path) {
  constexpr int most_links = 40;
  std::filesystem::path place = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(place, error);
    if (!error) return real.string();
    const std::filesystem::path next = std::filesystem::read_symlink(place, error);
    if (error) return place.string();
    place = place.parent_path() / next;
  }
  return path;
}

std::string folder_of(const std::string& path) {
  const std::size_t name = system::start_of_name(path);
  if (name == 0) return ".";
  return name == 1 ? path.substr(0, 1) : path.substr(0, name - 1);
}

constexpr std::string_view temporary_start = ".credence-";
constexpr std::string_view temporary_end = ".tmp";

/// Whether the name in its folder still leads to the open file.
bool is_still_named(int file) {
  const auto status = system::status_of(file);
  return status && status->names > 0;
}

/// A new file in the folder; its name does not depend on the target's, which may be as long as names can be.
/// A lock on the file says that its writer lives; the system drops the lock when the process ends, however that ends.
int open_temporary(const std::string& folder, std::string& name) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = folder + "/" + std::string(temporary_start) + std::to_string(system::process_number()) + "-" +
           std::to_string(attempt) + std::string(temporary_end);
    const int number = system::open_file(name, Opening::create);
    if (number < 0 && errno == EEXIST) continue;
    if (number < 0) return number;
    // Where there are no locks, nobody takes the file for an abandoned one either.
    if (system::lock_file(number, true) != Lock::taken || is_still_named(number)) return number;
    Descriptor(number).close();  // another writer saw the file before its lock, and removed it
  }
  return -1;
}

/// Removes temporaries whose writers were killed.
void remove_abandoned(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(temporary_start) || !name.ends_with(temporary_end)) continue;
    const std::string path = folder + "/" + name;
    const Descriptor file(system::open_file(path, Opening::leftover));
    if (file.number() < 0 || system::lock_file(file.number(), false) != Lock::taken) continue;
    const auto locked = system::status_of(file.number());
    const auto named = system::status_of_link(path);
    // The name may have passed to a new file, whose writer lives.
    if (locked && named && named->kind == FileKind::regular && locked->is_same_file(*named)) system::remove_file(path);
  }
}

}  // namespace

struct AtomicFile::Impl {
  Impl(const std::string& path_of_file) : path(path_of_file), target(resolve(path_of_file)) {
    old = system::status_of(target);
    if (old && old->kind == FileKind::folder) throw_file_error(path, "cannot write the file", EISDIR);
    if (old && old->kind != FileKind::regular) {
      file.emplace(system::open_file(target, Opening::write));
      if (file->number() < 0) throw_file_error(path, "cannot open the file for writing", errno);
      return;
    }
    const std::string folder = folder_of(target);
    remove_abandoned(folder);
    std::string name;
    file.emplace(open_temporary(folder, name));
    if (file->number() < 0) throw_file_error(path, "cannot write into the folder", errno);
    temporary = name;
    lock.emplace(system::duplicate(file->number()));
  }

  ~Impl() {
    if (!temporary.empty()) system::remove_file(temporary);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string path;
  std::string target;
  std::optional<FileStatus> old;  ///< of the file that is written over
  std::string temporary;          ///< empty if the target is written directly, or has its bytes
  std::optional<Descriptor> file;
  std::optional<Descriptor> lock;  ///< keeps the lock until the file has its name
};

AtomicFile::AtomicFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view bytes) {
  if (!system::write_all(impl_->file->number(), bytes))
    throw_file_error(impl_->path, impl_->temporary.empty() ? "cannot write" : "cannot write the file", errno);
}

void AtomicFile::commit() {
  Impl& impl = *impl_;
  Descriptor& file = *impl.file;
  if (impl.temporary.empty()) {
    if (!file.close()) throw_file_error(impl.path, "cannot write", errno);
    return;
  }
  // The mode comes last: a read-only temporary of a killed writer could not be opened to be locked and removed.
  const bool written = (!impl.old || system::set_permissions(file.number(), impl.old->permissions) || errno == EPERM) &&
                       system::sync_file(file.number()) && file.close() &&
                       system::rename_over(impl.temporary, impl.target);
  if (!written) throw_file_error(impl.path, "cannot write the file", errno);
  impl.temporary.clear();
  // The rename itself survives a power cut only if the folder is synchronised; not every file system can.
  system::sync_folder(folder_of(impl.target));
}

void write_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void check_writable(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::file, "the name of the output file is empty");
  const std::string target = resolve(path);
  if (const auto old = system::status_of(target)) {
    if (old->kind == FileKind::folder) throw_file_error(path, "cannot write the file", EISDIR);
    if (old->kind != FileKind::regular) {
      if (!system::may_write(target)) throw_file_error(path, "cannot write the file", errno);
      return;
    }
  }
  const std::size_t name = system::start_of_name(target);
  if (name == target.size()) throw_file_error(path, "cannot write the file", EISDIR);
  if (target.size() - name > system::longest_name()) throw_file_error(path, "cannot write the file", ENAMETOOLONG);
  const std::string folder = folder_of(target);
  const auto place = system::status_of(folder);
  if (!place) throw_file_error(path, "cannot write into the folder", errno);
  if (place->kind != FileKind::folder) throw_file_error(path, "cannot write into the folder", ENOTDIR);
  if (!system::may_write_into(folder)) throw_file_error(path, "cannot write into the folder", errno);
}

namespace {

/// What the system says of the opened file.
FileStatus check_opened(const std::string& path, const Descriptor& file) {
  const auto status = file.number() < 0 ? std::nullopt : system::status_of(file.number());
  if (!status) throw_unopened(path, errno);
  if (status->kind == FileKind::folder) throw_unopened(path, EISDIR);
  return *status;
}

}  // namespace

void check_readable(const std::string& path) {
  check_opened(path, Descriptor(system::open_file(path, Opening::read)));
}

std::string read_whole_file(const std::string& path) {
  const Descriptor file(system::open_file(path, Opening::read));
  const FileStatus status = check_opened(path, file);
  std::string bytes;
  if (status.kind == FileKind::regular) bytes.reserve(static_cast<std::size_t>(status.size) + 1);
  std::size_t used = 0;
  while (true) {
    bytes.resize(std::max(used + (std::size_t{1} << 16), bytes.capacity()));
    const std::ptrdiff_t got = system::read_some(file.number(), bytes.data() + used, bytes.size() - used);
    if (got < 0) throw_file_error(path, "the file cannot be read", errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    constexpr std::size_t most_of_a_device = std::size_t{64} << 20U;
    if (status.kind == FileKind::character_device && used > most_of_a_device)
      throw Error(ErrorCode::file, "this is a device without an end, not a file", {path, 0, ""});
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace credence::core
