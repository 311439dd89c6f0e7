#include "run_log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "credence/core/error.hpp"
#include "system/files.hpp"

namespace credence::cli {
namespace {

constexpr std::chrono::seconds interval{60};

std::string utc(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace

double share_of(const core::Monitor::Progress& progress) {
  if (progress.total == 0) return 0;
  return std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
}

double seconds_left(const core::Monitor::Progress& progress, std::optional<double> expected) {
  const double share = share_of(progress);
  if (expected) return (1 - share) * ((1 - share) * *expected + progress.seconds);
  return share > 0 ? progress.seconds * (1 - share) / share : -1;
}

RunLog::RunLog(const std::string& path, Sources sources)
    : sources_(std::move(sources)), file_(system::open_file(path, system::Opening::append)) {
  if (file_.number() < 0)
    throw Error(ErrorCode::file, fmt::format("the log cannot be written: {}", std::strerror(errno)), {path, 0, {}});
  write_line();
  if (error_ != 0)
    throw Error(ErrorCode::file, fmt::format("the log cannot be written: {}", std::strerror(error_)), {path, 0, {}});
}

RunLog::~RunLog() = default;

void RunLog::stage(std::string_view word) {
  const std::lock_guard lock(mutex_);
  stage_ = word;
}

void RunLog::update(const core::Monitor::Progress& progress, std::optional<double> expected) {
  const std::lock_guard lock(mutex_);
  progress_ = progress;
  expected_ = expected;
}

void RunLog::tick() {
  const std::lock_guard lock(mutex_);
  if (sources_.now() - last_ >= interval) write_locked();
}

void RunLog::write_line() {
  const std::lock_guard lock(mutex_);
  write_locked();
}

int RunLog::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void RunLog::write_locked() {
  if (error_ != 0) return;
  last_ = sources_.now();
  const double left = seconds_left(progress_, expected_);
  const double share = share_of(progress_);
  furthest_ = std::max(furthest_, stage_ == "working" ? std::min(share, most_while_working) : share);
  const std::string line = fmt::format("{} stage={} done={:.2f}% left={} memory={:.1f}MiB\n", utc(last_), stage_,
                                       100 * furthest_, left < 0 ? "?" : fmt::format("{:.0f}s", left),
                                       static_cast<double>(sources_.memory()) / (1024.0 * 1024.0));
  if (!system::write_all(file_.number(), line)) error_ = errno;
}

LogTicker::LogTicker(RunLog& log) {
  try {
    thread_ = std::jthread([this, &log](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); })) log.tick();
    });
  } catch (const std::system_error&) {
    throw std::bad_alloc();  // no memory for the stack of a thread
  }
}

LogTicker::~LogTicker() {
  thread_.request_stop();
}

}  // namespace credence::cli
