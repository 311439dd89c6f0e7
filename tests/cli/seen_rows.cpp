#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "helpers.hpp"
#include "support/command.hpp"

/// Figures on rows that trained the model are too good; `evaluate` says so.
namespace credence::test {
namespace {

bool warned(const CommandResult& result) {
  EXPECT_EQ(result.code, 0) << result.err;
  return result.err.find("these rows trained the model") != std::string::npos;
}

TEST(SeenRows, AreKnownByWhatTheModelKept) {
  const Command credence;
  credence.folder().write("train.csv", clouds_csv(150, 2, 1));
  credence.folder().write("test.csv", clouds_csv(150, 2, 2));
  std::string both = clouds_csv(150, 2, 2);
  const std::string first = clouds_csv(150, 2, 1);
  both += first.substr(first.find('\n') + 1);
  credence.folder().write("both.csv", both);
  const std::vector<std::vector<std::string>> ways = {
      {"train", "--C", "1"}, {"train", "--C", "1", "--scale", "none"}, {"train", "--model", "rvm", "--sigma", "0.1"}};
  for (const std::vector<std::string>& way : ways) {
    ASSERT_EQ(credence.run(with(way, {"train.csv", "-o", "m.credence", "--quiet"})).code, 0);
    EXPECT_TRUE(warned(credence.run({"evaluate", "m.credence", "train.csv"})));
    EXPECT_TRUE(warned(credence.run({"evaluate", "m.credence", "both.csv"})));
    EXPECT_FALSE(warned(credence.run({"evaluate", "m.credence", "test.csv"})));
    EXPECT_FALSE(warned(credence.run({"evaluate", "m.credence", "train.csv", "--quiet"})));
  }
}

}  // namespace
}  // namespace credence::test
