#pragma once

#include "credence/rvm/validity.hpp"
#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// The kernel with the largest validity index of its relevance vector machine: see kernel_validity.hpp.
struct KernelValidity {
  static constexpr const char* name = "kernel-validity";
  static constexpr const char* sentence =
      "the kernel whose relevance vector machine is likely and stays so when its centres move";
  static constexpr MethodTraits traits{.relevance = true, .evidence = true, .regression = true};

  /// Folds that leave rows out of the chosen kernel's machine, whose scores become the calibration (none: no
  /// calibration). Where an SVM takes the kernel: folds that choose its C (none: 10).
  std::optional<int> folds{};
  rvm::ValidityOptions index{};
  /// A kernel may win only if its log evidence is above that of the null model by more than this. The null model pays
  /// no penalty for unstable centres, and would win on weak data.
  double null_margin = 0.5;
  bool guard = true;  ///< false: any kernel may win

  static void describe(auto&& field) {
    field("folds", &KernelValidity::folds,
          "folds that leave rows out of the chosen kernel's machine, for intervals and p-values (by default none)",
          core::at_least(2));
    field.part(&KernelValidity::index);
    field("null_margin", &KernelValidity::null_margin,
          "a kernel may win only if its log evidence is above that of the bias alone by this");
    field("guard", &KernelValidity::guard, "only kernels above the null model may win");
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds.value_or(0)); }
  /// What of the options beside these the method cannot have.
  std::vector<std::string> problems(const Options& options) const;
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

/// The kernel whose relevance vector machine has the largest evidence.
struct Evidence {
  static constexpr const char* name = "evidence";
  static constexpr const char* sentence = "the kernel whose relevance vector machine has the largest evidence";
  static constexpr MethodTraits traits{.relevance = true, .evidence = true, .regression = true};

  std::optional<int> folds{};  ///< as KernelValidity::folds

  static void describe(auto&& field) {
    field("folds", &Evidence::folds,
          "folds that leave rows out of the chosen kernel's machine, for intervals and p-values (by default none)",
          core::at_least(2));
  }
  std::size_t resample_count(std::size_t) const { return static_cast<std::size_t>(folds.value_or(0)); }
  Selection select(const data::Dataset& dataset, const Options& options, const core::Context& context) const;
};

}  // namespace credence::selection
