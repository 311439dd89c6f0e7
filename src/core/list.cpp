#include "credence/core/list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numeric>
#include <string>

#include "credence/core/error.hpp"

namespace credence::core {
namespace {

constexpr std::size_t most_values = 10'000;

[[noreturn]] void refuse_part(std::string_view text, std::string_view part, std::string_view why) {
  refuse(
      fmt::format("'{}' in the list '{}' {}; write 2^-5:2^15:x4, 0.1:1:+0.1, 1,10,100 or one number", part, text, why));
}

double decimal(std::string_view text) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  double value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return status == std::errc{} && end == digits.data() + digits.size() ? value : NAN;
}

/// NaN or infinite if the text is no finite number.
double decimal_or_power(std::string_view text) {
  const std::size_t caret = text.find('^');
  if (caret == std::string_view::npos) return decimal(text);
  return std::pow(decimal(text.substr(0, caret)), decimal(text.substr(caret + 1)));
}

double number(std::string_view text, std::string_view part) {
  const double value = decimal_or_power(part);
  if (!std::isfinite(value)) refuse_part(text, part, "is not a finite number");
  return value;
}

std::vector<double> range(std::string_view text, const std::vector<std::string_view>& parts) {
  if (parts.size() != 3 || parts[2].size() < 2 || (parts[2][0] != 'x' && parts[2][0] != '+'))
    refuse_part(text, text, "is not a range first:last:xfactor or first:last:+step");
  const double first = number(text, parts[0]);
  const double last = number(text, parts[1]);
  const double step = number(text, parts[2].substr(1));
  const bool geometric = parts[2][0] == 'x';
  if (geometric ? !(step > 1 && first > 0) : !(step > 0))
    refuse_part(text, parts[2],
                geometric ? "needs a factor above 1 and a first value above 0" : "needs a step above 0");
  if (last < first) refuse_part(text, parts[1], "is smaller than the first value");
  const double count = (geometric ? std::log(last / first) / std::log(step) : (last - first) / step) + 1e-9;
  if (!(count < static_cast<double>(most_values))) refuse_part(text, text, "has more than 10,000 values");
  std::vector<double> values;
  for (int k = 0; k <= static_cast<int>(count); ++k)
    values.push_back(geometric ? first * std::pow(step, k) : first + k * step);
  return values;
}

}  // namespace

std::vector<std::size_t> numbers_from(std::size_t first, std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

std::vector<std::size_t> numbers_below(std::size_t count) {
  return numbers_from(0, count);
}

std::vector<std::size_t> counts_of(std::span<const int> codes, std::size_t count) {
  std::vector<std::size_t> counts(count, 0);
  for (const int code : codes)
    if (code >= 0 && static_cast<std::size_t>(code) < count) ++counts[static_cast<std::size_t>(code)];
  return counts;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

double parse_number(std::string_view text) {
  const double value = decimal_or_power(text);
  if (!std::isfinite(value)) refuse(fmt::format("'{}' is not a finite number", text));
  return value;
}

std::vector<double> parse_list(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() > 1) return range(text, parts);
  std::vector<double> values;
  for (const std::string_view part : split(text, ',')) values.push_back(number(text, part));
  if (values.size() > most_values) refuse_part(text, text, "has more than 10,000 values");
  return values;
}

std::vector<std::pair<std::string, double>> parse_named_numbers(std::string_view text) {
  const auto refuse = [&](std::string_view part, const char* why) {
    credence::refuse(fmt::format("'{}' {}; write name=number,name=number", part, why));
  };
  std::vector<std::pair<std::string, double>> numbers;
  std::string name;  // the beginning of a name that has commas
  for (const std::string_view part : split(text, ',')) {
    name += part;
    const std::size_t equal = name.rfind('=');
    const double value = equal == std::string::npos ? NAN : decimal_or_power(std::string_view(name).substr(equal + 1));
    if (!std::isfinite(value)) {
      name += ',';
      continue;
    }
    if (equal == 0) refuse(part, "has no name");
    numbers.emplace_back(name.substr(0, equal), value);
    name.clear();
  }
  if (!name.empty()) refuse(std::string_view(name).substr(0, name.size() - 1), "is not a name with a number");
  return numbers;
}

}  // namespace credence::core
