#include <algorithm>
#include <vector>

#include "blas/calls.hpp"
#include "credence/kernel/gram.hpp"

namespace credence::kernel {

bool is_positive_semidefinite(const data::DenseMatrix& values) {
  constexpr double rounding = 1e-6;
  double largest = 0;
  for (std::size_t i = 0; i < values.rows; ++i) largest = std::max(largest, values.row(i)[i]);
  std::vector<double> factor(values.values.begin(), values.values.end());
  for (std::size_t i = 0; i < values.rows; ++i) factor[i * values.rows + i] += rounding * largest;
  const auto size = blas::size(values.rows);
  blasint info = 0;
  blas::potrf("L", &size, factor.data(), &size, &info);
  // A matrix of zeros has a feature space too: the point 0.
  return info == 0 || std::all_of(values.values.begin(), values.values.end(), [](double value) { return value == 0; });
}

}  // namespace credence::kernel
