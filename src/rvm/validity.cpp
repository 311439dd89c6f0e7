#include "credence/rvm/validity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "rvm/derivatives/centre_derivative.hpp"
#include "rvm/likelihood.hpp"
#include "rvm/local_evidence.hpp"

namespace credence::rvm {
namespace {

constexpr double relevant_gamma = 0.1;

void require(bool holds, const std::string& sentence) {
  if (!holds) refuse(sentence);
}

void check_fit(const Posterior& fit, std::size_t basis_columns) {
  const std::size_t m = fit.columns.size();
  require(fit.weights.size() == m && fit.gamma.size() == m,
          fmt::format("a fit of {} columns has {} weights and {} gamma", m, fit.weights.size(), fit.gamma.size()));
  for (std::size_t i = 0; i < m; ++i) {
    const std::uint32_t column = fit.columns[i];
    require(column < basis_columns,
            fmt::format("column {} of a fit is not among the {} of the basis", column, basis_columns));
    require(i == 0 || fit.columns[i - 1] < column, "the columns of a fit must ascend");
    require(std::isfinite(fit.weights[i]), fmt::format("the weight of column {} of a fit is not finite", column));
    require(fit.gamma[i] >= 0 && fit.gamma[i] <= 1,
            fmt::format("gamma of column {} of a fit must lie in [0, 1], not at {}", column, fit.gamma[i]));
  }
}

void check_judged_targets(std::span<const double> targets, data::Task task, double noise_variance) {
  const bool classes = task == data::Task::classification;
  for (std::size_t n = 0; n < targets.size(); ++n) {
    require(classes ? targets[n] == 0 || targets[n] == 1 : std::isfinite(targets[n]),
            fmt::format("target {} of row {} is not {}", targets[n], n + 1, classes ? "0 or 1" : "a finite number"));
  }
  require(classes || (noise_variance > 0 && std::isfinite(noise_variance)),
          fmt::format("the noise variance of a fit must be above 0 and finite, not {}", noise_variance));
}

/// Returns the rows first to last as a dense matrix.
data::DenseMatrix dense_rows(const data::Features& rows, std::size_t first, std::size_t last) {
  const std::vector<std::size_t> chosen = core::numbers_from(first, last - first);
  return rows.select_rows(chosen).to_dense();
}

/// Smallest and largest value of each feature over the rows.
class Ranges {
 public:
  explicit Ranges(std::size_t d)
      : least_(d, std::numeric_limits<double>::infinity()), largest_(d, -std::numeric_limits<double>::infinity()) {}
  void see(std::span<const double> row) {
    for (std::size_t j = 0; j < row.size(); ++j) {
      least_[j] = std::min(least_[j], row[j]);
      largest_[j] = std::max(largest_[j], row[j]);
    }
  }
  double length(std::size_t j) const { return largest_[j] - least_[j]; }

 private:
  std::vector<double> least_;
  std::vector<double> largest_;
};

/// The retained kernels of a fit: their centres, weights and gamma, and the bias.
struct Retained {
  double bias = 0;
  std::vector<double> weights;
  std::vector<double> gamma;
  data::Features centres;  ///< dense

  Retained(const Posterior& fit, bool has_bias, const data::Features& candidates) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < fit.columns.size(); ++i) {
      if (has_bias && fit.columns[i] == 0) {
        bias = fit.weights[i];
        continue;
      }
      chosen.push_back(fit.columns[i] - (has_bias ? 1U : 0U));
      weights.push_back(fit.weights[i]);
      gamma.push_back(fit.gamma[i]);
    }
    centres = candidates.select_rows(chosen).to_dense();
  }
  std::size_t size() const { return weights.size(); }
};

/// A block of rows, with the kernel values and the likelihood of each row.
struct Block {
  data::Features rows;  ///< dense
  data::DenseMatrix values;
  std::vector<Likelihood> likelihoods;
};

/// Slope and curvature of log Q when one centre moves along one coordinate, as sums over blocks of rows.
///
/// While z_j moves by s to the side e, y_n changes by w (e first + kink) s + w second s^2 / 2, and log Q by
/// (e S + T) s - b s^2 / 2 with
///   S = w sum_n g_n first_n,  T = w sum_n g_n kink_n,
///   b = w^2 sum_n h_n (first_n + kink_n)^2 - w sum_n g_n second_n;
/// first_n kink_n = 0, so b is the same for both sides. A smooth kernel has T = 0 and a = S. With kinks log Q falls
/// faster on the side e = -sign(S), at the rate |S| - T; a is this rate, or 0 if log Q rises on both sides.
class CentreMoves {
 public:
  CentreMoves(const kernel::Kernel& kernel, const Retained& retained, std::size_t d)
      : kernel_(kernel),
        derivative_(*centre_derivative(kernel.type)),
        retained_(retained),
        slope_(retained.size(), d),
        kink_(derivative_.kinks ? retained.size() : 0, d),
        curvature_(retained.size(), d) {}

  /// Adds the rows of a block for kernel i. Different kernels may be added at the same time.
  void add(std::size_t i, const Block& block) {
    CentreSlopes slopes(slope_.columns);
    for (std::size_t n = 0; n < block.likelihoods.size(); ++n) {
      derivative_.slopes(kernel_, {block.rows.dense().row(n), retained_.centres.dense().row(i), block.values.row(n)[i]},
                         slopes);
      add_row(i, block.likelihoods[n], slopes);
    }
  }

  /// Turns S and T into a after all blocks have been added.
  void finish() {
    for (std::size_t k = 0; k < kink_.values.size(); ++k)
      slope_.values[k] = std::max(std::abs(slope_.values[k]) - kink_.values[k], 0.0);  // keeps NaN
  }
  data::DenseMatrix& slope() { return slope_; }
  data::DenseMatrix& curvature() { return curvature_; }

 private:
  void add_row(std::size_t i, const Likelihood& likelihood, const CentreSlopes& slopes) {
    const double pull = retained_.weights[i] * likelihood.slope;
    const double stiffness = retained_.weights[i] * retained_.weights[i] * likelihood.curvature;
    double* slope = slope_.row(i).data();
    double* curvature = curvature_.row(i).data();
    for (std::size_t j = 0; j < slope_.columns; ++j) {
      const double step = slopes.first[j] + slopes.kink[j];
      slope[j] += pull * slopes.first[j];
      curvature[j] += stiffness * step * step - pull * slopes.second[j];
    }
    if (!derivative_.kinks) return;
    double* kink = kink_.row(i).data();
    for (std::size_t j = 0; j < kink_.columns; ++j) kink[j] += pull * slopes.kink[j];
  }

  const kernel::Kernel& kernel_;
  const CentreDerivative& derivative_;
  const Retained& retained_;
  data::DenseMatrix slope_;
  data::DenseMatrix kink_;
  data::DenseMatrix curvature_;
};

/// Number of rows in a block, which must fit the second-level cache.
std::size_t rows_at_once(std::size_t rows, std::size_t features, std::size_t kernels) {
  constexpr std::size_t block_values = 65536;
  constexpr std::size_t least_rows = 64;
  return std::min(rows, std::max(least_rows, block_values / std::max<std::size_t>({1, features, kernels})));
}

void check_memory(kernel::KernelType type, const data::Features& rows, std::size_t kernels,
                  const core::Context& context) {
  constexpr double mebibyte = 1048576;
  const std::size_t needed = validity_memory(type, rows.rows(), rows.columns(), kernels);
  if (needed <= context.memory_budget) return;
  throw Error(ErrorCode::memory,
              fmt::format("the kernel validity index of {} kernels with {} features needs {:.3g} MiB, but only {:.3g} "
                          "MiB were granted; fewer candidate centres need less, and the evidence needs no index",
                          kernels, rows.columns(), static_cast<double>(needed) / mebibyte,
                          static_cast<double>(context.memory_budget) / mebibyte));
}

/// Passes over the rows in blocks, and over all kernels for each block.
Ranges pass_over_rows(const kernel::Kernel& kernel, const data::Features& rows, const Retained& retained,
                      std::span<const double> targets, data::Task task, double noise_variance, CentreMoves& moves,
                      const core::Context& context) {
  const std::size_t step = rows_at_once(rows.rows(), rows.columns(), retained.size());
  Ranges ranges(rows.columns());
  for (std::size_t first = 0; first < rows.rows(); first += step) {
    Block block{dense_rows(rows, first, std::min(first + step, rows.rows())), {}, {}};
    block.values = kernel::kernel_block(kernel, block.rows, retained.centres);
    for (std::size_t n = 0; n < block.rows.rows(); ++n) {
      double y = retained.bias;
      for (std::size_t i = 0; i < retained.size(); ++i) y += retained.weights[i] * block.values.row(n)[i];
      block.likelihoods.push_back(likelihood(task, y, targets[first + n], noise_variance));
      ranges.see(block.rows.dense().row(n));
    }
    context.threads.for_each(retained.size(), [&](std::size_t i) { moves.add(i, block); });
  }
  return ranges;
}

void check_moves(const Validity& validity) {
  for (std::size_t k = 0; k < validity.slope.values.size(); ++k) {
    if (std::isfinite(validity.slope.values[k]) && std::isfinite(validity.curvature.values[k])) continue;
    refuse_data(
        fmt::format("the derivative of log Q with respect to feature {} of the centre of kernel {} is not "
                    "finite: the kernel's values are too large",
                    k % validity.slope.columns + 1, k / validity.slope.columns + 1));
  }
}

/// Computes log A of all pairs and the sums over pairs.
void weigh(Validity& validity, const Retained& retained, const Ranges& ranges, bool cap, const core::Context& context) {
  const std::size_t d = validity.slope.columns;
  validity.log_A = data::DenseMatrix(retained.size(), d);
  const auto cap_of = [&](std::size_t j) { return cap ? ranges.length(j) : std::numeric_limits<double>::infinity(); };
  context.threads.for_each(retained.size(), [&](std::size_t i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (ranges.length(j) == 0) continue;
      validity.log_A.row(i)[j] = log_stability(validity.slope.row(i)[j], validity.curvature.row(i)[j], cap_of(j));
    }
  });
  for (std::size_t i = 0; i < retained.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < d; ++j) {
      if (ranges.length(j) == 0) continue;
      const double log_A = validity.log_A.row(i)[j];
      sum += log_A;
      // log_stability returns log(cap) itself where the cap holds, so equality is exact.
      validity.capped += cap && log_A == std::log(ranges.length(j)) ? 1U : 0U;
      validity.saddles += validity.curvature.row(i)[j] <= 0 ? 1U : 0U;
    }
    if (retained.gamma[i] > 0) validity.stability += retained.gamma[i] * sum;  // 0 times an infinite A is nothing
    validity.effective += retained.gamma[i];
    validity.relevant += retained.gamma[i] > relevant_gamma ? 1U : 0U;
  }
}

}  // namespace

bool has_validity(kernel::KernelType type) {
  return centre_derivative(type) != nullptr;
}

std::size_t validity_memory(kernel::KernelType type, std::size_t rows, std::size_t features, std::size_t kernels) {
  const CentreDerivative* derivative = centre_derivative(type);
  // Matrices of centres, slope, curvature and log A, and one for kinks.
  const std::size_t matrices = derivative != nullptr && derivative->kinks ? 5 : 4;
  return sizeof(double) *
         (matrices * kernels * features + rows_at_once(rows, features, kernels) * (features + kernels));
}

Validity kernel_validity(const kernel::Kernel& kernel, const data::Features& rows, const data::Features& centres,
                         bool bias, const Posterior& fit, std::span<const double> targets, data::Task task,
                         const ValidityOptions& options, const core::Context& context) {
  require(has_validity(kernel.type), fmt::format("the kernel validity index exists for rbf, laplacian and polynomial "
                                                 "kernels, not for {}",
                                                 kernel::name(kernel.type)));
  throw_if_any(kernel.validate());
  require(rows.rows() > 0 && rows.rows() == targets.size(),
          fmt::format("kernel validity needs a target of each row, not {} for {} rows", targets.size(), rows.rows()));
  require(rows.columns() == centres.columns(),
          fmt::format("the centres have {} features and the rows {}", centres.columns(), rows.columns()));
  check_fit(fit, centres.rows() + (bias ? 1 : 0));
  check_judged_targets(targets, task, fit.noise_variance);

  const bool kept_bias = bias && !fit.columns.empty() && fit.columns.front() == 0;
  check_memory(kernel.type, rows, fit.columns.size() - (kept_bias ? 1 : 0), context);

  const Retained retained(fit, bias, centres);
  CentreMoves moves(kernel, retained, rows.columns());
  const Ranges ranges = pass_over_rows(kernel, rows, retained, targets, task, fit.noise_variance, moves, context);
  moves.finish();
  Validity validity;
  validity.kernels = retained.size();
  validity.slope = std::move(moves.slope());
  validity.curvature = std::move(moves.curvature());
  check_moves(validity);
  weigh(validity, retained, ranges, options.cap, context);
  const double printed = 0.5 * static_cast<double>(fit.columns.size()) * std::log(2 * std::numbers::pi);
  validity.log_validity = fit.log_evidence + validity.stability - (options.literal ? printed : 0);
  return validity;
}

}  // namespace credence::rvm
