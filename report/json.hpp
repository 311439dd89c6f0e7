#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "credence/core/describe.hpp"

namespace credence::report {

struct JsonMember;

/// A JSON document to be written or read, whose keys keep their order. The library that writes and reads the text is
/// slow to compile; json.cpp alone includes this library.
class Json {
 public:
  Json(std::nullptr_t = nullptr) {}
  template <std::integral Number>
  Json(Number value) : value_(widened(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(const std::string& text) : value_(text) {}
  /// An array.
  template <std::ranges::input_range Range>
    requires(!std::convertible_to<const Range&, std::string_view> && !std::same_as<Range, Json>)
  Json(const Range& values) : Json(array()) {
    for (const auto& value : values) push_back(value);
  }
  /// Null if there is no value.
  template <class Value>
  Json(const std::optional<Value>& value) : Json(value ? Json(*value) : Json(nullptr)) {}
  /// The value of an option.
  Json(const core::Value& value);

  static Json array();
  static Json object();
  /// Json::object("rows"_key = 150, "classes"_key = names)
  template <std::same_as<JsonMember>... Members>
  static Json object(const JsonMember& first, const Members&... others) {
    return object().add(first, others...);
  }
  /// An array of make(value) for each value.
  template <class Range, class Make>
  static Json list(const Range& values, const Make& make) {
    Json json = array();
    for (const auto& value : values) json.push_back(make(value));
    return json;
  }

  /// The same for 0, 1, ..., count - 1.
  static Json list(std::size_t count, const auto& make) { return list(std::views::iota(std::size_t{0}, count), make); }

  /// The value of a key, which is added if the object has none. A null becomes an object.
  Json& operator[](std::string_view key);
  /// Sets members, in this order.
  template <std::same_as<JsonMember>... Members>
  Json& add(const JsonMember& first, const Members&... others);
  /// A null becomes an array.
  void push_back(Json value);
  /// Takes all members of another object.
  void update(const Json& other);
  /// Members of an object or values of an array.
  std::size_t size() const;
  std::vector<Json>::iterator begin();
  std::vector<Json>::iterator end();

  // Reading. A value of another type than the one asked for reads as nothing.

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  /// The value of a key; a null if this is no object or the object has no such key.
  const Json& at(std::string_view key) const;
  std::vector<std::string> keys() const;
  /// The values of an array.
  std::span<const Json> values() const;
  std::optional<double> number() const;
  std::optional<bool> flag() const;
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  bool has(std::string_view key) const { return member(key) != nullptr; }
  /// @throws Error invalid_argument for an object
  core::Value option_value() const;

 private:
  friend struct JsonWriter;
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;

  const Json* member(std::string_view key) const;

  template <std::integral Number>
  static auto widened(Number value) {
    if constexpr (std::same_as<Number, bool>)
      return value;
    else if constexpr (std::is_signed_v<Number>)
      return std::int64_t{value};
    else
      return std::uint64_t{value};
  }

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, Array, Object> value_;
};

struct JsonMember {
  const char* key;
  Json value;
};

/// The name of a member, which takes a value: "rows"_key = 150.
struct JsonKey {
  const char* name;
  JsonMember operator=(Json value) const { return {name, std::move(value)}; }
};
constexpr JsonKey operator""_key(const char* name, std::size_t) {
  return {name};
}

template <std::same_as<JsonMember>... Members>
Json& Json::add(const JsonMember& first, const Members&... others) {
  (*this)[first.key] = first.value;
  (((*this)[others.key] = others.value), ...);
  return *this;
}

/// The document as text, indented, with a newline at its end. Bytes that are not UTF-8 are replaced.
std::string json_text(const Json& document);
/// The document in one line, without the newline.
std::string json_line(const Json& document);

/// @param source  names the text in messages
/// @throws Error format for a text that is not JSON, or whose lists lie more than 100 levels deep
Json parse_json(std::string_view text, const std::string& source);

}  // namespace credence::report
