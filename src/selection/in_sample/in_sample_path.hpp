#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/selection/in_sample.hpp"
#include "selection/in_sample/in_sample_problem.hpp"

namespace credence::selection {

/// The kernel matrix of one gamma, seen by many solvers; where it does not fit into memory, each computes and caches
/// the rows it asks for.
class SharedKernel {
 public:
  /// @param base  empty where matrices do not fit into memory
  /// @param views  how many there will be
  SharedKernel(const kernel::Kernel& kernel, const data::Features& features, const kernel::Base* base,
               std::size_t views, const core::Context& context);
  std::unique_ptr<kernel::Rows> view() const;

 private:
  kernel::Kernel kernel_;
  const data::Features& features_;
  std::optional<kernel::Gram> gram_;
  std::size_t budget_of_view_;
};

/// The least mean soft loss Lmin against one label vector, along ascending rho: by the concave-convex procedure, or
/// exactly.
class LeastLoss {
 public:
  /// The arguments must outlive it.
  LeastLoss(const SharedKernel& kernel, std::span<const int> labels, std::span<const double> hint,
            const InSampleOptions& options, bool exact, const core::Monitor& monitor);

  /// @throws Error interrupted if the monitor says stop
  void grow_to(double rho);
  const svm::IvanovSolution& solution() const { return soft_ ? soft_->solution() : exact_; }
  /// 1 - 2 Lmin, in [0, 1] if the bias is free.
  double discrepancy() const;
  /// The same with a certified lower limit of Lmin; not less.
  double discrepancy_upper() const;
  svm::IvanovWork work() const { return soft_ ? soft_->work() : svm::IvanovWork{}; }

 private:
  double cut(double value) const;

  std::unique_ptr<kernel::Rows> rows_;
  std::span<const int> labels_;
  std::span<const double> hint_;
  const svm::IvanovOptions& options_;
  const core::Monitor& monitor_;
  std::optional<svm::SoftIvanov> soft_;  ///< empty: exact
  svm::IvanovSolution exact_;
};

/// The label vectors of some machines, drawn once for the whole grid: those of one machine, or of all machines where
/// neither labels nor a hint tell them apart.
struct TrialSet {
  LabelVectors drawn;
  std::span<const double> hint;
};

struct TrialSets {
  std::vector<TrialSet> sets;
  std::vector<std::size_t> of_machine;  ///< index into sets
};

/// What one gamma says.
struct GammaResult {
  struct Best {
    std::optional<std::size_t> rho;  ///< with the smallest bound; none if no cell is complete
    svm::IvanovSolution classifier;
  };
  struct Effort {
    std::size_t support = 0;  ///< rows that support some machine's classifier
    svm::IvanovWork work;
  };
  std::vector<std::vector<InSampleCell>> cells;  ///< machine, rho
  std::vector<Best> best;                        ///< of each machine
  std::vector<Effort> efforts;                   ///< of each rho
  bool stopped = false;                          ///< the monitor said stop

  /// The machines' smallest training losses plus complexities, summed. Infinite if a machine has none.
  double smallest_sum() const;
  /// Whether the sizes are those of so many machines, values of rho and rows.
  bool has_sizes(std::size_t machines, std::size_t rhos, std::size_t rows) const;
};

/// All machines along rho at one gamma. Label vectors are advanced in parallel, rho by rho.
/// @param deviation  the confidence term of each machine's set
/// @param to_beat  smallest_sum() of the gammas before: once it cannot be undercut any more, the rest is left out
/// Advances the monitor by rhos * (machines + label vectors), unless it says stop.
GammaResult run_gamma(const InSampleProblem& problem, const TrialSets& trials, const SharedKernel& kernel, bool exact,
                      std::span<const double> deviation, double to_beat, const Options& options,
                      const core::Context& context);

template <class Bytes>
void visit(Bytes& bytes, InSampleCell& cell) {
  bytes(cell.complete, cell.training_loss, cell.complexity, cell.complexity_error, cell.complexity_upper,
        cell.deviation, cell.bound, cell.bound_upper, cell.trials, cell.trials_upper);
}
template <class Bytes>
void visit(Bytes& bytes, GammaResult::Best& best) {
  bytes(best.rho, best.classifier);
}
template <class Bytes>
void visit(Bytes& bytes, GammaResult::Effort& effort) {
  bytes(effort.support, effort.work);
}
template <class Bytes>
void visit(Bytes& bytes, GammaResult& result) {
  bytes(result.cells, result.best, result.efforts, result.stopped);
}

void add(svm::IvanovWork& total, const svm::IvanovWork& part);

/// Solvers at one gamma: machines and label vectors.
std::size_t solver_count(const InSampleProblem& problem, const TrialSets& trials);

}  // namespace credence::selection
