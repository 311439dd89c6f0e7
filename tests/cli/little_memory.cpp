#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/helpers.hpp"
#include "support/command.hpp"
#include "support/sanitized.hpp"

namespace credence {
namespace little_memory_tests {

using test::clouds_csv;
using test::Command;
using test::CommandResult;

/// Sentences on standard error that are neither notes nor warnings.
long complaints(const std::string& text) {
  std::istringstream lines(text);
  long count = 0;
  for (std::string line; std::getline(lines, line);)
    count += line.starts_with("credence: note: ") || line.starts_with("credence: warning: ") ? 0 : 1;
  return count;
}

/// The command with a limit on its address space. scripts/little_memory.sh is the same with every command and limit.
class LittleMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (test::sanitized) GTEST_SKIP() << test::sanitizers_need_addresses;
    command_.folder().write("rows.csv", clouds_csv(208, 2, 5));
  }
  CommandResult run(int megabytes, const std::string& arguments) {
    return command_.shell(
        fmt::format("ulimit -v {}; exec timeout -s KILL 30 $CREDENCE {}", megabytes * 1000, arguments));
  }
  /// @return whether there was enough
  bool ends(int megabytes, const std::string& arguments) {
    const CommandResult result = run(megabytes, arguments);
    const std::string what = fmt::format("{} MB: {}\n{}", megabytes, arguments, result.err);
    EXPECT_TRUE(result.code == 0 || result.code == 6) << what << "code " << result.code;
    EXPECT_EQ(complaints(result.err), result.code == 6 ? 1 : 0) << what;
    return result.code == 0;
  }
  Command command_;
};

TEST_F(LittleMemory, SelectionEndsWithAResultOrCodeSix) {
  const std::string grid = "rows.csv --C 0.5,8 --gamma 0.05,0.5 --folds 4 --quiet --threads ";
  for (const int megabytes : {50, 80, 150, 300, 600}) {
    for (const char* threads : {"1", "2", "8"}) {
      const bool enough = ends(megabytes, "select " + grid + threads);
      if (megabytes == 300) EXPECT_TRUE(enough) << threads;  // of `ulimit -v 300000`
    }
  }
}

TEST_F(LittleMemory, DenseAlgebraEndsWithAResultOrCodeSix) {
  for (const int megabytes : {50, 150, 200, 250, 300, 400, 700}) {
    for (const char* threads : {"1", "2", "8"}) {
      const bool enough =
          ends(megabytes, std::string("train rows.csv --model rvm --sigma 1 --quiet -o model --threads ") + threads);
      if (megabytes >= 300) EXPECT_TRUE(enough) << megabytes << " MB, threads " << threads;
    }
  }
}

TEST_F(LittleMemory, WhatNeedsLittleHasEnough) {
  for (const char* arguments : {"--version", "--help", "bound --errors 5 --n 200", "convert rows.csv out.svm.gz"})
    EXPECT_TRUE(ends(50, arguments)) << arguments;
}

/// Far more than there is, in one block and in many: rows that fill the memory while they are read, and while they
/// work.
TEST_F(LittleMemory, WorkThatDoesNotFitEndsWithCodeSix) {
  command_.folder().write("many.csv", clouds_csv(60'000, 2, 5));
  for (const int megabytes : {50, 70, 100}) {
    for (const char* arguments : {"conformal fit many.csv -o out --quiet", "select many.csv --time-limit 1 --quiet",
                                  "train many.csv --model rvm --centres 2000 --quiet -o out --threads 4"}) {
      const CommandResult result = run(megabytes, arguments);
      const std::string what = fmt::format("{} MB: {}\n{}", megabytes, arguments, result.err);
      EXPECT_TRUE(result.code == 0 || result.code == 5 || result.code == 6) << what << "code " << result.code;
      EXPECT_EQ(complaints(result.err), result.code == 6 ? 1 : 0) << what;
    }
  }
}

/// Buffers of OpenBLAS's that do not fit are shared, and results do not depend on how many there are.
TEST_F(LittleMemory, ResultsAreThoseOfMuchMemory) {
  const std::string train = "train rows.csv --model rvm --sigma 1 --quiet --threads 8 -o ";
  ASSERT_EQ(command_.shell("$CREDENCE " + train + "much").code, 0);
  ASSERT_EQ(run(320, train + "little").code, 0);
  EXPECT_EQ(test::read_text(command_.folder().file("little")), test::read_text(command_.folder().file("much")));
}

}  // namespace little_memory_tests
}  // namespace credence
