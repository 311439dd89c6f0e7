#include "credence/core/monitor.hpp"

#include <algorithm>

namespace credence::core {

Monitor::Monitor(Callback callback, std::optional<double> budget_seconds)
    : callback_(std::move(callback)), start_(std::chrono::steady_clock::now()) {
  if (budget_seconds) {
    deadline_ = start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                             std::chrono::duration<double>(std::min(*budget_seconds, 1e9)));
  }
}

void Monitor::expect(std::size_t units) {
  total_.fetch_add(units, std::memory_order_relaxed);
}

void Monitor::advance(std::size_t units) {
  done_.fetch_add(units, std::memory_order_relaxed);
  if (!callback_) {
    return;
  }
  const std::lock_guard lock(callback_mutex_);
  if (!callback_({done_.load(std::memory_order_relaxed), total_.load(std::memory_order_relaxed), seconds()})) {
    cancel();
  }
}

StopReason Monitor::stop_reason() const noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) {
    return StopReason::cancelled;
  }
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) {
    return StopReason::time_budget;
  }
  return StopReason::none;
}

double Monitor::seconds() const noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace credence::core
