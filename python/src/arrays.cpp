#include "arrays.hpp"

#include <memory>

namespace credence::python {

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
