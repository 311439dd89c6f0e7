#include "application.hpp"

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "system/files.hpp"
#include "system/memory.hpp"

namespace credence::cli {
namespace {

constexpr std::size_t reserve_bytes = std::size_t{1} << 20;

// Handlers can reach nothing but globals.
std::atomic<void*> reserve{nullptr};
std::terminate_handler terminate_otherwise = nullptr;

/// The stack of the first thread grows when it is touched, and the process is killed if it cannot.
__attribute__((noinline)) void grow_stack() {
  volatile char pages[std::size_t{512} << 10];
  for (std::size_t i = 0; i < sizeof(pages); i += 1024) pages[i] = 0;
}

/// What is reserved serves whoever deals with the exception.
void on_missing_memory() {
  if (void* block = reserve.exchange(nullptr)) system::unmap_block(block, reserve_bytes);
  throw std::bad_alloc();
}

[[noreturn]] void on_terminate() {
  if (const std::exception_ptr problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::bad_alloc&) {
      say_memory_is_missing();
      std::_Exit(exit_code::memory);
    } catch (...) {
    }
  }
  terminate_otherwise();
  std::_Exit(exit_code::failure);
}

}  // namespace

void say_memory_is_missing() noexcept {
  constexpr std::string_view sentence = "credence: there is not enough memory for this work\n";
  constexpr int standard_error = 2;
  system::write_all(standard_error, sentence);
}

void prepare_for_little_memory() {
  terminate_otherwise = std::set_terminate(on_terminate);
  std::set_new_handler(on_missing_memory);
  reserve.store(system::map_block(reserve_bytes));
  if (!system::limit_of_addresses() && !system::limit_of_data()) return;
  grow_stack();
  system::use_one_heap();
}

}  // namespace credence::cli
