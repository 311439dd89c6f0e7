#include "credence/core/checkpoint.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "core/bytes/checksum.hpp"
#include "core/files/system_file.hpp"
#include "credence/core/error.hpp"
#include "credence/core/recall.hpp"
#include "credence/core/version.hpp"
#include "system/files.hpp"

namespace credence::core {
namespace {

constexpr std::string_view checkpoint_magic = "CredenceCheckpoint1\n";
constexpr std::chrono::seconds between_syncs{5};
/// A record: the length of its content, a checksum of the length, the content, a checksum of the content.
constexpr std::size_t before_content = sizeof(std::uint64_t) + sizeof(std::uint32_t);
constexpr std::size_t after_content = sizeof(std::uint32_t);

void append_number(std::string& bytes, auto number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <class Number>
Number number_at(std::string_view bytes, std::size_t place) {
  Number number{};
  std::memcpy(&number, bytes.data() + place, sizeof(number));
  return number;
}

std::string record_of(std::string_view first, std::string_view second) {
  std::string record;
  record.reserve(before_content + first.size() + second.size() + after_content);
  append_number(record, static_cast<std::uint64_t>(first.size() + second.size()));
  append_number(record, checksum(record));
  record.append(first).append(second);
  append_number(record, checksum(std::string_view(record).substr(before_content)));
  return record;
}

[[noreturn]] void refuse_checkpoint(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::format, what + "; name another file, or remove this one to begin anew", {path, 0, {}});
}

bool read_at(int file, std::uint64_t place, std::size_t size, std::string& bytes) {
  bytes.resize(size);
  return system::read_at(file, place, bytes.data(), size);
}

/// A process that was killed a moment ago holds its lock until its threads are gone.
bool lock(int file) {
  constexpr int attempts = 20;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (system::lock_file(file, false) != system::Lock::busy) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

struct Place {
  std::uint64_t start = 0;  ///< of the result
  std::uint64_t size = 0;
};

}  // namespace

struct Checkpoint::Impl {
  explicit Impl(std::string path_of_file) : path(std::move(path_of_file)) {}
  ~Impl() {
    if (file && file->number() >= 0) system::sync_data(file->number());
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void open(const CheckpointSubject& subject) {
    system::FileStatus status;
    while (!open_and_lock(status)) {
    }
    size = status.size;
    begin(subject);
    read_head(subject);
    read_records();
  }

  /// Opens the file, or makes an empty one, and locks it.
  /// @return false if the locked file no longer has the name: its maker could not write to it, and removed it
  bool open_and_lock(system::FileStatus& status) {
    file.emplace(system::open_file(path, system::Opening::checkpoint));
    const auto opened = file->number() < 0 ? std::nullopt : system::status_of(file->number());
    if (!opened) throw_file_error(path, "the checkpoint cannot be opened", errno);
    if (opened->kind != system::FileKind::regular)
      refuse_checkpoint(path, "a checkpoint is a regular file, and this is none");
    if (!lock(file->number())) throw Error(ErrorCode::file, "another command is using the checkpoint", {path, 0, {}});
    const auto locked = system::status_of(file->number());
    const auto named = system::status_of(path);
    if (!locked || !named) throw_file_error(path, "the checkpoint cannot be read", errno);
    status = *locked;
    return named->is_same_file(status);
  }

  /// Writes the head of a new file, or the rest of a head whose writer was killed.
  void begin(const CheckpointSubject& subject) {
    ByteWriter writer;
    std::string library(version());
    CheckpointSubject copy = subject;
    writer(library, copy.command, copy.options, copy.data);
    const std::string head = std::string(checkpoint_magic) + record_of(writer.content(), {});
    if (size >= head.size()) return;
    std::string start;
    if (!read_at(file->number(), 0, static_cast<std::size_t>(size), start))
      throw_file_error(path, "the checkpoint cannot be read", errno);
    if (!start.empty() && (start.size() < checkpoint_magic.size() || !head.starts_with(start))) return;
    if (!system::write_all(file->number(), std::string_view(head).substr(start.size()))) {
      const int error = errno;
      if (size == 0) system::remove_file(path);
      throw_file_error(path, "the checkpoint cannot be written", error);
    }
    system::sync_data(file->number());
    size = head.size();
  }

  void read_head(const CheckpointSubject& subject) {
    std::string start;
    if (size < checkpoint_magic.size() || !read_at(file->number(), 0, checkpoint_magic.size(), start) ||
        start != checkpoint_magic)
      refuse_checkpoint(path, "the file is no checkpoint");
    end = checkpoint_magic.size();
    const std::optional<std::string> head = next_record();
    if (!head) refuse_checkpoint(path, "the checkpoint is damaged");
    std::string library;
    CheckpointSubject found_subject;
    ByteReader reader(*head);
    reader(library);
    if (library != version()) {
      refuse_checkpoint(
          path, fmt::format("the checkpoint was made by version {} of the library, and this is version {}", library,
                            version()));
    }
    reader(found_subject.command, found_subject.options, found_subject.data);
    if (found_subject.command != subject.command)
      refuse_checkpoint(path,
                        fmt::format("the checkpoint is of '{}', not of '{}'", found_subject.command, subject.command));
    if (found_subject.data != subject.data) refuse_checkpoint(path, "the checkpoint is of other data");
    if (found_subject.options != subject.options) refuse_checkpoint(path, "the checkpoint is of other options");
  }

  void read_records() {
    while (const std::optional<std::string> record = next_record()) {
      if (record->size() < sizeof(Key)) refuse_checkpoint(path, "the checkpoint is damaged");
      Key key{};
      std::memcpy(key.data(), record->data(), key.size());
      const std::uint64_t length = record->size() - key.size();
      places[key] = {end - after_content - length, length};
    }
    found = places.size();
    if (end < size && !system::cut_off(file->number(), end))
      throw_file_error(path, "the checkpoint cannot be written", errno);
  }

  /// The content of the record at `end`; nothing if the file ends within it. @throws Error format
  std::optional<std::string> next_record() {
    const auto unreadable = [&] { throw_file_error(path, "the checkpoint cannot be read", errno); };
    if (size - end < before_content) return std::nullopt;
    std::string bytes;
    if (!read_at(file->number(), end, before_content, bytes)) unreadable();
    const auto length = number_at<std::uint64_t>(bytes, 0);
    if (number_at<std::uint32_t>(bytes, sizeof(length)) != checksum(std::string_view(bytes).substr(0, sizeof(length))))
      refuse_checkpoint(path, "the checkpoint is damaged");
    const std::uint64_t rest = size - end - before_content;
    if (rest < after_content || rest - after_content < length) return std::nullopt;
    if (!read_at(file->number(), end + before_content, static_cast<std::size_t>(length) + after_content, bytes))
      unreadable();
    const auto sum = number_at<std::uint32_t>(bytes, static_cast<std::size_t>(length));
    bytes.resize(static_cast<std::size_t>(length));
    if (sum != checksum(bytes)) refuse_checkpoint(path, "the checkpoint is damaged");
    end += before_content + length + after_content;
    return bytes;
  }

  /// Takes back what was written of a record: one that is cut off in the middle of the file would be damage.
  void stop_writing(int error) {
    problem = std::strerror(error);
    system::cut_off(file->number(), end);
  }

  std::string path;
  std::optional<system::Descriptor> file;
  std::uint64_t size = 0;  ///< of the file when it was opened
  std::uint64_t end = 0;   ///< of the records that are whole
  mutable std::mutex mutex;
  std::map<Key, Place> places;
  std::chrono::steady_clock::time_point synced = std::chrono::steady_clock::now();
  std::string problem;
  std::size_t found = 0;
  mutable std::size_t recalled = 0;
  std::size_t kept = 0;
};

Checkpoint::Checkpoint(const std::string& path, const CheckpointSubject& subject)
    : impl_(std::make_unique<Impl>(path)) {
  impl_->open(subject);
}

Checkpoint::~Checkpoint() = default;

std::optional<std::string> Checkpoint::find(const Key& key) const {
  Place place;
  {
    const std::lock_guard lock(impl_->mutex);
    const auto found = impl_->places.find(key);
    if (found == impl_->places.end()) return std::nullopt;
    place = found->second;
    ++impl_->recalled;
  }
  std::string bytes;
  if (!read_at(impl_->file->number(), place.start, static_cast<std::size_t>(place.size), bytes))
    throw_file_error(impl_->path, "the checkpoint cannot be read", errno);
  return bytes;
}

void Checkpoint::keep(const Key& key, std::string_view result) {
  const std::string record = record_of({reinterpret_cast<const char*>(key.data()), key.size()}, result);
  const std::lock_guard lock(impl_->mutex);
  Impl& impl = *impl_;
  if (!impl.problem.empty()) return;
  if (!system::write_all(impl.file->number(), record)) return impl.stop_writing(errno);
  impl.end += record.size();
  impl.places[key] = {impl.end - after_content - result.size(), result.size()};
  ++impl.kept;
  const auto now = std::chrono::steady_clock::now();
  if (now - impl.synced < between_syncs) return;
  impl.synced = now;
  system::sync_data(impl.file->number());
}

void Checkpoint::refuse_result() const {
  refuse_checkpoint(impl_->path, "a result in the checkpoint does not fit its task");
}

std::size_t Checkpoint::found() const {
  return impl_->found;
}

std::size_t Checkpoint::recalled() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->recalled;
}

std::size_t Checkpoint::kept() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->kept;
}

std::string Checkpoint::problem() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->problem;
}

}  // namespace credence::core
