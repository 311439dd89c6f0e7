#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace credence::report {
namespace {

std::optional<int> exponent_of_two(double value) {
  int exponent = 0;
  if (!(value > 0) || std::frexp(value, &exponent) != 0.5) return std::nullopt;
  return exponent - 1;
}

}  // namespace

std::string readable(double value) {
  const auto exponent = exponent_of_two(value);
  return exponent && *exponent != 0 ? fmt::format("{:.6g} (2^{})", value, *exponent) : fmt::format("{:.6g}", value);
}

std::string short_number(double value) {
  const auto exponent = exponent_of_two(value);
  return exponent && *exponent != 0 ? fmt::format("2^{}", *exponent) : fmt::format("{:.4g}", value);
}

std::string named_line(std::string_view name, const std::string& value) {
  return fmt::format("{:<11} {}\n", name, value);
}

std::string without_trailing_blanks(const std::string& line) {
  return line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
}

std::string next_with_model(const std::string& path) {
  return "credence evaluate " + path + " TEST.csv counts errors on rows held out; credence predict labels new rows";
}

std::string percent(double share) {
  return fmt::format("{:.2f} %", 100 * share);
}

std::string sample_text(std::size_t shown, std::size_t rows) {
  return rows > shown ? fmt::format(" Shown: {} of {} rows, evenly spaced.", shown, rows) : "";
}

std::string ends_text(const bounds::Interval& interval) {
  return fmt::format("{} to {}", percent(interval.lower), percent(interval.upper));
}

std::string shares_text(const std::vector<std::string>& names, const std::vector<double>& shares) {
  std::string text;
  for (std::size_t c = 0; c < names.size(); ++c)
    text += fmt::format("{}{} {}", c == 0 ? "" : ", ", names[c], percent(shares[c]));
  return text;
}

std::string level_text(double significance) {
  return fmt::format("{:.12g}", core::confidence_level_of(significance));
}

std::string of_hundred(double share) {
  const double rows = 100 * share;
  if (rows < 0.05) return "fewer than 1 of 1000 new rows";
  if (rows < 1) return fmt::format("about {:.0f} of 1000 new rows", std::max(1.0, 10 * rows));
  return fmt::format("about {:.{}f} of 100 new rows", rows, rows < 10 ? 1 : 0);
}

}  // namespace credence::report
