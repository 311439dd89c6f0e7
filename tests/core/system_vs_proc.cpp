#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "system/library.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

/// Oracle: what the kernel writes in /proc.
namespace credence::system_vs_proc_tests {
namespace {

std::uint64_t kibibytes(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t value = 0;
  for (std::string rest; file >> name >> value; std::getline(file, rest))
    if (name == key + ":") return value * 1024;
  return 0;
}

TEST(System, MemoryIsThatOfProc) {
  if (kibibytes("MemTotal") == 0) GTEST_SKIP() << "there is no /proc/meminfo";
  EXPECT_EQ(system::physical_memory().value(), kibibytes("MemTotal"));
  EXPECT_GT(system::available_memory().value(), 0U);
  EXPECT_LE(system::available_memory().value(), system::physical_memory().value());
}

TEST(System, RoomIsFoundAndMissed) {
  EXPECT_TRUE(system::has_room(1 << 20));
  EXPECT_FALSE(system::has_room(std::numeric_limits<std::size_t>::max() / 2));
  void* block = system::map_block(1 << 20);
  ASSERT_NE(block, nullptr);
  static_cast<char*>(block)[(1 << 20) - 1] = 1;
  system::unmap_block(block, 1 << 20);
}

TEST(System, ThisProgramStandsBesideItself) {
  EXPECT_EQ(system::program().filename(), "test_core");
  EXPECT_GE(system::usable_cores(), 1);
  EXPECT_LE(system::usable_cores(), static_cast<int>(std::thread::hardware_concurrency()));
  EXPECT_TRUE(system::system_name().starts_with("Linux "));
}

TEST(System, AMissingLibraryIsToldInWords) {
  std::string problem;
  EXPECT_EQ(system::load_library("no-such-library.so", problem), nullptr);
  EXPECT_NE(problem.find("no-such-library.so"), std::string::npos);
  EXPECT_NE(system::address_of(nullptr, "malloc"), nullptr);
  EXPECT_EQ(system::address_of(nullptr, "no_such_function_here"), nullptr);
}

}  // namespace
}  // namespace credence::system_vs_proc_tests
