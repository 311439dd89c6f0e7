#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/ivanov.hpp"

namespace credence::bench {

inline constexpr const char* digits_file = "mnist01.train.csv.gz";
inline constexpr const char* prostate_file = "prostate_tumor.csv.gz";

/// MNIST's zeros and ones, pixels / 255.
data::Dataset read_digits(const std::string& folder);
/// `rows` of them (even), as many of each class, drawn with seed 0, in the order of the file.
data::Dataset balanced_draw(const data::Dataset& digits, std::size_t rows);

/// The seconds that the paper prints (Anguita et al., 2012, Table XIV), and those that the project set itself.
struct Aims {
  std::optional<double> paper;
  std::optional<double> target;  ///< wall clock, two threads
};

/// An in-sample method over the whole grid of rho with its stopping rule; linear kernel.
struct InSampleCase {
  std::string method;
  std::size_t rows;
  std::optional<double> hint;
  Aims aims;
};
std::vector<InSampleCase> in_sample_cases();

struct InSampleRow {
  InSampleCase task;
  std::size_t trials = 0;
  std::vector<Seconds> one_thread;
  std::vector<Seconds> two_threads;
  std::size_t rhos = 0;  ///< that were gone through before the stopping rule
  double bound = 0;
  svm::IvanovWork work;
};
void to_json(nlohmann::json& json, const InSampleRow& row);
InSampleRow measure_in_sample(const InSampleCase& task, const data::Dataset& digits, const Settings& settings);

/// The least mean soft loss that one side finds over F_rho (credence/svm/ivanov.hpp) for one label vector. Starts: no
/// row given up, and the rows given up at the rho before.
class SoftMinimiser {
 public:
  virtual ~SoftMinimiser() = default;
  virtual double loss_at(double ascending_rho) = 0;
};
using MakeMinimiser = std::function<std::unique_ptr<SoftMinimiser>(std::span<const int> labels)>;

/// The accuracy that both sides are asked for where the norm is fixed: of the solver, and of |w|^2 / rho.
inline constexpr double soft_tolerance = 1e-4;
inline constexpr double norm_tolerance = 1e-3;

/// What a side did. LIBSVM: trainings and its own steps; Credence: solves and SMO steps.
struct SoftWork {
  std::uint64_t convex_steps = 0;
  std::uint64_t trainings = 0;
  std::uint64_t regressions = 0;  ///< LIBSVM: of the trainings, those with rows given up
  std::uint64_t steps = 0;
};

/// The kernel matrix as LIBSVM wants precomputed ones, in its own form.
class KernelNodes;
struct KernelNodesDeleter {
  void operator()(KernelNodes* nodes) const;
};
using KernelNodesPointer = std::unique_ptr<KernelNodes, KernelNodesDeleter>;
KernelNodesPointer kernel_nodes(const kernel::Gram& gram);

/// The concave-convex procedure through LIBSVM: one svm_train for each probe of the cost in each convex step.
///
/// A convex step without given-up rows is a C-SVC. One with them is an epsilon-SVR: a row that is kept costs
/// C max(0, 1 - t f), one that is given up C max(0, t f - 1), and either is one side of an epsilon-insensitive loss
/// C max(0, |z - f| - E) whose other side is out of reach: z = t (1 + E) or t (1 - E), with E far above every |f|.
/// Nodes and work must outlive it.
std::unique_ptr<SoftMinimiser> libsvm_minimiser(const KernelNodes& nodes, std::span<const int> labels, SoftWork& work);

/// An in-sample method's loop, the same code for both sides: the true labels and `trials` label vectors over ascending
/// rho until no larger rho can win. One thread.
struct SoftSweep {
  Seconds seconds;
  std::vector<double> training;    ///< loss for the true labels, of each rho
  std::vector<double> complexity;  ///< mean over label vectors of 1 - 2 loss
};
SoftSweep soft_sweep(std::span<const int> labels, const std::vector<std::vector<int>>& trials,
                     std::span<const double> rhos, const MakeMinimiser& make);

/// Both sides in that loop.
struct ConvexStepCase {
  std::string method;
  std::size_t rows;
  std::size_t trials;
};
std::vector<ConvexStepCase> convex_step_cases(bool quick);

struct ConvexStepRow {
  ConvexStepCase task;
  std::vector<Seconds> credence;
  std::vector<Seconds> libsvm;
  std::vector<double> ratios;  ///< processor seconds, one for each repeat
  SoftWork credence_work;
  SoftWork libsvm_work;
  std::size_t credence_rhos = 0;  ///< before the stopping rule
  std::size_t libsvm_rhos = 0;
  double training_difference = 0;    ///< largest over rho, of the training loss
  double complexity_difference = 0;  ///< of the complexity

  double ratio() const { return median(ratios); }  ///< 0 without LIBSVM
  /// Largest difference that norms and solutions of the given accuracy explain.
  static constexpr double allowed = 5e-4;
  bool agree() const {
    return credence_rhos == libsvm_rhos && training_difference <= allowed && complexity_difference <= allowed;
  }
};
void to_json(nlohmann::json& json, const ConvexStepRow& row);
ConvexStepRow compare_convex_steps(const ConvexStepCase& task, const data::Dataset& digits, const Settings& settings);

/// An out-of-sample method over 30 costs, judged by the soft loss; linear kernel.
struct HeldOutCase {
  std::string method;
  std::size_t rows;
  std::size_t sample;  ///< resamples that LIBSVM goes through, evenly spaced, its seconds scaled up; 0: all
  Aims aims;
};
std::vector<HeldOutCase> held_out_cases(bool quick);

struct HeldOutRow {
  HeldOutCase task;
  std::size_t costs = 0;
  std::vector<Seconds> one_thread;
  std::vector<Seconds> two_threads;
  std::vector<Seconds> libsvm;  ///< as measured, for its resamples
  std::vector<double> ratios;   ///< processor seconds, LIBSVM (scaled up) over Credence's one thread
  std::size_t resamples = 0;
  std::size_t libsvm_resamples = 0;
  std::size_t libsvm_trainings = 0;
  std::optional<double> difference;  ///< largest, of the mean soft losses that both sides print; none for a sample

  double scale() const { return static_cast<double>(resamples) / static_cast<double>(libsvm_resamples); }
  bool extrapolated() const { return libsvm_resamples < resamples; }
  double ratio() const { return median(ratios); }
};
void to_json(nlohmann::json& json, const HeldOutRow& row);
HeldOutRow compare_held_out(const HeldOutCase& task, const data::Dataset& digits, const Settings& settings);

/// LIBSVM trained on the rows: the soft loss of each judging row (rows) for each cost (columns).
data::DenseMatrix libsvm_soft_losses(const KernelNodes& nodes, std::span<const int> labels, const HeldOutSplit& split,
                                     std::span<const double> costs);

/// The built command, from a file to a comparison of seven methods, on all cores.
struct CommandRow {
  std::string file;
  std::vector<std::string> methods;
  int outer_folds = 5;
  std::vector<Seconds> seconds;
  Aims aims;
};
void to_json(nlohmann::json& json, const CommandRow& row);
/// @throws std::runtime_error if the command is missing or fails
CommandRow measure_command(const Settings& settings);

struct InSampleResults {
  std::vector<InSampleRow> in_sample;
  std::vector<ConvexStepRow> convex_steps;
  std::vector<HeldOutRow> held_out;
  std::vector<CommandRow> command;
};
void to_json(nlohmann::json& json, const InSampleResults& results);

}  // namespace credence::bench
