#include "credence/core/monitor.hpp"

#include <algorithm>

namespace credence::core {

Monitor::Monitor(Callback callback, std::optional<double> budget_seconds) : callback_(std::move(callback)) {
  if (budget_seconds) {
    deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(std::min(*budget_seconds, 1e9)));
  }
}

Monitor::Monitor(Monitor& parent, std::size_t units) : parent_(&parent), parent_units_(units) {}

Monitor::Monitor(double kept, Monitor& parent)
    : Monitor({}, parent.seconds_left() ? std::optional(*parent.seconds_left() - kept) : std::nullopt) {
  parent_ = &parent;
  shares_progress_ = true;
}

void Monitor::expect(std::size_t units) {
  if (shares_progress_) parent_->expect(units);
  total_.fetch_add(units, std::memory_order_relaxed);
}

void Monitor::advance(std::size_t units) {
  const std::size_t done = done_.fetch_add(units, std::memory_order_relaxed) + units;
  if (shares_progress_)
    parent_->advance(units);
  else if (parent_ != nullptr)
    tell_parent(done, total_.load(std::memory_order_relaxed));
  if (!callback_) return;
  const std::lock_guard lock(callback_mutex_);
  if (!callback_({done_.load(std::memory_order_relaxed), total_.load(std::memory_order_relaxed), seconds()})) cancel();
}

/// Advances the parent to floor(parent_units * done / total), where it is not there already. Whoever raises `told_`
/// passes on the difference, so the differences sum to the last value however threads interleave.
void Monitor::tell_parent(std::size_t done, std::size_t total) {
  if (total == 0) return;
  // Exact where it matters: a quotient that is a whole number is not rounded.
  const double share = static_cast<double>(parent_units_) * static_cast<double>(done) / static_cast<double>(total);
  const std::size_t target = done >= total ? parent_units_ : std::min(parent_units_, static_cast<std::size_t>(share));
  std::size_t told = told_.load(std::memory_order_relaxed);
  while (told < target) {
    if (told_.compare_exchange_weak(told, target, std::memory_order_relaxed)) {
      parent_->advance(target - told);
      return;
    }
  }
}

std::optional<double> Monitor::seconds_left() const noexcept {
  std::optional<double> left = parent_ == nullptr ? std::nullopt : parent_->seconds_left();
  if (!deadline_) return left;
  const double own = std::chrono::duration<double>(*deadline_ - std::chrono::steady_clock::now()).count();
  return left ? std::min(*left, own) : own;
}

StopReason Monitor::stop_reason() const noexcept {
  if (cancelled_.load(std::memory_order_relaxed)) return StopReason::cancelled;
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) return StopReason::time_budget;
  return parent_ != nullptr ? parent_->stop_reason() : StopReason::none;
}

}  // namespace credence::core
