#include <gtest/gtest.h>

#include <array>

#include "credence/core/list.hpp"

namespace credence::core {
namespace text_by_hand_tests {

TEST(Text, NamesStandBehindEachPieceOfAdviceOnce) {
  constexpr std::array<Advice, 2> names{{{"drop the column", "--drop"}, {"give the delimiter", "--delimiter"}}};
  EXPECT_EQ(with_names("drop the column, or give the delimiter", names),
            "drop the column (--drop), or give the delimiter (--delimiter)");
  EXPECT_EQ(with_names("nothing to do", names), "nothing to do");
}

}  // namespace text_by_hand_tests
}  // namespace credence::core
