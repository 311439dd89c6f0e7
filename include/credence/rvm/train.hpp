#pragma once

/// ```cpp
/// using namespace credence;
/// const core::Threads threads;
/// core::Monitor monitor;
/// const core::Context context{.threads = threads, .monitor = monitor};
/// data::DenseMatrix rows(50, 1);
/// std::vector<double> targets;
/// for (std::size_t i = 0; i < 50; ++i) {
///   rows.values[i] = 0.2 * static_cast<double>(i);
///   targets.push_back(std::sin(rows.values[i]) + (i % 2 == 0 ? 0.01 : -0.01));
/// }
/// rvm::TrainOptions options;
/// options.gamma = {kernel::GammaRule::Kind::value, rvm::gamma_of_sigma(0.2)};  // in units of the scaled feature
/// const data::Dataset dataset = data::make_regression_dataset(rows, targets);
/// const rvm::RvmModel model = rvm::train(dataset, options, context).model;
/// const double mean = model.predict(dataset, context).mean[10];
/// std::cout << "sin(2) is about " << std::round(100 * mean) / 100 << '\n';  // prints sin(2) is about 0.91
/// ```

#include <cstddef>
#include <cstdint>
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

/// For the rbf kernel exp(-|x - z|^2 / (2 sigma^2)): gamma = 1 / (2 sigma^2). @throws Error invalid_argument unless the
/// argument is > 0
double gamma_of_sigma(double sigma);
double sigma_of_gamma(double gamma);

/// Returns the default number of candidate centres: all rows up to 2,000, else 1,000.
std::size_t default_centres(std::size_t rows);

/// Returns the rows that may become centres, ascending: all, or `count` rows that the seed draws, stratified by class
/// (regression: by the order of the targets). A row that repeats an earlier row is left out, because the two would
/// share one weight.
/// @param rows  preprocessed
/// @throws Error invalid_argument if count is 0
std::vector<std::size_t> candidate_centres(const data::Features& rows, const data::Dataset& dataset, std::size_t count,
                                           std::uint64_t seed);

/// The data that all kernels of a selection share: rows, targets of each RVM and candidate centres.
struct Problem {
  data::Task task = data::Task::classification;
  data::Features rows;                       ///< N, preprocessed
  std::vector<std::size_t> centre_rows;      ///< rows of the candidate centres
  std::vector<std::vector<double>> targets;  ///< for each RVM and row: 0 or 1; regression: the targets
  std::vector<int> positive;                 ///< the class of each RVM
  bool precomputed = false;                  ///< the features are kernel values with the training rows

  std::size_t machines() const { return targets.size(); }
};
/// Makes the problem of a data set.
/// @param rows  the preprocessed rows of the data set
/// @throws Error invalid_data (one class only, all targets equal, sample weights, ...), invalid_argument
Problem make_problem(const data::Dataset& dataset, data::Features rows, kernel::KernelType type,
                     std::optional<std::size_t> centres, std::uint64_t seed);

/// The fitted RVMs of one kernel.
struct KernelFit {
  kernel::Kernel kernel;
  std::vector<Fit> machines{};
  std::vector<Validity> validity{};  ///< validity index of each RVM; empty if the kernel has none
  double log_evidence = 0;           ///< sum over RVMs
  double log_validity = 0;

  bool stopped() const;  ///< an RVM was stopped, and the fit must not be used
};
/// Returns the sum of gamma over the kernels of all RVMs, without the biases: the number of weights that the data
/// determine.
double effective_kernels(const KernelFit& fit);
/// The limit for the share of effective kernels in a regression. The noise is the residual sum of squares over N minus
/// the sum of gamma. If the effective kernels are this share of the rows or more, mean +- 1.96 sd nearly always covers
/// less than 90 % of new rows; docs/rvm.md states the measurements.
inline constexpr double many_effective = 0.15;
/// Returns a warning about a regression with many effective kernels; empty below `many_effective` of the rows.
std::string many_kernels_sentence(double effective, std::size_t rows);

/// Computes the values of the bias (column 0) and of all candidates on all rows, in double.
Basis basis_of(const Problem& problem, const kernel::Kernel& kernel);

/// The largest number of bytes that the matrices of a fit take.
struct FitMemory {
  std::size_t basis = 0;    ///< shared by the RVMs of a kernel
  std::size_t machine = 0;  ///< for each RVM that is fitted at the same time
  std::size_t least() const { return basis + machine; }
};
/// Returns the memory of a fit with N rows and M columns (the bias and the candidates). The basis has N M numbers. Each
/// RVM has scaled columns and a Hessian, N M + M^2 numbers. A regression has M^2 more, the products of its columns
/// (a classifier keeps those of at most 256 columns); a classifier with 4 M >= 3 N has N M + 2 N^2 more in its first
/// search.
FitMemory fit_memory(std::size_t rows, std::size_t candidates, data::Task task);

/// Fits the RVMs without the validity index, as many at the same time as memory and threads allow. With more than two
/// classes, an RVM whose class does not occur is not fitted: the result is the bias at which such a fit would end. The
/// class is then improbable (about 1 / (N log N)), but not impossible.
/// @param with_covariance  true if `predict` is to give variances and moderated probabilities
/// @throws Error memory if basis and one RVM do not fit the memory budget; invalid_argument
KernelFit fit_machines(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                       bool with_covariance, const core::Context& context);
/// Adds the validity index of each RVM if the kernel has one.
/// @throws Error as `kernel_validity`; the fit then has no index
void add_validity(const Problem& problem, const ValidityOptions& validity, const core::Context& context,
                  KernelFit& fit);
/// Fits the RVMs and adds the validity index of each.
KernelFit fit_kernel(const Problem& problem, const kernel::Kernel& kernel, const FitOptions& options,
                     const ValidityOptions& validity, bool with_covariance, const core::Context& context);
/// Returns the log evidence of the null model, summed over RVMs.
double null_evidence(const Problem& problem, const FitOptions& options);

/// Makes the classifier or the regression of a fit with covariances, with the data set's schema. The caller sets
/// preprocessing and record. A null model gives its bias alone, because the data say nothing about its other columns.
/// @throws Error invalid_argument without covariances; interrupted for a fit that was stopped
RvmModel model_of(const Problem& problem, const KernelFit& fit, const data::Dataset& dataset);

struct TrainOptions {
  kernel::Shape kernel;
  kernel::GammaRule gamma;  ///< resolved on the preprocessed training rows
  FitOptions fit;
  ValidityOptions validity;
  bool index = true;                   ///< true: compute the validity index, which predictions do not need
  std::optional<std::size_t> centres;  ///< number of candidate centres; default: default_centres
  data::Scaling scaling = data::Scaling::minmax;
  data::Missing missing = data::Missing::error;  ///< recorded in the model
  std::uint64_t seed = 0;                        ///< draws the candidates; recorded in the model

  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;
};

struct TrainResult {
  RvmModel model;
  KernelFit fit;
  std::size_t candidates = 0;  ///< rows that could become kernels; the others repeat a row or were not drawn
};

/// Trains one relevance vector machine on a data set. Dataset::schema.task says whether the RVM is a regression.
/// @throws Error invalid_argument, invalid_data, memory; interrupted if the monitor says stop
TrainResult train(const data::Dataset& dataset, const TrainOptions& options, const core::Context& context);

}  // namespace credence::rvm
