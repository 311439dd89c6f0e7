#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace credence::report {

/// A JSON document to be written, whose keys keep their order. The library that writes the text is slow to compile;
/// json.cpp alone includes this library.
class Json {
 public:
  Json(std::nullptr_t = nullptr);
  template <std::integral Number>
  Json(Number value) : Json(Scalar(widened(value))) {}
  Json(double value);
  Json(const char* text);
  Json(std::string_view text);
  Json(const std::string& text);
  /// An array.
  template <std::ranges::input_range Range>
    requires(!std::convertible_to<const Range&, std::string_view> && !std::same_as<Range, Json>)
  Json(const Range& values) : Json(array()) {
    for (const auto& value : values) push_back(value);
  }
  /// An object if all values are pairs of a text and a value; otherwise an array.
  Json(std::initializer_list<Json> values);
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  static Json array();
  static Json object();

  /// The value of a key, which is added if the object has none. A null becomes an object.
  Json& operator[](std::string_view key);
  /// A null becomes an array.
  void push_back(Json value);
  /// Takes all members of another object.
  void update(const Json& other);
  /// Members of an object or values of an array.
  std::size_t size() const;
  std::vector<Json>::iterator begin();
  std::vector<Json>::iterator end();

 private:
  friend struct JsonWriter;
  struct Member;
  using Scalar = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string>;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;
  explicit Json(Scalar value);

  template <std::integral Number>
  static auto widened(Number value) {
    if constexpr (std::same_as<Number, bool>)
      return value;
    else if constexpr (std::is_signed_v<Number>)
      return std::int64_t{value};
    else
      return std::uint64_t{value};
  }

  std::variant<Scalar, Array, Object> value_;
};

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The document as text, indented, with a newline at its end. Bytes that are not UTF-8 are replaced.
std::string json_text(const Json& document);

}  // namespace credence::report
