#include "credence/core/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace {

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

}  // namespace
}  // namespace credence
