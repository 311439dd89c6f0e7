#include "arrays.hpp"

namespace credence::python {

nb::object array_of(const data::DenseMatrix& matrix) {
  return array_of(std::vector<double>(matrix.values.begin(), matrix.values.end()), {matrix.rows, matrix.columns});
}

data::DenseMatrix matrix_of(const Matrix& array) {
  data::DenseMatrix matrix(array.shape(0), array.shape(1));
  matrix.values.assign(array.data(), array.data() + array.size());
  return matrix;
}

}  // namespace credence::python
