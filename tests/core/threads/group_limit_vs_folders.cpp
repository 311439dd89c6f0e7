#include "core/threads/group_limit.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"

namespace credence::core {
namespace group_limit_vs_folders_tests {

class GroupLimit : public testing::Test {
 protected:
  void set(const std::string& group, const std::string& name, const std::string& content) const {
    std::filesystem::create_directories(folder_.path() + "/" + group);
    folder_.write(group + "/" + name, content);
  }
  std::optional<std::size_t> of(const std::string& groups) const { return group_limit(groups, folder_.path()); }
  test::TemporaryFolder folder_;
};

TEST_F(GroupLimit, OfOneHierarchyIsTheLeastUpToTheRoot) {
  set("", "cgroup.procs", "");
  set("a", "memory.max", "3000000000\n");
  set("a/b", "memory.max", "max\n");
  set("a/b/c", "memory.max", "5000000000\n");
  EXPECT_EQ(of("0::/a/b/c\n"), 3000000000U);
  EXPECT_EQ(of("0::/a/b\n"), 3000000000U);
  EXPECT_EQ(of("0::/\n"), std::nullopt);
  EXPECT_EQ(of("0::/elsewhere/that/is/not/seen\n"), std::nullopt);
  set("", "memory.max", "2000000000\n");  // of a container that sees its own group as the root
  EXPECT_EQ(of("0::/\n"), 2000000000U);
  EXPECT_EQ(of("0::/elsewhere/that/is/not/seen\n"), 2000000000U);
}

TEST_F(GroupLimit, OfAHierarchyForEachController) {
  set("memory", "memory.limit_in_bytes", "9223372036854771712\n");
  set("memory/box", "memory.limit_in_bytes", "1000000000\n");
  set("unified/box", "memory.max", "900000000\n");
  EXPECT_EQ(of("9:name=systemd:/\n4:cpu,memory:/box\n0::/\n"), 1000000000U);
  EXPECT_EQ(of("4:memory:/box\n0::/box\n"), 900000000U);
  EXPECT_EQ(of("4:cpuset:/box\n"), std::nullopt);
}

TEST_F(GroupLimit, OfNonsenseIsNone) {
  set("", "memory.max", "-5 bananas");
  for (const char* text : {"", "\n", "0", "0:", "::", "0::relative", "0::/\n\n:::\n"})
    EXPECT_EQ(of(text), std::nullopt);
}

}  // namespace group_limit_vs_folders_tests
}  // namespace credence::core
