#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

namespace credence::core {

/// Why a computation was asked to stop.
enum class StopReason { none, cancelled, time_budget };

/// Progress, cancellation and time budget in one object that every long computation is given.
/// All members may be called from any thread; `cancel()` also from a signal handler.
class Monitor {
 public:
  struct Progress {
    std::size_t done = 0;
    std::size_t total = 0;
    double seconds = 0;  ///< since the monitor was made
  };
  /// Called (one call at a time) whenever progress was made; returning false cancels.
  using Callback = std::function<bool(const Progress&)>;

  Monitor() : Monitor(Callback{}) {}
  /// @param callback  may be empty
  /// @param budget_seconds  no value: no time budget
  explicit Monitor(Callback callback, std::optional<double> budget_seconds = std::nullopt);

  /// A part of a larger computation: progress from 0 to its own total advances the parent by `units` in all (each time
  /// by the whole units it is worth, and never back if the total grows), and the parent's reasons to stop are its own.
  /// Its own cancel() does not reach the parent. The parent must outlive it, and expects the `units` by itself.
  Monitor(Monitor& parent, std::size_t units);

  /// Announces `units` more units of work.
  void expect(std::size_t units);
  /// Reports that `units` units of work are done and calls the callback.
  void advance(std::size_t units = 1);

  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  /// Cheap enough to be asked every few microseconds.
  StopReason stop_reason() const noexcept;
  bool should_stop() const noexcept { return stop_reason() != StopReason::none; }
  double seconds() const noexcept;

 private:
  void tell_parent(std::size_t done, std::size_t total);

  Monitor* parent_ = nullptr;
  std::size_t parent_units_ = 0;
  std::atomic<std::size_t> told_{0};  ///< units that the parent was advanced by
  Callback callback_;
  std::chrono::steady_clock::time_point start_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::atomic<bool> cancelled_{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "cancel() is called from signal handlers");
  std::atomic<std::size_t> done_{0};
  std::atomic<std::size_t> total_{0};
  std::mutex callback_mutex_;
};

}  // namespace credence::core
