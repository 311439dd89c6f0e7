#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>

namespace credence::core {

/// Measures the seconds since it was made.
class Stopwatch {
 public:
  double seconds() const noexcept { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// The reason for which a computation must stop.
enum class StopReason { none, cancelled, time_budget };

/// One object for the progress, the cancellation and the time budget of a long computation.
/// Any thread may call any member; a signal handler may call `cancel()`.
class Monitor {
 public:
  struct Progress {
    std::size_t done = 0;
    std::size_t total = 0;
    double seconds = 0;  ///< since the monitor was made
  };
  /// The monitor calls the callback after each step of progress, one call at a time. A return value of false cancels.
  using Callback = std::function<bool(const Progress&)>;

  Monitor() : Monitor(Callback{}) {}
  /// @param callback  may be empty
  /// @param budget_seconds  without a value there is no time budget
  explicit Monitor(Callback callback, std::optional<double> budget_seconds = std::nullopt);

  /// Makes the monitor of one part of a larger computation, the parent. While the part goes from 0 to its own total,
  /// the parent advances by `units` whole units; it never goes back, even if the part's total grows later. The part
  /// stops when the parent must stop; `cancel()` on the part stops the part alone. The parent must outlive the part.
  /// The caller announces the `units` to the parent with `parent.expect(units)`.
  Monitor(Monitor& parent, std::size_t units);

  /// Makes the monitor of a part that must end `seconds` before the parent's time budget does. The part counts its
  /// progress as the parent's, and has no time limit if the parent has none.
  static Monitor leaving(double seconds, Monitor& parent) { return {seconds, parent}; }

  /// Announces `units` more units of work.
  void expect(std::size_t units);
  /// Reports that `units` units of work are done and calls the callback.
  void advance(std::size_t units = 1);

  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  /// The call is cheap enough to be made every few microseconds.
  StopReason stop_reason() const noexcept;
  bool should_stop() const noexcept { return stop_reason() != StopReason::none; }
  /// Seconds until the time budget of the monitor, or of a parent, ends; none without a budget.
  std::optional<double> seconds_left() const noexcept;
  double seconds() const noexcept { return stopwatch_.seconds(); }

 private:
  Monitor(double kept, Monitor& parent);
  void tell_parent(std::size_t done, std::size_t total);

  Monitor* parent_ = nullptr;
  bool shares_progress_ = false;  ///< with the parent, which counts every unit
  std::size_t parent_units_ = 0;
  std::atomic<std::size_t> told_{0};  ///< units by which the parent was advanced
  Callback callback_;
  Stopwatch stopwatch_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::atomic<bool> cancelled_{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "cancel() is called from signal handlers");
  std::atomic<std::size_t> done_{0};
  std::atomic<std::size_t> total_{0};
  std::mutex callback_mutex_;
};

}  // namespace credence::core
