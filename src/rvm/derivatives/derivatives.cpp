#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

namespace {

constexpr std::array<CentreDerivative, 3> registry{{
    {kernel::KernelType::rbf, false, rbf_slopes},
    {kernel::KernelType::laplacian, true, laplacian_slopes},
    {kernel::KernelType::polynomial, false, polynomial_slopes},
}};

}  // namespace

const CentreDerivative* centre_derivative(kernel::KernelType type) {
  const auto* found =
      std::ranges::find_if(registry, [type](const CentreDerivative& entry) { return entry.type == type; });
  return found == registry.end() ? nullptr : found;
}

}  // namespace credence::rvm
