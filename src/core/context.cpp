#include "credence/core/context.hpp"

#include <cblas.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "credence/core/error.hpp"

// Exported by OpenBLAS where it has threads of its own, but in no header.
extern "C" __attribute__((weak)) int blas_thread_shutdown_();

namespace credence::core {
namespace {

/// Two thread pools must not fight: parallelism is ours, BLAS stays inside a task. OpenBLAS starts its threads when it
/// is loaded, and they would spin for a tenth of a second waiting for work that never comes.
void keep_blas_on_one_thread() {
  openblas_set_num_threads(1);
  if (blas_thread_shutdown_ != nullptr) {
    blas_thread_shutdown_();
  }
}

}  // namespace

struct Threads::Impl {
  explicit Impl(int threads)
      : count(threads),
        allowance(tbb::global_control::max_allowed_parallelism,
                  std::max(static_cast<std::size_t>(threads),
                           tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))),
        arena(threads) {}

  /// Calls work(0), ..., work(workers - 1), at the same time as far as threads are free.
  void run(std::size_t workers, const std::function<void(std::size_t)>& work);

  int count;
  tbb::global_control allowance;  // oneTBB would warn on stderr, and ignore, more threads than cores
  tbb::task_arena arena;
};

#if defined(__SANITIZE_THREAD__)
// The sanitizer cannot see how oneTBB, which is not built for it, hands work over, and would report every task.
void Threads::Impl::run(std::size_t workers, const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> threads;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&work, worker] { work(worker); });
  }
}
#else
void Threads::Impl::run(std::size_t workers, const std::function<void(std::size_t)>& work) {
  arena.execute([&] { tbb::parallel_for(std::size_t{0}, workers, work, tbb::simple_partitioner{}); });
}
#endif

Threads::Threads(int count) {
  if (count < 0 || count > 4096) {
    throw Error(ErrorCode::invalid_argument, "the number of threads must be between 0 (one for each core) and 4096");
  }
  const int wanted = count != 0 ? count : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  impl_ = std::make_unique<Impl>(wanted);
  keep_blas_on_one_thread();
}

Threads::~Threads() = default;

int Threads::count() const noexcept {
  return impl_->count;
}

void Threads::for_each(std::size_t n, const std::function<void(std::size_t)>& task) const {
  const auto workers = std::min<std::size_t>(n, static_cast<std::size_t>(impl_->count));
  if (workers <= 1) {
    for (std::size_t i = 0; i < n; ++i) {
      task(i);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> finished{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t) {
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_acq_rel)) < n;) {
        task(i);
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) {
        failure = std::current_exception();
      }
      next.store(n, std::memory_order_release);
    }
    finished.fetch_add(1, std::memory_order_acq_rel);
  };
  impl_->run(workers, work);
  // Pairs with the workers' increments: all that they wrote is visible from here on.
  finished.load(std::memory_order_acquire);
  if (failure) {
    std::rethrow_exception(failure);
  }
}

std::size_t default_memory_budget() {
  const auto pages = sysconf(_SC_PHYS_PAGES);
  const auto page_size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page_size > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_size) / 2
                                    : std::size_t{1} << 30;
}

}  // namespace credence::core
