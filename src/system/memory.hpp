#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// What the operating system alone can say or do. linux.cpp and macos.cpp have what differs between the two, posix.cpp
/// and posix_files.cpp what does not; windows.cpp and windows_files.cpp stand in the place of all four.
namespace credence::system {

/// A block of the heap at a multiple of `unit`, of which `bytes` is a multiple; null if there is none.
void* aligned_block(std::size_t unit, std::size_t bytes) noexcept;
void free_aligned_block(void* block) noexcept;
/// Whether so many bytes of addresses can be had now.
bool has_room(std::size_t bytes) noexcept;
/// A block apart from the heap; null if there is none.
void* map_block(std::size_t bytes) noexcept;
void unmap_block(void* block, std::size_t bytes) noexcept;
/// Advice that a block of memory is better served by large pages; failing changes nothing but the speed.
void prefer_large_pages(void* block, std::size_t bytes) noexcept;
/// Asks the heap not to reserve addresses for each thread.
void use_one_heap() noexcept;
/// Gives free parts of the heap back to the system, where the heap does not do so by itself.
void return_free_memory() noexcept;

/// Bytes of the machine; none if it does not say.
std::optional<std::uint64_t> physical_memory();
/// Bytes that programs could take now; none if it does not say.
std::optional<std::uint64_t> available_memory();
/// Bytes that this process holds in memory; 0 if the system does not say.
std::size_t resident_bytes();
/// The limit of the process on its addresses; none without a limit.
std::optional<std::uint64_t> limit_of_addresses();
/// The limit of the process on its data; none without a limit.
std::optional<std::uint64_t> limit_of_data();

/// The control groups of the process, in the form of Linux's /proc/self/cgroup; empty where there are none.
std::string control_groups();
/// Where control groups say their limits.
inline constexpr const char* control_group_folder = "/sys/fs/cgroup";

}  // namespace credence::system
