#ifdef __linux__

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>

#include "system/files.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

namespace credence::system {
namespace {

/// The value of a line "key : value"; empty if there is none.
std::string value_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t", colon + 1);
    return first == std::string::npos ? "" : line.substr(first);
  }
  return {};
}

}  // namespace

void prefer_large_pages(void* block, std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  ::madvise(block, bytes, MADV_HUGEPAGE);
#else
  static_cast<void>(block);
  static_cast<void>(bytes);
#endif
}

void return_free_memory() noexcept {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

void use_one_heap() noexcept {
#ifdef M_ARENA_MAX
  ::mallopt(M_ARENA_MAX, 1);  // otherwise each thread takes 64 MiB of addresses
#endif
}

std::optional<std::uint64_t> available_memory() {
  const std::string text = value_in("/proc/meminfo", "MemAvailable");
  if (text.empty()) return std::nullopt;
  return std::strtoull(text.c_str(), nullptr, 10) * 1024;
}

std::size_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  unsigned long long all = 0;
  unsigned long long resident = 0;
  const int read = std::fscanf(file, "%llu %llu", &all, &resident);
  std::fclose(file);
  return read == 2 ? static_cast<std::size_t>(resident) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::string control_groups() {
  std::ifstream file("/proc/self/cgroup");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string processor_name() {
  return value_in("/proc/cpuinfo", "model name");
}

int usable_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::optional<double> granted_processors() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (file >> quota >> period && period > 0) return quota / period;
  return std::nullopt;
}

std::filesystem::path program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

void sync_data(int file) noexcept {
  ::fdatasync(file);
}

}  // namespace credence::system

#endif
