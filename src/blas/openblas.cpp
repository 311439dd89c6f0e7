#include "blas/openblas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "credence/blas/openblas.hpp"
#include "system/library.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

namespace credence::blas {
namespace {

constexpr const char* core_type_variable = "OPENBLAS_CORETYPE";
constexpr std::size_t mebibyte = std::size_t{1} << 20;
/// OpenBLAS and what it loads: 42 MiB.
constexpr std::size_t library_room = 64 * mebibyte;
/// OpenBLAS's BUFFER_SIZE, and a little.
constexpr std::size_t buffer_room = 130 * mebibyte;
/// OpenBLAS prints warnings, and then ends, where more than its own limit (at least 50) are in use.
constexpr int most_buffers = 48;

/// A package carries its own copy of OpenBLAS, a file of this name beside the program or the module; "" if it does not.
constexpr std::string_view carried_name = CREDENCE_OPENBLAS_CARRIED;

std::atomic<int> expected_threads{1};

using system::has_room;

/// What the program has linked, in the place of a library.
constexpr std::nullptr_t linked = nullptr;

std::string value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

/// A variable of the environment that has a value for a while. OpenBLAS has no other way to be told.
class Told {
 public:
  Told(const char* variable, const std::string& value) : variable_(variable), before_(value_of(variable)) {
    system::set_variable(variable, value);
  }
  ~Told() { system::set_variable(variable_, before_); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

 private:
  const char* variable_;
  std::string before_;
};

/// A function of the library, or of `linked`; null if there is none.
template <typename Signature>
Signature* found(void* library, const char* name) {
  return reinterpret_cast<Signature*>(system::address_of(library, name));
}

/// The path of a file beside the program or the module that this code is a part of.
std::string beside_this(std::string_view name) {
  return system::beside(reinterpret_cast<const void*>(&beside_this), name);
}

/// Parallelism is ours, and BLAS stays inside a task. OpenBLAS starts its threads when it is loaded, and they would
/// spin for a tenth of a second waiting for work that never comes.
void keep_on_one_thread(void* library) {
  if (auto* set = found<void(int)>(library, "openblas_set_num_threads")) set(1);
  if (auto* end = found<int()>(library, "blas_thread_shutdown_")) end();
}

/// OpenBLAS, loaded.
class Library {
 public:
  Library() {
    if (!carried_name.empty() || core_type().empty()) load();
    if (auto* set = own<void(int)>("openblas_set_num_threads")) set(1);
    keep_on_one_thread(handle_);
    detected_ = core_type();
    if (asked_.empty()) choose_core_type();
    map_buffers(expected_threads.load());
  }

  void* function(const char* name) const {
    void* address = reinterpret_cast<void*>(own<void()>(name));
    if (address == nullptr)
      throw std::runtime_error(fmt::format("{} has no function {}", CREDENCE_OPENBLAS_NAME, name));
    return address;
  }

  Description describe() const {
    auto* config = own<char*()>("openblas_get_config");
    Description text;
    text.config = config == nullptr ? "OpenBLAS" : config();
    text.core_type = core_type();
    const std::vector<std::string> fitting = fitting_core_types();
    if (!fitting.empty()) text.fitting = fitting.front();
    text.lesser = is_lesser_core_type(text.core_type, text.fitting);
    if (!asked_.empty()) {
      text.reason = same_core_type(asked_, text.core_type)
                        ? fmt::format("from {}", core_type_variable)
                        : fmt::format("taken by OpenBLAS for the {} of {}", asked_, core_type_variable);
    } else if (text.core_type != detected_) {
      text.reason = fmt::format("chosen for this processor's features; OpenBLAS detected {}", detected_);
    } else {
      text.reason = "detected by OpenBLAS";
    }
    return text;
  }

  void begin_use() {
    if (!scarce_) return;
    std::unique_lock lock(mutex_);
    // Not `wait`, whose symbol only a C++ library of 2022 has: an hour after the other.
    while (free_buffers_ == 0) returned_.wait_for(lock, std::chrono::hours(1));
    --free_buffers_;
  }

  void end_use() {
    if (!scarce_) return;
    {
      const std::lock_guard lock(mutex_);
      ++free_buffers_;
    }
    returned_.notify_one();
  }

 private:
  void load() {
    if (!has_room(library_room)) throw std::bad_alloc();
    // Its threads would have nothing to do, and take a buffer each.
    const Told one_thread("OPENBLAS_NUM_THREADS", "1");
    std::string first;
    std::string ignored;
    handle_ = nullptr;
    if (!carried_name.empty()) handle_ = system::load_library(beside_this(carried_name), ignored);
    if (handle_ == nullptr) handle_ = system::load_library(CREDENCE_OPENBLAS_NAME, first);
    if (handle_ == nullptr) handle_ = system::load_library(CREDENCE_OPENBLAS_FILE, ignored);
    if (handle_ == nullptr) throw std::runtime_error(fmt::format("OpenBLAS cannot be loaded: {}", first));
  }

  /// A function by its name, without or with the prefix that copies for Python's packages have; null if there is none.
  template <typename Signature>
  Signature* own(const char* name) const {
    if (auto* plain = found<Signature>(handle_, name)) return plain;
    return handle_ == linked ? nullptr : found<Signature>(handle_, ("scipy_" + std::string(name)).c_str());
  }

  std::string core_type() const {
    auto* name = own<char*()>("openblas_get_corename");
    return name == nullptr ? "" : name();
  }

  /// OpenBLAS takes the narrowest kernels on processors that it does not know. An OpenBLAS that was built for one
  /// processor has no others.
  void choose_core_type() {
    auto* forget = found<void()>(handle_, "gotoblas_dynamic_quit");
    auto* choose = found<void()>(handle_, "gotoblas_dynamic_init");
    if (forget == nullptr || choose == nullptr) return;
    for (const std::string& fitting : fitting_core_types()) {
      if (!is_lesser_core_type(core_type(), fitting)) return;
      const Told wanted(core_type_variable, fitting);
      forget();
      choose();
    }
  }

  /// OpenBLAS maps a buffer when all those that it has are in use, and keeps it for later calls.
  void map_buffers(int wanted) {
    auto* map = found<void*(int)>(handle_, "blas_memory_alloc");
    auto* release = found<void(void*)>(handle_, "blas_memory_free");
    if (map == nullptr || release == nullptr) return count_buffers(wanted);
    std::vector<void*> held;
    held.reserve(most_buffers);
    // Beyond the first, buffers leave twice their size to the data.
    for (int i = 0; i < std::min(wanted, most_buffers) && has_room(i == 0 ? buffer_room : 3 * buffer_room); ++i)
      held.push_back(map(0));
    for (void* buffer : held) release(buffer);
    if (held.empty()) throw std::bad_alloc();
    free_buffers_ = static_cast<int>(held.size());
    scarce_ = free_buffers_ < wanted;
  }

  /// A copy that shows no functions for it maps a buffer itself when one is wanted: for no more threads than fit.
  void count_buffers(int wanted) {
    const auto fits = [](int i) { return has_room(buffer_room * static_cast<std::size_t>(i == 0 ? 1 : i + 3)); };
    while (free_buffers_ < std::min(wanted, most_buffers) && fits(free_buffers_)) ++free_buffers_;
    if (free_buffers_ == 0) throw std::bad_alloc();
    scarce_ = free_buffers_ < wanted;
  }

  void* handle_ = linked;
  std::string detected_;
  std::string asked_ = value_of(core_type_variable);
  bool scarce_ = false;  ///< there are fewer buffers than threads that could want one
  int free_buffers_ = 0;
  std::mutex mutex_;
  std::condition_variable returned_;
};

/// Never unloaded: threads may call BLAS until the process ends.
Library& library() {
  static Library& loaded = *new Library;
  return loaded;
}

}  // namespace

void expect_threads(int threads) {
  int most = expected_threads.load();
  while (most < threads && !expected_threads.compare_exchange_weak(most, threads)) continue;
  keep_on_one_thread(linked);
}

Description describe() {
  return library().describe();
}

void* function(const char* name) {
  return library().function(name);
}

BufferUse::BufferUse() {
  library().begin_use();
}

BufferUse::~BufferUse() {
  library().end_use();
}

}  // namespace credence::blas
