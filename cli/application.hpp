#pragma once

#include <functional>
#include <string>
#include <vector>

#include "credence/core/error.hpp"
#include "credence/core/monitor.hpp"
#include "flags.hpp"

namespace credence::cli {

/// Exit codes, which are documented in the help and stay the same from version to version.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failure = 1;
inline constexpr int usage = 2;
inline constexpr int data = 3;
inline constexpr int file = 4;
inline constexpr int limit = 5;
inline constexpr int memory = 6;
inline constexpr int alarm = 7;
inline constexpr int interrupted = 130;
}  // namespace exit_code

/// What they mean; it ends every help.
extern const char* const exit_code_footer;

int exit_code_of(ErrorCode code);
int exit_code_of(core::StopReason reason);
/// One line "credence: sentence" on standard error. @return the code
int complain(const std::string& sentence, int code);

/// Runs a subcommand whose options were parsed; returns the exit code.
using Action = std::function<int()>;

struct Part {
  const char* name;
  const char* description;
  std::function<Action(Command)> add;
};
/// Adds the commands of the program, or the parts of one. The action runs the part that was asked for, or else
/// `nothing`.
Action add_parts(Command command, const std::vector<Part>& parts, const Action& nothing = {});

/// For a process that may run out of memory, or has a limit on it (ulimit -v): called before anything else.
/// Memory that is missing then becomes std::bad_alloc with enough left to deal with it, or, where no exception can
/// pass, the end of the process with the sentence and the exit code of missing memory.
void prepare_for_little_memory();

/// Says in one sentence on standard error that memory is missing. Needs none.
void say_memory_is_missing() noexcept;

}  // namespace credence::cli
