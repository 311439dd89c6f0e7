#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "options.hpp"

namespace credence::python {

namespace {

using core::Kind;
using core::Value;

bool is_list(Kind kind) {
  return kind == Kind::numbers || kind == Kind::texts || kind == Kind::words;
}

[[noreturn]] void refuse_object(nb::handle object) {
  refuse(std::string("an option cannot be made of ") + nb::cast<std::string>(nb::repr(object)));
}

/// One value; numbers of NumPy answer to __index__ or __float__.
Value scalar_of(nb::handle object) {
  if (object.is_none()) return {};
  if (PyBool_Check(object.ptr()) != 0) return {nb::cast<bool>(object)};
  if (nb::isinstance<nb::str>(object)) return {nb::cast<std::string>(object)};
  if (nb::hasattr(object, "dtype") && nb::cast<std::string>(object.attr("dtype").attr("kind")) == "b")
    return {nb::cast<bool>(nb::bool_(nb::borrow(object)))};
  if (PyIndex_Check(object.ptr()) != 0) {
    const nb::int_ number(nb::borrow(object));
    if (nb::cast<bool>(nb::module_::import_("operator").attr("lt")(number, 0))) return {nb::cast<std::int64_t>(number)};
    return {nb::cast<std::uint64_t>(number)};
  }
  if (nb::hasattr(object, "__float__")) return {nb::cast<double>(nb::float_(nb::borrow(object)))};
  refuse_object(object);
}

bool is_sequence(nb::handle object) {
  return !nb::isinstance<nb::str>(object) && nb::hasattr(object, "__iter__") &&
         (!nb::hasattr(object, "ndim") || nb::cast<int>(object.attr("ndim")) > 0);
}

/// name:weight of each class, the factors of a dict.
Value weights_of(const nb::dict& weights) {
  Value::List list;
  for (const auto& [name, weight] : weights)
    list.push_back({nb::cast<std::string>(nb::str(name)) + ":" + nb::cast<std::string>(nb::str(weight))});
  return {std::move(list)};
}

/// A whole number stands for a number of any kind.
Value number_for(Kind kind, Value value) {
  if (kind != Kind::number) return value;
  if (const auto* whole = std::get_if<std::int64_t>(&value.held)) return {static_cast<double>(*whole)};
  if (const auto* whole = std::get_if<std::uint64_t>(&value.held)) return {static_cast<double>(*whole)};
  return value;
}

}  // namespace

nb::object to_python(const Value& value) {
  return std::visit(core::Overload{[](std::monostate) -> nb::object { return nb::none(); },
                                   [](bool held) -> nb::object { return nb::bool_(held); },
                                   [](std::int64_t held) -> nb::object { return nb::int_(held); },
                                   [](std::uint64_t held) -> nb::object { return nb::int_(held); },
                                   [](double held) -> nb::object { return nb::float_(held); },
                                   [](const std::string& held) -> nb::object { return nb::cast(held); },
                                   [](const Value::List& held) -> nb::object {
                                     nb::list list;
                                     for (const Value& one : held) list.append(to_python(one));
                                     return nb::object(list);
                                   }},
                    value.held);
}

Value from_python(const core::Field& field, nb::handle object) {
  if (!field.implied.is_none() && field.kind != Kind::flag && nb::isinstance<nb::bool_>(object))
    return nb::cast<bool>(object) ? field.implied : field.optional ? Value{} : Value{std::string("no")};
  if (!field.words.empty() && nb::isinstance<nb::bool_>(object))
    refuse(fmt::format("write one of '{}', not {}", fmt::join(field.words, "', '"),
                       nb::cast<std::string>(nb::str(object))));
  if (nb::isinstance<nb::dict>(object)) return weights_of(nb::borrow<nb::dict>(object));
  if (is_sequence(object)) {
    Value::List list;
    for (const nb::handle one : object) list.push_back(scalar_of(one));
    if (list.empty() && field.kind != Kind::texts) refuse("an empty list names no value; None takes the default");
    return {std::move(list)};
  }
  Value value = number_for(field.kind, scalar_of(object));
  const auto* text = std::get_if<std::string>(&value.held);
  if (text != nullptr && field.kind != Kind::text && field.kind != Kind::word) return core::value_in(field.kind, *text);
  if (is_list(field.kind) && !value.is_none()) return {Value::List{std::move(value)}};
  return value;
}

nb::dict description_of(const core::Field& field) {
  static constexpr const char* kinds[] = {"flag", "integer", "number", "word", "text", "numbers", "texts", "words"};
  return dict_of("name", field.name, "sentence", field.sentence, "kind", kinds[static_cast<int>(field.kind)], "words",
                 field.words, "allowed", field.limits.text(), "optional", field.optional, "implied",
                 to_python(field.implied), "default", field.get ? to_python(field.get()) : nb::none());
}

nb::object array_of(const data::DenseMatrix& matrix) {
  return array_of(std::vector<double>(matrix.values.begin(), matrix.values.end()), {matrix.rows, matrix.columns});
}

data::DenseMatrix matrix_of(const Matrix& array) {
  // Whoever lets go of the memory last may be a thread without the interpreter's lock.
  const std::shared_ptr<const void> owner(new Matrix(array), [](const Matrix* kept) {
    const nb::gil_scoped_acquire held;
    delete kept;
  });
  return data::DenseMatrix::borrowed(array.data(), array.shape(0), array.shape(1), owner);
}

}  // namespace credence::python
