#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "credence/rvm/train.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::rvm {
namespace problem_centres_properties_tests {

using test::expect_error;

data::Dataset regression(const data::DenseMatrix& x, const std::vector<double>& targets) {
  return data::make_regression_dataset(data::Features(x), targets);
}

TEST(CandidateCentres, AreAllRowsWhereThatManyAreAskedFor) {
  const auto dataset = test::random_clouds(30, 3, 2, 1, 4).dataset();
  std::vector<std::size_t> all(30);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(candidate_centres(dataset.features, dataset, 30, 1), all);
  EXPECT_EQ(candidate_centres(dataset.features, dataset, 1000, 2), all);
  EXPECT_EQ(default_centres(2000), 2000U);
  EXPECT_EQ(default_centres(2001), 1000U);
}

/// The first of equal rows stays, dense or sparse, whatever the sign of a zero.
TEST(CandidateCentres, RepeatNoRow) {
  test::Clouds clouds = test::random_clouds(40, 3, 2, 1, 4);
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t j = 0; j < 3; ++j) clouds.x.row(i)[j] = i % 2 == 0 && j == 1 ? 0 : clouds.x.row(i)[j];
  for (const auto& [copy, of] : {std::pair{7U, 3U}, {39U, 3U}, {20U, 2U}})
    std::ranges::copy(clouds.x.row(of), clouds.x.row(copy).begin());
  clouds.x.row(20)[1] = -0.0;
  std::vector<std::size_t> expected;
  for (std::size_t i = 0; i < 40; ++i)
    if (i != 7 && i != 39 && i != 20) expected.push_back(i);
  const auto dataset = clouds.dataset();
  EXPECT_EQ(candidate_centres(dataset.features, dataset, 40, 1), expected);
  EXPECT_EQ(candidate_centres(data::Features(test::sparse_of(clouds.x)), dataset, 40, 1), expected);
  const auto drawn = candidate_centres(dataset.features, dataset, 36, 1);
  EXPECT_EQ(drawn.size(), 36U) << "of 37 different rows";
  EXPECT_TRUE(std::ranges::includes(expected, drawn));
}

TEST(CandidateCentres, HaveEachClassInItsShare) {
  const std::vector<std::size_t> counts{60, 30, 10};
  data::Dataset dataset = test::random_clouds(100, 2, 3, 1, 4).dataset();
  for (std::size_t i = 0; i < 100; ++i) dataset.labels[i] = i < 60 ? 0 : i < 90 ? 1 : 2;
  for (const std::size_t count : {10U, 20U, 33U, 50U, 99U}) {
    const auto centres = candidate_centres(dataset.features, dataset, count, 3);
    EXPECT_EQ(centres.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(centres));
    EXPECT_EQ(std::set(centres.begin(), centres.end()).size(), count);
    std::vector<std::size_t> of_class(3, 0);
    for (const std::size_t i : centres) ++of_class[static_cast<std::size_t>(dataset.labels[i])];
    for (std::size_t c = 0; c < 3; ++c) {
      const double share = static_cast<double>(count * counts[c]) / 100;
      EXPECT_NEAR(static_cast<double>(of_class[c]), share, 1.0) << count << " centres, class " << c;
    }
  }
}

/// Of m centres each m-th part of the targets' order has one.
TEST(CandidateCentres, OfARegressionCoverItsTargets) {
  const data::DenseMatrix x = test::random_matrix(101, 2, 5);
  std::vector<double> targets;
  for (std::size_t i = 0; i < 101; ++i) targets.push_back(x.row(i)[0]);
  std::vector<std::size_t> order(101);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return targets[i]; });
  for (const std::size_t count : {1U, 7U, 50U, 100U}) {
    const auto centres = candidate_centres(x, regression(x, targets), count, 9);
    ASSERT_EQ(centres.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(centres));
    for (std::size_t part = 0; part < count; ++part) {
      std::size_t inside = 0;
      for (std::size_t rank = part * 101 / count; rank < (part + 1) * 101 / count; ++rank)
        inside += std::ranges::binary_search(centres, order[rank]) ? 1U : 0U;
      EXPECT_EQ(inside, 1U) << "part " << part << " of " << count;
    }
  }
}

TEST(CandidateCentres, FollowTheSeed) {
  const auto classes = test::random_clouds(200, 2, 2, 1, 4).dataset();
  std::vector<double> targets;
  for (std::size_t i = 0; i < 200; ++i) targets.push_back(classes.features.dense().row(i)[0]);
  const auto numbers = data::make_regression_dataset(classes.features, targets);
  for (const data::Dataset* dataset : {&classes, &numbers}) {
    const auto one = candidate_centres(dataset->features, *dataset, 20, 1);
    EXPECT_EQ(one, candidate_centres(dataset->features, *dataset, 20, 1));
    EXPECT_NE(one, candidate_centres(dataset->features, *dataset, 20, 2));
  }
}

TEST(CandidateCentres, RefuseNoneAndOtherRows) {
  const auto dataset = test::random_clouds(10, 2, 2, 1, 4).dataset();
  expect_error(ErrorCode::invalid_argument, "at least 1", [&] { candidate_centres(dataset.features, dataset, 0, 1); });
  expect_error(ErrorCode::invalid_argument, "not the rows of the data set",
               [&] { candidate_centres(data::DenseMatrix(9, 2), dataset, 5, 1); });
}

}  // namespace problem_centres_properties_tests
}  // namespace credence::rvm
