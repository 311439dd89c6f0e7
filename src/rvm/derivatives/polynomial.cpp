#include <cmath>
#include <numeric>

#include "rvm/derivatives/centre_derivative.hpp"

namespace credence::rvm {

/// K = u^p,  u = gamma x'z + coef0:
///   dK/dz_j = p gamma u^(p-1) x_j,  d^2K/dz_j^2 = p (p-1) gamma^2 u^(p-2) x_j^2
void polynomial_slopes(const kernel::Kernel& kernel, const Pair& pair, CentreSlopes& slopes) {
  const int p = kernel.degree;
  const double u =
      kernel.gamma * std::inner_product(pair.row.begin(), pair.row.end(), pair.centre.begin(), 0.0) + kernel.coef0;
  const double steep = p * kernel.gamma * std::pow(u, p - 1);
  const double bend = p < 2 ? 0 : p * (p - 1.0) * kernel.gamma * kernel.gamma * std::pow(u, p - 2);  // no 0 * 0^-1
  const double* x = pair.row.data();
  double* first = slopes.first.data();
  double* second = slopes.second.data();
  for (std::size_t j = 0; j < pair.row.size(); ++j) {
    first[j] = steep * x[j];
    second[j] = bend * x[j] * x[j];
  }
}

}  // namespace credence::rvm
