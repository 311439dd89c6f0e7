#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"

namespace credence {
namespace checkpoint_tests {

using test::Command;
using test::CommandResult;
using test::with;

/// The document but for what depends on the clock, as docs/robustness.md lists it.
nlohmann::json timeless(const std::string& text) {
  return test::without(nlohmann::json::parse(text), {"seconds", "relative_seconds", "fit_seconds", "score_seconds",
                                                     "index_seconds", "cv_seconds", "seconds_cv_to_nonconformity"});
}

class Checkpoints : public testing::Test {
 protected:
  std::string text_of(const std::string& name) const { return test::read_text(command_.folder().file(name)); }

  /// Kills the command at moments that the size of its checkpoint says, then lets it come to its end.
  /// @return kills that met the command at work
  int expect_resumed(const std::vector<std::string>& arguments, int kills) {
    const CommandResult whole = command_.run(with(arguments, {"--json", "whole.json"}));
    EXPECT_EQ(whole.code, 0) << whole.err;
    const std::vector<std::string> resumed =
        with(arguments, {"--json", "resumed.json", "--checkpoint", "run.checkpoint"});
    int met = 0;
    std::uintmax_t before = 0;
    for (int k = 0; k < kills; ++k) {
      const pid_t child = command_.start(resumed);
      // Some results further than the last time.
      std::error_code ignored;
      const std::string path = command_.folder().file("run.checkpoint");
      for (int wait = 0; wait < 20000 && ::kill(child, 0) == 0; ++wait) {
        const std::uintmax_t size = std::filesystem::file_size(path, ignored);
        if (size != static_cast<std::uintmax_t>(-1) && size > before + 100) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (::waitpid(child, nullptr, WNOHANG | WNOWAIT) != 0) break;
      }
      ::kill(child, SIGKILL);
      if (command_.finish(child).code == 128 + SIGKILL) ++met;
      before = std::filesystem::file_size(path, ignored);
      EXPECT_TRUE(met <= k || !std::filesystem::exists(command_.folder().file("resumed.json")));
    }
    const CommandResult last = command_.run(resumed);
    EXPECT_EQ(last.code, 0) << last.err;
    EXPECT_EQ(timeless(text_of("resumed.json")), timeless(text_of("whole.json")));
    return met;
  }

  Command command_;
};

TEST_F(Checkpoints, SelectionThatWasKilledEndsWithTheSameResult) {
  command_.folder().write("rows.csv", test::clouds_csv(240, 3, 5));
  EXPECT_GE(expect_resumed({"select", "rows.csv", "--C", "2^-3:2^9:x4", "--gamma", "2^-7:2:x4", "--quiet"}, 4), 2);
}

TEST_F(Checkpoints, ComparisonThatWasKilledEndsWithTheSameResult) {
  command_.folder().write("rows.csv", test::clouds_csv(150, 2, 5));
  EXPECT_GE(expect_resumed({"compare", "rows.csv", "--C", "1,8,64", "--gamma", "0.05,0.5", "--outer-folds", "2",
                            "--repeats", "2", "--methods", "cv,nonconformity,loo", "--estimate", "none", "--quiet"},
                           4),
            2);
}

TEST_F(Checkpoints, ExperimentThatWasKilledEndsWithTheSameResult) {
  EXPECT_GE(expect_resumed({"reproduce", "kernel-validity", "--sets", "sinc", "--splits", "3", "--quiet"}, 3), 1);
}

TEST_F(Checkpoints, ACompleteOneMakesTheRepeatShort) {
  command_.folder().write("rows.csv", test::clouds_csv(150, 2, 5));
  const std::vector<std::string> line = with({"select", "rows.csv", "--C", "1,8", "--gamma", "0.05,0.5", "--folds", "3",
                                              "--json", "result.json", "--checkpoint", "run.checkpoint"},
                                             test::one_svm);
  const CommandResult first = command_.run(line);
  EXPECT_EQ(first.code, 0) << first.err;
  const std::string result = text_of("result.json");
  const std::string kept = text_of("run.checkpoint");
  const CommandResult second = command_.run(line);
  EXPECT_EQ(second.err,
            "credence: note: run.checkpoint: 6 results of an earlier run, which are not computed again\n" + first.err);
  EXPECT_EQ(timeless(text_of("result.json")), timeless(result));
  EXPECT_EQ(text_of("run.checkpoint"), kept);
}

TEST_F(Checkpoints, OfOtherWorkOrDamagedIsRefusedInOneSentence) {
  command_.folder().write("rows.csv", test::clouds_csv(90, 2, 5));
  command_.folder().write("other.csv", test::clouds_csv(90, 2, 6));
  const std::vector<std::string> grid{"--C", "1,8", "--gamma", "0.5", "--quiet", "--checkpoint", "run.checkpoint"};
  ASSERT_EQ(command_.run(with({"select", "rows.csv", "--folds", "3"}, grid)).code, 0);
  const std::string whole = text_of("run.checkpoint");
  const auto refuses = [&](const std::vector<std::string>& arguments, int code, const std::string& sentence) {
    const std::string before = text_of("run.checkpoint");
    const CommandResult result = command_.run(with(arguments, grid));
    EXPECT_EQ(result.code, code);
    EXPECT_EQ(result.err, "credence: " + sentence + "\n");
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(text_of("run.checkpoint"), before);
  };
  const std::string anew = "; name another file, or remove this one to begin anew";
  refuses({"select", "other.csv", "--folds", "3"}, 4, "run.checkpoint: the checkpoint is of other data" + anew);
  refuses({"select", "rows.csv", "--folds", "4"}, 4, "run.checkpoint: the checkpoint is of other options" + anew);
  refuses({"compare", "rows.csv", "--methods", "cv"}, 4,
          "run.checkpoint: the checkpoint is of 'select', not of 'compare'" + anew);
  refuses({"select", "rows.csv", "--folds", "3", "-o", "run.checkpoint"}, 2,
          "the output 'run.checkpoint' is also another file of this command; give it a name of its own");
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 1;
  command_.folder().write("run.checkpoint", damaged);
  refuses({"select", "rows.csv", "--folds", "3"}, 4, "run.checkpoint: the checkpoint is damaged" + anew);
  command_.folder().write("run.checkpoint", "a,b\n1,2\n");
  refuses({"select", "rows.csv", "--folds", "3"}, 4, "run.checkpoint: the file is no checkpoint" + anew);
}

TEST_F(Checkpoints, OfOtherRepeatsIsRefused) {
  command_.folder().write("rows.csv", test::clouds_csv(90, 2, 5));
  const auto compare = [&](const char* repeats) {
    return command_.run({"compare", "rows.csv", "--methods", "holdout", "--C", "1", "--gamma", "0.5", "--outer-folds",
                         "2", "--repeats", repeats, "--quiet", "--checkpoint", "run.checkpoint"});
  };
  ASSERT_EQ(compare("2").code, 0);
  const CommandResult other = compare("3");
  EXPECT_EQ(other.code, 4);
  EXPECT_TRUE(other.err.starts_with("credence: run.checkpoint: ")) << other.err;
}

TEST_F(Checkpoints, ComparisonsOfSeveralFilesShareOne) {
  command_.folder().write("rows.csv", test::clouds_csv(90, 2, 5));
  command_.folder().write("more.csv", test::clouds_csv(60, 2, 6));
  const std::vector<std::string> line{
      "compare",      "rows.csv",      "more.csv", "--methods",     "cv", "--C",     "1,8",    "--gamma",
      "0.5",          "--jobs",        "2",        "--outer-folds", "2",  "--quiet", "--json", "r.json",
      "--checkpoint", "run.checkpoint"};
  ASSERT_EQ(command_.run(line).code, 0);
  const std::string result = text_of("r.json");
  const std::string kept = text_of("run.checkpoint");
  ASSERT_EQ(command_.run(line).code, 0);
  EXPECT_EQ(timeless(text_of("r.json")), timeless(result));
  EXPECT_EQ(text_of("run.checkpoint"), kept);
}

}  // namespace checkpoint_tests
}  // namespace credence
