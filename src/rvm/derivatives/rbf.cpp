#include "rvm/derivatives/centre_derivative.hpp"

namespace credence::rvm {

/// K = exp(-gamma |x - z|^2),  D = x_j - z_j:
///   dK/dz_j = 2 gamma D K,  d^2K/dz_j^2 = (4 gamma^2 D^2 - 2 gamma) K
void rbf_slopes(const kernel::Kernel& kernel, const Pair& pair, CentreSlopes& slopes) {
  const double twice = 2 * kernel.gamma;
  const double* x = pair.row.data();
  const double* z = pair.centre.data();
  double* first = slopes.first.data();
  double* second = slopes.second.data();
  for (std::size_t j = 0; j < pair.row.size(); ++j) {
    const double step = twice * (x[j] - z[j]);
    first[j] = step * pair.value;
    second[j] = (step * step - twice) * pair.value;
  }
}

}  // namespace credence::rvm
