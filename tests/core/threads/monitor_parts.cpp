#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "credence/core/monitor.hpp"

namespace monitor_parts_tests {

using credence::core::Monitor;
using credence::core::StopReason;

/// A monitor that remembers how far it was advanced, call by call.
struct Watched {
  std::vector<std::size_t> done;
  Monitor monitor{[this](const Monitor::Progress& progress) {
    done.push_back(progress.done);
    return true;
  }};
  std::size_t last() const { return done.empty() ? 0 : done.back(); }
};

TEST(MonitorPart, AdvancesTheParentByItsUnitsWhateverItsOwnTotal) {
  for (const std::size_t units : {0U, 1U, 2U, 7U, 100U}) {
    for (const std::size_t total : {1U, 2U, 3U, 7U, 49U, 100U, 1000U}) {
      Watched parent;
      Monitor part(parent.monitor, units);
      part.expect(total);
      for (std::size_t i = 1; i <= total; ++i) {
        part.advance();
        ASSERT_EQ(parent.last(), units * i / total) << i << " of " << total << ", worth " << units;
      }
      EXPECT_EQ(parent.last(), units);
    }
  }
}

TEST(MonitorPart, NeverAdvancesTheParentByMore) {
  Watched parent;
  Monitor part(parent.monitor, 10);
  part.expect(3);
  part.advance(8);
  part.advance(100);
  EXPECT_EQ(parent.done, std::vector<std::size_t>{10});
}

TEST(MonitorPart, TotalThatGrowsNeverTakesProgressBack) {
  Watched parent;
  Monitor part(parent.monitor, 10);
  part.expect(4);
  part.advance(2);
  EXPECT_EQ(parent.last(), 5U);
  part.expect(16);
  part.advance(2);  // 4 of 20: 2 units would be due, 5 are told
  EXPECT_EQ(parent.last(), 5U);
  part.advance(10);  // 14 of 20
  EXPECT_EQ(parent.last(), 7U);
  part.advance(6);
  EXPECT_EQ(parent.done, (std::vector<std::size_t>{5, 7, 10}));
}

TEST(MonitorPart, StoppedPartAdvancesNothingMore) {
  Watched parent;
  {
    Monitor part(parent.monitor, 10);
    part.expect(10);
    part.advance(3);
    part.cancel();
    EXPECT_EQ(part.stop_reason(), StopReason::cancelled);
  }
  EXPECT_EQ(parent.last(), 3U);
  EXPECT_EQ(parent.monitor.stop_reason(), StopReason::none);
}

TEST(MonitorPart, ParentsReasonsAreItsOwn) {
  Monitor cancelled;
  Monitor part(cancelled, 1);
  Monitor part_of_part(part, 1);
  EXPECT_EQ(part_of_part.stop_reason(), StopReason::none);
  cancelled.cancel();
  EXPECT_EQ(part.stop_reason(), StopReason::cancelled);
  EXPECT_EQ(part_of_part.stop_reason(), StopReason::cancelled);

  Monitor late({}, 0.0);
  Monitor part_of_late(late, 1);
  EXPECT_EQ(part_of_late.stop_reason(), StopReason::time_budget);
  part_of_late.cancel();
  EXPECT_EQ(part_of_late.stop_reason(), StopReason::cancelled);
}

TEST(MonitorPart, LeavesTheLastSecondsOfABudgetAndSharesTheProgress) {
  Watched top;
  Monitor unlimited = Monitor::leaving(10, top.monitor);
  EXPECT_FALSE(unlimited.seconds_left());
  unlimited.expect(3);
  unlimited.advance(2);
  unlimited.advance();
  EXPECT_EQ(top.done, (std::vector<std::size_t>{2, 3}));
  top.monitor.cancel();
  EXPECT_EQ(unlimited.stop_reason(), StopReason::cancelled);
  Monitor limited({}, 100.0);
  Monitor part = Monitor::leaving(40, limited);
  EXPECT_LE(part.seconds_left().value(), 60);
  EXPECT_GT(part.seconds_left().value(), 50);
  EXPECT_EQ(Monitor::leaving(200, limited).stop_reason(), StopReason::time_budget);
  EXPECT_FALSE(limited.should_stop());
}

TEST(MonitorPart, ParentsCallbackCancelsThePart) {
  Monitor parent([](const Monitor::Progress& progress) { return progress.done < 2; });
  Monitor part(parent, 4);
  part.expect(8);
  part.advance(2);
  EXPECT_FALSE(part.should_stop());
  part.advance(2);
  EXPECT_EQ(part.stop_reason(), StopReason::cancelled);
}

TEST(MonitorPart, PartsOfPartsReachTheTop) {
  Watched top;
  Monitor part(top.monitor, 6);
  part.expect(2);
  for (int half = 0; half < 2; ++half) {
    Monitor inner(part, 1);
    inner.expect(5);
    inner.advance(5);
  }
  EXPECT_EQ(top.done, (std::vector<std::size_t>{3, 6}));
}

TEST(MonitorPart, NothingIsLostBetweenThreads) {
  constexpr std::size_t total = 200000;
  for (const std::size_t units : {std::size_t{3}, total / 2, total - 1, total, total + 1}) {
    std::size_t last = 0;
    bool ascending = true;
    Monitor parent([&](const Monitor::Progress& progress) {
      ascending = ascending && progress.done >= last;
      last = progress.done;
      return true;
    });
    Monitor part(parent, units);
    part.expect(total);
    std::vector<std::thread> workers;
    for (int t = 0; t < 4; ++t) {
      workers.emplace_back([&] {
        for (std::size_t i = 0; i < total / 4; ++i) part.advance();
      });
    }
    for (auto& worker : workers) worker.join();
    EXPECT_EQ(last, units);
    EXPECT_TRUE(ascending);
  }
}

}  // namespace monitor_parts_tests
