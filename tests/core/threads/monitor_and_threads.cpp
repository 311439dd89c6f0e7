#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/core/monitor.hpp"
#include "support/sanitized.hpp"

namespace monitor_and_threads_tests {

using credence::core::Monitor;
using credence::core::StopReason;
using credence::core::Threads;

TEST(Monitor, WithoutLimitsNeverStops) {
  Monitor monitor;
  monitor.expect(3);
  monitor.advance(3);
  EXPECT_EQ(monitor.stop_reason(), StopReason::none);
  EXPECT_FALSE(monitor.should_stop());
}

TEST(Monitor, SecondsLeftAreThoseOfTheNearestBudget) {
  EXPECT_FALSE(Monitor().seconds_left());
  Monitor whole({}, 100);
  Monitor part(whole, 1);
  ASSERT_TRUE(part.seconds_left());
  EXPECT_LE(*part.seconds_left(), 100);
  EXPECT_GT(*part.seconds_left(), 90);
  EXPECT_LE(*Monitor({}, 0.0).seconds_left(), 0);
}

TEST(Monitor, CountsUnits) {
  std::vector<Monitor::Progress> seen;
  Monitor monitor([&](const Monitor::Progress& progress) {
    seen.push_back(progress);
    return true;
  });
  monitor.expect(4);
  monitor.advance();
  monitor.expect(2);
  monitor.advance(5);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].done, 1U);
  EXPECT_EQ(seen[0].total, 4U);
  EXPECT_EQ(seen[1].done, 6U);
  EXPECT_EQ(seen[1].total, 6U);
  EXPECT_GE(seen[1].seconds, seen[0].seconds);
  EXPECT_GE(seen[0].seconds, 0);
}

TEST(Monitor, CallbackThatReturnsFalseCancels) {
  int calls = 0;
  Monitor monitor([&](const Monitor::Progress&) { return ++calls < 2; });
  monitor.advance();
  EXPECT_FALSE(monitor.should_stop());
  monitor.advance();
  EXPECT_EQ(monitor.stop_reason(), StopReason::cancelled);
}

TEST(Monitor, CancelCancels) {
  Monitor monitor;
  monitor.cancel();
  EXPECT_EQ(monitor.stop_reason(), StopReason::cancelled);
  EXPECT_TRUE(monitor.should_stop());
}

TEST(Monitor, TimeBudgetEnds) {
  const Monitor none({}, 0.0);
  EXPECT_EQ(none.stop_reason(), StopReason::time_budget);
  const Monitor brief({}, 0.05);
  EXPECT_EQ(brief.stop_reason(), StopReason::none);
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_EQ(brief.stop_reason(), StopReason::time_budget);
  EXPECT_GE(brief.seconds(), 0.05);
}

TEST(Monitor, HugeBudgetDoesNotOverflow) {
  const Monitor monitor({}, 1e30);
  EXPECT_EQ(monitor.stop_reason(), StopReason::none);
}

TEST(Monitor, CallsTheCallbackOneAtATime) {
  std::atomic<int> inside{0};
  bool overlapped = false;
  std::size_t last = 0;
  Monitor monitor([&](const Monitor::Progress& progress) {
    overlapped = overlapped || ++inside != 1;
    last = std::max(last, progress.done);
    --inside;
    return true;
  });
  std::vector<std::thread> workers;
  for (int t = 0; t < 4; ++t) {
    workers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) monitor.advance();
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(last, 2000U);
}

class ThreadsOf : public testing::TestWithParam<int> {};

TEST_P(ThreadsOf, EveryIndexOnce) {
  const Threads threads(GetParam());
  for (const std::size_t n : {0U, 1U, 2U, 17U, 1000U}) {
    std::vector<std::atomic<int>> calls(n);
    threads.for_each(n, [&](std::size_t i) { ++calls[i]; });
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(calls[i].load(), 1) << i << " of " << n;
  }
}

TEST_P(ThreadsOf, IndicesAreHandedOutInAscendingOrder) {
  const Threads threads(GetParam());
  std::mutex mutex;
  std::vector<std::size_t> started;
  threads.for_each(200, [&](std::size_t i) {
    const std::lock_guard lock(mutex);
    started.push_back(i);
  });
  // An index may overtake another only while both are in hand.
  for (std::size_t at = 0; at < started.size(); ++at)
    EXPECT_LT(started[at], at + 20 * static_cast<std::size_t>(GetParam()));
  if (GetParam() == 1) EXPECT_TRUE(std::is_sorted(started.begin(), started.end()));
}

TEST_P(ThreadsOf, ExceptionStopsAndArrives) {
  const Threads threads(GetParam());
  std::atomic<std::size_t> calls{0};
  try {
    threads.for_each(100000, [&](std::size_t i) {
      ++calls;
      if (i == 10) throw std::runtime_error("ten");
      std::this_thread::yield();
    });
    ADD_FAILURE() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "ten");
  }
  EXPECT_LT(calls.load(), 100000U);
  std::atomic<int> after{0};
  threads.for_each(5, [&](std::size_t) { ++after; });  // and it can be used again
  EXPECT_EQ(after.load(), 5);
}

/// Every pair once, whichever thread has the outer index and whoever helps with the inner ones.
TEST_P(ThreadsOf, TasksMayCallForEachAgain) {
  const Threads threads(GetParam());
  std::vector<std::atomic<int>> calls(20 * 30);
  for (int repetition = 0; repetition < 50; ++repetition)
    threads.for_each(20, [&](std::size_t i) { threads.for_each(30, [&](std::size_t j) { ++calls[30 * i + j]; }); });
  for (const auto& count : calls) EXPECT_EQ(count.load(), 50);
}

TEST_P(ThreadsOf, MayBeSharedByCallers) {
  const Threads threads(GetParam());
  std::atomic<std::size_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller) {
    callers.emplace_back([&] {
      for (int repetition = 0; repetition < 200; ++repetition) threads.for_each(10, [&](std::size_t i) { sum += i; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 3U * 200U * 45U);
}

TEST_P(ThreadsOf, Count) {
  EXPECT_EQ(Threads(GetParam()).count(), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Counts, ThreadsOf, testing::Values(1, 2, 4));

TEST(Threads, ZeroIsOneForEachCore) {
  EXPECT_GE(Threads(0).count(), 1);
}

TEST(Threads, NeverMoreThreadsThanAskedFor) {
  const Threads threads(2);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  int inside = 0;
  int most = 0;
  threads.for_each(50, [&](std::size_t) {
    {
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
      most = std::max(most, ++inside);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(mutex);
    --inside;
  });
  EXPECT_LE(most, 2);
}

/// Whether eight threads do all of the work where so many bytes more can be had than are in use.
bool works_with(std::size_t more_bytes) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const std::size_t bytes = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more_bytes;
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
    const Threads threads(8);
    std::atomic<int> calls{0};
    for (int i = 0; i < 3; ++i) {
      threads.for_each(40, [&](std::size_t) {
        ++calls;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    ::_exit(calls.load() == 120 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

/// Room for the stacks of none, some and all of the threads.
TEST(Threads, WorkIsDoneWhereTheSystemGivesTooFewThreads) {
  if (credence::test::sanitized) GTEST_SKIP() << credence::test::sanitizers_need_addresses;
  for (std::size_t megabytes = 1; megabytes < 200; megabytes += 9)
    EXPECT_TRUE(works_with(megabytes << 20U)) << megabytes << " MiB";
}

TEST(AlignedVector, IsAlignedToCacheLines) {
  for (const std::size_t n : {1U, 3U, 100U}) {
    const credence::core::AlignedVector<float> values(n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % 64, 0U);
  }
}

TEST(MemoryBudget, IsReasonable) {
  EXPECT_GT(credence::core::default_memory_budget(), std::size_t{1} << 26);
  EXPECT_LT(credence::core::default_memory_budget(), std::size_t{1} << 50);
}

}  // namespace monitor_and_threads_tests
