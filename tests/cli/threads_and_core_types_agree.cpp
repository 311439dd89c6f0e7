#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/helpers.hpp"
#include "support/command.hpp"

// Any number of threads gives the same bits; any core type of OpenBLAS the same numbers but for stated differences
// (docs/robustness.md).
namespace credence {
namespace threads_and_core_types_agree_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::read_text;

std::string targets_csv(int rows) {
  core::RandomStream random(4);
  std::ostringstream text;
  text.precision(17);
  text << "x,y,target\n";
  for (int i = 0; i < rows; ++i) {
    const double x = random.normal();
    text << x << ',' << random.normal() << ',' << std::sin(2 * x) + 0.1 * random.normal() << '\n';
  }
  return text.str();
}

const std::string small_grid = " --C 0.1,10,1000 --gamma 0.05,0.5";

/// What each command writes to `m` (a model or a table) and to `j` (JSON).
const std::vector<std::string>& commands() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> all;
    for (const char* method : {"cv --folds 3", "nonconformity", "max-margin", "holdout", "holdout-vote", "loo",
                               "kfold-nested --folds 3", "kfold-nested --folds 3 --final random",
                               "bootstrap --resamples 8", "cv --folds 3 --loss soft", "cv --folds 3 --estimate nested",
                               "cv --folds 3 --score log_loss", "bootstrap --resamples 8 --bootstrap 632+"})
      all.push_back("select two.csv --method " + std::string(method) + small_grid);
    all.push_back("select three.csv --folds 3" + small_grid);
    all.push_back("select three.csv --folds 3 --nu 0.1,0.4 --gamma 0.5");
    all.push_back("select three.csv --region-size 40 --folds 3" + small_grid);
    all.push_back("select three.csv --method nonconformity --model knn");
    for (const char* method : {"rademacher", "maximal-discrepancy", "rademacher --hint 0.3"})
      all.push_back("select two.csv --gamma 0.5 --rho 0.1,1,10 --trials 30 --method " + std::string(method));
    for (const char* method : {"kernel-validity", "evidence", "cv --folds 3"})
      all.push_back("select three.csv --model rvm --sigma 0.3,1 --method " + std::string(method));
    all.push_back("select numbers.csv --task regression --folds 3 --sigma 0.3,1");
    all.push_back("compare two.csv --methods cv,holdout,nonconformity --outer-folds 3 --folds 3" + small_grid);
    for (const char* train :
         {"--C 10 --gamma 0.5 --folds 3", "--region-size 40 --C 10 --gamma 0.5", "--nu 0.3 --gamma 0.5",
          "--model rvm --sigma 1 --folds 3", "--model rvm --sigma 1 --algorithm sequential"})
      all.push_back("train three.csv " + std::string(train));
    for (const char* fit : {"", "--measure nn-own --k 3", "--measure margin", "--measure margin --mode inductive",
                            "--measure margin --mode cross", "--measure margin --model rvm --mode inductive --sigma 1"})
      all.push_back("conformal fit three.csv " + std::string(fit));
    all.push_back("conformal online three.csv --shuffle");
    return all;
  }();
  return list;
}

bool writes_json(const std::string& line) {
  return !line.starts_with("train");
}
bool writes_file(const std::string& line) {
  return !line.starts_with("compare");
}

/// Without times and what was asked for.
json comparable(const std::string& text) {
  return test::without(json::parse(text), {"seconds", "relative_seconds", "threads"});
}

/// The bytes of the model, its predictions of all rows, and the JSON.
struct Written {
  std::string file;
  std::string predictions;
  json document;
};

Written written(const Command& command, const std::string& line, const std::string& threads) {
  std::string asked = "$CREDENCE " + line + " --seed 5 --quiet --threads " + threads;
  if (writes_file(line)) asked += " -o m";
  if (writes_json(line)) asked += " --json j";
  const CommandResult result = command.shell("rm -f m j p q; " + asked);
  EXPECT_EQ(result.code, 0) << line << ": " << result.err;
  Written all;
  if (writes_file(line)) all.file = read_text(command.folder().file("m"));
  if (writes_json(line)) all.document = comparable(read_text(command.folder().file("j")));
  if (!writes_file(line) || line.starts_with("conformal online")) return all;
  const std::string rows = line.substr(0, line.find(".csv")).substr(line.substr(0, line.find(".csv")).rfind(' ') + 1);
  EXPECT_EQ(command.shell("$CREDENCE predict m " + rows + ".csv --quiet -o p --threads " + threads).code, 0) << line;
  all.predictions = read_text(command.folder().file("p"));
  return all;
}

TEST(AnyThreads, GiveTheSameBits) {
  Command command;
  command.folder().write("two.csv", clouds_csv(60, 2, 1));
  command.folder().write("three.csv", clouds_csv(90, 3, 2));
  command.folder().write("numbers.csv", targets_csv(60));
  for (const std::string& line : commands()) {
    const Written one = written(command, line, "1");
    EXPECT_GT(one.file.size() + one.document.size(), 2U) << line;
    for (const char* threads : {"2", "4"}) {
      const Written more = written(command, line, threads);
      EXPECT_TRUE(one.file == more.file) << line << ": the file on " << threads << " threads differs";
      EXPECT_EQ(one.predictions, more.predictions) << line << ", " << threads << " threads";
      EXPECT_EQ(one.document, more.document)
          << line << ", " << threads << " threads: " << json::diff(one.document, more.document).dump().substr(0, 400);
    }
  }
}

/// Core types whose kernels this processor can run.
std::vector<std::string> runnable_core_types() {
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  for (std::string line; std::getline(file, line) && flags.empty();)
    if (line.starts_with("flags")) flags = line + " ";
  const auto has = [&](const char* flag) { return flags.find(" " + std::string(flag) + " ") != std::string::npos; };
  std::vector<std::string> types;
  if (has("pni")) types.insert(types.end(), {"Prescott", "Core2"});
  if (has("sse4_2")) types.emplace_back("Nehalem");
  if (has("avx")) types.emplace_back("Sandybridge");
  if (has("avx2") && has("fma")) types.insert(types.end(), {"Haswell", "Zen"});
  if (has("avx512f") && has("avx512cd") && has("avx512bw") && has("avx512dq") && has("avx512vl"))
    types.emplace_back("SkylakeX");
  if (has("avx512_bf16")) types.emplace_back("Cooperlake");
  return types;
}

/// The numbers of a table of predictions, and its labels.
struct Predicted {
  std::vector<std::string> labels;
  std::vector<double> numbers;
};

Predicted predicted(const std::string& text) {
  Predicted all;
  const test::Table table(text);
  for (const auto& row : table.rows) {
    if (row.contains("label")) all.labels.push_back(row.at("label"));
    for (const std::string& name : table.names) {
      char* end = nullptr;
      const double value = std::strtod(row.at(name).c_str(), &end);
      if (*end == '\0' && !row.at(name).empty()) all.numbers.push_back(value);
    }
  }
  return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  return largest;
}

TEST(AnyCoreType, DiffersByLessThanTheDocumentsState) {
  Command command;
  command.folder().write("three.csv", clouds_csv(150, 3, 2));
  command.folder().write("numbers.csv", targets_csv(100));
  struct Line {
    std::string words;
    std::string rows;
    double bound;  ///< of the largest |a - b| / (1 + |b|) of all numbers of the predictions
  };
  const std::vector<Line> lines{
      {"select three.csv --folds 3" + small_grid, "three", 1e-3},
      {"select three.csv --model rvm --sigma 0.3,1 --method kernel-validity", "three", 1e-6},
      {"select numbers.csv --task regression --folds 3 --sigma 0.3,1", "numbers", 1e-6},
      {"train three.csv --C 1000 --gamma 0.5", "three", 1e-9},
      {"conformal fit three.csv --measure margin --C 100", "three", 0},
      {"conformal fit three.csv", "three", 0},
  };
  const std::vector<std::string> types = runnable_core_types();
  if (types.empty()) GTEST_SKIP() << "no x86 processor";
  for (const Line& line : lines) {
    const auto run = [&](const std::string& set) {
      const CommandResult result =
          command.shell(set + "; rm -f m p; $CREDENCE " + line.words + " --quiet -o m && $CREDENCE predict m " +
                        line.rows + ".csv --quiet -o p");
      EXPECT_EQ(result.code, 0) << set << ", " << line.words << ": " << result.err;
      return predicted(read_text(command.folder().file("p")));
    };
    const Predicted usual = run("unset OPENBLAS_CORETYPE");
    for (const std::string& type : types) {
      const Predicted other = run("export OPENBLAS_CORETYPE=" + type);
      const double difference = largest_difference(other.numbers, usual.numbers);
      std::printf("| %s | %s | %.1e |\n", line.words.c_str(), type.c_str(), difference);
      EXPECT_EQ(other.labels, usual.labels) << type << ", " << line.words;
      EXPECT_LE(difference, line.bound) << type << ", " << line.words;
    }
  }
}

}  // namespace threads_and_core_types_agree_tests
}  // namespace credence
