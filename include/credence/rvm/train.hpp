#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/rvm/model.hpp"
#include "credence/rvm/sparse_bayes.hpp"
#include "credence/rvm/validity.hpp"

/// From a data set to relevance vector machines.
namespace credence::rvm {

/// rbf: gamma = 1 / (2 sigma^2), K = exp(-|x - z|^2 / (2 sigma^2)). @throws Error invalid_argument unless sigma > 0
double gamma_of_sigma(double sigma);
double sigma_of_gamma(double gamma);

/// Default number of candidate centres: all rows up to 2,000, else 1,000.
std::size_t default_centres(std::size_t rows);

/// Rows that may become centres: all, or `count` drawn by the seed, stratified by class (regression: by order of the
/// target), ascending. Rows that repeat an earlier row are left out: their weights would be shared.
/// @param rows  preprocessed
/// @throws Error invalid_argument if count is 0
std::vector<std::size_t> candidate_centres(const data::Features& rows, const data::Dataset& dataset, std::size_t count,
                                           std::uint64_t seed);

/// What all kernels of a selection share: rows, targets of each machine, candidate centres.
struct Problem {
  data::Task task = data::Task::classification;
  data::Features rows;                       ///< N, preprocessed
  std::vector<std::size_t> centre_rows;      ///< candidates
  std::vector<std::vector<double>> targets;  ///< for each machine: 0 or 1 for each row; the targets of a regression
  std::vector<int> positive;                 ///< for each machine
  bool precomputed = false;                  ///< the features are kernel values with the training rows

  std::size_t machines() const { return targets.size(); }
};
/// @param rows  the data set's, preprocessed
/// @throws Error invalid_data (one class only, all targets equal, sample weights, ...), invalid_argument
Problem make_problem(const data::Dataset& dataset, data::Features rows, kernel::KernelType type,
                     std::optional<std::size_t> centres, std::uint64_t seed);

/// The machines of one kernel.
struct KernelFit {
  kernel::Kernel kernel;
  std::vector<Fit> machines;
  std::vector<Validity> validity;  ///< of each machine; empty where the kernel has none
  double log_evidence = 0;         ///< sums over machines
  double log_validity = 0;

  bool stopped() const;  ///< some machine was stopped: nothing here is to be used
};
/// Sum of gamma over the kernels of all machines, their biases left out: how many weights the data determine.
double effective_kernels(const KernelFit& fit);
/// A regression's noise is its residual sum of squares over N - sum of gamma. With effective kernels for this share of
/// the rows or more, mean +- 1.96 sd nearly always covers less than 90 % of new rows; see docs/rvm.md for what was
/// measured.
inline constexpr double many_effective = 0.15;
/// What to know of a regression with so many effective kernels; empty below `many_effective` of the rows.
std::string many_kernels_sentence(double effective, std::size_t rows);

/// The values of the bias (column 0) and of all candidates on all rows, in double.
Basis basis_of(const Problem& problem, const kernel::Kernel& kernel);

/// Bytes of the matrices of a fit when they are most.
struct FitMemory {
  std::size_t basis = 0;    ///< shared by the machines of a kernel
  std::size_t machine = 0;  ///< of each machine that is fitted at the same time
  std::size_t least() const { return basis + machine; }
};
/// N rows and M columns, the bias and the candidates: N M numbers for the basis. Each machine has scaled columns and a
/// Hessian, N M + M^2; a regression M^2 more, the products of its columns; a classifier of many columns, 4 M >= 3 N,
/// N M + 2 N^2 more in its first search.
FitMemory fit_memory(std::size_t rows, std::size_t candidates, data::Task task);

/// The machines alone, without an index: as many at the same time as memory and threads allow.
/// @param with_covariance  as `predict` needs it for variances and moderated probabilities
/// @throws Error memory if basis and one machine do not fit the memory budget; invalid_argument
/// A machine whose class does not occur, one of more than two, is not fitted: it is the bias that such a fit ends at,
/// with which the class is improbable (about 1 / (N log N)), but not impossible.
KernelFit fit_machines(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                       bool with_covariance, const core::Context& context);
/// Adds the index of each machine, where the kernel has one.
/// @throws Error as `kernel_validity`; then the fit has none
void add_validity(const Problem& problem, const ValidityOptions& validity, const core::Context& context,
                  KernelFit& fit);
/// Both.
KernelFit fit_kernel(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                     const ValidityOptions& validity, bool with_covariance, const core::Context& context);
/// log evidence of the null model, summed over machines.
double null_evidence(const Problem& problem, const FitOptions& options);

/// The classifier or regression of a fit with covariances, with the data set's schema. Preprocessing and record are
/// left to the caller. Of a null model nothing but its bias is taken, for the data say nothing about what else it has.
/// @throws Error invalid_argument without covariances; interrupted for a fit that was stopped
RvmModel model_of(const Problem& problem, const KernelFit& fit, const data::Dataset& dataset);

struct TrainOptions {
  kernel::Shape kernel;
  kernel::GammaRule gamma;  ///< resolved on the preprocessed training rows
  FitOptions fit;
  ValidityOptions validity;
  bool index = true;                   ///< whether the index is wanted; a model does not need it
  std::optional<std::size_t> centres;  ///< candidates; default: default_centres
  data::Scaling scaling = data::Scaling::minmax;
  data::Missing missing = data::Missing::error;  ///< recorded in the model
  std::uint64_t seed = 0;                        ///< of the candidates; recorded

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;
};

struct TrainResult {
  RvmModel model;
  KernelFit fit;
};

/// Trains one relevance vector machine on a data set: Dataset::schema.task says whether it is a regression.
/// @throws Error invalid_argument, invalid_data, memory; interrupted if the monitor says stop
TrainResult train(const data::Dataset& dataset, const TrainOptions& options, const core::Context& context);

}  // namespace credence::rvm
