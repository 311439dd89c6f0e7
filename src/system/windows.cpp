#ifdef _WIN32

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
// After windows.h.
#include <fcntl.h>
#include <io.h>
#include <malloc.h>
#include <process.h>
#include <psapi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <bit>
#include <thread>

#include "system/library.hpp"
#include "system/memory.hpp"
#include "system/process.hpp"

namespace credence::system {
namespace {

std::optional<MEMORYSTATUSEX> memory_status() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  return ::GlobalMemoryStatusEx(&status) != 0 ? std::optional(status) : std::nullopt;
}

/// The path of a module; null: the program.
std::filesystem::path path_of(HMODULE module) {
  std::wstring path(32768, L'\0');  // the longest that there is
  const DWORD length = ::GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size()));
  path.resize(length < path.size() ? length : 0);
  return path;
}

std::atomic<void (*)(int)> handler_of_console{nullptr};

BOOL WINAPI on_console(DWORD event) {
  auto* handler = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? handler_of_console.exchange(nullptr) : nullptr;
  if (handler == nullptr) return FALSE;
  handler(SIGINT);
  return TRUE;
}

}  // namespace

void* aligned_block(std::size_t unit, std::size_t bytes) noexcept {
  return ::_aligned_malloc(bytes, unit);
}

void free_aligned_block(void* block) noexcept {
  ::_aligned_free(block);
}

bool has_room(std::size_t bytes) noexcept {
  void* block = ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  return block != nullptr && ::VirtualFree(block, 0, MEM_RELEASE) != 0;
}

void* map_block(std::size_t bytes) noexcept {
  return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void unmap_block(void* block, std::size_t) noexcept {
  ::VirtualFree(block, 0, MEM_RELEASE);
}

void prefer_large_pages(void*, std::size_t) noexcept {}

void return_free_memory() noexcept {}
void use_one_heap() noexcept {}

std::optional<std::uint64_t> physical_memory() {
  const auto status = memory_status();
  return status ? std::optional<std::uint64_t>(status->ullTotalPhys) : std::nullopt;
}

std::optional<std::uint64_t> available_memory() {
  const auto status = memory_status();
  return status ? std::optional<std::uint64_t>(status->ullAvailPhys) : std::nullopt;
}

std::size_t resident_bytes() {
  PROCESS_MEMORY_COUNTERS counters{};
  return ::GetProcessMemoryInfo(::GetCurrentProcess(), &counters, sizeof(counters)) != 0 ? counters.WorkingSetSize : 0;
}

std::optional<std::uint64_t> limit_of_addresses() {
  return std::nullopt;
}

std::optional<std::uint64_t> limit_of_data() {
  return std::nullopt;
}

std::string control_groups() {
  return {};
}

void* load_library(const std::string& name, std::string& problem) {
  if (HMODULE library = ::LoadLibraryA(name.c_str())) return library;
  problem = "error " + std::to_string(::GetLastError()) + " of LoadLibrary for " + name;
  return nullptr;
}

void* address_of(void* library, const char* name) {
  HMODULE module = library == nullptr ? ::GetModuleHandleW(nullptr) : static_cast<HMODULE>(library);
  return std::bit_cast<void*>(::GetProcAddress(module, name));
}

std::string beside(const void* function, std::string_view name) {
  HMODULE module = nullptr;
  constexpr DWORD flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (::GetModuleHandleExA(flags, static_cast<const char*>(function), &module) == 0) return {};
  return (path_of(module).parent_path() / name).string();
}

std::string system_name() {
  // GetVersionEx says the same of every system since 2013; the registry says the build.
  std::array<char, 64> build{};
  auto size = static_cast<DWORD>(build.size());
  if (::RegGetValueA(HKEY_LOCAL_MACHINE, "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", "CurrentBuildNumber",
                     RRF_RT_REG_SZ, nullptr, build.data(), &size) != ERROR_SUCCESS)
    return "Windows";
  return std::string("Windows, build ") + build.data();
}

std::string processor_name() {
  std::array<char, 256> name{};
  auto size = static_cast<DWORD>(name.size());
  const auto found = ::RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0",
                                    "ProcessorNameString", RRF_RT_REG_SZ, nullptr, name.data(), &size);
  return found == ERROR_SUCCESS ? name.data() : "";
}

int usable_cores() {
  DWORD_PTR own = 0;
  DWORD_PTR all = 0;
  if (::GetProcessAffinityMask(::GetCurrentProcess(), &own, &all) != 0 && own != 0) return std::popcount(own);
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::optional<double> granted_processors() {
  return std::nullopt;
}

std::optional<double> load() {
  return std::nullopt;
}

std::filesystem::path program() {
  return path_of(nullptr);
}

int process_number() noexcept {
  return ::_getpid();
}

void set_variable(const char* name, const std::string& value) {
  ::_putenv_s(name, value.c_str());
}

bool is_terminal(std::FILE* stream) noexcept {
  return ::_isatty(::_fileno(stream)) != 0;
}

std::optional<int> terminal_width(std::FILE* stream) noexcept {
  CONSOLE_SCREEN_BUFFER_INFO screen{};
  auto* console = reinterpret_cast<HANDLE>(::_get_osfhandle(::_fileno(stream)));
  if (::GetConsoleScreenBufferInfo(console, &screen) == 0) return std::nullopt;
  return screen.srWindow.Right - screen.srWindow.Left + 1;
}

void prepare_streams() noexcept {
  for (std::FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
}

void on_interrupt(void (*handler)(int)) noexcept {
  handler_of_console.store(handler);
  ::SetConsoleCtrlHandler(on_console, handler != nullptr ? TRUE : FALSE);
}

}  // namespace credence::system

#endif
