#pragma once

#include <vector>

#include "credence/core/context.hpp"
#include "rvm/sparse_bayes/mode.hpp"

namespace credence::rvm {

/// S and Q of all columns of a basis at a mode (Tipping and Faul 2003, equations 24 and 25).
struct Factors {
  std::vector<double> sparsity;  ///< S_m = phi' B phi - |L^-1 Psi' B phi|^2
  std::vector<double> quality;   ///< Q_m = phi' g
  std::vector<double> square;    ///< phi' B phi
};

/// Computes the factors of all columns of the basis, in the model or not. B is that of the mode's factor, which must be
/// at hand, and g that of the present weights. Cost: 2 N A for each column, for A columns in the model.
Factors factors_of(const Basis& basis, const Mode& mode, const core::Context& context);

}  // namespace credence::rvm
