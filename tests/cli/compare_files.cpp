#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "helpers.hpp"
#include "support/command.hpp"

/// `credence compare` over several files: --jobs N against one file after another.
namespace credence {
namespace compare_files_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;

const std::vector<std::string> small{"--methods", "cv,holdout", "--C", "1,16",          "--gamma",
                                     "0.05,0.5",  "--folds",    "3",   "--outer-folds", "3"};

CommandResult compared(const Command& command, const std::vector<std::string>& files,
                       const std::vector<std::string>& more) {
  return command.run(test::with(test::with(test::with({"compare"}, files), small), more));
}

/// Times are the only part of a table that differs from run to run.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex(" +[0-9.]+ +([0-9.]+ x|–)\n"), "\n");
}
json without_times(json document) {
  if (document.is_object())
    for (const char* field : {"seconds", "relative_seconds", "command", "report"}) document.erase(field);
  if (document.is_structured())
    for (json& part : document) part = without_times(part);
  return document;
}

TEST(CompareFiles, JobsVsOneAfterAnother) {
  Command command;
  std::vector<std::string> files;
  for (int k = 0; k < 4; ++k) {
    const std::string name = "clouds" + std::to_string(k) + ".csv";
    files.push_back(
        command.folder().write(name, test::clouds_csv(150 - 30 * k, 2 + k % 2, 7 + static_cast<unsigned>(k))));
  }
  const std::string first = command.folder().file("first.json");
  const std::string second = command.folder().file("second.json");
  const CommandResult one = compared(command, files, {"--threads", "3", "--json", first});
  const CommandResult jobs = compared(command, files, {"--threads", "3", "--jobs", "3", "--json", second});
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_EQ(without_times(jobs.out), without_times(one.out));
  EXPECT_EQ(jobs.err, one.err);
  const json a = json::parse(test::read_text(first));
  const json b = json::parse(test::read_text(second));
  EXPECT_EQ(without_times(b), without_times(a));
  ASSERT_EQ(b["comparisons"].size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(b["comparisons"][k]["source"], files[k]);
    EXPECT_EQ(b["comparisons"][k]["threads"], 3);
    const CommandResult alone = compared(command, {files[k]}, {"--json", "-"});
    json single = without_times(json::parse(alone.out));
    single["threads"] = 3;
    EXPECT_EQ(without_times(b["comparisons"][k]), single);
  }
}

TEST(CompareFiles, AFileThatFailsIsNamedAndTheOthersAreCompared) {
  Command command;
  const std::string good = command.folder().write("good.csv", test::clouds_csv(90, 2, 3));
  const std::string lonely = command.folder().write("lonely.csv", "x,label\n1,a\n2,a\n3,a\n");
  const std::string missing = command.folder().file("missing.csv");
  for (const char* jobs : {"1", "3"}) {
    const std::string path = command.folder().file(std::string("out") + jobs + ".json");
    const CommandResult result = compared(command, {lonely, good, missing, good}, {"--jobs", jobs, "--json", path});
    EXPECT_EQ(result.code, 3) << "that of the first file that failed";
    EXPECT_NE(result.err.find("credence: " + lonely), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("at least two classes"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(missing), std::string::npos) << result.err;
    const json documents = json::parse(test::read_text(path))["comparisons"];
    ASSERT_EQ(documents.size(), 4U);
    EXPECT_EQ(documents[0]["status"], "failed");
    EXPECT_EQ(documents[0]["source"], lonely);
    EXPECT_EQ(documents[1]["status"], "complete");
    EXPECT_EQ(documents[2]["status"], "failed");
    EXPECT_EQ(without_times(documents[3]), without_times(documents[1]));
  }
}

TEST(CompareFiles, AMethodThatOneFileCannotHaveEndsThisFileAlone) {
  Command command;
  const std::string two = command.folder().write("two.csv", test::clouds_csv(90, 2, 3));
  const std::string three = command.folder().write("three.csv", test::clouds_csv(90, 3, 3));
  const CommandResult result = command.run({"compare", three, two, "--methods", "cv", "--score", "roc_auc", "--C", "1",
                                            "--gamma", "0.1", "--outer-folds", "3", "--jobs", "2", "--json", "-"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.err.starts_with("credence: " + three + ": ")) << result.err;
  const json documents = json::parse(result.out)["comparisons"];
  EXPECT_EQ(documents[0]["status"], "failed");
  EXPECT_EQ(documents[1]["status"], "complete");
}

TEST(CompareFiles, AStoppedCommandSaysWhichFilesItDidNotBegin) {
  Command command;
  const std::string file = command.folder().write("clouds.csv", test::clouds_csv(400, 2, 3));
  const CommandResult result =
      command.run({"compare", file, file, file, "--time-limit", "0.05", "--jobs", "2", "--json", "-"});
  EXPECT_EQ(result.code, 5);
  const json documents = json::parse(result.out)["comparisons"];
  ASSERT_EQ(documents.size(), 3U);
  EXPECT_EQ(documents[2]["status"], "failed");
  EXPECT_NE(result.err.find(documents[2]["error"].get<std::string>()), std::string::npos) << result.err;
}

TEST(CompareFiles, BadNumbersOfJobsAreASentence) {
  Command command;
  const std::string file = command.folder().write("clouds.csv", test::clouds_csv(40, 2, 3));
  const CommandResult result = compared(command, {file}, {"--jobs", "0"});
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(result.err.starts_with("credence: --jobs: 0 ")) << result.err;
  EXPECT_EQ(compared(command, {"-", "-"}, {}).code, 2);
}

}  // namespace compare_files_tests
}  // namespace credence
