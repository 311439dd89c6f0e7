#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "credence/data/features.hpp"
#include "credence/data/preprocessing.hpp"

namespace credence::data {
namespace values_borrowed_and_owned_tests {

const std::array<double, 6> numbers{1, 2, 3, 4, 5, 6};

DenseMatrix borrowed_matrix() {
  return DenseMatrix::borrowed(numbers.data(), 3, 2, nullptr);
}

TEST(Values, ReadingABorrowedListCopiesNothing) {
  const Values values = Values::borrowed(numbers.data(), 6, nullptr);
  EXPECT_EQ(values.data(), numbers.data());
  EXPECT_EQ(values.size(), 6U);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values.back(), 6);
  const Values copy = values;
  EXPECT_EQ(copy.data(), numbers.data());
  const std::span<const double> view = copy;
  EXPECT_EQ(view.data(), numbers.data());
}

TEST(Values, TheFirstWriteCopiesAndLeavesTheMemoryAlone) {
  Values values = Values::borrowed(numbers.data(), 6, nullptr);
  const Values other = values;
  values[2] = 30;
  EXPECT_FALSE(values.is_borrowed());
  EXPECT_EQ(values, (std::vector<double>{1, 2, 30, 4, 5, 6}));
  EXPECT_TRUE(other.is_borrowed());
  EXPECT_EQ(numbers[2], 3);
  values.push_back(7);
  values.insert(values.end(), {8, 9});
  values.resize(8);
  EXPECT_EQ(values, (std::vector<double>{1, 2, 30, 4, 5, 6, 7, 8}));
}

TEST(Values, KeepTheOwnerWhileAnyCopyLives) {
  auto owner = std::make_shared<std::vector<double>>(numbers.begin(), numbers.end());
  const std::weak_ptr<std::vector<double>> watched = owner;
  Values first = Values::borrowed(owner->data(), owner->size(), owner);
  owner.reset();
  const Values second = std::move(first);
  EXPECT_EQ(first.size(), 0U);  // NOLINT(bugprone-use-after-move)
  ASSERT_FALSE(watched.expired());
  EXPECT_EQ(second, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  Values third = second;
  third.own();
  EXPECT_FALSE(third.is_borrowed());
  EXPECT_EQ(third, second);
  third = Values{};
  EXPECT_TRUE(third.empty());
  EXPECT_FALSE(watched.expired());
}

TEST(Values, TheOwnerIsLetGoWithTheLastBorrower) {
  auto owner = std::make_shared<std::vector<double>>(numbers.begin(), numbers.end());
  const std::weak_ptr<std::vector<double>> watched = owner;
  Values values = Values::borrowed(owner->data(), owner->size(), owner);
  owner.reset();
  values.own();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Features, OfBorrowedMemoryAreSharedUntilTheyAreOwned) {
  const Features features = borrowed_matrix();
  EXPECT_EQ(features.dense().row(1).data(), numbers.data() + 2);
  EXPECT_EQ(features.to_dense().values.size(), 6U);
  EXPECT_TRUE(features.to_dense().values.is_borrowed());
  Features kept = features;
  kept.own();
  EXPECT_NE(kept.stored().data(), numbers.data());
  EXPECT_EQ(features.stored().data(), numbers.data());
}

TEST(Preprocessing, ThatChangesNothingReturnsTheMemoryItself) {
  const Dataset dataset = make_dataset(borrowed_matrix(), std::vector<std::string>{"a", "b", "a"});
  const Preprocessing none = Preprocessing::fit(dataset, Scaling::none);
  EXPECT_EQ(none.apply(dataset).stored().data(), numbers.data());
  const Features scaled = Preprocessing::fit(dataset, Scaling::standard).apply(dataset);
  EXPECT_FALSE(scaled.dense().values.is_borrowed());
  Dataset categorical = dataset;
  categorical.schema.columns[1] = {"x2", ColumnKind::categorical, {"0", "1", "2", "3", "4", "5", "6"}};
  EXPECT_EQ(Preprocessing::fit(categorical, Scaling::none).apply(categorical).columns(), 4U);
}

}  // namespace values_borrowed_and_owned_tests
}  // namespace credence::data
