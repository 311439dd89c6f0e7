#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/core/describe.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/model/classifier_family.hpp"
#include "credence/model/predictor.hpp"
#include "io/kinds/document_values.hpp"
#include "io/kinds/row_table.hpp"

/// The parts that documents of every kind are made of. Readers throw nlohmann::json::exception | std::runtime_error
/// with what is missing or of the wrong type; they check types, names, and that tables have the size they say.
/// Checks of the parts of a predictor that came from a file: what is wrong, or nothing.
/// The classifiers of a family predictor or of a conformal one.
namespace credence::io {

/// Schema, missing values, preprocessing, record, and the calibration if there is one.
/// @param rows  where the machines of the predictor write and read their rows; nullptr: each has its own
void put_predictor(nlohmann::json& document, const model::Predictor& predictor, WrittenRows* rows = nullptr);
void read_predictor(const nlohmann::json& document, model::Predictor& predictor, const ReadRows* rows = nullptr);

/// The members of an ensemble, or the fold models of a model.
/// @param model  the document of the predictor so far: a part whose preprocessing is that of the model refers to it
nlohmann::json members_to_json(const model::Members& members, const nlohmann::json& model, WrittenRows* rows);
model::Members members_from(const nlohmann::json& document, const model::Predictor& model, const ReadRows* rows);

/// The documents of parts that are more than a list of fields, and the inverse.
/// @param rows  takes the rows of dense features, whose document then has their places; nullptr: the document has all
json document_of(const data::Features& features, WrittenRows* rows = nullptr);
json document_of(const data::DenseMatrix& matrix);
json document_of(const data::Preprocessing& preprocessing);
json document_of(const kernel::Kernel& kernel);
void read_part(const json& document, data::Features& features, const ReadRows* rows = nullptr);
void read_part(const json& document, data::DenseMatrix& matrix);
void read_part(const json& document, data::Preprocessing& preprocessing);
void read_part(const json& document, kernel::Kernel& kernel);

/// The parameter of `fields`: a Wanted that is read, or a constant one that is written.
template <class T, class Wanted>
concept As = std::same_as<std::remove_const_t<T>, Wanted>;
/// Numbers that the document has as bytes.
template <class T>
concept Packed = !As<T, std::string> && requires(const T& list) {
  list.size();
  requires std::is_arithmetic_v<typename T::value_type>;
};
/// The type in the file of a number of such a list.
template <Packed T>
using Stored = std::conditional_t<As<typename T::value_type, std::size_t>, std::uint64_t, typename T::value_type>;

/// Writes an object as a document. `fields(way, object)` names the fields of a type, once for writing and reading:
/// `way` is a DocumentWriter and the object constant, or it is a DocumentReader.
class DocumentWriter {
 public:
  explicit DocumentWriter(WrittenRows* rows = nullptr) : rows_(rows) {}

  void operator()(const char* key, const auto& value, const auto&... others) {
    document[key] = written(value);
    if constexpr (sizeof...(others) > 0) (*this)(others...);
  }
  /// Fields that the document lacks where their value is none.
  void some(const char* key, const auto& value, const auto&... others) {
    if (!is_none(value)) document[key] = written(value);
    if constexpr (sizeof...(others) > 0) some(others...);
  }
  /// Rows that other parts of the document may have, too.
  void shared(const char* key, const data::Features& rows) { document[key] = document_of(rows, rows_); }
  void word(const char* key, auto value, const auto& words) {
    for (const auto& choice : words)
      if (choice.value == value) document[key] = choice.word;
  }

  template <class T>
  json written(const T& value) const {
    if constexpr (requires { document_of(value); })
      return document_of(value);
    else if constexpr (requires { document_of(value, rows_); })
      return document_of(value, rows_);
    else if constexpr (Packed<T>)
      return pack<Stored<T>>(value);
    else if constexpr (core::Worded<T>)
      return core::word(value);
    else if constexpr (requires { value.has_value(); })
      return written(*value);
    else if constexpr (requires(DocumentWriter& way) { fields(way, value); })
      return object_of(value, rows_);
    else if constexpr (requires { value.empty(); } && !As<T, std::string> && !As<T, std::vector<std::string>>)
      return list_of(value);
    else
      return value;
  }

  json document = json::object();

 private:
  json list_of(const auto& values) const {
    json list = json::array();
    for (const auto& one : values) list.push_back(written(one));
    return list;
  }
  template <class T>
  static bool is_none(const T& value) {
    if constexpr (requires { value.has_value(); })
      return !value.has_value();
    else if constexpr (requires { value.empty(); })
      return value.empty();
    else if constexpr (As<T, data::DenseMatrix>)
      return value.rows == 0;
    else
      return value == T{};
  }

  WrittenRows* rows_;
};

json object_of(const auto& object, WrittenRows* rows = nullptr) {
  DocumentWriter way(rows);
  fields(way, object);
  return std::move(way.document);
}

/// The inverse of DocumentWriter.
class DocumentReader {
 public:
  explicit DocumentReader(const json& document, const ReadRows* rows = nullptr) : document_(document), rows_(rows) {}

  void operator()(const char* key, auto& value, auto&&... others) const {
    read(key, value);
    if constexpr (sizeof...(others) > 0) (*this)(others...);
  }
  void some(const char* key, auto& value, auto&&... others) const {
    if (document_.contains(key)) read(key, value);
    if constexpr (sizeof...(others) > 0) some(others...);
  }
  void shared(const char* key, data::Features& rows) const { read_part(document_.at(key), rows, rows_); }
  void word(const char* key, auto& value, const auto& words) const { value = from_word(document_, key, words); }

 private:
  template <class T>
  void read(const char* key, T& value) const {
    const json& field = document_.at(key);
    if constexpr (requires { read_part(field, value); })
      read_part(field, value);
    else if constexpr (requires { read_part(field, value, rows_); })
      read_part(field, value, rows_);
    else if constexpr (Packed<T>)
      value = unpack<Stored<T>, typename T::value_type>(document_, key);
    else if constexpr (core::Worded<T>)
      value = from_word(document_, key, words_of(T{}));
    else if constexpr (std::is_arithmetic_v<T> && !As<T, bool>)
      value = number<T>(document_, key);
    else if constexpr (requires { value.emplace(); })
      read(key, value.emplace());
    else if constexpr (requires(const DocumentReader& way) { fields(way, value); })
      fields(DocumentReader(field, rows_), value);
    else if constexpr (requires { fields(*this, value.emplace_back()); })
      for (const json& one : field) fields(DocumentReader(one, rows_), value.emplace_back());
    else if constexpr (requires { requires Packed<typename T::value_type>; })
      for (const json& one : field) DocumentReader(json{{key, one}}).read(key, value.emplace_back());
    else
      field.get_to(value);
  }
  const json& document_;
  const ReadRows* rows_;
};

bool all_finite(std::span<const double> values);

/// A preprocessing of the columns of a predictor.
std::string check_preprocessing(const data::Preprocessing& preprocessing, const std::vector<data::Column>& columns);
/// Members of an ensemble, or fold models of a model.
std::string check_members(const model::Members& members, const model::Predictor& predictor);
/// Schema, preprocessing, fold models and calibration.
std::string check_predictor(const model::Predictor& predictor);

/// The region of the feature space of each of so many rows. @param parts  of the model: 0 if its machine is one for all
std::string check_region_numbers(std::span<const int> region, std::size_t rows, std::size_t regions);

std::string check_kernel(const kernel::Kernel& kernel);

/// Preprocessed rows: so many, each of so many columns, with sound indices and finite values.
std::string check_features(const data::Features& features, std::size_t rows, std::size_t columns);

/// Support vectors, which are columns of the preprocessed rows if the kernel is precomputed.
std::string check_support_vectors(const kernel::Kernel& kernel, const data::Features& vectors,
                                  const std::vector<std::size_t>& support_rows, std::size_t columns);

/// Calls `use` with the object as the one of these types that it has.
/// @return false if it has none of them
template <class... Types, class Base, class Use>
bool visit_as(const Base& object, Use use) {
  const auto attempt = [&](const auto* typed) {
    if (typed != nullptr) use(*typed);
    return typed != nullptr;
  };
  return (attempt(dynamic_cast<const Types*>(&object)) || ...);
}

/// @param rows  as document_parts.hpp has it
/// @throws Error invalid_argument for none, or classifiers of a type that files do not know
nlohmann::json classifiers_to_json(const model::ClassifierFamily* family, WrittenRows* rows = nullptr);
/// The inverse. @throws as the readers of document_parts.hpp
std::shared_ptr<const model::ClassifierFamily> classifiers_from(const nlohmann::json& document,
                                                                const ReadRows* rows = nullptr);
/// What is wrong with classifiers over so many preprocessed columns; empty if nothing.
std::string check_classifiers(const model::ClassifierFamily& family, std::size_t classes, std::size_t columns);

}  // namespace credence::io
