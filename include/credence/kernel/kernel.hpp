#pragma once

#include <array>
#include <cstddef>
#include <span>
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
  precomputed,  ///< the features are kernel values with the training rows
};

/// Whether the kernel is exp(-gamma times a distance, or its square): 1 for equal rows, and near 0 far away.
constexpr bool falls_with_distance(KernelType type) {
  return type == KernelType::rbf || type == KernelType::laplacian;
}

/// The word of each kernel type.
constexpr auto words_of(KernelType) {
  return std::array{core::Word{"rbf", KernelType::rbf},
                    core::Word{"linear", KernelType::linear},
                    core::Word{"polynomial", KernelType::polynomial},
                    core::Word{"sigmoid", KernelType::sigmoid},
                    core::Word{"laplacian", KernelType::laplacian},
                    core::Word{"precomputed", KernelType::precomputed}};
}

struct Kernel;

/// A kernel function without its gamma. The caller chooses gamma or resolves a rule on rows.
struct Shape {
  KernelType type = KernelType::rbf;
  double coef0 = 0;  ///< polynomial and sigmoid
  int degree = 3;    ///< polynomial; >= 1

  /// Returns the kernel function with a gamma. A type without gamma takes the default.
  Kernel with(double gamma = 1) const;
  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;
  bool uses_gamma() const { return type != KernelType::linear && type != KernelType::precomputed; }

  static void describe(auto&& field) {
    field("kernel", &Shape::type, "the kernel function");
    field("degree", &Shape::degree, "degree of the polynomial kernel", core::from_to(1, 1000));
    field("coef0", &Shape::coef0, "constant of the polynomial and sigmoid kernels");
  }
};

/// A kernel function with numeric parameters.
struct Kernel {
  KernelType type = KernelType::rbf;
  double gamma = 1;  ///< > 0; linear and precomputed kernels ignore it
  double coef0 = 0;  ///< polynomial and sigmoid
  int degree = 3;    ///< polynomial; >= 1

  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;
  Shape shape() const { return {type, coef0, degree}; }
  bool uses_gamma() const { return shape().uses_gamma(); }
};

/// Returns the word of a kernel type.
std::string_view name(KernelType type);
/// Accepts the words of `name`, and "poly" for "polynomial". @throws Error invalid_argument that names the words
KernelType parse_kernel_type(std::string_view text);

/// A value of gamma, or a rule that finds one on the preprocessed training rows.
struct GammaRule {
  enum class Kind { value, scale, automatic, median } kind = Kind::value;
  double value = 1;  ///< of Kind::median: c of `median*c`
  bool is_word() const { return kind != Kind::value; }
  bool operator==(const GammaRule&) const = default;
};
/// Accepts a number > 0, `scale`, `auto`, `median` or a multiple: `median*0.5`, `median*2^-3`.
/// @throws Error invalid_argument
GammaRule parse_gamma(std::string_view text);
/// Rules in a list: numbers and multiples of the median as core::parse_list takes them (`median*2^-5:median*2^3:x4`),
/// or numbers and words with commas between.
/// @throws Error invalid_argument
std::vector<GammaRule> parse_gammas(std::string_view text);

/// Returns the gamma of a rule. scale: 1 / (d var), of laplacian 1 / (d sd), where var is the variance over all entries
/// and sd its root; automatic: 1 / d; `median*c`: c / m^2 for rbf and c / m for laplacian, where m is the median
/// distance (Euclidean or Manhattan) over pairs of rows. Up to 1,000 rows all pairs count, beyond that the pairs among
/// 1,000 evenly spaced rows.
///
/// A row of weight w counts as w equal rows that follow each other. For the median, two rows of weights w and v make
/// w v pairs, and a row of weight w > 1 makes w (w - 1) / 2 pairs with itself, of distance 0. If the weights sum to
/// more than 1,000, or there are more rows, the 1,000 rows are those at evenly spaced points of the summed weights.
/// @param weights  of the rows, above 0; empty if all are 1
/// @throws Error invalid_data if the rule has no finite positive value on these rows
double resolve_gamma(const GammaRule& rule, KernelType type, const data::Features& features,
                     std::span<const double> weights = {});
/// Returns the gamma of each rule. The variance and the median distance are computed once for all rules.
std::vector<double> resolve_gammas(std::span<const GammaRule> rules, KernelType type, const data::Features& features,
                                   std::span<const double> weights = {});

/// Computes K(a_i, b_j) in double: a.rows() x b.rows() values, row-major. Cost: a.rows() b.rows() d SIMD steps.
/// @throws Error invalid_argument for precomputed kernels, whose values are the features themselves
data::DenseMatrix kernel_block(const Kernel& kernel, const data::Features& a, const data::Features& b);

/// Returns the SIMD target that this computer uses ("AVX3", "AVX2", "NEON", ...).
std::string simd_target();

}  // namespace credence::kernel

template <>
struct credence::core::Conversion<credence::kernel::KernelType> {
  static constexpr Kind kind = Kind::word;
  static Value to(kernel::KernelType type);
  static kernel::KernelType from(const Value& value);
};

/// A gamma is a number, or one of the words.
template <>
struct credence::core::Conversion<credence::kernel::GammaRule> {
  static constexpr Kind kind = Kind::numbers;
  static Value to(const kernel::GammaRule& rule);
  static kernel::GammaRule from(const Value& value);
};
