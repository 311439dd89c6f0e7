#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "credence/data/splits.hpp"
#include "files.hpp"
#include "support/expect_error.hpp"

namespace credence::data::test {
namespace splits_random_hold_out_tests {

std::size_t held(const std::vector<bool>& out) {
  return static_cast<std::size_t>(std::ranges::count(out, true));
}

/// How often each of n rows is held out over so many seeds.
std::vector<int> frequencies(std::size_t n, std::size_t count, const std::vector<int>& groups, int seeds) {
  std::vector<int> times(n, 0);
  for (int seed = 0; seed < seeds; ++seed) {
    const std::vector<bool> out = random_hold_out(n, count, groups, static_cast<std::uint64_t>(seed));
    for (std::size_t i = 0; i < n; ++i) times[i] += out[i] ? 1 : 0;
  }
  return times;
}

TEST(RandomHoldOut, HoldsOutExactlyTheCount) {
  for (const std::size_t n : {2U, 3U, 50U, 1001U})
    for (const std::size_t count : {std::size_t{1}, n / 2, n - 1})
      EXPECT_EQ(held(random_hold_out(n, count, {}, 4)), count) << n;
}

TEST(RandomHoldOut, SeedsMatterAndRepeat) {
  EXPECT_EQ(random_hold_out(50, 10, {}, 1), random_hold_out(50, 10, {}, 1));
  EXPECT_NE(random_hold_out(50, 10, {}, 1), random_hold_out(50, 10, {}, 2));
}

TEST(RandomHoldOut, EveryRowIsAsLikely) {
  const int seeds = 4000;
  const double expected = seeds * 3.0 / 10;
  for (const int times : frequencies(10, 3, {}, seeds)) EXPECT_NEAR(times, expected, 4.5 * std::sqrt(expected * 0.7));
}

TEST(RandomHoldOut, GroupsStayTogetherAndFit) {
  std::vector<int> groups;
  for (int g = 0; g < 13; ++g) groups.insert(groups.end(), static_cast<std::size_t>(1 + g % 5), 7 * g - 20);
  std::map<int, std::size_t> sizes;
  for (const int group : groups) ++sizes[group];
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<bool> out = random_hold_out(groups.size(), 12, groups, seed);
    std::set<int> in;
    std::set<int> outside;
    for (std::size_t i = 0; i < groups.size(); ++i) (out[i] ? outside : in).insert(groups[i]);
    for (const int group : outside) EXPECT_EQ(in.count(group), 0U);
    EXPECT_LE(held(out), 12U);
    EXPECT_GT(held(out), 12U - 5U);  // the group that did not fit has at most 5 rows
  }
}

TEST(RandomHoldOut, FirstGroupIsTakenEvenIfItIsTooLarge) {
  const std::vector<int> groups{1, 1, 1, 1, 2, 2, 2, 2};
  for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(held(random_hold_out(8, 2, groups, seed)), 4U);
  // A large and a small group: whichever comes first is held out alone.
  const std::vector<int> uneven{1, 1, 1, 1, 1, 2};
  std::set<std::size_t> counts;
  for (std::uint64_t seed = 0; seed < 40; ++seed) counts.insert(held(random_hold_out(6, 1, uneven, seed)));
  EXPECT_EQ(counts, (std::set<std::size_t>{1, 5}));
}

TEST(RandomHoldOut, StopsAtTheFirstGroupThatDoesNotFit) {
  const std::vector<int> groups{1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3};  // sizes 2, 9, 1
  std::set<std::size_t> counts;
  for (std::uint64_t seed = 0; seed < 60; ++seed) counts.insert(held(random_hold_out(12, 4, groups, seed)));
  EXPECT_EQ(counts, (std::set<std::size_t>{1, 2, 3, 9}));  // 9 first; or 1 or 2 and then 9; or both before it
}

TEST(RandomHoldOut, GroupsOfOneRowAreRows) {
  std::vector<int> own(30);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(i);
  EXPECT_EQ(random_hold_out(30, 11, own, 9), random_hold_out(30, 11, {}, 9));
}

TEST(RandomHoldOut, GoldenValues) {
  EXPECT_EQ(random_hold_out(8, 3, {}, 2), (std::vector<bool>{false, true, true, false, false, false, false, true}));
  EXPECT_EQ(random_hold_out(8, 4, std::vector<int>{5, 5, 3, 3, 3, 9, 1, 1}, 2),
            (std::vector<bool>{false, false, true, true, true, true, false, false}));
}

TEST(RandomHoldOut, RefusesWhatCannotBe) {
  const auto refuse = [](const std::string& part, std::size_t n, std::size_t count, const std::vector<int>& groups) {
    credence::test::expect_error(ErrorCode::invalid_argument, part, [&] { random_hold_out(n, count, groups, 0); });
  };
  refuse("0 rows cannot be held out of 5", 5, 0, {});
  refuse("5 rows cannot be held out of 5", 5, 5, {});
  refuse("cannot be held out", 0, 0, {});
  refuse("cannot be held out", 1, 1, {});
  refuse("one group", 3, 1, {4, 4, 4});
  refuse("group codes for 2", 3, 1, {4, 5});
}

}  // namespace splits_random_hold_out_tests
}  // namespace credence::data::test
