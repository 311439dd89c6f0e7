#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "credence/core/monitor.hpp"
#include "system/files.hpp"
#include "system/memory.hpp"

namespace credence::cli {

/// The share of the work that is done, in [0, 1].
double share_of(const core::Monitor::Progress& progress);
/// The largest share that is shown before the work has ended: more of it may be found.
inline constexpr double most_while_working = 0.99;
/// Seconds that the rest takes: as the work went so far, and by the forecast as long as little of the work is done.
/// Negative: nothing can be said yet.
/// @param progress  with the seconds since the work began
/// @param expected  seconds that the whole work was forecast to take
double seconds_left(const core::Monitor::Progress& progress, std::optional<double> expected = {});
using system::resident_bytes;

/// The log of a long run: lines that are appended to a file, one when the run starts, one a minute, one at its end.
///
///     2026-11-22T21:45:00Z stage=working done=12.34% left=754s memory=123.4MiB
///
/// "left" is "?" until there is progress. Each line is written with one call, so that lines of several runs in one file
/// stay whole. A log that cannot be written any more (a full disk) does not stop the run.
class RunLog {
 public:
  /// What a line is made of, beside the progress.
  struct Sources {
    std::function<std::chrono::system_clock::time_point()> now = std::chrono::system_clock::now;
    std::function<std::size_t()> memory = resident_bytes;
  };

  /// Opens the file to append to it. @throws Error file
  explicit RunLog(const std::string& path) : RunLog(path, Sources{}) {}
  RunLog(const std::string& path, Sources sources);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// What the run does from now on.
  void stage(std::string_view word);
  /// As of `seconds_left`.
  void update(const core::Monitor::Progress& progress, std::optional<double> expected = {});
  /// Writes a line if the last one is a minute old.
  void tick();
  /// Writes a line with the stage.
  void write_line();
  /// The error of the system that ended the log; 0: none.
  int error() const;

 private:
  void write_locked();

  Sources sources_;
  system::Descriptor file_;
  mutable std::mutex mutex_;
  std::string stage_ = "start";
  core::Monitor::Progress progress_;
  double furthest_ = 0;  ///< share that was written
  std::optional<double> expected_;
  std::chrono::system_clock::time_point last_;
  int error_ = 0;
};

/// Calls the log's tick() every second, from a thread of its own.
class LogTicker {
 public:
  explicit LogTicker(RunLog& log);
  ~LogTicker();
  LogTicker(const LogTicker&) = delete;
  LogTicker& operator=(const LogTicker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;
};

}  // namespace credence::cli
