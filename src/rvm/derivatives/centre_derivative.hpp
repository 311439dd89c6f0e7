#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/kernel/kernel.hpp"

/// How the value K(x, z) of a kernel changes when its centre z moves. A new kernel has one function of the
/// kind declared below and its line in the table, both in derivatives.cpp.
namespace credence::rvm {

/// A row, a centre, and the kernel's value there.
struct Pair {
  std::span<const double> row;
  std::span<const double> centre;
  double value = 0;
};

/// Derivatives with respect to each coordinate of the centre. When z_j moves by s to the side e = +1 or -1, K changes
/// by (e first_j + kink_j) s + second_j s^2 / 2 + ..., and one of first_j and kink_j is 0: where K has no kink,
/// first_j = dK/dz_j.
struct CentreSlopes {
  explicit CentreSlopes(std::size_t d) : first(d), kink(d), second(d) {}
  std::vector<double> first;
  std::vector<double> kink;    ///< 0 at the call; smooth kernels leave it alone
  std::vector<double> second;  ///< d^2K/dz_j^2, at a kink that of either side
};

struct CentreDerivative {
  kernel::KernelType type;
  bool kinks;  ///< whether any kink_j is ever not 0
  void (*slopes)(const kernel::Kernel&, const Pair&, CentreSlopes&);
};

void rbf_slopes(const kernel::Kernel& kernel, const Pair& pair, CentreSlopes& slopes);
void laplacian_slopes(const kernel::Kernel& kernel, const Pair& pair, CentreSlopes& slopes);
void polynomial_slopes(const kernel::Kernel& kernel, const Pair& pair, CentreSlopes& slopes);

/// Null for kernels that have none.
const CentreDerivative* centre_derivative(kernel::KernelType type);

}  // namespace credence::rvm
