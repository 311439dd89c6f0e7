#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "rvm/dense.hpp"

namespace credence::rvm {

/// The mode of a classifier in its values y = K a, K = Psi Psi', where a = g (Rasmussen and Williams, Gaussian
/// Processes for Machine Learning, algorithm 3.1): Newton steps of N^3 / 3, whatever the number of columns.
class ValueSearch {
 public:
  enum class End { found, stopped, indefinite };

  /// From a = 0. The arguments must outlive it.
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
