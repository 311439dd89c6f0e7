#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "qp/free_factor.hpp"
#include "support/qp_cases.hpp"

namespace deletions_vs_smaller_factor_tests {

using namespace credence;
using qp::FreeFactor;

/// Deleting variables one by one leads to the inverse of the matrix without them, which is factorised afresh.
TEST(FreeFactor, DeletionsPreparedTogetherOrNotAreAFactorOfTheRest) {
  constexpr std::size_t n = 60;
  test::QpCase one = test::random_case(n, 4, {.gamma = 0.3}, 1, 5);
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::vector<std::size_t> gone{7, 59, 0, 31, 8, 30};
  std::vector<double> right_hand_side(n);
  for (std::size_t i = 0; i < n; ++i) right_hand_side[i] = static_cast<double>(i % 7) - 2;

  FreeFactor together;
  FreeFactor alone;
  ASSERT_TRUE(together.factorise(one.rows, all));
  ASSERT_TRUE(alone.factorise(one.rows, all));
  together.prepare({31, 0, 59});
  together.prepare({59, 12, 7, 8});
  EXPECT_TRUE(together.is_prepared(12));
  EXPECT_FALSE(together.is_prepared(30));
  std::vector<double> projected = together.solve(right_hand_side);
  std::vector<double> other = alone.solve(right_hand_side);
  std::vector<std::size_t> rest = all;
  for (const std::size_t k : gone) {
    ASSERT_TRUE(together.remove(k));
    ASSERT_TRUE(alone.remove(k));
    together.project(projected);
    alone.project(other);
    std::erase(rest, k);
    FreeFactor smaller;
    ASSERT_TRUE(smaller.factorise(one.rows, rest));
    std::vector<double> of_rest;
    for (const std::size_t i : rest) of_rest.push_back(right_hand_side[i]);
    const std::vector<double> wanted = smaller.solve(of_rest);
    for (std::size_t a = 0; a < rest.size(); ++a) {
      EXPECT_NEAR(projected[rest[a]], wanted[a], 1e-6) << k;
      EXPECT_NEAR(other[rest[a]], wanted[a], 1e-6) << k;
    }
    EXPECT_EQ(projected[k], 0);
  }
  // All variables come back, and what was prepared is forgotten.
  together.restore();
  EXPECT_FALSE(together.is_prepared(31));
  ASSERT_TRUE(together.remove(31));
  std::vector<double> again = together.solve(right_hand_side);
  together.project(again);
  EXPECT_NE(again[7], 0);
  EXPECT_EQ(again[31], 0);
  // A new factor of fewer variables knows none of the old columns.
  ASSERT_TRUE(together.factorise(one.rows, rest));
  EXPECT_FALSE(together.is_prepared(31));
}

}  // namespace deletions_vs_smaller_factor_tests
