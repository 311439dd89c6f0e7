#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/random.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/selection/in_sample.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/model.hpp"

/// What the in-sample methods differ in: over which label vectors a complexity is a mean, and its confidence term.
namespace credence::selection {

/// -1 or +1 for each row.
using Labels = std::vector<int>;

struct LabelVectors {
  std::vector<Labels> vectors;
  bool enumerated = false;  ///< all there are (perhaps up to the sign)
};

struct ComplexityMethod {
  std::string_view name;
  bool of_labels;  ///< the label vectors depend on the true labels
  /// `trials` label vectors, or all if there are not more.
  /// @param even  t and -t have the same minimal loss: there is no hint
  LabelVectors (*draw)(std::span<const int> labels, bool even, std::size_t trials, std::uint64_t seed);
  /// The confidence term. @throws Error invalid_argument as the bounds do
  double (*deviation)(std::size_t n, const LabelVectors& drawn, ComplexityTerm term, double delta);
};

/// The procedure of both methods.
Selection select_in_sample(const ComplexityMethod& method, const data::Dataset& dataset, const Options& options,
                           const core::Context& context);

/// `count` different label vectors: candidates are made in turn, each from a random stream (seed, purpose + its number)
/// of its own, and those that came before are left out. There must be that many.
/// @param even  a vector and its negative count as the same
std::vector<Labels> distinct_labels(std::size_t count, bool even, std::uint64_t seed, std::uint64_t purpose,
                                    const std::function<Labels(core::RandomStream&)>& make);

/// What is to be bounded: the rows, their features, and the labels and hint of each binary SVM.
struct InSampleProblem {
  struct Machine {
    Labels labels;
    std::vector<double> hint;  ///< f0; empty: 0
  };
  std::vector<std::size_t> rows;  ///< of the data set: those that the hint was not trained on
  data::Schema schema;            ///< of the classifier
  data::Preprocessing preprocessing;
  data::Features features;  ///< of these rows, preprocessed
  /// The features minus `centre`, if that changes nothing but the bias: kernel values are floats, and those of rows far
  /// from 0 would differ in their last digits only. Else empty.
  std::optional<data::Features> centred;
  std::vector<double> centre;
  std::vector<double> gammas;  ///< one 0 for kernels without
  std::vector<svm::BinaryMachine> layout;
  std::vector<Machine> machines;
  std::shared_ptr<const svm::SvmModel> hint;  ///< trained on the other rows; may be empty
  std::size_t hint_rows = 0;
  bool given_hint = false;
  bool fixed_in_advance = true;  ///< nothing was fitted on the rows of the bound
  bool positive_semidefinite = true;

  const data::Features& for_kernel() const { return centred ? *centred : features; }
};

/// Splits the rows, fits the preprocessing (on the rows of the hint where there are any, else on all) and trains the
/// hint.
/// @throws Error invalid_data, invalid_argument for data that the in-sample methods cannot take; interrupted
InSampleProblem make_in_sample_problem(const data::Dataset& dataset, const Options& options,
                                       const core::Context& context, std::vector<std::string>& warnings);

/// The kernel matrix of one gamma for many solvers; if it does not fit into memory, each solver computes and caches the
/// rows that it asks for.
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

/// The label vectors of some binary SVMs, drawn once for the whole grid: those of one binary SVM, or of all if they
/// differ in neither labels nor hint.
struct TrialSet {
  LabelVectors drawn;
  std::span<const double> hint;
};

struct TrialSets {
  std::vector<TrialSet> sets;
  std::vector<std::size_t> of_machine;  ///< index into sets, for each binary SVM
};

/// The results of one gamma.
struct GammaResult {
  struct Best {
    std::optional<std::size_t> rho;  ///< with the smallest bound; none if no setting is complete
    svm::IvanovSolution classifier;
  };
  struct Effort {
    std::size_t support = 0;  ///< support vectors of at least one binary SVM
    svm::IvanovWork work;
  };
  std::vector<std::vector<InSampleSetting>> settings;  ///< (binary SVM, rho)
  std::vector<Best> best;                              ///< of each binary SVM
  std::vector<Effort> efforts;                         ///< of each rho
  bool stopped = false;                                ///< the monitor said stop

  /// The sum over binary SVMs of the smallest training loss plus complexity. Infinite if one has none.
  double smallest_sum() const;
  /// Whether the sizes fit these numbers of binary SVMs, rhos and rows.
  bool has_sizes(std::size_t machines, std::size_t rhos, std::size_t rows) const;
};

/// Solves all binary SVMs along rho at one gamma. Label vectors are advanced in parallel, rho by rho.
/// @param deviation  the confidence term of each binary SVM's set
/// @param to_beat  smallest_sum() of the gammas before: once it cannot be undercut any more, the rest is left out
/// Advances the monitor by rhos * (binary SVMs + label vectors), unless it says stop.
GammaResult run_gamma(const InSampleProblem& problem, const TrialSets& trials, const SharedKernel& kernel, bool exact,
                      std::span<const double> deviation, double to_beat, const Options& options,
                      const core::Context& context);

void visit(auto& bytes, InSampleSetting& setting) {
  bytes(setting.complete, setting.training_loss, setting.complexity, setting.complexity_error, setting.complexity_upper,
        setting.deviation, setting.bound, setting.bound_upper, setting.trials, setting.trials_upper);
}
void visit(auto& bytes, GammaResult::Best& best) {
  bytes(best.rho, best.classifier);
}
void visit(auto& bytes, GammaResult::Effort& effort) {
  bytes(effort.support, effort.work);
}
void visit(auto& bytes, GammaResult& result) {
  bytes(result.settings, result.best, result.efforts, result.stopped);
}

void add(svm::IvanovWork& total, const svm::IvanovWork& part);

/// The number of solvers at one gamma: binary SVMs and label vectors.
std::size_t solver_count(const InSampleProblem& problem, const TrialSets& trials);

}  // namespace credence::selection
