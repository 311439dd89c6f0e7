#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Values of a model document: arrays of numbers as byte strings, checked numbers, words of enumerations.
namespace credence::io {

using nlohmann::json;

template <class T>
void reverse_bytes_on_big_endian(T& value) {
  if constexpr (std::endian::native == std::endian::big) {
    auto bytes = std::bit_cast<std::array<unsigned char, sizeof(T)>>(value);
    for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(bytes[i], bytes[sizeof(T) - 1 - i]);
    value = std::bit_cast<T>(bytes);
  }
}

/// Stored is the type in the file, of fixed width; T the type in memory.
template <class Stored, class Numbers>
json pack(const Numbers& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value = static_cast<Stored>(values[i]);
    reverse_bytes_on_big_endian(value);
    std::memcpy(bytes.data() + i * sizeof(Stored), &value, sizeof(Stored));
  }
  return json::binary(std::move(bytes));
}

template <class Stored, class T>
std::vector<T> unpack(const json& object, const char* key) {
  const json& field = object.at(key);
  if (!field.is_binary()) throw std::runtime_error(std::string("field '") + key + "' is not an array of numbers");
  const auto& bytes = field.get_binary();
  if (bytes.size() % sizeof(Stored) != 0) throw std::runtime_error(std::string("field '") + key + "' is cut off");
  std::vector<T> values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    reverse_bytes_on_big_endian(value);
    values[i] = static_cast<T>(value);
  }
  return values;
}

/// A number that is stored exactly. nlohmann's get<double> would also take true for 1, and get<int> any float.
template <class T>
T number(const json& object, const char* key) {
  const json& field = object.at(key);
  bool right = field.is_number();
  if constexpr (std::is_integral_v<T>) {
    right = field.is_number_integer() && (field.is_number_unsigned() ? std::in_range<T>(field.get<std::uint64_t>())
                                                                     : std::in_range<T>(field.get<std::int64_t>()));
  }
  if (!right) throw std::runtime_error(std::string("field '") + key + "' is not a number in its range");
  return field.get<T>();
}

/// @param words  of the enumeration: an array of core::Word
auto from_word(const json& object, const char* field, const auto& words) {
  const auto text = object.at(field).get<std::string>();
  for (const auto& choice : words)
    if (choice.word == text) return choice.value;
  throw std::runtime_error(std::string("field '") + field + "' is '" + text + "', which is not known");
}

}  // namespace credence::io
