#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"

/// Faults of the machine: kills, full disks, folders that cannot be written, readers that leave, limits. Nothing that
/// is there is lost, and each fault is one sentence and one exit code. `make faults` meets more moments.
namespace credence {
namespace faults_tests {

namespace filesystem = std::filesystem;
using test::Command;
using test::CommandResult;
using test::with;

int moments() {
  const char* asked = std::getenv("CREDENCE_FAULT_MOMENTS");
  return asked == nullptr ? 10 : std::atoi(asked);
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

/// Until the command begins to write an output, or ends.
void wait_for_temporary(const std::string& folder, pid_t child) {
  while (!has_ended(child)) {
    std::error_code ignored;  // files come and go
    for (auto entry = filesystem::directory_iterator(folder, ignored); entry != filesystem::directory_iterator();
         entry.increment(ignored))
      if (entry->path().extension() == ".tmp") return;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Kills a command, by turns at a moment between its start and a little after its end, and at a moment soon after it
/// began to write its output. The output is the older file, byte for
/// byte, or one that `is_whole`; nothing else but temporaries that the next command removes.
template <class IsWhole>
void expect_whole_outputs(const Command& command, const std::vector<std::string>& arguments, const std::string& output,
                          std::uint64_t seed, const IsWhole& is_whole) {
  const test::TemporaryFolder& folder = command.folder();
  const double seconds = seconds_of([&] { ASSERT_EQ(command.run(arguments).code, 0); });
  ASSERT_TRUE(is_whole());
  const std::string older = "older " + std::string(100, 'x');
  core::RandomStream random(seed);
  int killed = 0;
  int replaced = 0;
  int leftovers = 0;
  for (int k = 0; k < moments(); ++k) {
    folder.write(output, older);
    const pid_t child = command.start(arguments);
    if (k % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(1.1 * seconds * random.uniform()));
    } else {
      wait_for_temporary(folder.path(), child);
      std::this_thread::sleep_for(std::chrono::duration<double>(0.002 * random.uniform()));
    }
    ::kill(child, SIGKILL);
    killed += command.finish(child).code == 128 + SIGKILL ? 1 : 0;
    for (const auto& entry : filesystem::directory_iterator(folder.path()))
      leftovers += entry.path().extension() == ".tmp" ? 1 : 0;
    if (test::read_text(folder.file(output)) == older) continue;
    ++replaced;
    EXPECT_TRUE(is_whole()) << "moment " << k;
  }
  EXPECT_GT(killed, 0);
  ASSERT_EQ(command.run(arguments).code, 0);
  EXPECT_TRUE(is_whole());
  for (const auto& entry : filesystem::directory_iterator(folder.path()))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
  ::testing::Test::RecordProperty("killed", killed);
  ::testing::Test::RecordProperty("replaced", replaced);
  ::testing::Test::RecordProperty("leftovers", leftovers);
}

class Kills : public testing::Test {
 protected:
  Kills() { command_.folder().write("rows.csv", test::clouds_csv(120, 2, 5)); }
  bool is_model() const { return command_.shell("$CREDENCE predict out rows.csv -o labels --quiet").code == 0; }
  bool is_json() const { return nlohmann::json::accept(test::read_text(command_.folder().file("out"))); }
  Command command_;
};

TEST_F(Kills, LeaveTheModelOfSelectWholeOrTheOlderOne) {
  expect_whole_outputs(command_, {"select", "rows.csv", "--C", "1,8", "--gamma", "0.1,1", "--quiet", "-o", "out"},
                       "out", 1, [&] { return is_model(); });
}

TEST_F(Kills, LeaveTheModelOfTrainWholeOrTheOlderOne) {
  expect_whole_outputs(command_, {"train", "rows.csv", "--folds", "5", "--quiet", "-o", "out"}, "out", 2,
                       [&] { return is_model(); });
}

TEST_F(Kills, LeaveTheJsonOfCompareWholeOrTheOlderOne) {
  expect_whole_outputs(command_,
                       {"compare", "rows.csv", "--methods", "cv,holdout", "--C", "1,8", "--gamma", "0.1",
                        "--outer-folds", "2", "--quiet", "--json", "out"},
                       "out", 3, [&] { return is_json(); });
}

TEST_F(Kills, LeaveTheJsonOfReproduceWholeOrTheOlderOne) {
  expect_whole_outputs(command_,
                       {"reproduce", "kernel-validity", "--sets", "sinc", "--splits", "1", "--quiet", "--json", "out"},
                       "out", 4, [&] { return is_json(); });
}

/// A whole run with a sentence and a code at its end, and the older output as it was.
class Faults : public Kills {
 protected:
  void expect_sentence(const std::string& line, int code, const std::string& sentence) {
    const CommandResult result = command_.shell(line);
    EXPECT_EQ(result.code, code) << line << "\n" << result.err;
    EXPECT_EQ(result.err, "credence: " + sentence + "\n") << line;
  }
};

TEST_F(Faults, LimitOnTheSizeOfFiles) {
  command_.folder().write("out", "older");
  // Blocks of 512 bytes in sh.
  expect_sentence("ulimit -f 1; exec $CREDENCE train rows.csv --quiet -o out", 4,
                  "out: cannot write the file: File too large");
  EXPECT_TRUE(test::read_text(command_.folder().file("out")) == "older");
  expect_sentence("ulimit -f 1; exec $CREDENCE select rows.csv --C 1 --gamma 1 --quiet --json out", 4,
                  "out: cannot write the file: File too large");
  EXPECT_TRUE(test::read_text(command_.folder().file("out")) == "older");
  expect_sentence("ulimit -f 1; exec $CREDENCE select rows.csv --C 1 --gamma 1 --quiet --checkpoint run.checkpoint", 0,
                  "warning: the checkpoint lacks the last results, because it could not be written: File "
                  "too large");
  for (const auto& entry : filesystem::directory_iterator(command_.folder().path()))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(Faults, FullStandardOutput) {
  expect_sentence("$CREDENCE select rows.csv --C 1 --gamma 1 --quiet --json - > /dev/full", 4,
                  "cannot write to standard output: No space left on device");
  expect_sentence("$CREDENCE bound --errors 3 --n 100 > /dev/full", 4,
                  "cannot write to standard output: No space left on device");
}

TEST_F(Faults, ReaderThatLeavesIsNoError) {
  ASSERT_EQ(command_.shell("$CREDENCE train rows.csv --quiet -o model").code, 0);
  for (const char* line : {"predict model rows.csv --quiet", "select rows.csv --C 1 --gamma 1 --quiet --json -",
                           "--help", "compare rows.csv --methods holdout --C 1 --gamma 1 --outer-folds 2"}) {
    const CommandResult result =
        command_.shell(std::string("{ $CREDENCE ") + line + "; echo code $? >&2; } | head -n 1 > /dev/null");
    EXPECT_EQ(result.err, "code 0\n") << line;
  }
  // Nobody reads from the start on.
  EXPECT_EQ(command_.shell("{ sleep 0.2; $CREDENCE predict model rows.csv --quiet; echo code $? >&2; } | true").err,
            "code 0\n");
}

TEST_F(Faults, FolderThatTakesNoFiles) {
  for (const char* line : {"train rows.csv -o /proc/out", "select rows.csv -o /proc/out",
                           "select rows.csv --json /proc/out", "compare rows.csv --json /proc/out"}) {
    const CommandResult result = command_.shell(std::string("$CREDENCE ") + line + " --quiet");
    EXPECT_EQ(result.code, 4) << line;
    EXPECT_EQ(test::line_count(result.err), 1U) << result.err;
  }
}

/// A control group of its own, as a container has, where the test may make one.
class ControlGroup : public Faults {
 protected:
  void SetUp() override {
    const std::string own = "/credence-test-" + std::to_string(::getpid());
    for (const auto& [root, name] :
         {std::pair{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, std::pair{"/sys/fs/cgroup", "memory.max"}}) {
      std::error_code failed;
      const std::string group = root + own;
      if (!filesystem::create_directory(group, failed) || failed) continue;
      group_ = group;
      if (std::ofstream(group + "/" + name) << 256 * 1024 * 1024 << std::flush) return;
      filesystem::remove(group_, failed);
      group_.clear();
    }
    GTEST_SKIP() << "control groups with a limit on memory cannot be made here";
  }
  void TearDown() override {
    if (!group_.empty()) ::rmdir(group_.c_str());
  }
  std::string group_;
};

TEST_F(ControlGroup, LimitsTheMemoryForKernelMatrices) {
  const std::string inside = "echo $$ > " + group_ + "/cgroup.procs && exec $CREDENCE ";
  const CommandResult version = command_.shell(inside + "--version --verbose");
  EXPECT_EQ(version.code, 0) << version.err;
  EXPECT_NE(version.out.find("memory       0.1 GiB "), std::string::npos) << version.out;
  EXPECT_EQ(command_.shell(inside + "select rows.csv --C 1,8 --gamma 0.1 --quiet --json out").code, 0);
  EXPECT_TRUE(is_json());
}

/// A small disk of its own, where the test may mount one.
class SmallDisk : public Faults {
 protected:
  void SetUp() override {
    disk_ = command_.folder().file("disk");
    filesystem::create_directory(disk_);
    if (::mount("none", disk_.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting a small disk needs root";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) ::umount2(disk_.c_str(), MNT_DETACH);
  }
  std::string disk_;
  bool mounted_ = false;
};

TEST_F(SmallDisk, ThatIsFullKeepsTheOlderFile) {
  command_.folder().write("disk/out", "older");
  command_.shell("cat /dev/zero > disk/filler");  // until the disk is full
  expect_sentence("$CREDENCE train rows.csv --quiet -o disk/out", 4,
                  "disk/out: cannot write the file: No space left on device");
  expect_sentence("$CREDENCE select rows.csv --C 1 --gamma 1 --quiet --json disk/out", 4,
                  "disk/out: cannot write the file: No space left on device");
  EXPECT_TRUE(test::read_text(disk_ + "/out") == "older");
  for (const auto& entry : filesystem::directory_iterator(disk_))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

TEST_F(SmallDisk, ThatIsFullEndsACheckpointButNotTheRun) {
  command_.shell("dd if=/dev/zero of=disk/filler bs=1k count=48 status=none");
  expect_sentence("$CREDENCE select rows.csv --quiet --json out --checkpoint disk/run.checkpoint", 0,
                  "warning: the checkpoint lacks the last results, because it could not be written: No "
                  "space left on device");
  EXPECT_TRUE(is_json());
  command_.shell("rm disk/filler");
  const CommandResult again =
      command_.shell("$CREDENCE select rows.csv --json out --C 1 --gamma 1 --checkpoint disk/run.checkpoint");
  EXPECT_EQ(again.code, 4);  // it is whole, and of other options
  EXPECT_NE(again.err.find("other options"), std::string::npos) << again.err;
}

TEST_F(SmallDisk, ThatCannotBeWrittenIsRefusedBeforeTheWork) {
  command_.folder().write("disk/out", "older");
  ASSERT_EQ(::mount("none", disk_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, nullptr), 0);
  for (const char* line :
       {"train missing.csv -o disk/out", "select missing.csv -o disk/out", "select missing.csv --json disk/new",
        "compare missing.csv --json disk/out", "conformal fit missing.csv -o disk/out"}) {
    const CommandResult result = command_.shell(std::string("$CREDENCE ") + line);
    EXPECT_EQ(result.code, 4) << line;
    EXPECT_EQ(test::line_count(result.err), 1U) << result.err;
    EXPECT_NE(result.err.find("Read-only file system"), std::string::npos) << result.err;
  }
  EXPECT_TRUE(test::read_text(disk_ + "/out") == "older");
  expect_sentence("$CREDENCE train rows.csv --quiet -o out --log disk/log", 4,
                  "disk/log: the log cannot be written: Read-only file system");
  expect_sentence("$CREDENCE select rows.csv --quiet --checkpoint disk/new", 4,
                  "disk/new: the checkpoint cannot be opened: Read-only file system");
}

}  // namespace faults_tests
}  // namespace credence
