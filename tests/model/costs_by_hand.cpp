#include <gtest/gtest.h>

#include "credence/model/costs.hpp"
#include "support/expect_error.hpp"

namespace costs_by_hand_tests {

using namespace credence;
using model::DecisionCosts;

const std::vector<std::string> three{"a", "b", "c:d"};

TEST(DecisionCosts, AreThoseOfTheText) {
  const DecisionCosts costs = DecisionCosts::parse("a:b=50,c:d:a=0.25,b:c:d=0,ask=5", three);
  EXPECT_EQ(costs.of.values, (std::vector<double>{0, 50, 1, 1, 0, 0, 0.25, 1, 0}));
  EXPECT_EQ(costs.at(0, 1), 50);
  EXPECT_EQ(costs.at(2, 0), 0.25);
  EXPECT_EQ(costs.at(1, -1), 5);
  EXPECT_EQ(costs.at(-1, 0), 1);  // the most of the column
  EXPECT_EQ(costs.at(-1, 1), 50);
  EXPECT_FALSE(DecisionCosts::parse("a:b=50", three).ask.has_value());
}

TEST(DecisionCosts, RefuseWhatIsNone) {
  const auto refuse = [](const std::string& text, const std::string& part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { DecisionCosts::parse(text, three); });
  };
  refuse("a:x=3", "'a:x' is not TRUTH:DECISION of the classes a, b, c:d, nor ask");
  refuse("a=3", "'a' is not TRUTH:DECISION");
  refuse("a:a=3", "'a:a' is a right decision, which costs nothing");
  refuse("a:b=-1", "the cost of 'a:b' is -1, and a cost is at least 0");
  refuse("a:b=1,b:a=2,a:b=3", "'a:b' has two costs");
  refuse("a:b", "is not a name with a number");
}

}  // namespace costs_by_hand_tests
