#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "output.hpp"
#include "run_log.hpp"
#include "system/process.hpp"

namespace credence::cli {

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::min(seconds, 3.6e8));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressBar::ProgressBar(bool wanted) : active_(wanted && system::is_terminal(stderr)) {}

void ProgressBar::update(const core::Monitor::Progress& progress, std::optional<double> expected) {
  if (!active_ || progress.total == 0 || std::abs(progress.seconds - last_) < 0.1) return;
  last_ = progress.seconds;
  const double share = share_of(progress);
  furthest_ = std::max(furthest_, std::min(share, most_while_working));
  constexpr double bar_width = 30;
  const auto filled = static_cast<std::size_t>(furthest_ * bar_width);
  std::string line = fmt::format("\r[{:-<30}] {:3.0f} %", std::string(filled, '#'), std::floor(100 * furthest_));
  if (share > 0 && share < most_while_working)
    line += fmt::format(", {} left", duration(std::max(1.0, seconds_left(progress, expected) + 0.5)));
  print_error(line + "\033[K");
  drawn_ = true;
}

void ProgressBar::erase() {
  if (drawn_) print_error("\r\033[K");
  drawn_ = false;
}

}  // namespace credence::cli
