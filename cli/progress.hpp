#pragma once

#include <optional>
#include <string>

#include "credence/core/monitor.hpp"

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
};

}  // namespace credence::cli
