#include "report/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace credence::report {

struct Json::Member {
  std::string key;
  Json value;
};

/// The same document in the library that writes it.
struct JsonWriter {
  using Document = nlohmann::ordered_json;

  static Document written(const Json& json) {
    return std::visit([](const auto& value) { return document(value); }, json.value_);
  }
  static Document document(const Json::Scalar& scalar) {
    return std::visit([](const auto& value) { return Document(value); }, scalar);
  }
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

Json::Json(Scalar value) : value_(std::move(value)) {}
Json::Json(std::nullptr_t) : Json(Scalar(nullptr)) {}
Json::Json(double value) : Json(Scalar(value)) {}
Json::Json(const char* text) : Json(Scalar(std::string(text))) {}
Json::Json(std::string_view text) : Json(Scalar(std::string(text))) {}
Json::Json(const std::string& text) : Json(Scalar(text)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> values) : value_(Array(values)) {
  const auto key_of = [](const Json& value) -> const std::string* {
    const Array* pair = std::get_if<Array>(&value.value_);
    if (pair == nullptr || pair->size() != 2) return nullptr;
    const Scalar* key = std::get_if<Scalar>(&pair->front().value_);
    return key == nullptr ? nullptr : std::get_if<std::string>(key);
  };
  if (!std::ranges::all_of(values, key_of)) return;
  Object members;
  for (const Json& value : values) members.push_back({*key_of(value), std::get<Array>(value.value_)[1]});
  value_ = std::move(members);
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
  if (std::holds_alternative<Scalar>(value_)) value_ = Object();
  Object& members = std::get<Object>(value_);
  const auto found = std::ranges::find(members, key, &Member::key);
  if (found != members.end()) return found->value;
  return members.emplace_back(std::string(key), Json()).value;
}

void Json::push_back(Json value) {
  if (std::holds_alternative<Scalar>(value_)) value_ = Array();
  std::get<Array>(value_).push_back(std::move(value));
}

void Json::update(const Json& other) {
  for (const Member& member : std::get<Object>(other.value_)) (*this)[member.key] = member.value;
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

std::string json_text(const Json& document) {
  using Document = JsonWriter::Document;
  return JsonWriter::written(document).dump(2, ' ', false, Document::error_handler_t::replace) + "\n";
}

}  // namespace credence::report
