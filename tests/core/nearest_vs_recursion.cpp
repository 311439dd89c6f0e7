#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "credence/core/list.hpp"

namespace credence::core {
namespace nearest_vs_recursion_tests {

/// The definition, case by case, from the ends of both texts.
std::size_t distance_by_recursion(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string a1 = a.substr(0, a.size() - 1);
  const std::string b1 = b.substr(0, b.size() - 1);
  std::size_t best = std::min({distance_by_recursion(a1, b) + 1, distance_by_recursion(a, b1) + 1,
                               distance_by_recursion(a1, b1) + (a.back() == b.back() ? 0 : 1)});
  if (a.size() > 1 && b.size() > 1 && a.back() == b1.back() && a1.back() == b.back()) {
    const std::size_t exchanged = distance_by_recursion(a1.substr(0, a1.size() - 1), b1.substr(0, b1.size() - 1)) + 1;
    best = std::min(best, exchanged);
  }
  return best;
}

TEST(NearestVsRecursion, RandomTexts) {
  std::mt19937 random(1);
  const auto text = [&] {
    std::string letters(random() % 6, 'a');
    for (char& c : letters) c = static_cast<char>('a' + random() % 3);
    return letters;
  };
  for (int trial = 0; trial < 500; ++trial) {
    const std::string a = text();
    const std::string b = text();
    ASSERT_EQ(edit_distance(a, b), distance_by_recursion(a, b)) << a << ' ' << b;
  }
}

TEST(NearestVsRecursion, Names) {
  EXPECT_EQ(edit_distance("Label", "LABEL"), 0U);
  EXPECT_EQ(nearest_first("lable", {"x", "label", "table"}), (std::vector<std::string>{"label", "table", "x"}));
  EXPECT_EQ(likely_meant("selct", {"select", "selfcheck"}), "select");
  EXPECT_EQ(likely_meant("frobnicate", {"select", "predict"}), "");
  EXPECT_EQ(likely_meant("selct", {}), "");
  EXPECT_EQ(likely_meant("cvv", {"cv", "loo"}), "cv");
  EXPECT_EQ(likely_meant("cx", {"cv", "loo"}), "");
  EXPECT_EQ(likely_meant("forget", {"format"}), "");
  EXPECT_EQ(did_you_mean("frobnicate", {"select"}, "--"), "");
  EXPECT_EQ(did_you_mean("kernal", {"kernel"}, "--"), "; did you mean --kernel?");
}

}  // namespace nearest_vs_recursion_tests
}  // namespace credence::core
