#pragma once

#include <chrono>
#include <string>

#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "options.hpp"
#include "progress.hpp"

namespace credence::cli {

/// Seconds on the clock since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Works on the data of a file. An error of the data gets the file as its place if the error has none.
template <class Work>
auto on_data_of(const std::string& file, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_data || !error.location().file.empty()) throw;
    throw Error(error.code(), error.sentence(), {file, error.location().line, error.location().column});
  }
}

/// Threads, memory, time budget, progress bar and Ctrl-C of one run.
class Run {
 public:
  /// @throws Error invalid_argument for options out of range
  Run(const RunOptions& options, bool show_progress);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// From now on the first Ctrl-C (or SIGTERM) cancels the work; a second one kills.
  void catch_signals();
  core::Context context() { return {threads_, monitor_, memory_}; }
  ProgressBar& progress() { return progress_; }
  bool quiet() const { return quiet_; }

  /// Whether a signal was caught, in whatever run.
  static bool was_interrupted();

 private:
  ProgressBar progress_;
  core::Threads threads_;
  core::Monitor monitor_;
  std::size_t memory_;
  bool quiet_;
};

}  // namespace credence::cli
