#include "report/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::report {

/// The same document in the library that writes it.
struct JsonWriter {
  using Document = nlohmann::ordered_json;

  static Document written(const Json& json) {
    return std::visit([](const auto& value) { return document(value); }, json.value_);
  }
  static Document document(const auto& value) { return Document(value); }
  static Document document(const Json::Array& values) {
    Document array = Document::array();
    for (const Json& value : values) array.push_back(written(value));
    return array;
  }
  static Document document(const Json::Object& members) {
    Document object = Document::object();
    for (const auto& [key, value] : members) object.emplace(key, written(value));
    return object;
  }
};

/// The way back, from the events of the parser: the parser keeps no document of its own.
struct JsonReader : nlohmann::json_sax<nlohmann::ordered_json> {
  static constexpr std::size_t deepest = 100;
  /// A key is looked for among all keys of its object, so their number must not be the file's choice.
  static constexpr std::size_t most_keys = 10'000;

  Json root;
  std::vector<Json*> open;  ///< from the root to the innermost array or object
  std::string key_in_hand;
  std::size_t error_at = 0;
  bool too_deep = false;
  bool too_many_keys = false;

  Json* add(Json value) {
    if (open.empty()) return &(root = std::move(value));
    Json& parent = *open.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &*(parent.end() - 1);
    }
    return &(parent[key_in_hand] = std::move(value));
  }
  bool scalar(Json value) {
    add(std::move(value));
    return true;
  }
  bool enter(Json value) {
    too_deep = open.size() == deepest;
    if (!too_deep) open.push_back(add(std::move(value)));
    return !too_deep;
  }
  bool leave() {
    open.pop_back();
    return true;
  }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return enter(Json::object()); }
  bool key(string_t& value) override {
    key_in_hand = value;
    too_many_keys = open.back()->size() == most_keys;
    return !too_many_keys;
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override { return enter(Json::array()); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error_at = position;
    return false;
  }
};

Json::Json(const core::Value& value) {
  std::visit(core::Overload{[](std::monostate) {}, [this](const core::Value::List& list) { *this = list; },
                            [this](const auto& held) { *this = held; }},
             value.held);
}

Json Json::array() {
  Json json;
  json.value_ = Array();
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object();
  return json;
}

Json& Json::operator[](std::string_view key) {
  if (!is_array() && !is_object()) value_ = Object();
  Object& members = std::get<Object>(value_);
  const auto found = std::ranges::find(members, key, &Object::value_type::first);
  if (found != members.end()) return found->second;
  return members.emplace_back(key, Json()).second;
}

void Json::push_back(Json value) {
  if (!is_array() && !is_object()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(value));
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : std::get<Object>(other.value_)) (*this)[key] = value;
}

std::size_t Json::size() const {
  if (const Array* values = std::get_if<Array>(&value_)) return values->size();
  const Object* members = std::get_if<Object>(&value_);
  return members == nullptr ? 0 : members->size();
}

std::vector<Json>::iterator Json::begin() {
  return std::get<Array>(value_).begin();
}

std::vector<Json>::iterator Json::end() {
  return std::get<Array>(value_).end();
}

const Json* Json::member(std::string_view key) const {
  const Object* members = std::get_if<Object>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, key, &Object::value_type::first);
  return found == members->end() ? nullptr : &found->second;
}

const Json& Json::at(std::string_view key) const {
  static const Json nothing;
  const Json* found = member(key);
  return found == nullptr ? nothing : *found;
}

std::vector<std::string> Json::keys() const {
  std::vector<std::string> keys;
  if (const Object* members = std::get_if<Object>(&value_))
    for (const auto& member : *members) keys.push_back(member.first);
  return keys;
}

std::span<const Json> Json::values() const {
  const Array* values = std::get_if<Array>(&value_);
  return values == nullptr ? std::span<const Json>() : std::span<const Json>(*values);
}

std::optional<double> Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  return std::nullopt;
}

std::optional<bool> Json::flag() const {
  const bool* value = std::get_if<bool>(&value_);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

core::Value Json::option_value() const {
  core::Value value;
  std::visit(core::Overload{[](std::nullptr_t) {}, [](const Object&) { refuse("an object is no value of an option"); },
                            [&](const Array& values) {
                              core::Value::List& list = value.held.emplace<core::Value::List>();
                              for (const Json& one : values) list.push_back(one.option_value());
                            },
                            [&](const auto& held) { value.held = held; }},
             value_);
  return value;
}

std::string json_line(const Json& document) {
  using Document = JsonWriter::Document;
  return JsonWriter::written(document).dump(-1, ' ', false, Document::error_handler_t::replace);
}

Json parse_json(std::string_view text, const std::string& source) {
  JsonReader reader;
  if (nlohmann::ordered_json::sax_parse(text, &reader)) return std::move(reader.root);
  const auto refuse = [&](const std::string& sentence) { throw Error(ErrorCode::format, sentence, {source, 0, ""}); };
  if (text.empty()) refuse("the file is empty");
  if (reader.too_deep) refuse("the text nests lists more than 100 levels deep, as no document of Credence does");
  if (reader.too_many_keys) refuse("an object of the text has more than 10,000 keys, as none of Credence has");
  if (reader.error_at > text.size()) refuse("the text is JSON that ends too early: the file was cut off");
  refuse("the text is not JSON: the first error is at byte " + std::to_string(reader.error_at));
  return {};
}

std::string json_text(const Json& document) {
  using Document = JsonWriter::Document;
  return JsonWriter::written(document).dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace credence::report
