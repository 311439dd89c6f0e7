#include "credence/core/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace atomic_file_tests {

namespace filesystem = std::filesystem;
using test::expect_error;
using test::read_text;
using test::TemporaryFolder;

TEST(AtomicFile, ReplacesAnOlderFileAndLeavesNothingElse) {
  TemporaryFolder folder;
  const std::string path = folder.write("result", "old and longer");
  core::write_atomically(path, "new");
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(AtomicFile, KeepsPermissionsAndSymbolicLinks) {
  TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  filesystem::permissions(path, filesystem::perms{0640});
  filesystem::create_symlink(path, folder.file("link"));
  core::write_atomically(folder.file("link"), "new");
  EXPECT_TRUE(filesystem::is_symlink(folder.file("link")));
  filesystem::create_symlink("later", folder.file("early"));
  core::write_atomically(folder.file("early"), "new");
  EXPECT_TRUE(filesystem::is_symlink(folder.file("early")));
  EXPECT_EQ(read_text(folder.file("later")), "new");
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(filesystem::status(path).permissions(), filesystem::perms{0640});
}

TEST(AtomicFile, WritesIntoPipesAndDevicesDirectly) {
  EXPECT_NO_THROW(core::write_atomically("/dev/null", "gone"));
  EXPECT_TRUE(filesystem::is_character_file("/dev/null"));
  expect_error(ErrorCode::file, "No space left", [] { core::write_atomically("/dev/full", "too much"); });
}

/// A limit on file sizes makes the write itself fail, as a full disk does.
TEST(AtomicFile, FailedWriteLeavesTheOlderFileAndNoTemporary) {
  TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  expect_error(ErrorCode::file, "cannot write", [&] { core::write_atomically(path, std::string(5000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

/// Killed in the middle of a write: the temporary that is left goes with the next write, and the older file stays.
TEST(AtomicFile, TemporaryOfAKilledWriterGoesWithTheNextWrite) {
  TemporaryFolder folder;
  const std::string path = folder.write("result", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string bytes(std::size_t{1} << 20, 'x');
    while (true) core::write_atomically(folder.file("other"), bytes);
  }
  for (int tries = 0; tries < 10000; ++tries) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ::kill(child, SIGSTOP);
    if (folder.file_count() > 1 && !filesystem::exists(folder.file("other"))) break;  // within its first write
    if (folder.file_count() > 2) break;
    ::kill(child, SIGCONT);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto temporaries = [&] {
    std::size_t count = 0;
    for (const auto& entry : filesystem::directory_iterator(folder.path()))
      count += entry.path().filename().string().starts_with(".credence-") ? 1U : 0U;
    return count;
  };
  ASSERT_EQ(temporaries(), 1U);
  core::write_atomically(path, "new");
  EXPECT_EQ(temporaries(), 0U);
  EXPECT_EQ(read_text(path), "new");
}

TEST(AtomicFile, TemporaryOfALivingWriterStays) {
  TemporaryFolder folder;
  const std::string theirs = folder.write(".credence-1-0.tmp", "half");
  const int descriptor = ::open(theirs.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  core::write_atomically(folder.file("result"), "new");
  EXPECT_EQ(read_text(theirs), "half");
  ::close(descriptor);
  core::write_atomically(folder.file("result"), "newer");
  EXPECT_FALSE(filesystem::exists(theirs));
}

/// Writers into one folder, each of which clears away what others left.
TEST(AtomicFile, WritersOfOneFolderLeaveEachOtherAlone) {
  TemporaryFolder folder;
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    const std::string name = folder.file("result " + std::to_string(writer % 2));
    try {
      for (int i = 0; i < 50; ++i) core::write_atomically(name, std::string(2000, 'a'));
    } catch (const Error&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(folder.file_count(), 2U);
}

TEST(AtomicFile, FolderThatCannotBeWrittenIsAnError) {
  TemporaryFolder folder;
  const std::string missing = folder.file("nowhere/result");
  expect_error(ErrorCode::file, "No such file", [&] { core::write_atomically(missing, "x"); });
  expect_error(ErrorCode::file, "No such file", [&] { core::check_writable(missing); });
  expect_error(ErrorCode::file, "directory", [&] { core::write_atomically(folder.path(), "x"); });
  expect_error(ErrorCode::file, "directory", [&] { core::check_writable(folder.path()); });
  const std::string file = folder.write("file", "");
  expect_error(ErrorCode::file, "Not a directory", [&] { core::check_writable(file + "/result"); });
  if (::geteuid() == 0) return;  // root may write everywhere
  filesystem::permissions(folder.path(), filesystem::perms{0500});
  expect_error(ErrorCode::file, "Permission denied", [&] { core::write_atomically(folder.file("new"), "x"); });
  expect_error(ErrorCode::file, "Permission denied", [&] { core::check_writable(folder.file("new")); });
  filesystem::permissions(folder.path(), filesystem::perms{0700});
}

TEST(AtomicFile, CheckingChangesNothing) {
  TemporaryFolder folder;
  core::check_writable(folder.file("new"));
  EXPECT_EQ(folder.file_count(), 0U);
  const std::string path = folder.write("result", "old");
  core::check_writable(path);
  EXPECT_EQ(read_text(path), "old");
}

TEST(AtomicFile, ReadsWholeFiles) {
  TemporaryFolder folder;
  const std::string content = std::string(200'000, 'x') + '\0' + "end";
  EXPECT_EQ(core::read_whole_file(folder.write("a", content)), content);
  EXPECT_EQ(core::read_whole_file(folder.write("b", "")), "");
  expect_error(ErrorCode::file, "No such file", [&] { core::read_whole_file(folder.file("c")); });
}

}  // namespace atomic_file_tests
}  // namespace credence
