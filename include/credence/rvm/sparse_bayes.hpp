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
  batch,       ///< all columns at first, pruned as their alpha grows (Tipping 2001); the default
  sequential,  ///< one column after the other, from none (Tipping and Faul, AISTATS 2003). Few columns, but at large
               ///< widths it may stay in the null model, where no single column helps
};
constexpr auto words_of(Algorithm) {
  return std::array{core::Word{"batch", Algorithm::batch}, core::Word{"sequential", Algorithm::sequential}};
}

/// Alpha and its limits are those of basis functions whose largest absolute value is 1, as that of an rbf kernel is;
/// others are measured by theirs. Targets of a regression are taken as they are if their standard deviation lies
/// between 0.01 and 100, else in units of it. Where rounding makes the Hessian useless at the start, alpha is raised
/// there.
struct FitOptions {
  Algorithm algorithm = Algorithm::batch;
  /// Batch: number of starts, 1 to 3, from alpha = 1/N^2, 0.01 and 1 for all columns; the fit with the largest evidence
  /// is kept (ties to the first). Sequential: 1.
  int starts = 1;
  std::optional<double> noise_variance{};  ///< regression: held fixed; > 0. Default: re-estimated
  double noise_start = 0.01;               ///< regression: noise variance at the start, in units of var(t); > 0
  int max_iterations = 300;                ///< re-estimations of alpha, >= 1 (sequential: 20 times as many changes)
  double evidence_tolerance = 1e-4;        ///< |change of log evidence|, three times in a row without pruning; > 0
  double alpha_tolerance = 1e-3;           ///< largest |change of log alpha|; > 0
  double inner_tolerance = 0.1;    ///< Newton decrement where the search for a mode ends, between re-estimations
  double final_tolerance = 1e-10;  ///< the same for the last search
  double alpha_max = 1e9;          ///< columns are pruned from here on
  double alpha_min = 1e-12;        ///< alpha never falls below (regression: times var(t) / mean(t^2))

  /// All problems at once; empty if there are none.
  std::vector<std::string> validate() const;

  template <class Visitor>
  static void describe(Visitor&& field) {
    field("algorithm", &FitOptions::algorithm,
          "how relevance vector machines are fitted; sequential keeps fewer kernels, but may end in the null model");
    field("starts", &FitOptions::starts, "starts of the batch algorithm; the fit with the largest evidence is kept",
          core::from_to(1, 3));
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

/// How a fit ended.
enum class Status {
  converged,        ///< no alpha moves any more
  plateau,          ///< the evidence does not move any more, though some alpha still do: the usual end
  iteration_limit,  ///< max_iterations
  stopped,          ///< the monitor said stop; not to be used
};
/// "converged", "plateau", "iteration limit", "stopped".
std::string_view name(Status status);

/// The most probable weights given alpha (and the noise), with what the Laplace approximation there says. M columns.
struct Posterior {
  std::vector<std::uint32_t> columns;  ///< of the basis, ascending
  std::vector<double> weights;         ///< w_MP
  std::vector<double> alpha;           ///< of each column
  std::vector<double> gamma;           ///< 1 - alpha_i C_ii, in [0, 1]: how well the data determine the weight
  double noise_variance = 1;           ///< regression
  double log_likelihood = 0;           ///< sum_n l_n
  double log_posterior = 0;            ///< log Q(w_MP): log likelihood + log prior density
  double log_hessian = 0;              ///< log |H|, H = Phi' B Phi + diag(alpha)
  double log_evidence = 0;             ///< log Q + (M/2) log 2 pi - 0.5 log |H|
  data::DenseMatrix covariance;        ///< C = H^-1, M x M; empty unless asked for
};

struct Fit : Posterior {
  Status status = Status::stopped;
  bool null_model = false;  ///< no column but the bias says anything: sum of their gamma < 1e-3
  /// Regression: the noise is at its floor, 1e-12 var(t), or there is a parameter for nearly every row (the sum of
  /// gamma is above 0.9 N): the machine repeats its targets, and its standard deviations say nothing.
  bool memorised = false;
  int start = 0;                     ///< which of the starts it came from
  int iterations = 0;                ///< re-estimations of alpha (sequential: changes), of the start that is kept
  std::uint64_t newton_steps = 0;    ///< of all starts
  std::uint64_t factorisations = 0;  ///< Cholesky, of all starts
  double full_factorisations = 0;    ///< the same, each counted as (M / columns)^2: what the time goes with
};

/// The mode for a given alpha, found by Newton steps in the whitened form u = A^1/2 w, where the Hessian's eigenvalues
/// are at least 1: no Cholesky factorisation can fail.
///
///   classification  l_n = -log(1 + exp(-y_n)) for t_n = 1, -log(1 + exp(y_n)) for t_n = 0,  y = Phi w
///   regression      l_n = -(t_n - y_n)^2 / (2 s2) - 0.5 log(2 pi s2)
///   log Q(w) = sum l_n - 0.5 sum alpha_i w_i^2 + 0.5 sum log alpha_i - (M/2) log 2 pi
///
/// @param columns  of the basis to use, ascending; alpha of each
/// @param targets  one for each row: 0 or 1; numbers
/// @param tolerance  Newton decrement
/// @throws Error invalid_argument if sizes differ, alpha or noise is not > 0, or a target is not what it must be
/// Cost: N M^2 + M^3 a step; one step for regression.
Posterior posterior(const Basis& basis, std::span<const std::uint32_t> columns, std::span<const double> alpha,
                    std::span<const double> targets, data::Task task, double noise_variance, bool with_covariance,
                    const core::Context& context, double tolerance = 1e-10);

/// Fits weights and their alpha by maximising the evidence. `bias` says whether column 0 is the bias: it is treated as
/// the others, but does not count for `null_model`. If all columns are pruned, the one with the smallest alpha is kept
/// (w ~ 0), and null_model is set.
/// @param targets  as above; for regression any numbers (not all equal), for classification 0 and 1, both present
/// @throws Error invalid_argument, also if a value of the basis is not finite
/// Cost: about 30 N^3 operations for N columns (batch), N^2 M an iteration (sequential); memory beside the basis: N^2
/// numbers for the scaled columns and as many for the factor, and 3 N^2 more during the first search of a classifier.
/// The result does not depend on the number of threads.
Fit fit(const Basis& basis, bool bias, std::span<const double> targets, data::Task task, const FitOptions& options,
        bool with_covariance, const core::Context& context);

/// The evidence of the model that has nothing but a bias.
/// @throws Error as `fit`
double null_evidence(std::span<const double> targets, data::Task task, const FitOptions& options);

/// What an alpha of one column would be best if the others stay, from the posterior alone (Faul and Tipping, NIPS
/// 2002).
struct ColumnOptimum {
  double s = 0;                                            ///< alpha gamma / (1 - gamma)
  double q = 0;                                            ///< alpha w / (1 - gamma)
  double alpha = std::numeric_limits<double>::infinity();  ///< s^2 / (q^2 - s); infinite: the column is irrelevant
};
ColumnOptimum column_optimum(double alpha, double weight, double gamma);

}  // namespace credence::rvm
