#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "credence/core/random.hpp"

namespace random_choice_tests {

using credence::core::random_choice;

constexpr std::uint64_t most = ~0ULL;

TEST(RandomChoice, GoldenValues) {
  // Computed with whole numbers of any length from the formula: floor(hash * bound / 2^64).
  EXPECT_EQ(random_choice(0, 0, 0, most), 2558736989570252432ULL);
  EXPECT_EQ(random_choice(1, 2, 3, most), 15020427595393229490ULL);
  EXPECT_EQ(random_choice(1, 2, 3, 1000003), 814261ULL);
  EXPECT_EQ(random_choice(most, most, most, 9223372036854775808ULL), 3219383215636640653ULL);
  EXPECT_EQ(random_choice(12345678901234567ULL, 5, 77, 18446744073709551557ULL), 12417450622932887434ULL);
  EXPECT_EQ(random_choice(7, 0, 1, 10), 9ULL);
}

TEST(RandomChoice, StaysBelowTheBound) {
  for (const std::uint64_t bound : {1ULL, 2ULL, 3ULL, 110ULL, 1ULL << 40, (1ULL << 63) + 1, ~0ULL})
    for (std::uint64_t index = 0; index < 500; ++index) ASSERT_LT(random_choice(3, 5, index, bound), bound);
}

/// Pearson's statistic of the counts against equal frequencies.
double chi_square(const std::vector<int>& counts, double expected) {
  double sum = 0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(RandomChoice, IsUniformOverEachOfItsArguments) {
  const int n = 70000;
  std::vector<std::vector<int>> counts(3, std::vector<int>(7));
  for (std::uint64_t i = 0; i < n; ++i) {
    ++counts[0][random_choice(i, 1, 2, 7)];
    ++counts[1][random_choice(1, i, 2, 7)];
    ++counts[2][random_choice(1, 2, i, 7)];
  }
  for (const auto& count : counts) EXPECT_LT(chi_square(count, n / 7.0), 22.5);  // 0.999 quantile, 6 degrees of freedom
}

TEST(RandomChoice, NeighboursAreIndependent) {
  const int n = 72000;
  std::vector<int> pairs(9);
  std::vector<int> across(9);
  for (std::uint64_t i = 0; i < n; ++i) {
    ++pairs[3 * random_choice(1, 2, 2 * i, 3) + random_choice(1, 2, 2 * i + 1, 3)];
    ++across[3 * random_choice(1, 2, i, 3) + random_choice(2, 2, i, 3)];
  }
  EXPECT_LT(chi_square(pairs, n / 9.0), 26.1);  // 0.999 quantile, 8 degrees of freedom
  EXPECT_LT(chi_square(across, n / 9.0), 26.1);
}

}  // namespace random_choice_tests
