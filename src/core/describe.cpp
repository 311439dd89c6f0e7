#include "credence/core/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::core {
namespace {

/// An integer of the text, exact up to 2^64; a decimal number where the text is not whole.
Value number_in(std::string_view text) {
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc{} && read.ptr == end)
    return {whole};
  std::uint64_t large = 0;
  if (const auto read = std::from_chars(text.data(), end, large); read.ec == std::errc{} && read.ptr == end)
    return {large};
  return {parse_number(text)};
}

/// Items of a list that are no numbers stay texts, for fields that take words beside numbers.
Value item_in(std::string_view item) {
  const bool begins_like_a_number = !item.empty() && item.find_first_of("0123456789.+-") == 0;
  return begins_like_a_number ? Value{parse_list(item).front()} : Value{std::string(item)};
}

/// A range of numbers, or of multiples of a word: "median*2^-5:median*2^3:x4".
Value range_in(std::string_view text) {
  const std::string unit(text.substr(0, text.find('*') + 1));  // empty without a star
  std::string numbers(text.substr(unit.size()));
  const std::size_t last = numbers.find(':' + unit);
  if (last == std::string::npos) refuse(fmt::format("'{}' is a range from one unit to another", text));
  numbers.erase(last + 1, unit.size());
  Value::List list;
  for (const double value : parse_list(numbers))
    list.push_back(unit.empty() ? Value{value} : Value{fmt::format("{}{}", unit, value)});
  return {std::move(list)};
}

/// The items between commas.
Value list_in(std::string_view text, Value (*item)(std::string_view)) {
  Value::List list;
  for (std::size_t at = 0;;) {
    const std::size_t comma = text.find(',', at);
    list.push_back(item(text.substr(at, comma - at)));
    if (comma == std::string_view::npos) return {std::move(list)};
    at = comma + 1;
  }
}

Value numbers_in(std::string_view text) {
  return text.find(':') == std::string_view::npos ? list_in(text, item_in) : range_in(text);
}

Value word_in(std::string_view text) {
  return {std::string(text)};
}

Value texts_in(std::string_view text) {
  return {Value::List{{std::string(text)}}};
}

}  // namespace

std::string text_of(const Value& value) {
  return std::visit(Overload{[](std::monostate) -> std::string { return "none"; },
                             [](bool held) -> std::string { return held ? "true" : "false"; },
                             [](const std::string& held) { return held; },
                             [](const Value::List& list) {
                               std::string text;
                               for (const Value& one : list) {
                                 if (!text.empty()) text += ',';
                                 text += text_of(one);
                               }
                               return text;
                             },
                             [](auto number) { return fmt::format("{}", number); }},
                    value.held);
}

Value value_in(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::flag:
      if (text != "true" && text != "false") refuse(fmt::format("'{}' is not true or false", text));
      return {text == "true"};
    case Kind::integer:
    case Kind::number:
      return number_in(text);
    case Kind::numbers:
      return numbers_in(text);
    case Kind::texts:
      return texts_in(text);
    case Kind::words:
      return list_in(text, word_in);
    case Kind::word:
    case Kind::text:
      return word_in(text);
  }
  return {};
}

void Limits::check(double value) const {
  const bool inside = !(least && !(value >= *least)) && !(above && !(value > *above)) && !(most && !(value <= *most)) &&
                      !(below && !(value < *below));
  if (!inside) refuse(fmt::format("{} is not {}", value, text()));
}

std::string Limits::text() const {
  std::vector<std::string> parts;
  if (above && below) return fmt::format("between {} and {}", *above, *below);
  if (least && most) return fmt::format("from {} to {}", *least, *most);
  if (least) parts.push_back(fmt::format("at least {}", *least));
  if (above) parts.push_back(fmt::format("above {}", *above));
  if (most) parts.push_back(fmt::format("at most {}", *most));
  if (below) parts.push_back(fmt::format("below {}", *below));
  return fmt::format("{}", fmt::join(parts, " and "));
}

void refuse_word(std::string_view text, const std::vector<std::string>& allowed) {
  refuse(fmt::format("'{}' is not one of {}{}", text, fmt::join(allowed, ", "), did_you_mean(text, allowed)));
}

void refuse_kind(const Value& value, std::string_view wanted) {
  refuse(fmt::format("'{}' is not {}", text_of(value), wanted));
}

std::int64_t integer_of(const Value& value, std::int64_t least, std::int64_t most) {
  std::int64_t whole = 0;
  if (const auto* held = std::get_if<std::int64_t>(&value.held)) {
    whole = *held;
  } else if (const auto* large = std::get_if<std::uint64_t>(&value.held); large != nullptr && *large <= INT64_MAX) {
    whole = static_cast<std::int64_t>(*large);
  } else if (const auto* number = std::get_if<double>(&value.held);
             number != nullptr && std::abs(*number) < 9e15 && *number == std::floor(*number)) {
    whole = static_cast<std::int64_t>(*number);
  } else {
    refuse_kind(value, "a whole number");
  }
  if (whole < least || whole > most) refuse_kind(value, fmt::format("a whole number from {} to {}", least, most));
  return whole;
}

std::uint64_t unsigned_of(const Value& value, std::uint64_t most) {
  if (const auto* held = std::get_if<std::uint64_t>(&value.held); held != nullptr && *held <= most) return *held;
  const std::int64_t whole = integer_of(value, INT64_MIN, INT64_MAX);
  if (whole < 0 || static_cast<std::uint64_t>(whole) > most) refuse_kind(value, "a whole number from 0 on");
  return static_cast<std::uint64_t>(whole);
}

double number_of(const Value& value) {
  double number = 0;
  if (const auto* held = std::get_if<double>(&value.held))
    number = *held;
  else if (const auto* whole = std::get_if<std::int64_t>(&value.held))
    number = static_cast<double>(*whole);
  else if (const auto* large = std::get_if<std::uint64_t>(&value.held))
    number = static_cast<double>(*large);
  else
    refuse_kind(value, "a number");
  if (!std::isfinite(number)) refuse_kind(value, "a finite number");
  return number;
}

const std::string& string_of(const Value& value) {
  if (const auto* held = std::get_if<std::string>(&value.held)) return *held;
  refuse_kind(value, "a text");
}

Value Conversion<bool>::to(bool value) {
  return {value};
}
bool Conversion<bool>::from(const Value& value) {
  if (const bool* held = std::get_if<bool>(&value.held)) return *held;
  refuse_kind(value, "true or false");
}

Value Conversion<double>::to(double value) {
  return {value};
}
double Conversion<double>::from(const Value& value) {
  return number_of(value);
}

Value Conversion<std::string>::to(const std::string& value) {
  return {value};
}
std::string Conversion<std::string>::from(const Value& value) {
  return string_of(value);
}

void check_limits(const Value& value, const Limits& limits) {
  std::visit(Overload{[](std::monostate) {}, [](bool) {}, [](const std::string&) {},
                      [&](const Value::List& list) {
                        for (const Value& one : list) check_limits(one, limits);
                      },
                      [&](auto number) { limits.check(static_cast<double>(number)); }},
             value.held);
}

void Field::set_text(std::string_view text) const {
  set(value_in(kind, text));
}

std::vector<std::string> problems_of(const std::vector<Field>& fields) {
  std::vector<std::string> problems;
  for (const Field& field : fields) {
    if (!field.get) continue;
    try {
      check_limits(field.get(), field.limits);
    } catch (const Error& error) {
      problems.push_back(fmt::format("{}: {}", field.name, error.sentence()));
    }
  }
  return problems;
}

std::vector<Field> named_fields(std::vector<Field> fields, const std::vector<std::string>& names) {
  std::erase_if(fields, [&](const Field& field) { return std::ranges::find(names, field.name) == names.end(); });
  return fields;
}

const Field* find_field(const std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

}  // namespace credence::core
