#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// The work of ranking some rows.
using TransductiveCost = model::SolverCost;

/// Full conformal prediction with an SVM. For a new x and each class c, the binary SVMs that c takes part in are solved
/// with (x, c) added: from the training solution, with one more variable. The nonconformity score of every example, (x,
/// c) included, is its margin_nonconformity under the extended binary SVMs, exact to the solver's tolerance.
///
/// Only the binary SVMs of c change. If y f(x) >= 1 already, the training solution is the extended solution.
/// Decision values are compared as finely as the solver can tell them apart. A free variable (0 < alpha < C) has y f =
/// 1, as at the solution; all other y f are rounded to multiples of twice the tolerance, counted from 1. So ties of the
/// exact solution are ties at every tolerance, and rounding treats x, which came last, as it treats the other examples.
/// A tolerance of 1e-6 costs little. If the kernel is not positive definite (sigmoid), the solution may depend on where
/// the solver starts, and nothing is exact.
/// A class without examples has no binary SVMs until x joins the class.
/// Memory: the kernel matrix (n^2 floats) if the budget holds it, else cached rows; and n numbers of each binary SVM
/// for each thread. Source: Proedrou et al., ECML 2002, section 5.
class TransductiveSvm final : public Machine {
 public:
  /// The data from which the predictor is restored.
  struct State {
    data::Features rows;                    ///< n x d, preprocessed
    std::vector<int> labels;                ///< 0 .. classes - 1
    std::vector<std::vector<double>> beta;  ///< n numbers for each binary SVM (svm::machine_layout)
    std::vector<double> weights{};          ///< known weights of the examples in p-values; empty: each counts 1
  };

  /// Trains. Cost: that of svm::train.
  /// @param weights  known weights of the examples in p-values (RowWeights), not used in training; empty: each counts 1
  /// @throws Error invalid_argument (options, labels, weights), invalid_data (fewer than two classes that occur),
  ///         memory, interrupted
  TransductiveSvm(const data::Features& rows, std::span<const int> labels, std::size_t class_count,
                  const TransductiveSvmOptions& options, const core::Context& context,
                  std::span<const double> weights = {});
  /// Restores the predictor from which `state()` was taken. Cost: one product of the kernel matrix with each beta.
  /// @throws Error invalid_argument if the parts do not fit together
  TransductiveSvm(State state, std::size_t class_count, const TransductiveSvmOptions& options,
                  const core::Context& context);
  ~TransductiveSvm() override;

  const TransductiveSvmOptions& options() const;
  State state() const;
  std::vector<std::size_t> class_counts() const override;
  std::optional<double> effective_rows() const override;
  /// Whether all binary SVMs were trained to the tolerance; true for an object made from a state.
  bool converged() const;
  /// Returns `exact`, except for the sigmoid kernel, which is not positive definite.
  Validity validity() const override;
  std::string description(const model::TrainingRecord& record) const override;
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const override;
  /// Ranks and reports the cost.
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context& context,
              TransductiveCost& cost) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace credence::conformal
