#include "report/selection/selection_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "credence/rvm/train.hpp"
#include "report/setting_words.hpp"
#include "report/text.hpp"

namespace credence::report {
namespace {

using selection::Selection;
using selection::Setting;

/// From small errors to large ones: the viridis map in the terminal's 256 colours.
constexpr std::array<int, 10> colours{227, 191, 149, 114, 78, 42, 36, 30, 24, 17};
constexpr std::string_view shades = "@%#*+=-:. ";

class Map {
 public:
  Map(const Selection& selection, const CostAxis& cost, bool colour, int width)
      : selection_(selection), cost_(cost), colour_(colour), by_sigma_(shows_sigma(selection.options)) {
    // The grid is gamma-major, so its first row lists all values of the other axis.
    const auto goes_on = [&](const Setting& previous, const Setting& next) {
      return next.kernel == previous.kernel && next.scale == previous.scale && next.gamma == previous.gamma &&
             next.*cost.member != previous.*cost.member;
    };
    columns_ = std::min<std::size_t>(1, selection.grid.size());
    while (columns_ < selection.grid.size() && goes_on(selection.grid[columns_ - 1], selection.grid[columns_]))
      ++columns_;
    for (std::size_t i = 0; i < selection.grid.size(); i += columns_) {
      const double gamma = selection.grid[i].gamma;
      labels_.push_back(short_number(by_sigma_ ? rvm::sigma_of_gamma(gamma) : gamma));
      label_width_ = std::max(label_width_, labels_.back().size());
    }
    for (const Setting& setting : selection.grid) {
      if (!setting.complete) continue;
      least_ = std::min(least_, setting.error);
      largest_ = std::max(largest_, setting.error);
    }
    if (selection.options.score == selection::Score::cost && largest_ > 0)
      times_ = std::pow(10.0, 1 - std::floor(std::log10(largest_)));
    const auto room = static_cast<std::size_t>(std::max(width, 0)) -
                      std::min<std::size_t>(label_width_ + 4, static_cast<std::size_t>(std::max(width, 0)));
    for (const std::size_t candidate : {std::size_t{5}, std::size_t{4}, std::size_t{3}, std::size_t{2}})
      if (setting_width_ == 0 && candidate * columns_ <= room && (colour || candidate < 4)) setting_width_ = candidate;
  }

  std::string draw() const {
    const std::size_t rows = labels_.size();
    if (selection_.grid.size() < 2 || selection_.grid.size() != rows * columns_ || setting_width_ == 0 ||
        least_ > largest_) {
      return {};
    }
    std::string text =
        fmt::format("\n  {:>{}}\n", by_sigma_ ? "sigma" : "gamma", std::max<std::size_t>(label_width_, 5));
    for (std::size_t first = 0; first < rows;) {
      const std::size_t end = first + rows_of_space(first);
      const Setting& one = selection_.grid[first * columns_];
      if (end - first < rows)
        text += fmt::format("  {} kernel, scale {}\n", core::word(*one.kernel), core::word(*one.scale));
      for (std::size_t row = end; row-- > first;) {
        text += fmt::format("  {:>{}} ", labels_[row], std::max<std::size_t>(label_width_, 5));
        for (std::size_t column = 0; column < columns_; ++column) text += setting(row * columns_ + column);
        text += '\n';
      }
      first = end;
    }
    return text + axis() + legend();
  }

 private:
  /// Rows from one on that have its kernel and scaling.
  std::size_t rows_of_space(std::size_t first) const {
    const Setting& one = selection_.grid[first * columns_];
    std::size_t row = first;
    while (row < labels_.size() && selection_.grid[row * columns_].kernel == one.kernel &&
           selection_.grid[row * columns_].scale == one.scale)
      ++row;
    return row - first;
  }

  std::size_t level(double error, std::size_t levels) const {
    if (!(largest_ > least_)) return 0;
    const double share = (error - least_) / (largest_ - least_);
    return std::min(levels - 1, static_cast<std::size_t>(share * static_cast<double>(levels)));
  }

  std::string setting(std::size_t index) const {
    const Setting& found = selection_.grid[index];
    const bool best = selection_.best == index;
    if (!found.complete) return fmt::format("{:^{}}", found.rung > 0 ? "-" : "?", setting_width_);
    if (!colour_) {
      const char shade = shades[level(found.error, shades.size())];
      return best ? fmt::format("{:<{}}", "[]", setting_width_) : std::string(setting_width_, shade);
    }
    const std::size_t which = level(found.error, colours.size());
    std::string inside;
    if (setting_width_ >= 4)
      inside = fmt::format("{:{}.{}f}", times_ * found.error, setting_width_, setting_width_ == 5 ? 1 : 0);
    if (setting_width_ < 4 && best) inside = "[]";
    return fmt::format("\033[48;5;{};38;5;{}{}m{:<{}}\033[0m", colours[which], which < 6 ? 16 : 255, best ? ";1;4" : "",
                       inside, setting_width_);
  }

  /// First and last value of the other axis below the map.
  std::string axis() const {
    const Setting& end = selection_.grid.back();
    const std::string first = short_number(selection_.grid.front().*cost_.member);
    const std::string last = short_number(end.*cost_.member);
    const std::size_t total = std::max(columns_ * setting_width_, first.size() + last.size() + 3);
    return fmt::format("  {:>{}} {}{:>{}}\n", cost_.name, std::max<std::size_t>(label_width_, 5), first, last,
                       total - first.size());
  }

  std::string legend() const {
    std::string ramp;
    for (std::size_t i = 0; i < 10; ++i)
      ramp += colour_ ? fmt::format("\033[48;5;{}m  \033[0m", colours[i]) : std::string(2, shades[i]);
    const selection::Score score = selection_.options.score;
    const bool cost = score == selection::Score::cost;
    const auto end = [&](double loss) {
      return cost ? fmt::format("{:.4g}", loss) : is_mean_loss(score) ? fmt::format("{:.3f}", loss) : percent(loss);
    };
    const std::string what = selection_.in_sample() ? "bound" : loss_title(score);
    const std::string unit = cost                  ? fmt::format("in units of {:.4g}", 1 / times_)
                             : is_mean_loss(score) ? "in hundredths"
                                                   : "in per cent";
    const auto dropped = [](const Setting& found) { return !found.complete && found.rung > 0; };
    const bool raced = std::ranges::any_of(selection_.grid, dropped);
    return fmt::format("  {} {} {} {}; {}{}\n", what, end(least_), ramp, end(largest_),
                       colour_ && setting_width_ >= 4 ? fmt::format("{}, the best underlined", unit) : "[] is the best",
                       raced ? "; - was dropped by the race" : "");
  }

  const Selection& selection_;
  CostAxis cost_;
  bool colour_;
  bool by_sigma_;
  std::size_t columns_ = 0;
  std::vector<std::string> labels_;
  std::size_t label_width_ = 0;
  std::size_t setting_width_ = 0;
  double times_ = 100;  ///< the loss: the number of a setting; costs of any size have two digits before the point
  double least_ = 1e300;
  double largest_ = -1e300;
};

}  // namespace

std::string heat_map(const Selection& selection, bool colour, int width) {
  if (selection.grid.empty() || selection.options.task != data::Task::classification || selection.evidence()) return {};
  const std::optional<CostAxis> cost = cost_axis(selection.grid.back());
  return cost ? Map(selection, *cost, colour, width).draw() : std::string();
}

}  // namespace credence::report
