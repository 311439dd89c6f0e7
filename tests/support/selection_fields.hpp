#pragma once

#include <concepts>
#include <cstddef>
#include <variant>

#include "credence/selection/options.hpp"

/// Options that several methods have, for tests that run more than one method. A method that does not have the option
/// stays as it is.
namespace credence::test {

template <class Method>
concept HasFolds = requires(Method& method) { method.folds = 2; };
inline void set_folds(selection::Options& options, int folds) {
  std::visit(
      [folds]<class Method>(Method& method) {
        if constexpr (HasFolds<Method>) method.folds = folds;
      },
      options.method);
}

inline int folds_of(const selection::Options& options) {
  return std::visit(
      []<class Method>(const Method& method) {
        if constexpr (requires { method.folds.value(); })
          return method.folds.value_or(10);
        else if constexpr (requires { method.folds; })
          return method.folds;
        else
          return 10;
      },
      options.method);
}

inline void set_resamples(selection::Options& options, int resamples) {
  if (auto* bootstrap = std::get_if<selection::Bootstrap>(&options.method)) bootstrap->resamples = resamples;
}

inline void set_loss(selection::Options& options, selection::Loss loss) {
  if (options.looks_at("loss")) options.loss = loss;
}

inline void set_final(selection::Options& options, selection::FinalClassifier final_classifier) {
  if (options.looks_at("final")) options.final_classifier = final_classifier;
}

inline void set_validation_rows(selection::Options& options, std::size_t rows) {
  if (options.looks_at("validation")) options.validation_rows = rows;
}

}  // namespace credence::test
