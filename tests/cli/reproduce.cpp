#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/shared_data.hpp"

namespace credence {
namespace reproduce_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

std::vector<std::string> reproduce(const std::string& folder, const std::vector<std::string>& more) {
  std::vector<std::string> words{"reproduce", "nonconformity", "--data", folder};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Reproduce, AMissingFolderOrFileIsOneSentence) {
  Command command;
  const CommandResult folder = command.run(reproduce("nowhere", {}));
  EXPECT_EQ(folder.code, 4);
  EXPECT_EQ(folder.err, "credence: --data: 'nowhere' is not a folder\n");
  const CommandResult file = command.run(reproduce(".", {"--sets", "pima"}));
  EXPECT_EQ(file.code, 4);
  for (const char* part : {"hardoon_pima.csv", "UCI Machine Learning Repository", "docs/reproduce.md"})
    EXPECT_NE(file.err.find(part), std::string::npos) << file.err;
  EXPECT_EQ(std::count(file.err.begin(), file.err.end(), '\n'), 1);
  EXPECT_TRUE(std::filesystem::exists(std::string(CREDENCE_SOURCE_DIR) + "/docs/reproduce.md"));
}

TEST(Reproduce, RefusesUnknownWords) {
  Command command;
  EXPECT_EQ(command.run({"reproduce", "everything", "--data", "."}).code, 2);
  const CommandResult sets = command.run(reproduce(".", {"--sets", "glass,iris"}));
  EXPECT_EQ(sets.code, 2);
  EXPECT_NE(sets.err.find("'iris'"), std::string::npos) << sets.err;
  EXPECT_EQ(command.run(reproduce(".", {"--repeats", "0"})).code, 2);
  const CommandResult owner = command.run(reproduce(".", {"--smoothing", "0.5"}));
  EXPECT_EQ(owner.code, 2);
  EXPECT_NE(owner.err.find("--smoothing"), std::string::npos) << owner.err;
  for (const char* width : {"0", "-1", "11"})
    EXPECT_EQ(command.run({"reproduce", "tcm-nn", "--data", ".", "--smoothing", width}).code, 2) << width;
}

/// A data set that is not the paper's is run and marked, from what is in the file.
TEST(Reproduce, MarksWhatDiffersFromTable1) {
  Command command;
  std::string text = "a,b,label\n";
  for (int i = 0; i < 60; ++i) {
    text +=
        std::to_string(i % 7) + "," + std::to_string(i % 3 == 0 ? i % 5 : -i % 5) + (i % 3 == 0 ? ",+1\n" : ",-1\n");
  }
  command.folder().write("hardoon_glass.csv", text);
  const CommandResult result = command.run(reproduce(".", {"--sets", "glass", "--json", "r.json"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Glass *"), std::string::npos) << result.out;
  const json document = json::parse(test::read_text(command.folder().file("r.json")));
  const json& set = document["sets"][0];
  EXPECT_EQ(set["rows"], 60);
  EXPECT_EQ(set["rows_in_paper"], 163);
  EXPECT_EQ(set["remarks"].size(), 4U) << "rows, features, positive and negative rows";
  for (const json& remark : set["remarks"])
    EXPECT_NE(result.out.find(remark.get<std::string>()), std::string::npos) << result.out;
  EXPECT_TRUE(document["figure_2"].is_null());
}

TEST(Reproduce, GlassLiesAboutThePrototype) {
  CREDENCE_NEEDS_SHARED_DATA("hardoon_glass.csv.gz");
  Command command;
  const CommandResult result = command.run(reproduce(CREDENCE_TEST_DATA, {"--sets", "glass", "--json", "-"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["table"], "nonconformity");
  EXPECT_EQ(document["status"], "complete");
  EXPECT_EQ(document["repeats"], 1);
  ASSERT_EQ(document["sets"].size(), 1U);
  const json& glass = document["sets"][0];
  EXPECT_EQ(glass["rows"], 163);
  EXPECT_TRUE(glass["remarks"].empty());
  EXPECT_GT(glass["seconds_cv_to_nonconformity"], 1.0);
  // One shuffle's mean has a standard deviation of about 0.02 on 163 rows: the band is three of them.
  const auto near = [&](const char* method, double prototype, double paper) {
    const json& figures = glass["methods"][method];
    EXPECT_NEAR(figures["ours"]["error"].get<double>(), prototype, 0.06) << method;
    EXPECT_EQ(figures["paper"]["error"], paper) << method;
    EXPECT_TRUE(figures["ours"]["standard_error"].is_null());
  };
  near("nonconformity", 0.223, 0.2167);
  near("cv", 0.178, 0.2085);
  near("max-margin", 0.216, 0.2328);
  ASSERT_EQ(glass["shuffles"].size(), 1U);
  ASSERT_EQ(glass["shuffles"][0]["methods"].size(), document["columns"].size());
  for (const json& method : glass["shuffles"][0]["methods"]) EXPECT_EQ(method["folds"].size(), 10U);
}

TEST(Reproduce, TheCurveOfBupaEndsWithTheErrorOfTheFold) {
  CREDENCE_NEEDS_SHARED_DATA("hardoon_bupa.csv.gz");
  Command command;
  const CommandResult result =
      command.run(reproduce(CREDENCE_TEST_DATA, {"--sets", "bupa", "--seed", "3", "--json", "-"}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("vacuous"), std::string::npos) << result.err;
  const json document = json::parse(result.out);
  const json& curve = document["figure_2"];
  const json& fold = document["sets"][0]["shuffles"][0]["methods"][0]["folds"][0];
  EXPECT_EQ(curve["points"].back()["rows"], fold["rows"]);
  EXPECT_EQ(curve["points"].back()["errors"], fold["errors"]);
  EXPECT_EQ(curve["validation_rows"], 50);
  EXPECT_EQ(curve["models"], 110);
}

}  // namespace reproduce_tests
}  // namespace credence
