#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "credence/data/features.hpp"

namespace credence::kernel {

enum class KernelType {
  rbf,          ///< exp(-gamma |x - z|^2)
  linear,       ///< x'z
  polynomial,   ///< (gamma x'z + coef0)^degree
  sigmoid,      ///< tanh(gamma x'z + coef0)
  laplacian,    ///< exp(-gamma |x - z|_1)
  precomputed,  ///< the features are the kernel values with the training rows
};

/// A kernel function with numeric parameters.
struct Kernel {
  KernelType type = KernelType::rbf;
  double gamma = 1;  ///< > 0; not used by linear and precomputed
  double coef0 = 0;  ///< polynomial and sigmoid
  int degree = 3;    ///< polynomial; >= 1

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
  bool uses_gamma() const { return type != KernelType::linear && type != KernelType::precomputed; }
};

/// "rbf", "linear", "polynomial", "sigmoid", "laplacian", "precomputed".
std::string_view name(KernelType type);
/// @throws Error invalid_argument, naming what is allowed ("poly" is taken for "polynomial")
KernelType parse_kernel_type(std::string_view text);

/// How gamma may be asked for; the words are resolved on the (preprocessed) training rows.
struct GammaRule {
  enum class Kind { value, scale, automatic, median } kind = Kind::value;
  double value = 1;
};
/// A number > 0, `scale`, `auto` or `median`. @throws Error invalid_argument
GammaRule parse_gamma(std::string_view text);

/// scale: 1 / (d var) with the variance over all entries; automatic: 1 / d; median: 1 / m^2 for rbf, 1 / m for
/// laplacian, where m is the median distance (Euclidean, Manhattan) over pairs of rows (all pairs up to 1,000 rows,
/// else those among 1,000 evenly spaced rows).
/// @throws Error invalid_data if the rule has no finite positive value on these rows
double resolve_gamma(const GammaRule& rule, KernelType type, const data::Features& features);

/// K(a_i, b_j) in double, a.rows() x b.rows(), row-major. Cost: a.rows() b.rows() d SIMD steps.
/// @throws Error invalid_argument for precomputed kernels, whose values are the features themselves
data::DenseMatrix kernel_block(const Kernel& kernel, const data::Features& a, const data::Features& b);

/// The SIMD target in use on this machine ("AVX3", "AVX2", "NEON", ...).
std::string simd_target();

}  // namespace credence::kernel
