#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace credence::cli {
namespace {

constexpr std::size_t units_of_work = 1000;

/// The work that is left, and what came of the rest.
class Queue {
 public:
  explicit Queue(std::size_t count) : ended_(count, false) { failures_.resize(count); }

  /// The next one, or the count if there is none.
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    return next_ < ended_.size() ? next_++ : ended_.size();
  }
  void end(std::size_t k, std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    ended_[k] = true;
    if (failure) next_ = ended_.size();
    failures_[k] = std::move(failure);
    changed_.notify_all();
  }
  /// Waits for the end of one. @return the exception that ended it
  std::exception_ptr wait(std::size_t k) {
    std::unique_lock lock(mutex_);
    // Work is taken in ascending order: what is never taken comes after a failure, which the caller meets first.
    // Not `wait`, whose symbol only a C++ library of 2022 has: an hour after the other.
    while (!ended_[k]) changed_.wait_for(lock, std::chrono::hours(1));
    return failures_[k];
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::vector<bool> ended_;
  std::vector<std::exception_ptr> failures_;
};

}  // namespace

void run_jobs(std::size_t count, int jobs, Run& run, const std::function<void(std::size_t, const core::Context&)>& work,
              const std::function<void(std::size_t)>& done) {
  const core::Context whole = run.context();
  whole.monitor.expect(units_of_work * count);
  const auto with_part = [&](std::size_t k, const core::Threads& threads, std::size_t memory) {
    core::Monitor monitor(whole.monitor, units_of_work);
    work(k, {threads, monitor, memory, whole.checkpoint});
  };
  const std::size_t at_once = std::min<std::size_t>(static_cast<std::size_t>(jobs), count);
  if (at_once <= 1) {
    for (std::size_t k = 0; k < count; ++k) {
      with_part(k, whole.threads, whole.memory_budget);
      done(k);
    }
    return;
  }
  Queue queue(count);
  const auto all = static_cast<std::size_t>(whole.threads.count());
  std::vector<std::unique_ptr<core::Threads>> shares;
  for (std::size_t job = 0; job < at_once; ++job) {
    const std::size_t own = all / at_once + (job < all % at_once ? 1 : 0);
    shares.push_back(std::make_unique<core::Threads>(static_cast<int>(std::max<std::size_t>(1, own))));
  }
  std::vector<std::jthread> workers;
  for (std::size_t job = 0; job < at_once; ++job) {
    workers.emplace_back([&, job] {
      for (std::size_t k; (k = queue.take()) < count;) {
        std::exception_ptr failure;
        try {
          with_part(k, *shares[job], whole.memory_budget / at_once);
        } catch (...) {
          failure = std::current_exception();
        }
        queue.end(k, failure);
      }
    });
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (const std::exception_ptr failure = queue.wait(k)) {
      whole.monitor.cancel();
      std::rethrow_exception(failure);
    }
    done(k);
  }
}

}  // namespace credence::cli
