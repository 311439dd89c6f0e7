#include "credence/data/row_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <set>

#include "support/random_data.hpp"

namespace credence::data {
namespace row_key_vs_content_tests {

TEST(RowKey, IsTheSameInDenseAndSparseRows) {
  const DenseMatrix dense = credence::test::random_thin_matrix(200, 9, 4, 0.3);
  const std::vector<std::uint64_t> keys = row_keys(dense);
  EXPECT_EQ(row_keys(credence::test::sparse_of(dense)), keys);
  EXPECT_EQ(std::set<std::uint64_t>(keys.begin(), keys.end()).size(), 200U);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_EQ(row_key(dense.row(i)), keys[i]);
  SparseMatrix with_zero;
  with_zero.rows = 1;
  with_zero.columns = 3;
  with_zero.offsets = {0, 2};
  with_zero.indices = {0, 2};
  with_zero.values = {0, 5};
  EXPECT_EQ(row_key(with_zero, 0), row_key(std::vector<double>{0, 0, 5}));
}

TEST(RowKey, HasOneZeroAndOneNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double other_nan = std::bit_cast<double>(std::bit_cast<std::uint64_t>(nan) ^ 5U ^ (std::uint64_t{1} << 63U));
  EXPECT_EQ(row_key(std::vector<double>{1, -0.0}), row_key(std::vector<double>{1, 0}));
  EXPECT_EQ(row_key(std::vector<double>{nan, 2}), row_key(std::vector<double>{other_nan, 2}));
  EXPECT_NE(row_key(std::vector<double>{nan, 2}), row_key(std::vector<double>{0, 2}));
}

TEST(RowKey, TellsColumnsOrdersAndNumbersApart) {
  std::set<std::uint64_t> keys;
  std::size_t rows = 0;
  for (double a = -2; a <= 2; ++a)
    for (double b = -2; b <= 2; ++b)
      for (double c = -2; c <= 2; ++c)
        for (double d = -2; d <= 2; ++d, ++rows) keys.insert(row_key(std::vector<double>{a, b, c, d}));
  EXPECT_EQ(keys.size(), rows);
}

TEST(RowKey, IsPartOfWhatAVersionPromises) {
  EXPECT_EQ(row_key(std::vector<double>{}), 0U);
  EXPECT_EQ(row_key(std::vector<double>{1.5, 0, -2}), 8915164871688831569U);
}

/// A sketch of many rows is known again in all of them, in any order, and not where one of its rows is missing.
TEST(RowKey, SmallestKeysStandForAllRows) {
  std::vector<std::uint64_t> keys = row_keys(credence::test::random_thin_matrix(500, 9, 4, 0.3));
  keys.insert(keys.end(), keys.begin(), keys.begin() + 50);
  const std::vector<std::uint64_t> sketch = smallest_keys(keys);
  ASSERT_EQ(sketch.size(), most_smallest_keys);
  EXPECT_TRUE(std::ranges::is_sorted(sketch, std::ranges::less_equal{}));
  for (const std::uint64_t key : keys) EXPECT_TRUE(key >= sketch.back() || std::ranges::binary_search(sketch, key));
  std::ranges::reverse(keys);
  EXPECT_TRUE(holds_all(keys, sketch));
  std::erase(keys, sketch[40]);
  EXPECT_FALSE(holds_all(keys, sketch));
  EXPECT_FALSE(holds_all(keys, {}));
  EXPECT_EQ(smallest_keys({7, 3, 7, 5}), (std::vector<std::uint64_t>{3, 5, 7}));
}

}  // namespace row_key_vs_content_tests
}  // namespace credence::data
