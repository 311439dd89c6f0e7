#include "credence/core/context.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "blas/openblas.hpp"
#include "core/threads/group_limit.hpp"
#include "core/threads/pool.hpp"
#include "credence/core/error.hpp"
#include "system/memory.hpp"

namespace credence::core {

struct Threads::Impl {
  explicit Impl(int threads) : count(threads), pool(static_cast<std::size_t>(threads) - 1) {}

  int count;
  Pool pool;
};

Threads::Threads(int count) {
  if (count < 0 || count > 4096) refuse("the number of threads must be between 0 (one for each core) and 4096");
  const int wanted = count != 0 ? count : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  impl_ = std::make_unique<Impl>(wanted);
  blas::expect_threads(wanted);
}

Threads::~Threads() = default;

int Threads::count() const noexcept {
  return impl_->count;
}

void Threads::for_each(std::size_t n, const std::function<void(std::size_t)>& task) const {
  const auto workers = std::min<std::size_t>(n, static_cast<std::size_t>(impl_->count));
  if (workers <= 1) {
    for (std::size_t i = 0; i < n; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t) {
    try {
      for (std::size_t i; (i = next.fetch_add(1, std::memory_order_acq_rel)) < n;) task(i);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next.store(n, std::memory_order_release);
    }
  };
  impl_->pool.run(workers - 1, std::cref(work));
  if (failure) std::rethrow_exception(failure);
}

std::optional<std::size_t> memory_of_groups() {
  return group_limit(system::control_groups(), system::control_group_folder);
}

std::size_t default_memory_budget() {
  const std::size_t machine = system::physical_memory().value_or(std::uint64_t{1} << 31) / 2;
  const std::size_t granted = std::min(machine, memory_of_groups().value_or(2 * machine) / 2);
  const std::optional<std::uint64_t> allowed = system::limit_of_addresses();
  return allowed ? std::min(granted, static_cast<std::size_t>(*allowed) / 4) : granted;
}

}  // namespace credence::core
