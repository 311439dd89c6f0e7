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
template <class Method>
concept HasLoss = requires(Method& method) { method.loss = selection::Loss::hard; };
template <class Method>
concept HasEstimation = requires(Method& method) { method.estimation.loss = selection::Loss::hard; };
template <class Method>
concept HasValidation = requires(Method& method) { method.validation.rows = 1; };

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
  std::visit(
      [loss]<class Method>(Method& method) {
        if constexpr (HasLoss<Method>) method.loss = loss;
        if constexpr (HasEstimation<Method>) method.estimation.loss = loss;
      },
      options.method);
}

inline void set_final(selection::Options& options, selection::FinalClassifier final_classifier) {
  std::visit(
      [final_classifier]<class Method>(Method& method) {
        if constexpr (HasEstimation<Method>) method.estimation.final_classifier = final_classifier;
      },
      options.method);
}

inline void set_validation_rows(selection::Options& options, std::size_t rows) {
  std::visit(
      [rows]<class Method>(Method& method) {
        if constexpr (HasValidation<Method>) method.validation.rows = rows;
      },
      options.method);
}

/// Of rademacher and maximal-discrepancy.
inline selection::InSampleOptions& in_sample_of(selection::Options& options) {
  if (auto* rademacher = std::get_if<selection::Rademacher>(&options.method)) return rademacher->in_sample;
  return options.as<selection::MaximalDiscrepancy>().in_sample;
}

}  // namespace credence::test
