#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "credence/core/checkpoint.hpp"
#include "credence/core/context.hpp"
#include "credence/core/error.hpp"
#include "credence/core/monitor.hpp"
#include "options.hpp"
#include "run_log.hpp"

namespace credence::cli {

/// "5 s", "2 min 05 s", "3 h 20 min".
std::string duration(double seconds);

/// A bar with the remaining time on standard error, if that is a terminal; drawn at most ten times a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ~ProgressBar() { erase(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// @param expected  seconds that the whole work was forecast to take
  void update(const core::Monitor::Progress& progress, std::optional<double> expected = {});
  void erase();

 private:
  bool active_;
  bool drawn_ = false;
  double last_ = -1;
  double furthest_ = 0;  ///< largest share shown: the bar does not go back if further work is announced
};

/// Works on the data of a file. An error of the data gets the file as its place if the error has none.
auto on_data_of(const std::string& file, auto work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid_data || !error.location().file.empty()) throw;
    throw Error(error.code(), error.sentence(), {file, error.location().line, error.location().column});
  }
}

/// Threads, memory, time budget, progress bar, log and Ctrl-C of one run.
class Run {
 public:
  /// @throws Error invalid_argument for options out of range; file for a log that cannot be written
  Run(const RunOptions& options, bool show_progress);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// From now on the first Ctrl-C (or SIGTERM) cancels the work; a second one kills.
  void catch_signals();
  /// Opens the checkpoint of the options, if there is one: from now on contexts have it.
  /// @param options, data  checksums of all that results depend on
  /// @throws Error as core::Checkpoint
  void open_checkpoint(const std::string& command, const std::string& options, const std::string& data);
  /// What the run does from now on, for the log: "reading" (the first), "forecast", "working", "writing".
  void stage(std::string_view word);
  /// Erases the bar, as the work is done; the log's stage is "writing". Warns of a checkpoint that is not whole.
  /// @param stopped  what ended a part of the work before its end
  void end_work(core::StopReason stopped = core::StopReason::none);
  core::Context context() { return {threads_, monitor_, memory_, checkpoint_ ? &*checkpoint_ : nullptr}; }
  /// Of the time limit, below 0 after it; none without one.
  std::optional<double> seconds_left() const { return monitor_.seconds_left(); }
  /// What the work that begins now was forecast to take, for the bar and the log.
  void expect(double seconds) { expected_ = seconds; }
  ProgressBar& progress() { return progress_; }
  bool quiet() const { return quiet_; }

  /// Whether a signal was caught, in whatever run.
  static bool was_interrupted();

 private:
  void show(core::Monitor::Progress progress);
  void end_log();

  ProgressBar progress_;
  std::optional<RunLog> log_;
  std::optional<LogTicker> ticker_;
  core::Threads threads_;
  std::atomic<double> begun_{0};    ///< seconds of the monitor when the work began
  std::optional<double> expected_;  ///< seconds of the work
  core::Monitor monitor_;
  core::StopReason stopped_ = core::StopReason::none;
  std::size_t memory_;
  bool quiet_;
  std::string checkpoint_path_;
  std::optional<core::Checkpoint> checkpoint_;
};

/// Calls work(k, context) for each k below `count`, up to `jobs` at a time. Calls done(k) from the calling thread, in
/// ascending order, as soon as the work up to k has ended. Jobs share the threads and the memory of the run; each
/// has one thread at least. The progress of all makes that of the run, and what stops the run stops all of them.
/// The first exception of `work`, in the order of k, ends the rest and is thrown again.
/// @param jobs  >= 1
void run_jobs(std::size_t count, int jobs, Run& run,
              const std::function<void(std::size_t k, const core::Context& context)>& work,
              const std::function<void(std::size_t k)>& done);

}  // namespace credence::cli
