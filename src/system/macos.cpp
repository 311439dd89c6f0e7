#ifdef __APPLE__

#include <fcntl.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <sys/sysctl.h>
#include <unistd.h>

#include <thread>

#include "system/files.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

namespace credence::system {

void prefer_large_pages(void*, std::size_t) noexcept {}

void return_free_memory() noexcept {}
void use_one_heap() noexcept {}

std::optional<std::uint64_t> available_memory() {
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
      KERN_SUCCESS)
    return std::nullopt;
  const std::uint64_t free = std::uint64_t{pages.free_count} + pages.inactive_count;
  return free * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::size_t resident_bytes() {
  mach_task_basic_info_data_t found{};
  mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
  if (::task_info(::mach_task_self(), MACH_TASK_BASIC_INFO, reinterpret_cast<task_info_t>(&found), &count) !=
      KERN_SUCCESS)
    return 0;
  return static_cast<std::size_t>(found.resident_size);
}

std::string control_groups() {
  return {};
}

std::string processor_name() {
  char name[256] = {};
  std::size_t size = sizeof(name) - 1;
  return ::sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0 ? name : "";
}

int usable_cores() {
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::optional<double> granted_processors() {
  return std::nullopt;
}

std::filesystem::path program() {
  char path[4096];
  std::uint32_t size = sizeof(path);
  return ::_NSGetExecutablePath(path, &size) == 0 ? std::filesystem::path(path).lexically_normal()
                                                  : std::filesystem::path();
}

/// fsync alone leaves the bytes in the disk's own memory.
void sync_data(int file) noexcept {
  if (::fcntl(file, F_FULLFSYNC) != 0) ::fsync(file);
}

}  // namespace credence::system

#endif
