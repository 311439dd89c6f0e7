#include <cmath>

#include "rvm/derivatives/centre_derivative.hpp"

namespace credence::rvm {

/// K = exp(-gamma |x - z|_1) bends with d^2K/dz_j^2 = gamma^2 K everywhere, and
///   dK/dz_j = gamma K  if x_j > z_j,  -gamma K  if x_j < z_j.
/// At x_j = z_j the distance grows to whichever side z_j moves, by s: K exp(-gamma s), a kink with slope -gamma K.
void laplacian_slopes(const kernel::Kernel& kernel, const Pair& pair, CentreSlopes& slopes) {
  const double steep = kernel.gamma * pair.value;
  const double bend = kernel.gamma * steep;
  const double* x = pair.row.data();
  const double* z = pair.centre.data();
  double* first = slopes.first.data();
  double* kink = slopes.kink.data();
  double* second = slopes.second.data();
  for (std::size_t j = 0; j < pair.row.size(); ++j) {
    const double step = x[j] - z[j];
    const double beside = step == 0 ? 0 : steep;
    first[j] = std::copysign(beside, step);
    kink[j] = beside - steep;
    second[j] = bend;
  }
}

}  // namespace credence::rvm
