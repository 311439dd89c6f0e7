#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "credence/data/features.hpp"

namespace credence::python {

namespace nb = nanobind;

/// C-ordered arrays, read-only ones too.
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::vector<T> vector_of(const Vector<T>& array) {
  return {array.data(), array.data() + array.size()};
}

/// A NumPy array that takes over the values.
template <class T>
nb::object array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.begin(), owner));
}
template <class T>
nb::object array_of(std::vector<T> values) {
  const std::size_t size = values.size();
  return array_of(std::move(values), {size});
}
nb::object array_of(const data::DenseMatrix& matrix);
/// Row numbers as NumPy has them.
nb::object numbers_of(const auto& rows) {
  return array_of(std::vector<std::int64_t>(rows.begin(), rows.end()));
}

inline nb::bytes bytes_of(const std::string& text) {
  return nb::bytes(text.data(), text.size());
}

/// A dict of keys, each in front of its value.
nb::dict dict_of(const auto&... entries) {
  nb::dict dict;
  const auto put = [&](const auto& put_others, const char* key, const auto& value, const auto&... others) {
    dict[key] = value;
    if constexpr (sizeof...(others) > 0) put_others(put_others, others...);
  };
  put(put, entries...);
  return dict;
}

/// The matrix that uses the array's memory and keeps the array alive.
data::DenseMatrix matrix_of(const Matrix& array);

}  // namespace credence::python
