#include "credence/core/context.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <list>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include "blas/openblas.hpp"
#include "core/threads/group_limit.hpp"
#include "credence/core/error.hpp"
#include "system/memory.hpp"

namespace credence::core {
namespace {

/// A stack of the usual size, and as much again seven times for the work itself.
constexpr std::size_t room_for_helper = std::size_t{64} << 20;

/// As std::condition_variable::wait, whose symbol only a C++ library of 2022 has: an hour after the other.
void wait_for(std::condition_variable& news, std::unique_lock<std::mutex>& lock, const auto& condition) {
  while (!condition()) news.wait_for(lock, std::chrono::hours(1));
}

}  // namespace

/// Helper threads that share work with whoever calls `run`. A helper starts when a call has work for one more, and
/// waits for work until the pool goes. Where the system gives no further thread, or little memory is left, those
/// that there are do the work: a caller never waits for a helper that has not begun. Nothing is allocated once the
/// helpers run, so that work which has used up the memory still ends.
class Pool {
 public:
  using Work = std::function<void(std::size_t)>;

  /// @param helpers  the most threads to start
  explicit Pool(std::size_t helpers) : most_(helpers) {}
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    news_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Calls work(0) here and work(1), ..., work(helpers) on as many helpers as are free, and returns when all calls that
  /// began have returned. May be called at the same time by several threads, and within `work`.
  /// @param work  does everything, however many take part; throws nothing
  void run(std::size_t helpers, const Work& work) {
    Job job{.work = work, .helpers = helpers};
    std::size_t called = 0;
    {
      const std::lock_guard lock(mutex_);
      start_helpers(helpers);
      called = std::min(helpers, waiting_);
      job.older = newest_;
      newest_ = &job;
    }
    for (std::size_t i = 0; i < called; ++i) news_.notify_one();
    work(0);
    std::unique_lock lock(mutex_);
    Job** link = &newest_;
    while (*link != &job) link = &(*link)->older;
    *link = job.older;
    wait_for(job.left, lock, [&] { return job.inside == 0; });
  }

 private:
  /// Work that helpers may still join; lives on its caller's stack.
  struct Job {
    const Work& work;
    std::size_t helpers;     ///< how many may join
    std::size_t joined = 0;  ///< how many have joined
    std::size_t inside = 0;  ///< how many of them have not returned
    std::condition_variable left{};
    Job* older = nullptr;
  };

  /// Called with the mutex held.
  void start_helpers(std::size_t wanted) {
    while (!refused_ && waiting_ < wanted && threads_.size() < most_) {
      refused_ = !system::has_room(room_for_helper);
      if (refused_) return;
      try {
        threads_.emplace_back();
        threads_.back() = std::thread([this] { help(); });
        ++waiting_;
      } catch (const std::system_error&) {
        refused_ = true;
      } catch (const std::bad_alloc&) {
        refused_ = true;
      }
      if (!threads_.empty() && !threads_.back().joinable()) threads_.pop_back();
    }
  }

  /// What a helper does all its life. It counts as waiting from the moment that it was started.
  void help() {
    std::unique_lock lock(mutex_);
    while (true) {
      Job* job = nullptr;
      wait_for(news_, lock, [&] { return ending_ || (job = open_job()) != nullptr; });
      if (job == nullptr) return;
      --waiting_;
      const std::size_t number = ++job->joined;
      ++job->inside;
      lock.unlock();
      job->work(number);
      lock.lock();
      ++waiting_;
      job->joined = job->helpers;  // whoever returns has found nothing left to do
      if (--job->inside == 0) job->left.notify_one();
    }
  }

  Job* open_job() {
    Job* job = newest_;
    while (job != nullptr && job->joined == job->helpers) job = job->older;
    return job;
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable news_;
  Job* newest_ = nullptr;
  std::size_t waiting_ = 0;
  bool ending_ = false;
  bool refused_ = false;  ///< the system gave no further thread
  std::list<std::thread> threads_;
};

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
