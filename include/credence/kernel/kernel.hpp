#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/describe.hpp"
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

/// A kernel type is known by this word.
constexpr auto words_of(KernelType) {
  return std::array{core::Word{"rbf", KernelType::rbf},
                    core::Word{"linear", KernelType::linear},
                    core::Word{"polynomial", KernelType::polynomial},
                    core::Word{"sigmoid", KernelType::sigmoid},
                    core::Word{"laplacian", KernelType::laplacian},
                    core::Word{"precomputed", KernelType::precomputed}};
}

struct Kernel;

/// A kernel function but for its gamma, which is chosen, or resolved on rows.
struct Shape {
  KernelType type = KernelType::rbf;
  double coef0 = 0;  ///< polynomial and sigmoid
  int degree = 3;    ///< polynomial; >= 1

  /// The kernel function with that gamma; 1 where the type has none.
  Kernel with(double gamma = 1) const;
  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
  bool uses_gamma() const { return type != KernelType::linear && type != KernelType::precomputed; }

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("kernel", &Shape::type, "the kernel function");
    field("degree", &Shape::degree, "degree of the polynomial kernel", core::from_to(1, 1000));
    field("coef0", &Shape::coef0, "constant of the polynomial and sigmoid kernels");
  }
};

/// A kernel function with numeric parameters.
struct Kernel {
  KernelType type = KernelType::rbf;
  double gamma = 1;  ///< > 0; not used by linear and precomputed
  double coef0 = 0;  ///< polynomial and sigmoid
  int degree = 3;    ///< polynomial; >= 1

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
  Shape shape() const { return {type, coef0, degree}; }
  bool uses_gamma() const { return shape().uses_gamma(); }
};

/// The word of a kernel type.
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
/// Rules in a list: numbers as core::parse_list takes them, or numbers and words with commas between.
/// @throws Error invalid_argument
std::vector<GammaRule> parse_gammas(std::string_view text);

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

template <>
struct credence::core::Conversion<credence::kernel::KernelType> {
  static constexpr Kind kind = Kind::word;
  static Value to(kernel::KernelType type) { return {std::string(kernel::name(type))}; }
  static kernel::KernelType from(const Value& value) { return kernel::parse_kernel_type(string_of(value)); }
};

/// A gamma is a number, or one of the words.
template <>
struct credence::core::Conversion<credence::kernel::GammaRule> {
  static constexpr Kind kind = Kind::numbers;
  static Value to(const kernel::GammaRule& rule);
  static kernel::GammaRule from(const Value& value);
};
