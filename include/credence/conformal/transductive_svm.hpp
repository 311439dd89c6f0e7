#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "credence/conformal/predictor.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/qp/solver.hpp"

namespace credence::conformal {

struct TransductiveSvmOptions {
  double C = 1;           ///< > 0
  kernel::Kernel kernel;  ///< with its gamma; not precomputed
  qp::Options solver;

  std::vector<std::string> validate() const;
};

/// What ranking some rows took.
using TransductiveCost = model::SolverCost;

/// Full conformal prediction with an SVM: for a new x and each class c the machines that c takes part in are solved
/// with (x, c) added, from the training solution, by opening one more box; the strangeness of every example (x, c)
/// included is its margin under the extended machines (measures/margin.hpp), exact to the solver's tolerance.
///
/// Only the machines of c change. If y f(x) >= 1 already, the training solution is the extended one.
/// Margins are compared as finely as the solver can tell them apart: that of a free variable (0 < alpha < C) is 1, as
/// it is at the solution, all others are rounded to multiples of twice the tolerance, counted from 1. So ties of the
/// exact solution are ties whatever the tolerance, and rounding does not set x, which came last, apart from the others.
/// A tolerance of 1e-6 costs little. Where the kernel is not positive definite (sigmoid) the solution may depend on
/// where the solver starts, and nothing is exact.
/// A class without examples has no machines until x is put into it.
/// Memory: the kernel matrix (n^2 floats) if the budget allows it, else cached rows; for each thread O(n machines).
/// Source: Proedrou et al., ECML 2002, section 5.
class TransductiveSvm final : public Machine {
 public:
  /// What it knows: enough to make it again.
  struct State {
    data::Features rows;                    ///< n x d, preprocessed
    std::vector<int> labels;                ///< 0 .. classes - 1
    std::vector<std::vector<double>> beta;  ///< of each machine (svm::machine_layout), n numbers
  };

  /// Trains. Cost: that of svm::train.
  /// @throws Error invalid_argument (options, labels), invalid_data (fewer than two classes that occur), memory,
  ///         interrupted
  TransductiveSvm(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                  const TransductiveSvmOptions& options, const core::Context& context);
  /// As it was when `state()` was taken. Cost: one product of the kernel matrix with each beta.
  /// @throws Error invalid_argument if the parts do not fit together
  TransductiveSvm(State state, std::size_t class_count, const TransductiveSvmOptions& options,
                  const core::Context& context);
  ~TransductiveSvm() override;

  const TransductiveSvmOptions& options() const;
  State state() const;
  std::vector<std::size_t> class_counts() const override;
  /// Whether the training came to the tolerance on all machines; true of a machine made from a state.
  bool converged() const;
  /// Exact but for the sigmoid kernel, which is not positive definite.
  Validity validity() const override;
  std::string description(const model::TrainingRecord& record) const override;
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const override;
  /// The same, with the cost.
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context,
              TransductiveCost& cost) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::conformal
