#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/features.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/rvm/sparse_bayes.hpp"

/// The kernel validity index (Kropotov and others, equation 7) combines the evidence with its stability when the
/// kernels' centres move.
namespace credence::rvm {

struct ValidityOptions {
  bool literal = false;  ///< equation 7 as printed, without (2 pi)^(M/2)
  bool cap = true;       ///< A (equation 6) is at most the range of its feature on the training rows

  static void describe(auto&& field) {
    field("literal", &ValidityOptions::literal,
          core::ForPapers("the validity index as printed in equation 7 (Kropotov et al. 2006), without (2 pi)^(M/2)"));
    field("cap", &ValidityOptions::cap,
          core::ForPapers("limit quantity A of equation 6 (Kropotov et al. 2006) to the range of its feature"));
  }
};

/// Whether kernels of this type have an index. The index needs derivatives with respect to the centre, which rbf,
/// laplacian and polynomial kernels have (src/rvm/derivatives).
bool has_validity(kernel::KernelType type);

struct Validity {
  double log_validity = 0;      ///< log KV: log evidence + stability; literal: minus (M/2) log 2 pi
  double stability = 0;         ///< sum over kernels i of gamma_i sum_j log A_ij
  double effective = 0;         ///< sum over kernels of gamma_i
  std::size_t kernels = 0;      ///< number of kernels retained, without the bias
  std::size_t relevant = 0;     ///< number of retained kernels with gamma > 0.1
  std::size_t capped = 0;       ///< pairs (i, j) whose A met the cap
  std::size_t saddles = 0;      ///< pairs with b <= 0
  data::DenseMatrix slope;      ///< kernels x features: a_ij = d log Q / d z_ij; laplacian: see `kernel_validity`
  data::DenseMatrix curvature;  ///< kernels x features: b_ij = -d^2 log Q / d z_ij^2
  data::DenseMatrix log_A;      ///< kernels x features; 0 for constant features
};

/// Returns the bytes of the dense matrices that an index needs: kernels x features, and a block of rows.
std::size_t validity_memory(kernel::KernelType type, std::size_t rows, std::size_t features, std::size_t kernels);

/// Computes the index of one fit. Weights, alpha and noise are constant while a centre moves:
///
///   log KV = log evidence + sum over kernels i of gamma_i sum_j log A(a_ij, b_ij)
///   a_ij = w_i sum_n g_n dK(x_n, z_i)/dz_ij
///   b_ij = w_i^2 sum_n h_n (dK/dz_ij)^2 - w_i sum_n g_n d^2K/dz_ij^2
///   g_n = dl_n/dy_n,  h_n = -d^2 l_n/dy_n^2
///
/// A laplacian kernel has a kink where a coordinate of a row equals that of the centre. For a laplacian kernel, at a
/// kink or off it, a is the slope in the direction in which log Q falls faster, as a positive number, or 0 if log Q
/// falls in neither direction; b is the curvature on one side.
/// A kernel whose gamma is 0 does not count, nor does a feature that is constant on the rows. The bias (column 0, if
/// `bias` is true) has no centre. If there is no kernel, log KV is the log evidence.
/// @param rows  N training rows, preprocessed  @param centres  one for each column of the basis after the bias
/// @param targets  as for `fit`
/// @throws Error invalid_argument for a kernel without index, or sizes that do not fit; memory if validity_memory is
/// above the budget; invalid_data if a derivative is not finite
/// Cost: N x kernels x features. Sparse rows are laid out dense in blocks of at most 65,536 numbers or 64 rows; the
/// retained centres are laid out dense too.
Validity kernel_validity(const kernel::Kernel& kernel, const data::Features& rows, const data::Features& centres,
                         bool bias, const Posterior& fit, std::span<const double> targets, data::Task task,
                         const ValidityOptions& options, const core::Context& context);

}  // namespace credence::rvm
