#include "memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <new>
#include <string_view>

#include "application.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t reserve_bytes = std::size_t{1} << 20;

// Handlers can reach nothing but globals.
std::atomic<void*> reserve{nullptr};
std::terminate_handler terminate_otherwise = nullptr;

bool is_limited(decltype(RLIMIT_AS) kind) {
  rlimit limit{};
  return getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// The stack of the first thread grows when it is touched, and the process is killed if it cannot.
__attribute__((noinline)) void grow_stack() {
  volatile char pages[std::size_t{512} << 10];
  for (std::size_t i = 0; i < sizeof(pages); i += 1024) pages[i] = 0;
}

/// What is reserved serves whoever deals with the exception.
void on_missing_memory() {
  if (void* block = reserve.exchange(nullptr)) ::munmap(block, reserve_bytes);
  throw std::bad_alloc();
}

[[noreturn]] void on_terminate() {
  if (const std::exception_ptr problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::bad_alloc&) {
      say_memory_is_missing();
      ::_exit(exit_code::memory);
    } catch (...) {
    }
  }
  terminate_otherwise();
  ::_exit(exit_code::failure);
}

}  // namespace

void say_memory_is_missing() noexcept {
  constexpr std::string_view sentence = "credence: there is not enough memory for this work\n";
  if (::write(STDERR_FILENO, sentence.data(), sentence.size()) < 0) return;
}

void prepare_for_little_memory() {
  terminate_otherwise = std::set_terminate(on_terminate);
  std::set_new_handler(on_missing_memory);
  void* block = ::mmap(nullptr, reserve_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block != MAP_FAILED) reserve.store(block);
  if (!is_limited(RLIMIT_AS) && !is_limited(RLIMIT_DATA)) return;
  grow_stack();
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, 1);  // otherwise each thread takes 64 MiB of addresses
#endif
}

}  // namespace credence::cli
