#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"

/// What a nonconformity model prints of labels that are coins: what is proved is about rows that are as strange under
/// their true class, and no word may offer it as a limit of the error, which is a half.
namespace credence {
namespace nonconformity_words_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

std::string coins_csv(std::size_t rows, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::ostringstream text;
  text << "x,y,label\n";
  for (std::size_t i = 0; i < rows; ++i)
    text << random.uniform() << ',' << random.uniform() << ',' << (random.below(2) == 0 ? "heads" : "tails") << '\n';
  return text.str();
}

class NonconformityOnCoins : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", coins_csv(250, 1));
    command_.folder().write("test.csv", coins_csv(1000, 2));
    const CommandResult result = command_.run({"select", "train.csv", "--method", "nonconformity", "--C", "1,100",
                                               "--gamma", "0.5,8", "--estimate", "none", "-o", "m"});
    ASSERT_EQ(result.code, 0) << result.err;
  }
  CommandResult run(const std::vector<std::string>& words) const {
    CommandResult result = command_.run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    std::transform(result.out.begin(), result.out.end(), result.out.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return result;
  }
  Command command_;
};

TEST_F(NonconformityOnCoins, NoTableHasAnErrorBesideALimitOfSomethingElse) {
  const CommandResult result = run({"evaluate", "m", "test.csv"});
  EXPECT_EQ(result.out.find("bound"), std::string::npos) << result.out;
  std::istringstream lines(result.out);
  std::size_t limits = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("dkw") == std::string::npos || line.find("  ") == std::string::npos) continue;
    ++limits;
    EXPECT_EQ(line.find("error"), std::string::npos) << line;
    EXPECT_NE(line.find("as strange"), std::string::npos) << line;
    EXPECT_NE(line.find("counted"), std::string::npos) << line;
  }
  EXPECT_EQ(limits, 1U) << result.out;
}

TEST_F(NonconformityOnCoins, EveryNameSaysWhatIsLimited) {
  const std::string header = run({"predict", "m", "test.csv"}).out.substr(0, 400);
  EXPECT_EQ(header.find("bound"), std::string::npos) << header;
  EXPECT_NE(header.find(",as_strange_at_most_vc,"), std::string::npos) << header;
  const std::string text = run({"evaluate", "m", "test.csv", "--json", "-", "--quiet"}).out;
  EXPECT_EQ(text.find("\"bound"), std::string::npos) << text;
}

/// The two columns of the table, and the error that is above the limit.
TEST_F(NonconformityOnCoins, TheLimitHoldsOfWhatItNamesAndTheErrorIsAboveIt) {
  const json found = json::parse(run({"evaluate", "m", "test.csv", "--json", "-", "--quiet"}).out);
  const json& levels = found["as_strange"];
  ASSERT_GT(levels.size(), 2U);
  ASSERT_EQ(levels.size(), found["error_by_eps_crit"].size());
  double last = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const json& level = levels[i];
    EXPECT_LE(level["counted"], level["at_most_dkw"]) << level;
    EXPECT_LE(level["at_most_dkw"], level["at_most_vc"]) << level;
    EXPECT_GE(level["counted"], last) << "more rows are as strange as a larger level";
    last = level["counted"];
    EXPECT_EQ(level["eps_crit"], found["error_by_eps_crit"][i]["eps_crit"]);
  }
  EXPECT_LT(levels[0]["at_most_dkw"], 0.35);
  EXPECT_GT(found["error"], 0.4);
  EXPECT_GT(found["error_by_eps_crit"][0]["error"], levels[0]["at_most_dkw"]);
}

}  // namespace nonconformity_words_tests
}  // namespace credence
