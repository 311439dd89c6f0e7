#include "cli/run_log.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/helpers.hpp"
#include "credence/core/error.hpp"
#include "support/command.hpp"

namespace credence::cli {
namespace run_log_vs_clock_tests {

using test::Command;
using test::CommandResult;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The log beside a clock that the test sets.
class RunLogTest : public testing::Test {
 protected:
  RunLog::Sources sources() {
    return {[this] { return std::chrono::system_clock::time_point(std::chrono::seconds(1763848800) + passed_); },
            [this] { return megabytes_ << 20U; }};
  }
  std::vector<std::string> lines() const { return lines_of(test::read_text(path_)); }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("run.log");
  std::chrono::seconds passed_{0};
  std::size_t megabytes_ = 100;
};

TEST_F(RunLogTest, HasALineAMinuteWhateverTheTicks) {
  RunLog log(path_, sources());
  log.stage("working");
  for (int second = 1; second <= 600; ++second) {
    passed_ = std::chrono::seconds(second);
    log.update({static_cast<std::size_t>(second), 1200, static_cast<double>(second)});
    megabytes_ = static_cast<std::size_t>(100 + second / 60);
    log.tick();
  }
  passed_ = std::chrono::seconds(605);
  log.stage("end");
  log.write_line();
  const std::vector<std::string> found = lines();
  ASSERT_EQ(found.size(), 12U);  // the first, ten minutes, the last
  EXPECT_EQ(found[0], "2025-11-22T22:00:00Z stage=start done=0.00% left=? memory=100.0MiB");
  EXPECT_EQ(found[1], "2025-11-22T22:01:00Z stage=working done=5.00% left=1140s memory=101.0MiB");
  EXPECT_EQ(found[10], "2025-11-22T22:10:00Z stage=working done=50.00% left=600s memory=110.0MiB");
  EXPECT_EQ(found[11], "2025-11-22T22:10:05Z stage=end done=50.00% left=600s memory=110.0MiB");
}

/// By hand: work that is found later takes nothing back, and nothing is done before the end.
TEST_F(RunLogTest, GoesForwardAndIsNotDoneWhileItWorks) {
  RunLog log(path_, sources());
  log.stage("working");
  for (const auto& [done, total] : std::vector<std::pair<std::size_t, std::size_t>>{{95, 100}, {95, 200}, {200, 200}}) {
    log.update({done, total, 10});
    log.write_line();
  }
  log.stage("end");
  log.write_line();
  const std::vector<std::string> found = lines();
  ASSERT_EQ(found.size(), 5U);
  const std::vector<std::string> expected{"done=95.00%", "done=95.00%", "done=99.00%", "done=100.00%"};
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NE(found[k + 1].find(expected[k]), std::string::npos) << found[k + 1];
}

TEST_F(RunLogTest, AppendsToWhatIsThere) {
  { const RunLog first(path_, sources()); }
  { const RunLog second(path_, sources()); }
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(RunLogTest, SaysTheMemoryThatTheSystemSays) {
  std::ifstream status("/proc/self/status");
  if (!status) GTEST_SKIP() << "there is no /proc";
  std::size_t kilobytes = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) kilobytes = std::stoul(line.substr(6));
  EXPECT_NEAR(static_cast<double>(resident_bytes()) / 1024, static_cast<double>(kilobytes), 4096);
}

TEST(RunLogOfCommands, HasAFirstAndALastLine) {
  const Command command;
  command.folder().write("rows.csv", test::clouds_csv(60, 2, 1));
  const CommandResult result = command.shell(
      "$CREDENCE select rows.csv --C 1 --gamma 0.1 --folds 3 --estimate none --quiet --log run.log -o m;"
      "$CREDENCE train rows.csv --quiet --log run.log -o m;"
      "$CREDENCE compare rows.csv --C 1 --gamma 0.1 --methods cv --outer-folds 2 --quiet --log run.log;"
      "$CREDENCE conformal fit rows.csv --quiet --log run.log -o m;"
      "$CREDENCE train rows.csv --label nobody --quiet --log run.log -o m");
  EXPECT_EQ(lines_of(result.err).size(), 1U) << result.err;
  const std::vector<std::string> lines = lines_of(test::read_text(command.folder().file("run.log")));
  ASSERT_EQ(lines.size(), 10U);
  const std::regex form(
      R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ stage=[a-z]+ done=\d+\.\d\d% left=(\?|\d+s) memory=\d+\.\dMiB)");
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_TRUE(std::regex_match(lines[k], form)) << lines[k];
    const char* stage = k % 2 == 0 ? "stage=start " : k == 9 ? "stage=failed " : "stage=end ";
    EXPECT_NE(lines[k].find(stage), std::string::npos) << lines[k];
  }
}

TEST(RunLogOfCommands, IsRefusedBeforeWorkWhereItCannotBeWritten) {
  const Command command;
  command.folder().write("rows.csv", test::clouds_csv(60, 2, 1));
  struct Case {
    const char* log;
    int code;
    const char* sentence;
  };
  for (const auto& [log, code, sentence] :
       {Case{"missing/run.log", 4, "missing/run.log: the log cannot be written: No such file or directory"},
        Case{"/dev/full", 4, "/dev/full: the log cannot be written: No space left on device"},
        Case{"rows.csv", 2, "the output 'rows.csv' is also another file of this command; give it a name of its own"},
        Case{"-", 2, "--log: name a file; this one cannot be standard output"}}) {
    const CommandResult result = command.shell(std::string("$CREDENCE train rows.csv -o m --log ") + log);
    EXPECT_EQ(result.code, code);
    EXPECT_EQ(result.err, std::string("credence: ") + sentence + "\n");
    EXPECT_EQ(result.out, "");
  }
}

}  // namespace run_log_vs_clock_tests
}  // namespace credence::cli
