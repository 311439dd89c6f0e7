#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "rvm/sparse_bayes/dense.hpp"

namespace credence::rvm {

/// Finds the mode of a classifier over its values y = K a with K = Psi Psi'; at the mode a = g (Rasmussen and Williams,
/// Gaussian Processes for Machine Learning, algorithm 3.1). A Newton step costs N^3 / 3 for any number of columns.
class ValueSearch {
 public:
  enum class End { found, stopped, indefinite };

  /// Starts at a = 0. The arguments must outlive the object.
  /// @param covariance  K, its lower triangle  @param targets  0 or 1
  ValueSearch(const Triangle& covariance, std::span<const double> targets, const core::Context& context);

  End run(double tolerance, int most_steps);
  const std::vector<double>& duals() const { return duals_; }
  std::uint64_t steps() const { return steps_; }

 private:
  struct Step {
    std::vector<double> duals;   ///< change of a
    std::vector<double> values;  ///< change of y
    double decrement = 0;
  };

  bool newton_step(Step& step);
  bool step_along(const Step& step);
  double objective(std::span<const double> values, std::span<const double> duals) const;
  std::vector<double> times_covariance(std::span<const double> x) const;

  const Triangle& covariance_;
  std::span<const double> targets_;
  const core::Context& context_;
  std::vector<double> duals_;
  std::vector<double> values_;
  Triangle inner_;  ///< I + B^1/2 K B^1/2
  std::uint64_t steps_ = 0;
};

}  // namespace credence::rvm
