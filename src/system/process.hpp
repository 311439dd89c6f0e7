#pragma once

#include <cstdio>
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

int process_number() noexcept;
/// For OpenBLAS, which has no other way to be told; an empty value takes the variable away.
void set_variable(const char* name, const std::string& value);

bool is_terminal(std::FILE* stream) noexcept;
/// Columns of the terminal; none if the stream is no terminal, or does not say.
std::optional<int> terminal_width(std::FILE* stream) noexcept;

/// For the standard streams: bytes pass as they are, and a reader that left is noticed when writing; so is a limit on
/// the size of files.
void prepare_streams() noexcept;
/// Calls the handler when the user or the system asks the process to end, once; afterwards, and for null, the process
/// ends by itself.
void on_interrupt(void (*handler)(int)) noexcept;

}  // namespace credence::system
