#include "credence/data/splits.hpp"
#include "files.hpp"

namespace credence::data::test {
namespace splits_golden_values_tests {

// Fixed numbers: a fold that differs between platforms or versions makes every published error a different one.
TEST(SplitsGoldenValues, KFold) {
  EXPECT_EQ(k_fold(12, 3, 0), (std::vector<int>{2, 2, 1, 0, 0, 1, 0, 2, 0, 2, 1, 1}));
}

TEST(SplitsGoldenValues, Stratified) {
  const std::vector<int> labels{0, 0, 1, 1, 0, 1, 0, 2, 0, 2, 0, 1};
  EXPECT_EQ(stratified_k_fold(labels, 3, 0), (std::vector<int>{2, 0, 1, 0, 0, 2, 1, 2, 1, 1, 2, 0}));
  EXPECT_EQ(stratified_k_fold(labels, 3, 12345678901234567ULL), (std::vector<int>{1, 0, 2, 1, 2, 0, 2, 2, 0, 1, 1, 0}));
}

TEST(SplitsGoldenValues, Grouped) {
  EXPECT_EQ(grouped_k_fold(std::vector<int>{5, 3, 3, 8, 5, 1, 8, 2, 9, 9}, 3, 1),
            (std::vector<int>{2, 0, 0, 0, 2, 2, 0, 1, 1, 1}));
}

TEST(SplitsGoldenValues, HoldOut) {
  EXPECT_EQ(hold_out(std::vector<int>{0, 0, 1, 1, 0, 1, 0, 1, 0, 0}, 0.3, 2),
            (std::vector<bool>{false, false, true, false, false, false, false, false, true, true}));
}

TEST(SplitsGoldenValues, Bootstrap) {
  EXPECT_EQ(bootstrap(12, 3), (std::vector<std::uint32_t>{1, 1, 0, 0, 2, 0, 2, 0, 2, 1, 1, 2}));
}

}  // namespace splits_golden_values_tests
}  // namespace credence::data::test
