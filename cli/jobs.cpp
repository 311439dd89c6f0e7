#include "run.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace credence::cli {
namespace {

constexpr std::size_t units_of_work = 1000;

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
  std::vector<std::promise<void>> ends(count);
  std::atomic<std::size_t> next{0};  // what no job has taken; from the count on there is nothing
  const auto all = static_cast<std::size_t>(whole.threads.count());
  std::vector<std::unique_ptr<core::Threads>> shares;
  for (std::size_t job = 0; job < at_once; ++job) {
    const std::size_t own = all / at_once + (job < all % at_once ? 1 : 0);
    shares.push_back(std::make_unique<core::Threads>(static_cast<int>(std::max<std::size_t>(1, own))));
  }
  std::vector<std::jthread> workers;
  for (std::size_t job = 0; job < at_once; ++job) {
    workers.emplace_back([&, job] {
      for (std::size_t k; (k = next++) < count;) {
        try {
          with_part(k, *shares[job], whole.memory_budget / at_once);
          ends[k].set_value();
        } catch (...) {
          next = count;
          ends[k].set_exception(std::current_exception());
        }
      }
    });
  }
  for (std::size_t k = 0; k < count; ++k) {
    // Work is taken in ascending order: what is never taken comes after a failure, which is met first.
    try {
      ends[k].get_future().get();
    } catch (...) {
      whole.monitor.cancel();
      throw;
    }
    done(k);
  }
}

}  // namespace credence::cli
