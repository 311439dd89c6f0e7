#include "credence/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace random_stream_tests {

using credence::core::RandomStream;

TEST(RandomStream, EqualSeedsAndPurposesGiveEqualStreams) {
  RandomStream a(42, 3);
  RandomStream b(42, 3);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(a.below(1000003), b.below(1000003));
    ASSERT_EQ(a.uniform(), b.uniform());
    ASSERT_EQ(a.normal(), b.normal());
  }
}

TEST(RandomStream, SeedsAndPurposesMakeDifferentStreams) {
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> keys{
      {0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {0, 2}, {~0ULL, 0}, {0, ~0ULL}, {1ULL << 32, 0}};
  std::set<std::vector<std::uint64_t>> streams;
  for (const auto& [seed, purpose] : keys) {
    RandomStream random(seed, purpose);
    std::vector<std::uint64_t> draws(4);
    for (auto& draw : draws) draw = random.below(~0ULL);
    streams.insert(draws);
  }
  EXPECT_EQ(streams.size(), keys.size());
}

TEST(RandomStream, StreamsOfNeighbouringSeedsAreUncorrelated) {
  const int n = 20000;
  double product = 0;
  RandomStream a(7, 0);
  RandomStream b(7, 1);
  for (int i = 0; i < n; ++i) product += a.normal() * b.normal();
  EXPECT_LT(std::abs(product / n), 4 / std::sqrt(n));  // four standard errors
}

TEST(RandomStream, BelowStaysBelow) {
  RandomStream random(1);
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 10ULL, 1ULL << 40, (1ULL << 63) + 1, ~0ULL})
    for (int i = 0; i < 200; ++i) ASSERT_LT(random.below(bound), bound);
}

/// Pearson's statistic of the counts against equal frequencies.
double chi_square(const std::vector<int>& counts) {
  const double expected = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(RandomStream, BelowAndUniformAreUniform) {
  RandomStream random(20240501);
  std::vector<int> below(7);
  std::vector<int> uniform(10);
  for (int i = 0; i < 100000; ++i) {
    ++below[random.below(7)];
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++uniform[static_cast<std::size_t>(u * 10)];
  }
  EXPECT_LT(chi_square(below), 22.5);    // 0.999 quantile with 6 degrees of freedom
  EXPECT_LT(chi_square(uniform), 27.9);  // with 9
}

TEST(RandomStream, BelowHasNoModuloBias) {
  // A remainder of 64 bits would put 2/3 of the draws below 2^62 when the bound is 3 * 2^62.
  RandomStream random(5);
  const std::uint64_t third = 1ULL << 62;
  std::vector<int> counts(3);
  for (int i = 0; i < 30000; ++i) ++counts[random.below(3 * third) / third];
  EXPECT_LT(chi_square(counts), 13.8);  // 0.999 quantile with 2 degrees of freedom
}

TEST(RandomStream, NormalHasTheMomentsAndTailsOfTheNormal) {
  RandomStream random(9);
  const int n = 200000;
  double sum = 0;
  double squares = 0;
  double fourths = 0;
  int beyond = 0;
  for (int i = 0; i < n; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    fourths += z * z * z * z;
    beyond += std::abs(z) > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourths / n, 3, 4 * std::sqrt(96.0 / n));
  EXPECT_NEAR(beyond / static_cast<double>(n), 0.05, 4 * std::sqrt(0.05 * 0.95 / n));
}

TEST(RandomStream, ShuffleIsAPermutationAndReachesAllOfThem) {
  RandomStream random(3);
  std::vector<int> counts(24);
  for (int i = 0; i < 24000; ++i) {
    std::vector<int> items{0, 1, 2, 3};
    random.shuffle(items);
    int rank = 0;  // in the lexicographic order of the permutations
    for (std::size_t a = 0; a < 4; ++a) {
      int smaller = 0;
      for (std::size_t b = a + 1; b < 4; ++b) smaller += items[b] < items[a] ? 1 : 0;
      rank = rank * static_cast<int>(4 - a) + smaller;
    }
    ++counts[static_cast<std::size_t>(rank)];
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, (std::vector<int>{0, 1, 2, 3}));
  }
  EXPECT_LT(chi_square(counts), 49.7);  // 0.999 quantile with 23 degrees of freedom
}

TEST(RandomStream, ShuffleOfNothingAndOfOne) {
  RandomStream random(3);
  std::vector<int> none;
  std::vector<int> one{5};
  random.shuffle(none);
  random.shuffle(one);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(one, std::vector<int>{5});
}

}  // namespace random_stream_tests
