#include "credence/selection/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

#include "credence/core/error.hpp"

namespace credence::selection {
namespace {

constexpr std::size_t most_values = 10'000;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

[[noreturn]] void refuse(std::string_view text, std::string_view part, std::string_view why) {
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("'{}' in the list '{}' {}; write 2^-5:2^15:x4, 0.1:1:+0.1, 1,10,100 or one number", part, text, why));
}

double decimal(std::string_view text, std::string_view part) {
  const std::string_view digits = part.starts_with('+') ? part.substr(1) : part;
  double value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (status != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value))
    refuse(text, part, "is not a finite number");
  return value;
}

/// A decimal number or a power such as 2^-3.
double number(std::string_view text, std::string_view part) {
  const std::size_t caret = part.find('^');
  if (caret == std::string_view::npos) return decimal(text, part);
  const double value = std::pow(decimal(text, part.substr(0, caret)), decimal(text, part.substr(caret + 1)));
  if (!std::isfinite(value)) refuse(text, part, "is not a finite number");
  return value;
}

std::vector<double> range(std::string_view text, const std::vector<std::string_view>& parts) {
  if (parts.size() != 3 || parts[2].size() < 2 || (parts[2][0] != 'x' && parts[2][0] != '+'))
    refuse(text, text, "is not a range first:last:xfactor or first:last:+step");
  const double first = number(text, parts[0]);
  const double last = number(text, parts[1]);
  const double step = number(text, parts[2].substr(1));
  const bool geometric = parts[2][0] == 'x';
  if (geometric ? !(step > 1 && first > 0) : !(step > 0))
    refuse(text, parts[2], geometric ? "needs a factor above 1 and a first value above 0" : "needs a step above 0");
  if (last < first) refuse(text, parts[1], "is smaller than the first value");
  const double count = (geometric ? std::log(last / first) / std::log(step) : (last - first) / step) + 1e-9;
  if (!(count < static_cast<double>(most_values))) refuse(text, text, "has more than 10,000 values");
  std::vector<double> values;
  for (int k = 0; k <= static_cast<int>(count); ++k)
    values.push_back(geometric ? first * std::pow(step, k) : first + k * step);
  return values;
}

}  // namespace

std::vector<double> parse_list(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 1) return range(text, parts);
  std::vector<double> values;
  for (const std::string_view part : split(text, ',')) values.push_back(number(text, part));
  if (values.size() > most_values) refuse(text, text, "has more than 10,000 values");
  return values;
}

std::vector<kernel::GammaRule> Grid::gamma_list(std::string_view text) {
  const auto has_letter = [](std::string_view part) {
    return part.find_first_of("abcdfghijklmnopqrstuvwyzABCDFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos;
  };
  std::vector<kernel::GammaRule> rules;
  if (text.find(':') != std::string_view::npos) {
    for (const double value : parse_list(text)) rules.push_back({kernel::GammaRule::Kind::value, value});
    return rules;
  }
  for (const std::string_view part : split(text, ',')) {
    const bool word = part == "scale" || part == "auto" || part == "median";
    if (!word && has_letter(part)) refuse(text, part, "is neither a number nor scale, auto or median");
    rules.push_back(word ? kernel::parse_gamma(part)
                         : kernel::GammaRule{kernel::GammaRule::Kind::value, number(text, part)});
  }
  return rules;
}

std::vector<double> Grid::rho_list() {
  constexpr int count = 30;
  std::vector<double> values;
  for (int j = 0; j < count; ++j) values.push_back(std::pow(10.0, -6 + 9.0 * j / (count - 1)));
  return values;
}

std::vector<std::string> Grid::validate() const {
  std::vector<std::string> problems;
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (C.empty() || gamma.empty()) problems.emplace_back("the grid needs at least one value of C and one of gamma");
  for (const double value : C)
    if (!positive(value)) problems.push_back(fmt::format("C must be a finite number above 0, not {}", value));
  if (std::adjacent_find(C.begin(), C.end(), std::greater_equal<>{}) != C.end())
    problems.emplace_back("the values of C must ascend");
  for (const double value : nu)
    if (!(value > 0 && value <= 1)) problems.push_back(fmt::format("nu must be in (0, 1], not {}", value));
  if (std::adjacent_find(nu.begin(), nu.end(), std::less_equal<>{}) != nu.end())
    problems.emplace_back("the values of nu must descend");
  for (const double value : rho)
    if (!(value >= 0 && std::isfinite(value)))
      problems.push_back(fmt::format("rho must be a finite number from 0 on, not {}", value));
  if (rho.empty() || std::adjacent_find(rho.begin(), rho.end(), std::greater_equal<>{}) != rho.end())
    problems.emplace_back("the grid needs at least one value of rho, and they must ascend");
  for (const kernel::GammaRule& rule : gamma)
    if (rule.kind == kernel::GammaRule::Kind::value && !positive(rule.value))
      problems.push_back(fmt::format("gamma must be a finite number above 0, not {}", rule.value));
  return problems;
}

}  // namespace credence::selection
