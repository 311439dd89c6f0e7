#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "credence/data/splits.hpp"
#include "files.hpp"

namespace credence::data::test {
namespace splits_properties_tests {

std::vector<int> some_labels(std::size_t n, int classes) {
  std::vector<int> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<int>((i * i + i / 3) % static_cast<std::size_t>(classes));
  return labels;
}

/// Largest minus smallest number of rows of a class (any if `label` is none) over the folds.
int spread(const std::vector<int>& folds, int k, const std::vector<int>& labels, std::optional<int> label) {
  std::vector<int> counts(static_cast<std::size_t>(k), 0);
  for (std::size_t i = 0; i < folds.size(); ++i)
    if (!label || labels[i] == *label) ++counts.at(static_cast<std::size_t>(folds[i]));
  return *std::ranges::max_element(counts) - *std::ranges::min_element(counts);
}

TEST(SplitsProperties, FoldSizesDifferByAtMostOne) {
  for (const std::size_t n : {2U, 3U, 10U, 101U}) {
    for (int k = 2; k <= static_cast<int>(n); k += 3) {
      EXPECT_LE(spread(k_fold(n, k, 5), k, {}, std::nullopt), 1);
      for (const int classes : {1, 2, 7}) {
        const std::vector<int> labels = some_labels(n, classes);
        const std::vector<int> folds = stratified_k_fold(labels, k, 5);
        EXPECT_LE(spread(folds, k, labels, std::nullopt), 1);
        for (int c = 0; c < classes; ++c) EXPECT_LE(spread(folds, k, labels, c), 1) << n << ' ' << k << ' ' << c;
      }
    }
  }
}

TEST(SplitsProperties, SeedsMatterAndRepeat) {
  const std::vector<int> labels = some_labels(50, 3);
  EXPECT_EQ(k_fold(50, 5, 1), k_fold(50, 5, 1));
  EXPECT_NE(k_fold(50, 5, 1), k_fold(50, 5, 2));
  EXPECT_NE(stratified_k_fold(labels, 5, 1), stratified_k_fold(labels, 5, 2));
  EXPECT_NE(hold_out(labels, 0.5, 1), hold_out(labels, 0.5, 2));
  EXPECT_NE(bootstrap(50, 1), bootstrap(50, 2));
}

TEST(SplitsProperties, GroupsStayTogether) {
  std::vector<int> groups;
  for (int g = 0; g < 13; ++g) groups.insert(groups.end(), static_cast<std::size_t>(1 + g % 5), 7 * g - 20);
  for (const int k : {2, 3, 13}) {
    const std::vector<int> folds = grouped_k_fold(groups, k, 3);
    std::map<int, std::set<int>> folds_of;
    std::set<int> used;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      folds_of[groups[i]].insert(folds[i]);
      used.insert(folds[i]);
    }
    for (const auto& [group, set] : folds_of) EXPECT_EQ(set.size(), 1U) << group;
    EXPECT_EQ(used.size(), static_cast<std::size_t>(k));
    EXPECT_LE(spread(folds, k, {}, std::nullopt), 5);  // at most the largest group
  }
  // Largest first, each to the smallest fold: 4 | 3 2 | and 1 to the smaller one, the first.
  const std::vector<int> sizes{0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
  EXPECT_EQ(grouped_k_fold(sizes, 2, 0), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 1, 0}));
}

TEST(SplitsProperties, HoldOutCounts) {
  for (const std::size_t n : {2U, 3U, 10U, 101U}) {
    for (const double fraction : {0.001, 0.1, 0.25, 0.5, 0.7, 0.999}) {
      for (const int classes : {1, 2, 7}) {
        const std::vector<int> labels = some_labels(n, classes);
        const std::vector<bool> held = hold_out(labels, fraction, 9);
        const auto total = static_cast<std::size_t>(std::ranges::count(held, true));
        const auto wanted = static_cast<std::size_t>(fraction * static_cast<double>(n) + 0.5);
        EXPECT_EQ(total, std::clamp<std::size_t>(wanted, 1, n - 1));
        for (int c = 0; c < classes && wanted == total; ++c) {
          double size = 0;
          double taken = 0;
          for (std::size_t i = 0; i < n; ++i) {
            size += labels[i] == c ? 1 : 0;
            taken += labels[i] == c && held[i] ? 1 : 0;
          }
          EXPECT_LE(std::abs(taken - fraction * size), 1.0) << n << ' ' << fraction << ' ' << c;
        }
      }
    }
  }
}

TEST(SplitsProperties, BootstrapDrawsNRows) {
  const std::vector<std::uint32_t> draws = bootstrap(1000, 4);
  EXPECT_EQ(std::accumulate(draws.begin(), draws.end(), 0U), 1000U);
  const auto out = std::ranges::count(draws, 0U);
  EXPECT_NEAR(static_cast<double>(out), 1000 / std::exp(1.0), 60);  // six standard deviations are about 60
  EXPECT_TRUE(bootstrap(0, 4).empty());
}

TEST(SplitsProperties, Refusals) {
  EXPECT_TRUE(says(error_of([] { k_fold(7, 10, 0); }),
                   "10 folds need at least 10 rows; the data set has 7; take 7 folds or fewer"));
  EXPECT_TRUE(says(error_of([] { k_fold(7, 1, 0); }), "at least 2 folds; 1 were asked for"));
  EXPECT_EQ(error_of([] { stratified_k_fold(std::vector<int>{0, 1}, 3, 0); }).code(), ErrorCode::invalid_data);
  EXPECT_EQ(error_of([] { stratified_k_fold(std::vector<int>{0, 1}, -1, 0); }).code(), ErrorCode::invalid_argument);
  EXPECT_TRUE(says(error_of([] { grouped_k_fold(std::vector<int>{4, 4, 5}, 3, 0); }),
                   "3 folds need at least 3 groups; the data set has 2"));
  for (const double fraction : {0.0, 1.0, -0.5, std::nan("")})
    EXPECT_TRUE(says(error_of([&] { hold_out(std::vector<int>{0, 1}, fraction, 0); }), "between 0 and 1"));
  EXPECT_TRUE(says(error_of([] { hold_out(std::vector<int>{0}, 0.5, 0); }), "at least 2 rows"));
}

}  // namespace splits_properties_tests
}  // namespace credence::data::test
