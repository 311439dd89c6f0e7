#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "report/page/page.hpp"
#include "support/command.hpp"
#include "support/sanitized.hpp"

namespace credence {
namespace bad_input_tests {

namespace fs = std::filesystem;
using test::Command;
using test::CommandResult;

const fs::path bad_folder = fs::path(CREDENCE_SOURCE_DIR) / "tests/data/bad";
const std::string table_name = "expected.txt";

/// A line of tests/data/bad/expected.txt: a command, and under it its exit code and what it says on standard error.
struct Case {
  std::string title;    ///< lines before it: a blank one, and the title of a section
  std::string section;  ///< the title of its section
  std::string command;
  std::string expected;
};

std::vector<Case> read_cases() {
  std::vector<Case> cases;
  std::ifstream file(bad_folder / table_name);
  Case next;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') {
      next.title += line + "\n";
      if (!line.empty()) section = line;
    } else if (line.starts_with("  ")) {
      next.expected = line.substr(2);
      next.section = section;
      cases.push_back(std::exchange(next, {}));
    } else {
      next.command = line;
    }
  }
  return cases;
}

/// "3: credence: rows.csv:3: ...", with a bar for each line end within.
std::string written(const CommandResult& result) {
  std::string text = std::to_string(result.code) + ": " + result.err;
  while (text.ends_with('\n')) text.pop_back();
  return std::regex_replace(text, std::regex("\n"), " | ");
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

/// The command in a folder that has all bad files, and the good ones of tests/data/bad/good.
class Bench {
 public:
  Bench() {
    for (const fs::path& folder : {bad_folder, bad_folder / "good"})
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file()) fs::copy_file(entry.path(), fs::path(here()) / entry.path().filename());
    command_.shell("true");  // makes the files of the streams
    names_ = names_in(here());
  }

  /// Runs the line without its outputs and, if it names any (out.*), with older files of these names.
  std::string run(const std::string& line) const {
    const std::string result = run_once(line, {});
    std::set<std::string> outputs;
    const std::regex output("(^|[ /])(out\\.[a-z]+)");
    for (std::sregex_iterator found(line.begin(), line.end(), output), end; found != end; ++found)
      outputs.insert((*found)[2]);
    if (outputs.empty()) return result;
    const std::string again = run_once(line, outputs);
    EXPECT_EQ(again, result) << line << ": another result beside an older output";
    return result;
  }

  /// Whether every file that was there is as it was.
  void expect_intact() const {
    for (const fs::path& folder : {bad_folder, bad_folder / "good"})
      for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file())
          EXPECT_EQ(test::read_text(command_.folder().file(entry.path().filename().string())),
                    test::read_text(entry.path().string()))
              << entry.path();
  }

 private:
  static constexpr const char* older = "an older file";

  const std::string& here() const { return command_.folder().path(); }

  std::string run_once(const std::string& line, const std::set<std::string>& outputs) const {
    for (const std::string& name : outputs) command_.folder().write(name, older);
    const CommandResult result = command_.shell("PATH=\"$(dirname \"$CREDENCE\"):$PATH\"; " + line);
    EXPECT_NE(result.code, 0) << line;
    if (result.code != 5) EXPECT_EQ(result.out, "") << line;  // 5 is a partial result
    for (const std::string& name : outputs) {
      EXPECT_EQ(test::read_text(command_.folder().file(name)), older) << line << ": the older file was lost";
      fs::remove(command_.folder().file(name));
    }
    for (const std::string& name : names_in(here())) {
      if (names_.contains(name)) continue;
      EXPECT_FALSE(name.starts_with("out.") || name.starts_with(".credence")) << line << ": left " << name;
      fs::remove_all(command_.folder().file(name));
    }
    return written(result);
  }

  Command command_;
  std::set<std::string> names_;
};

/// Without what draws the charts, pages are refused whatever the file is.
bool needs_pages(const Case& one) {
  return !report::pages_are_built_in() && one.command.find("credence report ") != std::string::npos;
}

/// Runs every line; several at a time, as most of the time goes into starting the command.
std::vector<std::string> run_all(const std::vector<Case>& cases) {
  std::vector<std::string> results(cases.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> workers;
  for (int worker = 0; worker < 4; ++worker)
    workers.emplace_back([&] {
      const Bench bench;
      for (std::size_t i = next++; i < cases.size(); i = next++)
        results[i] = needs_pages(cases[i]) ? cases[i].expected : bench.run(cases[i].command);
      bench.expect_intact();
    });
  for (std::thread& worker : workers) worker.join();
  return results;
}

/// CREDENCE_UPDATE_BAD=1 writes what the command says into the table, to be read aloud.
TEST(BadInput, EveryLineOfTheTableIsRefusedAsWritten) {
  const std::vector<Case> cases = read_cases();
  EXPECT_GE(cases.size(), 80U);
  const std::vector<std::string> results = run_all(cases);
  if (const char* update = std::getenv("CREDENCE_UPDATE_BAD"); update != nullptr && *update != '\0') {
    std::ofstream file(bad_folder / table_name);
    for (std::size_t i = 0; i < cases.size(); ++i)
      file << cases[i].title << cases[i].command << "\n  " << results[i] << "\n";
  }
  for (std::size_t i = 0; i < cases.size(); ++i) EXPECT_EQ(results[i], cases[i].expected) << cases[i].command;
}

/// What is allocated is in proportion to the file, whatever its header declares: the same sentences in 150 MB of
/// address space, of which the program's own parts take 50.
TEST(BadInput, WhatAFileDeclaresIsNotAllocated) {
  if (test::sanitized) GTEST_SKIP() << test::sanitizers_need_addresses;
  const Bench bench;
  std::size_t count = 0;
  for (const Case& one : read_cases()) {
    if (one.section.find("in little memory") == std::string::npos || needs_pages(one)) continue;
    EXPECT_EQ(bench.run("ulimit -v 150000; " + one.command), one.expected) << one.command;
    ++count;
  }
  EXPECT_GE(count, 15U);
}

TEST(BadInput, EveryFileIsInTheTable) {
  const std::string table = test::read_text(bad_folder / table_name);
  for (const std::string& name : names_in(bad_folder.string()))
    if (name != table_name && name != "good") EXPECT_NE(table.find(name), std::string::npos) << name;
}

}  // namespace bad_input_tests
}  // namespace credence
