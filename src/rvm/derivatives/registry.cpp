#include <algorithm>
#include <array>

#include "rvm/derivatives/centre_derivative.hpp"

namespace credence::rvm {
namespace {

constexpr std::array<CentreDerivative, 3> registry{{
    {kernel::KernelType::rbf, false, rbf_slopes},
    {kernel::KernelType::laplacian, true, laplacian_slopes},
    {kernel::KernelType::polynomial, false, polynomial_slopes},
}};

}  // namespace

const CentreDerivative* centre_derivative(kernel::KernelType type) {
  const auto* found = std::find_if(registry.begin(), registry.end(),
                                   [type](const CentreDerivative& entry) { return entry.type == type; });
  return found == registry.end() ? nullptr : found;
}

}  // namespace credence::rvm
