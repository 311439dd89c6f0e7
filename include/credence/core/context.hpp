#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "credence/core/monitor.hpp"

namespace credence::core {

/// A handle on worker threads. Making one sets OpenBLAS to one thread for the whole process and stops the threads it
/// has waiting: BLAS calls made inside tasks are single-threaded. A thread starts when there is work for it. Where the
/// system gives no further thread, those that there are do the work.
class Threads {
 public:
  /// @param count  number of threads; 0 is one for each core
  explicit Threads(int count = 0);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  int count() const noexcept;

  /// Calls task(i) once for each i in [0, n), indices handed out in ascending order, and returns when all are done.
  /// A task may call for_each again.
  /// The first exception of a task stops the handing out and is thrown again here.
  void for_each(std::size_t n, const std::function<void(std::size_t)>& task) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Half of the machine's physical memory, in bytes; at most a quarter of the address space that the process may have.
std::size_t default_memory_budget();

/// What a computation may use, and whom it tells. Passed by reference through every long computation.
struct Context {
  const Threads& threads;
  Monitor& monitor;
  std::size_t memory_budget = default_memory_budget();  ///< bytes for Gram matrices and row caches
};

}  // namespace credence::core
