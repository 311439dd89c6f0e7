#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace credence {
namespace selfcheck_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

TEST(Selfcheck, PrintsALineForEachProblemAndWritesEveryLevel) {
  Command command;
  const CommandResult result =
      command.run({"selfcheck", "--quick", "--only", "dkw,nonconformity-paper", "--seed", "3", "--json", "c.json"});
  ASSERT_EQ(result.code, 0) << result.err;
  for (const char* part : {"dkw: distance of a distribution function, DKW (conservative)", "four values", "holds",
                           "measured", "All 4 lines with a proved promise hold", "4 lines are approximate", "seed 3"})
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  const json document = json::parse(test::read_text(command.folder().file("c.json")));
  EXPECT_EQ(document["kind"], "selfcheck");
  EXPECT_EQ(document["broken"], 0);
  ASSERT_EQ(document["checks"].size(), 2U);
  const json& line = document["checks"][0]["lines"][0];
  EXPECT_EQ(line["values"], 3000);
  ASSERT_EQ(line["levels"].size(), 5U);
  for (const json& level : line["levels"]) {
    EXPECT_LE(level["lower"], level["share"]);
    EXPECT_GE(level["upper"], level["share"]);
  }
  const CommandResult again =
      command.run({"selfcheck", "--quick", "--only", "dkw", "--seed", "3", "--threads", "1", "--json", "-", "--quiet"});
  EXPECT_EQ(json::parse(again.out)["checks"][0], document["checks"][0]);
}

TEST(Selfcheck, ListsWhatIsPromisedAndWhere) {
  Command command;
  const std::string text = command.run({"selfcheck", "--list"}).out;
  for (const char* part : {"bound-hoeffding ", "conservative", "exact", "approximate", "conformal/online.hpp"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Selfcheck, AnUnknownNameIsOneSentence) {
  Command command;
  const CommandResult result = command.run({"selfcheck", "--only", "dkv"});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, "credence: --only: no check has the name 'dkv'; credence selfcheck --list has the names\n");
  EXPECT_EQ(command.run({"selfcheck", "--quick", "--only", "dkw", "--json", "no/such/folder.json"}).code, 4);
}

}  // namespace selfcheck_tests
}  // namespace credence
