#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>

#include "output.hpp"
#include "report/text.hpp"
#include "system/process.hpp"

namespace credence::cli {
namespace {

// Signal handlers can reach nothing but globals.
std::atomic<core::Monitor*> cancelled_by_signal{nullptr};
std::atomic<bool> interrupted{false};
static_assert(std::atomic<core::Monitor*>::is_always_lock_free);

void on_signal(int) {
  interrupted.store(true);
  if (core::Monitor* monitor = cancelled_by_signal.load()) monitor->cancel();
}

}  // namespace

Run::Run(const RunOptions& options, bool show_progress)
    : progress_(show_progress && !options.quiet),
      threads_(options.threads),
      monitor_(
          [this](const core::Monitor::Progress& progress) {
            show(progress);
            return true;
          },
          options.time_limit),
      memory_(options.memory.empty() ? core::default_memory_budget() : parse_memory(options.memory)),
      quiet_(options.quiet),
      checkpoint_path_(options.checkpoint) {
  if (options.log.empty()) return;
  log_.emplace(options.log);
  log_->stage("reading");
  ticker_.emplace(*log_);
}

Run::~Run() {
  end_log();
  if (cancelled_by_signal.exchange(nullptr) != nullptr) system::on_interrupt(nullptr);
}

/// Time that passed before the work began says nothing of what is left.
void Run::show(core::Monitor::Progress progress) {
  progress.seconds = std::max(0.0, progress.seconds - begun_.load());
  progress_.update(progress, expected_);
  if (log_) log_->update(progress, expected_);
}

void Run::catch_signals() {
  cancelled_by_signal.store(&monitor_);
  system::on_interrupt(on_signal);
  stage("working");
}

void Run::open_checkpoint(const std::string& command, const std::string& options, const std::string& data) {
  if (checkpoint_path_.empty()) return;
  checkpoint_.emplace(checkpoint_path_, core::CheckpointSubject{command, options, data});
  if (quiet_ || checkpoint_->found() == 0) return;
  note(fmt::format("{}: {} of an earlier run, which are not computed again", checkpoint_path_,
                   report::count_of(checkpoint_->found(), "result")));
}

void Run::end_work(core::StopReason stopped) {
  stopped_ = stopped;
  progress_.erase();
  stage("writing");
  if (!checkpoint_ || checkpoint_->problem().empty()) return;
  warn(fmt::format("the checkpoint lacks the last results, because it could not be written: {}",
                   checkpoint_->problem()));
}

void Run::stage(std::string_view word) {
  if (word == "working") begun_.store(monitor_.seconds());
  if (log_) log_->stage(word);
}

void Run::end_log() {
  if (!log_) return;
  ticker_.reset();
  const core::StopReason reason = stopped_ != core::StopReason::none ? stopped_ : monitor_.stop_reason();
  log_->stage(std::uncaught_exceptions() > 0 && reason == core::StopReason::none ? "failed"
              : reason == core::StopReason::cancelled                            ? "interrupted"
              : reason == core::StopReason::time_budget                          ? "limit"
                                                                                 : "end");
  log_->write_line();
  if (log_->error() != 0) {
    print_error(fmt::format("credence: warning: the log is incomplete, because it could not be written: {}\n",
                            std::strerror(log_->error())));
  }
}

bool Run::was_interrupted() {
  return interrupted.load();
}

}  // namespace credence::cli
