#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace credence::system {

/// Name, release and machine of the system: "Linux 6.1.0 x86_64".
std::string system_name();
/// What the processor calls itself; empty if the system does not say.
std::string processor_name();
/// Cores that this process may run on.
int usable_cores();
/// Processors that a container may use on average; none without a limit.
std::optional<double> granted_processors();
/// Processes that ran or waited, on average of the last minute; none if the system does not say.
std::optional<double> load();
/// The file of this program; empty if the system does not say.
std::filesystem::path program();

/// Brings the bytes of an open file to the disk.
void sync_data(int file) noexcept;

}  // namespace credence::system
