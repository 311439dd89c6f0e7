#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "credence/core/aligned.hpp"
#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/features.hpp"

/// Sparse Bayesian learning on given basis functions (Tipping, JMLR 1, 2001): automatic relevance determination.
namespace credence::rvm {

/// Values of basis functions on the training rows, stored column by column.
struct Basis {
  std::size_t rows = 0;
  std::size_t columns = 0;
  core::UninitializedVector<double> values;  ///< column-major: function m on row n at values[m * rows + n]

  Basis() = default;
  Basis(std::size_t row_count, std::size_t column_count)
      : rows(row_count), columns(column_count), values(row_count * column_count) {}
  double* column(std::size_t m) { return values.data() + m * rows; }
  const double* column(std::size_t m) const { return values.data() + m * rows; }
};

enum class Algorithm {
  batch,       ///< starts with all columns and prunes them as their alpha grow (Tipping 2001); the default
  sequential,  ///< starts with no column and adds or removes one at a time (Tipping and Faul, AISTATS 2003). The fit
               ///< keeps few columns. At large widths it may stay in the null model, where no single column helps
};
constexpr auto words_of(Algorithm) {
  return std::array{core::Word{"batch", Algorithm::batch}, core::Word{"sequential", Algorithm::sequential}};
}

/// Alpha and its limits refer to basis functions whose largest absolute value is 1, as for an rbf kernel; other basis
/// functions are measured in units of their largest absolute value. Targets of a regression are used as given if their
/// standard deviation lies between 0.01 and 100, and are else measured in units of their standard deviation. If
/// rounding makes the Hessian unusable at a start, the start uses a larger alpha.
struct FitOptions {
  Algorithm algorithm = Algorithm::batch;
  /// Batch: number of starts, 1 to 3. The starts give all columns alpha = 1/N^2, 0.01 and 1. The fit with the largest
  /// evidence is kept; ties go to the first. Sequential: 1.
  int starts = 1;
  std::optional<double> noise_variance{};  ///< regression: a fixed noise variance, > 0. Default: re-estimated
  double noise_start = 0.01;               ///< regression: noise variance at the start, in units of var(t); > 0
  int max_iterations = 300;                ///< re-estimations of alpha, >= 1 (sequential: 20 times as many changes)
  double evidence_tolerance = 1e-4;  ///< largest |change of log evidence|, three times in a row without pruning; > 0
  double alpha_tolerance = 1e-3;     ///< largest |change of log alpha|; > 0
  double inner_tolerance = 0.1;      ///< Newton decrement at which a search for a mode between re-estimations ends
  double final_tolerance = 1e-10;    ///< Newton decrement at which the last search ends
  double alpha_max = 1e9;            ///< columns with this alpha or more are pruned
  double alpha_min = 1e-12;          ///< lower limit of alpha (regression: times var(t) / mean(t^2))

  /// Returns all problems at once; the list is empty if there are none.
  std::vector<std::string> validate() const;

  /// The fields that classifiers and regressions share.
  static void describe_search(auto&& field) {
    field("algorithm", &FitOptions::algorithm,
          "how relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model");
    field("starts", &FitOptions::starts, "starts of the batch algorithm; the fit with the largest evidence is kept",
          core::from_to(1, 3));
  }
  static void describe(auto&& field) {
    describe_search(field);
    field("noise_variance", &FitOptions::noise_variance, "fixed variance of the noise of a regression", core::above(0));
    field.spelling("noise", "noise_variance", core::Kind::number,
                   "fixed standard deviation of the noise of a regression",
                   [](FitOptions& fit, const core::Value& value) {
                     const double sd = core::number_of(value);
                     core::above(0).check(sd);
                     core::above(0).check(sd * sd);
                     fit.noise_variance = sd * sd;
                   });
  }
};

/// The fit of a classifier, which has no noise.
struct ClassifierFit : FitOptions {
  static void describe(auto&& field) { describe_search(field); }
};

/// How a fit ended.
enum class Status {
  converged,        ///< no alpha changes any more
  plateau,          ///< the evidence is constant while some alpha still change: the usual end
  iteration_limit,  ///< the fit reached max_iterations
  stopped,          ///< the monitor said stop; the fit must not be used
};
/// Returns "converged", "plateau", "iteration limit" or "stopped".
std::string_view name(Status status);

/// The most probable weights for a given alpha (and noise), with the Laplace approximation at that mode. M columns.
struct Posterior {
  std::vector<std::uint32_t> columns;  ///< columns of the basis, ascending
  std::vector<double> weights;         ///< w_MP
  std::vector<double> alpha;           ///< alpha_i of each column
  std::vector<double> gamma;           ///< 1 - alpha_i C_ii, in [0, 1]: the share of the weight that the data determine
  double noise_variance = 1;           ///< regression: variance of the noise
  double log_likelihood = 0;           ///< sum_n l_n
  double log_posterior = 0;            ///< log Q(w_MP): log likelihood + log prior density
  double log_hessian = 0;              ///< log |H|, H = Phi' B Phi + diag(alpha)
  double log_evidence = 0;             ///< log Q + (M/2) log 2 pi - 0.5 log |H|
  data::DenseMatrix covariance;        ///< C = H^-1, M x M; empty without `with_covariance`
};

struct Fit : Posterior {
  Status status = Status::stopped;
  bool null_model = false;  ///< the sum of gamma over all columns but the bias is below 1e-3
  /// Regression: the noise is at its floor, 1e-12 var(t), or nearly every row has a parameter of its own (the sum of
  /// gamma is above 0.9 N). Such an RVM repeats its targets, and its standard deviations say nothing.
  bool memorised = false;
  int start = 0;                     ///< index of the start that is kept
  int iterations = 0;                ///< re-estimations of alpha (sequential: changes) in the start that is kept
  std::uint64_t newton_steps = 0;    ///< Newton steps of all starts
  std::uint64_t factorisations = 0;  ///< Cholesky factorisations of all starts
  double full_factorisations = 0;    ///< factorisations, weighed by their time: (share of the columns)^2
};

/// Finds the mode for a given alpha by Newton steps in the whitened form u = A^1/2 w. In this form the Hessian's
/// eigenvalues are at least 1, so every Cholesky factorisation succeeds.
///
///   classification  l_n = -log(1 + exp(-y_n)) for t_n = 1, -log(1 + exp(y_n)) for t_n = 0,  y = Phi w
///   regression      l_n = -(t_n - y_n)^2 / (2 s2) - 0.5 log(2 pi s2)
///   log Q(w) = sum l_n - 0.5 sum alpha_i w_i^2 + 0.5 sum log alpha_i - (M/2) log 2 pi
///
/// @param columns  columns of the basis to use, ascending  @param alpha  one for each of these columns
/// @param targets  one for each row: 0 or 1 for classification, numbers for regression
/// @param tolerance  Newton decrement at which the search ends
/// @throws Error invalid_argument if sizes differ, alpha or noise is not > 0, or a target is not allowed
/// Cost: N M^2 + M^3 for each step; a regression takes one step.
Posterior posterior(const Basis& basis, std::span<const std::uint32_t> columns, std::span<const double> alpha,
                    std::span<const double> targets, data::Task task, double noise_variance, bool with_covariance,
                    const core::Context& context, double tolerance = 1e-10);

/// Fits weights and their alpha by maximising the evidence. `bias` says whether column 0 is the bias, which is treated
/// as the other columns but does not count for `null_model`. If all columns are pruned, the one with the smallest alpha
/// is kept (w ~ 0), and null_model is set.
/// @param targets  for a regression any numbers that are not all equal; for a classification 0 and 1, both present
/// @throws Error invalid_argument; invalid_data if values of the basis or targets are too large, small or equal
/// Cost: about 30 N^3 operations for N columns (batch), N^2 M for each iteration (sequential). Memory beside the basis:
/// N^2 numbers for the scaled columns, N^2 for the factor, and 3 N^2 more during the first search of a classifier.
/// The result does not depend on the number of threads.
Fit fit(const Basis& basis, bool bias, std::span<const double> targets, data::Task task, const FitOptions& options,
        bool with_covariance, const core::Context& context);

/// Returns the log evidence of the model that has a bias and no other column.
/// @throws Error as `fit`
double null_evidence(std::span<const double> targets, data::Task task, const FitOptions& options);

}  // namespace credence::rvm
