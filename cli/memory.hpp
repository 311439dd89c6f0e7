#pragma once

namespace credence::cli {

/// For a process that may run out of memory, or has a limit on it (ulimit -v): called before anything else.
/// Memory that is missing then becomes std::bad_alloc with enough left to deal with it, or, where no exception can
/// pass, the end of the process with the sentence and the exit code of missing memory.
void prepare_for_little_memory();

/// Says in one sentence on standard error that memory is missing. Needs none.
void say_memory_is_missing() noexcept;

}  // namespace credence::cli
