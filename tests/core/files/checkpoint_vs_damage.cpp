#include "credence/core/checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "credence/core/fingerprint.hpp"
#include "credence/core/recall.hpp"
#include "support/checkpoint_records.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace credence::core {
namespace checkpoint_vs_damage_tests {

using test::expect_error;
using test::read_text;
using test::record_of;
using test::TemporaryFolder;

const CheckpointSubject subject{"select", "options", "data"};

Checkpoint::Key key_of(int number) {
  Fingerprint sum;
  sum.add(std::span<const int>(&number, 1));
  return sum.digest();
}

std::string result_of(int number) {
  return std::string(static_cast<std::size_t>(3 * number), static_cast<char>('a' + number));
}

/// A file with so many results, 0, 1, ...
std::string file_with(const TemporaryFolder& folder, int results) {
  const std::string path = folder.file("run.checkpoint");
  Checkpoint checkpoint(path, subject);
  for (int k = 0; k < results; ++k) checkpoint.keep(key_of(k), result_of(k));
  return path;
}

TEST(Checkpoint, HasWhatWasKept) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, 5);
  Checkpoint checkpoint(path, subject);
  EXPECT_EQ(checkpoint.found(), 5U);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(checkpoint.find(key_of(k)), result_of(k));
  EXPECT_EQ(checkpoint.find(key_of(5)), std::nullopt);
  checkpoint.keep(key_of(5), result_of(5));
  EXPECT_EQ(checkpoint.find(key_of(5)), result_of(5));
  EXPECT_EQ(checkpoint.recalled(), 6U);
  EXPECT_EQ(checkpoint.kept(), 1U);
  EXPECT_EQ(folder.file_count(), 1U);
}

/// Wherever a kill cut the file off, all results before the cut are there, and the file can be appended to.
TEST(Checkpoint, CutOffAnywhereLosesTheLastRecordAlone) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, 0);
  std::vector<std::size_t> ends{read_text(path).size()};
  for (int k = 0; k < 4; ++k) {
    Checkpoint(path, subject).keep(key_of(k), result_of(k));
    ends.push_back(read_text(path).size());
  }
  const std::string whole = read_text(path);
  std::size_t results = 0;
  for (std::size_t length = ends.front(); length <= whole.size(); ++length) {
    if (results + 1 < ends.size() && length >= ends[results + 1]) ++results;
    folder.write("run.checkpoint", whole.substr(0, length));
    Checkpoint checkpoint(path, subject);
    ASSERT_EQ(checkpoint.found(), results) << length;
    checkpoint.keep(key_of(9), result_of(9));
    EXPECT_EQ(read_text(path).substr(0, ends[results]), whole.substr(0, ends[results]));
  }
  EXPECT_EQ(results, 4U);
  Checkpoint checkpoint(path, subject);
  EXPECT_EQ(checkpoint.find(key_of(9)), result_of(9));
}

TEST(Checkpoint, RefusesEveryFlippedByteAndLeavesTheFileAlone) {
  const TemporaryFolder folder;
  const std::string whole = read_text(file_with(folder, 3));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    const std::string path = folder.write("damaged", damaged);
    expect_error(ErrorCode::format, "name another file, or remove this one to begin anew",
                 [&] { Checkpoint(path, subject); });
    ASSERT_EQ(read_text(path), damaged) << at;
  }
}

TEST(Checkpoint, RefusesOtherSubjectsAndOtherFiles) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, 2);
  const std::string whole = read_text(path);
  const auto refuses = [&](const CheckpointSubject& other, const char* sentence) {
    expect_error(ErrorCode::format, sentence, [&] { Checkpoint(path, other); });
    EXPECT_EQ(read_text(path), whole);
  };
  refuses({"compare", "options", "data"}, "the checkpoint is of 'select', not of 'compare'");
  refuses({"select", "other", "data"}, "the checkpoint is of other options");
  refuses({"select", "options", "other"}, "the checkpoint is of other data");
  for (const char* content : {"C", "CredenceCheckpoint1", "a,b,label\n1,2,x\n"}) {
    folder.write("rows.csv", content);
    expect_error(ErrorCode::format, "the file is no checkpoint", [&] { Checkpoint(folder.file("rows.csv"), subject); });
    EXPECT_EQ(read_text(folder.file("rows.csv")), content);
  }
  expect_error(ErrorCode::format, "a checkpoint is a regular file", [&] { Checkpoint("/dev/null", subject); });
  expect_error(ErrorCode::file, "Is a directory", [&] { Checkpoint(folder.path(), subject); });
  expect_error(ErrorCode::file, "No such file", [&] { Checkpoint(folder.file("missing/file"), subject); });
}

TEST(Checkpoint, RefusesAnotherVersion) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, 1);
  ByteWriter head;
  std::string version = "9.9.9";
  std::string command = "select";
  head(version, command);
  const std::string made = read_text(path);
  const std::string magic = test::magic_of(made);
  TemporaryFolder other;
  const std::string stolen = other.write("file", magic + record_of(head.content()));
  expect_error(ErrorCode::format, "made by version 9.9.9 of the library, and this is version",
               [&] { Checkpoint(stolen, subject); });
}

TEST(Checkpoint, RefusesAFileInUse) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, 1);
  const Checkpoint checkpoint(path, subject);
  expect_error(ErrorCode::file, "another command is using the checkpoint", [&] { Checkpoint(path, subject); });
}

/// The writer of the file may have been killed between any two of its steps.
TEST(Checkpoint, BeginsAnewWhereNoMoreThanAHeadWasBegun) {
  const TemporaryFolder folder;
  const std::string path = folder.file("file");
  { const Checkpoint made(path, subject); }
  const std::string head = read_text(path);
  for (std::size_t size = 0; size <= head.size(); ++size) {
    if (size > 0 && size < test::magic_of(head).size()) continue;
    folder.write("file", head.substr(0, size));
    EXPECT_EQ(Checkpoint(path, subject).found(), 0U);
    EXPECT_EQ(read_text(path), head);
  }
}

/// Of commands that find no file and begin at the same time, one makes the file and the others are refused.
TEST(Checkpoint, OneOfManyThatBeginTogetherHasIt) {
  for (int trial = 0; trial < 4; ++trial) {
    const TemporaryFolder folder;
    const std::string path = folder.file("file");
    std::vector<std::unique_ptr<Checkpoint>> made(4);
    std::vector<std::thread> threads;
    for (std::unique_ptr<Checkpoint>& one : made) {
      threads.emplace_back([&] {
        try {
          one = std::make_unique<Checkpoint>(path, subject);
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::file) << error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const auto* const holder =
        std::find_if(made.data(), made.data() + made.size(), [](const auto& one) { return one != nullptr; });
    ASSERT_EQ(std::count(made.begin(), made.end(), nullptr), 3);
    (*holder)->keep(key_of(1), result_of(1));
    made.clear();
    EXPECT_EQ(Checkpoint(path, subject).find(key_of(1)), result_of(1));
  }
}

/// A limit on file sizes makes a write fail in its middle, as a full disk does.
TEST(Checkpoint, FullDiskEndsTheKeepingAndDamagesNothing) {
  const TemporaryFolder folder;
  const std::string path = file_with(folder, 1);
  const std::size_t before = read_text(path).size();
  rlimit old{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = old;
  tight.rlim_cur = before + 100;
  {
    Checkpoint checkpoint(path, subject);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    checkpoint.keep(key_of(1), result_of(2));
    checkpoint.keep(key_of(2), std::string(1000, 'x'));
    checkpoint.keep(key_of(3), "after");
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old), 0);
    EXPECT_EQ(checkpoint.kept(), 1U);
    EXPECT_EQ(checkpoint.problem(), "File too large");
  }
  std::signal(SIGXFSZ, handler);
  Checkpoint checkpoint(path, subject);
  EXPECT_EQ(checkpoint.found(), 2U);
  EXPECT_EQ(checkpoint.find(key_of(1)), result_of(2));
}

}  // namespace checkpoint_vs_damage_tests
}  // namespace credence::core
