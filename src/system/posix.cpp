#ifndef _WIN32

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

#include "system/library.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

namespace credence::system {
namespace {

std::optional<std::uint64_t> limit_of(decltype(RLIMIT_AS) kind) {
  rlimit limit{};
  if (::getrlimit(kind, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::uint64_t>(limit.rlim_cur);
}

}  // namespace

void* aligned_block(std::size_t unit, std::size_t bytes) noexcept {
  return std::aligned_alloc(unit, bytes);
}

void free_aligned_block(void* block) noexcept {
  std::free(block);
}

bool has_room(std::size_t bytes) noexcept {
  void* block = map_block(bytes);
  return block != nullptr && ::munmap(block, bytes) == 0;
}

void* map_block(std::size_t bytes) noexcept {
  void* block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return block == MAP_FAILED ? nullptr : block;
}

void unmap_block(void* block, std::size_t bytes) noexcept {
  ::munmap(block, bytes);
}

std::optional<std::uint64_t> physical_memory() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES);
  const auto page_size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_size <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
}

std::optional<std::uint64_t> limit_of_addresses() {
  return limit_of(RLIMIT_AS);
}

std::optional<std::uint64_t> limit_of_data() {
  return limit_of(RLIMIT_DATA);
}

void* load_library(const std::string& name, std::string& problem) {
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* words = ::dlerror();
  problem = words == nullptr ? "" : words;
  return nullptr;
}

void* address_of(void* library, const char* name) {
  return ::dlsym(library == nullptr ? RTLD_DEFAULT : library, name);
}

std::string beside(const void* function, std::string_view name) {
  Dl_info self{};
  if (::dladdr(function, &self) == 0 || self.dli_fname == nullptr) return {};
  const std::string_view path = self.dli_fname;
  return std::string(path.substr(0, path.rfind('/') + 1)) + std::string(name);
}

std::string system_name() {
  utsname names{};
  if (::uname(&names) != 0) return {};
  return std::string(names.sysname) + ' ' + names.release + ' ' + names.machine;
}

std::optional<double> load() {
  double last = 0;
  return ::getloadavg(&last, 1) == 1 ? std::optional(last) : std::nullopt;
}

int process_number() noexcept {
  return ::getpid();
}

void set_variable(const char* name, const std::string& value) {
  value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
}

bool is_terminal(std::FILE* stream) noexcept {
  return ::isatty(::fileno(stream)) == 1;
}

std::optional<int> terminal_width(std::FILE* stream) noexcept {
  winsize size{};
  if (::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return std::nullopt;
}

void prepare_streams() noexcept {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
}

void on_interrupt(void (*handler)(int)) noexcept {
  struct sigaction action {};
  action.sa_handler = handler == nullptr ? SIG_DFL : handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

}  // namespace credence::system

#endif
