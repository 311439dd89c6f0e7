#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "cli/helpers.hpp"
#include "support/command.hpp"

namespace credence {
namespace core_type_tests {

using test::clouds_csv;
using test::Command;
using test::CommandResult;

/// The processor's features by the kernel's account of them; empty where there is none.
std::set<std::string> features_in_cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line.substr(line.find(':') + 1));
    std::set<std::string> features;
    for (std::string word; words >> word;) features.insert(word);
    return features;
  }
  return {};
}

bool has_all(const std::set<std::string>& features, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) { return features.contains(name); });
}

/// The core type that the features ask for, Prescott where they ask for none.
std::string fitting_by_cpuinfo() {
  const std::set<std::string> features = features_in_cpuinfo();
  if (!has_all(features, {"avx2", "fma"})) return "Prescott";
  return has_all(features, {"avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"}) ? "SkylakeX" : "Haswell";
}

/// "Haswell, detected by OpenBLAS": what follows `BLAS core`.
std::string core_line(const CommandResult& result) {
  const std::string title = "BLAS core    ";
  const std::size_t start = result.out.find(title);
  if (result.code != 0 || start == std::string::npos) return "no core type: " + result.out + result.err;
  return result.out.substr(start + title.size(), result.out.find('\n', start) - start - title.size());
}

const std::string unset = "unset OPENBLAS_CORETYPE; ";
const std::string with_fake = "LD_LIBRARY_PATH=" CREDENCE_FAKE_OPENBLAS_FOLDER " ";
const std::string ask = "$CREDENCE --version --verbose";

TEST(CoreType, UsesTheVectorsThatCpuinfoNames) {
  Command command;
  const std::string line = core_line(command.shell(unset + ask));
  const std::string name = line.substr(0, line.find(','));
  const std::set<std::string> avx512{"SkylakeX", "Cooperlake", "SapphireRapids"};
  const std::set<std::string> avx2{"Haswell", "Zen"};
  const std::string fitting = fitting_by_cpuinfo();
  if (fitting == "Prescott") GTEST_SKIP() << "a processor without AVX2";
  EXPECT_TRUE((fitting == "SkylakeX" ? avx512 : avx2).contains(name)) << line;
}

TEST(CoreType, IsChosenByCpuinfoWhereOpenblasKnowsNoProcessor) {
  Command command;
  const std::string fitting = fitting_by_cpuinfo();
  const std::string expected = fitting == "Prescott"
                                   ? "Prescott, detected by OpenBLAS"
                                   : fitting + ", chosen for this processor's features; OpenBLAS detected Prescott";
  EXPECT_EQ(core_line(command.shell(unset + with_fake + ask)), expected);
  EXPECT_EQ(core_line(command.shell(with_fake + "OPENBLAS_CORETYPE= " + ask)), expected);
}

TEST(CoreType, OfTheUserWins) {
  Command command;
  EXPECT_EQ(core_line(command.shell(with_fake + "OPENBLAS_CORETYPE=Prescott " + ask)),
            "Prescott, from OPENBLAS_CORETYPE");
  const std::string real = core_line(command.shell("OPENBLAS_CORETYPE=nehalem " + ask));
  if (fitting_by_cpuinfo() != "Prescott") EXPECT_EQ(real, "Nehalem, from OPENBLAS_CORETYPE");
}

TEST(CoreType, ThatOpenblasDoesNotHaveIsNamed) {
  Command command;
  const std::string line = core_line(command.shell("OPENBLAS_CORETYPE=Abacus " + ask));
  EXPECT_NE(line.find("the Abacus of"), std::string::npos) << line;
}

/// The decisions of a relevance vector machine, whose fit is dense algebra, from the core types that this processor
/// has.
TEST(CoreType, ChangesResultsByRoundingOnly) {
  Command command;
  command.folder().write("rows.csv", clouds_csv(150, 2, 3));
  const auto decisions = [&](const std::string& variable) {
    const CommandResult result = command.shell(variable +
                                               "; $CREDENCE train rows.csv --model rvm --sigma 1 --quiet -o model && "
                                               "$CREDENCE predict model rows.csv --quiet -o predicted.csv");
    EXPECT_EQ(result.code, 0) << result.err;
    return test::Table(test::read_text(command.folder().file("predicted.csv"))).rows;
  };
  const auto usual = decisions("unset OPENBLAS_CORETYPE");
  std::vector<std::string> others{"Prescott"};
  if (fitting_by_cpuinfo() != "Prescott") others.emplace_back("Haswell");
  for (const std::string& other : others) {
    const auto same = decisions("export OPENBLAS_CORETYPE=" + other);
    ASSERT_EQ(same.size(), usual.size());
    for (std::size_t i = 0; i < usual.size(); ++i) {
      const double value = test::number(usual[i], "decision_value");
      EXPECT_EQ(same[i].at("label"), usual[i].at("label")) << other;
      EXPECT_NEAR(test::number(same[i], "decision_value"), value, 1e-3 * (1 + std::abs(value)))
          << other << ", row " << i;
    }
  }
}

/// OpenBLAS is loaded in the same process: nothing comes between the command and its input, output and exit code.
TEST(CoreType, LeavesStandardInputAndExitCodesAlone) {
  Command command;
  command.folder().write("rows.csv", clouds_csv(60, 2, 3));
  const std::string select = unset + "cat rows.csv | $CREDENCE select - --C 1,8 --gamma 0.1 --folds 3 --quiet";
  EXPECT_EQ(command.shell(select + " --json -").code, 0);
  EXPECT_EQ(command.shell("echo a,label | $CREDENCE select - --quiet").code, 3);
  const pid_t child =
      command.start({"select", "rows.csv", "--C", "2^-8:2^8:x1.03", "--gamma", "2^-8:2^8:x1.03", "--quiet"});
  ::usleep(300'000);
  ::kill(child, SIGINT);
  EXPECT_EQ(command.finish(child).code, 130);
}

}  // namespace core_type_tests
}  // namespace credence
