#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "credence/core/error.hpp"
#include "credence/core/monitor.hpp"

namespace credence::core {

/// A handle on worker threads. If the program links OpenBLAS, making a handle limits OpenBLAS to one thread and stops
/// its waiting threads, so BLAS calls inside the threads' work run on one thread. A worker starts when
/// there is work for it. If the system grants no further thread, the threads that exist do the work.
class Threads {
 public:
  /// @param count  number of threads; 0 means one for each core
  explicit Threads(int count = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const noexcept;

  /// Calls work(i) once for each i in [0, n), hands the indices out in ascending order, and returns when all calls have
  /// ended. A call may call for_each again. After the first exception of a call no further index is handed out, and
  /// for_each throws that exception again.
  void for_each(std::size_t n, const std::function<void(std::size_t)>& work) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the smallest memory limit, in bytes, of the control groups of the process (the limit of a container); none
/// without a limit. Cost: reads a few small files of the system.
std::optional<std::size_t> memory_of_groups();

/// Returns half of the computer's physical memory in bytes, but at most half of what the control groups of the process
/// allow (a container's memory), and at most a quarter of the address space that the process may have.
std::size_t default_memory_budget();

class Checkpoint;

/// The threads and the memory that a computation may use, and the monitor to which it reports. Every long computation
/// takes a Context by reference.
struct Context {
  const Threads& threads;
  Monitor& monitor;
  std::size_t memory_budget = default_memory_budget();  ///< bytes for Gram matrices and row caches
  Checkpoint* checkpoint = nullptr;  ///< stores and finds results of finished work; nullptr: none are kept

  /// Returns this context with the monitor of a part of the work.
  Context with(Monitor& part) const { return {threads, part, memory_budget, checkpoint}; }
};

/// Returns what `work` returns; nothing if it was interrupted because the monitor says stop.
auto unless_stopped(const Monitor& monitor, const auto& work) -> std::optional<decltype(work())> {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted || !monitor.should_stop()) throw;
    return std::nullopt;
  }
}

}  // namespace credence::core
