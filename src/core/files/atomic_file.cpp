#include "credence/core/atomic_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/files/system_file.hpp"
#include "credence/core/error.hpp"

namespace credence::core {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  /// Some file systems report a failed write only here.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// The file that a path leads to, through symbolic links, whose last one may lead to a file that does not exist yet.
std::string resolve(const std::string& path) {
  constexpr int most_links = 40;
  std::filesystem::path place = path;
  for (int links = 0; links < most_links; ++links) {
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(place.c_str(), nullptr), &std::free);
    if (real) return real.get();
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(place, error);
    if (error) return place;
    place = place.parent_path() / next;
  }
  return path;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

constexpr std::string_view temporary_start = ".credence-";
constexpr std::string_view temporary_end = ".tmp";

/// Whether the name in its folder still leads to the open file.
bool is_still_named(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

/// A new file in the folder; its name does not depend on the target's, which may be as long as names can be.
/// A lock on the file says that its writer lives; the system drops the lock when the process ends, however that ends.
int open_temporary(const std::string& folder, std::string& name) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = folder + "/" + std::string(temporary_start) + std::to_string(::getpid()) + "-" + std::to_string(attempt) +
           std::string(temporary_end);
    // Not mkstemp, whose files are private whatever the user's umask says.
    const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number < 0 && errno == EEXIST) continue;
    if (number < 0) return number;
    // Where there are no locks, nobody takes the file for an abandoned one either.
    if (::flock(number, LOCK_EX) != 0 || is_still_named(number)) return number;
    ::close(number);  // another writer saw the file before its lock, and removed it
  }
  return -1;
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Removes temporaries whose writers were killed.
void remove_abandoned(const std::string& folder) {
  const std::unique_ptr<DIR, CloseFolder> directory(::opendir(folder.c_str()));
  if (directory == nullptr) return;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(temporary_start) || !name.ends_with(temporary_end)) continue;
    const std::string path = folder + "/" + entry->d_name;
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.number() < 0 || ::flock(file.number(), LOCK_EX | LOCK_NB) != 0) continue;
    struct stat locked {};
    struct stat named {};
    // The name may have passed to a new file, whose writer lives.
    if (::fstat(file.number(), &locked) == 0 && ::lstat(path.c_str(), &named) == 0 && S_ISREG(named.st_mode) &&
        locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) {
      ::unlink(path.c_str());
    }
  }
}

}  // namespace

struct AtomicFile::Impl {
  explicit Impl(const std::string& path_of_file);
  ~Impl() {
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string path;
  std::string target;
  bool exists = false;
  struct stat old {};
  std::string temporary;  ///< empty if the target is written directly, or has its bytes
  std::optional<Descriptor> file;
  std::optional<Descriptor> lock;  ///< keeps the lock until the file has its name
};

AtomicFile::Impl::Impl(const std::string& path_of_file) : path(path_of_file), target(resolve(path_of_file)) {
  exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) throw_file_error(path, "cannot write the file", EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {
    file.emplace(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
    if (file->number() < 0) throw_file_error(path, "cannot open the file for writing", errno);
    return;
  }
  const std::string folder = folder_of(target);
  remove_abandoned(folder);
  std::string name;
  file.emplace(open_temporary(folder, name));
  if (file->number() < 0) throw_file_error(path, "cannot write into the folder", errno);
  temporary = name;
  lock.emplace(::fcntl(file->number(), F_DUPFD_CLOEXEC, 0));
}

AtomicFile::AtomicFile(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(std::string_view bytes) {
  if (!write_all(impl_->file->number(), bytes))
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
  const bool written = (!impl.exists || ::fchmod(file.number(), impl.old.st_mode & 07777) == 0 || errno == EPERM) &&
                       ::fsync(file.number()) == 0 && file.close() &&
                       ::rename(impl.temporary.c_str(), impl.target.c_str()) == 0;
  if (!written) throw_file_error(impl.path, "cannot write the file", errno);
  impl.temporary.clear();
  // The rename itself survives a power cut only if the folder is synchronised; not every file system can.
  const Descriptor directory(::open(folder_of(impl.target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() >= 0) ::fsync(directory.number());
}

void write_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void check_writable(const std::string& path) {
  if (path.empty()) throw Error(ErrorCode::file, "the name of the output file is empty");
  const std::string target = resolve(path);
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0) {
    if (S_ISDIR(old.st_mode)) throw_file_error(path, "cannot write the file", EISDIR);
    if (!S_ISREG(old.st_mode)) {
      if (::access(target.c_str(), W_OK) != 0) throw_file_error(path, "cannot write the file", errno);
      return;
    }
  }
  if (target.back() == '/') throw_file_error(path, "cannot write the file", EISDIR);
  if (target.size() - (target.rfind('/') + 1) > NAME_MAX) throw_file_error(path, "cannot write the file", ENAMETOOLONG);
  const std::string folder = folder_of(target);
  if (::stat(folder.c_str(), &old) != 0) throw_file_error(path, "cannot write into the folder", errno);
  if (!S_ISDIR(old.st_mode)) throw_file_error(path, "cannot write into the folder", ENOTDIR);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_file_error(path, "cannot write into the folder", errno);
}

namespace {

/// @param status  what the system says of the opened file
void check_opened(const std::string& path, const Descriptor& file, struct stat& status) {
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) throw_unopened(path, errno);
  if (S_ISDIR(status.st_mode)) throw_unopened(path, EISDIR);
}

}  // namespace

void check_readable(const std::string& path) {
  struct stat status {};
  check_opened(path, Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), status);
}

std::string read_whole_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  check_opened(path, file, status);
  std::string bytes;
  if (S_ISREG(status.st_mode)) bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  std::size_t used = 0;
  while (true) {
    bytes.resize(std::max(used + (std::size_t{1} << 16), bytes.capacity()));
    const ssize_t got = ::read(file.number(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path, "the file cannot be read", errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    constexpr std::size_t most_of_a_device = std::size_t{64} << 20U;
    if (S_ISCHR(status.st_mode) && used > most_of_a_device)
      throw Error(ErrorCode::file, "this is a device without an end, not a file", {path, 0, ""});
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace credence::core
