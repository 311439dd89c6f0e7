#include "credence/rvm/sparse_bayes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "credence/core/error.hpp"
#include "rvm/sparse_bayes/evidence_search.hpp"
#include "rvm/sparse_bayes/mode.hpp"

namespace credence::rvm {
namespace {

constexpr double null_gamma = 1e-3;
constexpr double first_sequential_alpha = 1e-2;
/// If rounding makes the Hessian useless, alpha is multiplied by 100, at most this many times.
constexpr int most_raises = 12;

[[noreturn]] void refuse_values(const std::string& sentence) {
  refuse_data(sentence + "; scale the features, or choose another kernel");
}

void check_fitted_targets(std::span<const double> targets, std::size_t rows, data::Task task) {
  if (targets.size() != rows)
    refuse(fmt::format("the basis has {} rows, but there are {} targets", rows, targets.size()));
  for (std::size_t n = 0; n < targets.size(); ++n) {
    if (!std::isfinite(targets[n]))
      refuse(fmt::format("the target of row {} is {}; every target must be a finite number", n + 1, targets[n]));
    if (task == data::Task::classification && targets[n] != 0 && targets[n] != 1)
      refuse(fmt::format("the target of row {} is {}; in classification it must be 0 or 1", n + 1, targets[n]));
  }
}

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(std::span<const double> values) {
  Moments moments;
  for (const double value : values) moments.mean += value / static_cast<double>(values.size());
  for (const double value : values)
    moments.variance += (value - moments.mean) * (value - moments.mean) / static_cast<double>(values.size());
  return moments;
}

void check_noise(double noise_variance) {
  if (!(noise_variance > 0) || !std::isfinite(noise_variance))
    refuse(fmt::format("the noise variance must be > 0, not {}", noise_variance));
}

/// Returns (largest |phi|)^2 / variance of the targets for each column. A column of zeros counts as a column of ones.
std::vector<double> units_of(const Basis& basis, double target_variance) {
  std::vector<double> units(basis.columns);
  for (std::size_t m = 0; m < basis.columns; ++m) {
    double largest = 0;
    for (std::size_t n = 0; n < basis.rows; ++n) {
      const double value = std::abs(basis.column(m)[n]);
      if (!std::isfinite(value))
        refuse_values(fmt::format("the value of basis function {} at row {} is not finite", m + 1, n + 1));
      largest = std::max(largest, value);
    }
    units[m] = largest > 0 ? largest * largest / target_variance : 1 / target_variance;
    if (!(units[m] > 1e-100 && units[m] < 1e100))
      refuse_values(fmt::format("basis function {} has values up to {}, which is too far from 1", m + 1, largest));
  }
  return units;
}

/// Targets of usual size are used as given, as in the paper. Other targets are measured by their variance, so that the
/// limits of alpha fit them.
double unit_of_targets(const EvidenceProblem& problem) {
  constexpr double usual = 1e4;
  const double variance = problem.target_variance;
  return variance > 1 / usual && variance < usual ? 1 : variance;
}

void check_scale(double variance) {
  if (!(variance > 1e-60 && variance < 1e60))
    refuse_data(fmt::format("the standard deviation of the targets, {:.3g}, is too far from 1", std::sqrt(variance)));
}

EvidenceProblem problem_of(const Basis& basis, bool bias, std::span<const double> targets, data::Task task,
                           const FitOptions& options) {
  throw_if_any(options.validate());
  if (basis.rows == 0 || basis.columns == 0) refuse("a basis needs at least one row and one function");
  if (basis.values.size() != basis.rows * basis.columns) {
    refuse(fmt::format("a basis of {} rows and {} functions holds {} values", basis.rows, basis.columns,
                       basis.values.size()));
  }
  check_fitted_targets(targets, basis.rows, task);
  if (std::ranges::adjacent_find(targets, std::not_equal_to<>{}) == targets.end()) {
    refuse(task == data::Task::classification ? "all targets are of one class; a classifier needs both"
                                              : "all targets of the regression are equal");
  }
  EvidenceProblem problem{basis, bias, {task, targets}, options, {}, 1, options.alpha_min};
  if (task == data::Task::regression) {
    constexpr double rounding = 1e-12;
    const auto [mean, variance] = moments_of(targets);
    if (!std::isfinite(variance) || !(std::sqrt(variance) > rounding * std::abs(mean)))
      refuse_data("the targets of the regression differ by no more than rounding, or by more than a number can hold");
    check_scale(variance);
    problem.target_variance = variance;
    // A bias far from 0 needs an alpha that is smaller by this factor.
    problem.alpha_min *= variance / (variance + mean * mean);
  }
  problem.units = units_of(basis, unit_of_targets(problem));
  return problem;
}

std::vector<double> starts_of(const FitOptions& options, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  if (options.algorithm == Algorithm::sequential) return {first_sequential_alpha};
  const std::array<double, 3> all{1 / (n * n), 1e-2, 1};
  return {all.begin(), all.begin() + options.starts};
}

Fit fit_from(const EvidenceProblem& problem, double alpha, bool with_covariance, const core::Context& context) {
  const auto& once = problem.options.algorithm == Algorithm::batch ? batch_fit : sequential_fit;
  // A larger alpha makes the columns of Psi shorter, so that the Hessian keeps its digits.
  for (int raise = 0; raise <= most_raises; ++raise, alpha *= 100)
    if (std::optional<Fit> result = once(problem, alpha, with_covariance, context)) return *std::move(result);
  refuse(problem.fixed_noise()
             ? fmt::format("the weights cannot be found with a noise variance as small as {}", problem.first_noise())
             : "the weights cannot be found, because the basis functions are nearly equal or too large");
}

}  // namespace

std::string_view name(Status status) {
  constexpr std::array<std::string_view, 4> names{"converged", "plateau", "iteration limit", "stopped"};
  return names[static_cast<std::size_t>(status)];
}

std::vector<std::string> FitOptions::validate() const {
  std::vector<std::string> problems;
  const auto positive = [&](const char* what, double value) {
    if (!(value > 0) || !std::isfinite(value))
      problems.push_back(fmt::format("{} must be a number > 0, not {}", what, value));
  };
  if (starts < 1 || starts > 3)
    problems.push_back(fmt::format("the number of starts must be 1, 2 or 3, not {}", starts));
  if (algorithm == Algorithm::sequential && starts != 1)
    problems.emplace_back("the sequential algorithm has one start");
  if (max_iterations < 1)
    problems.push_back(fmt::format("the number of iterations must be at least 1, not {}", max_iterations));
  if (noise_variance) positive("the noise variance", *noise_variance);
  positive("the noise variance at the start", noise_start);
  positive("the tolerance of the evidence", evidence_tolerance);
  positive("the tolerance of alpha", alpha_tolerance);
  positive("the tolerance of the search for a mode", inner_tolerance);
  positive("the tolerance of the last search for a mode", final_tolerance);
  positive("the smallest alpha", alpha_min);
  positive("the largest alpha", alpha_max);
  if (alpha_min > 0 && alpha_max > 0 && !(alpha_min < alpha_max))
    problems.push_back(fmt::format("the smallest alpha, {}, must be below the largest, {}", alpha_min, alpha_max));
  return problems;
}

double EvidenceProblem::first_noise() const {
  return options.noise_variance.value_or(regression() ? options.noise_start * target_variance : 1.0);
}

double EvidenceProblem::noise_at(const Mode& mode, std::span<const double> gammas) const {
  const auto n = static_cast<double>(basis.rows);
  double free = n;
  for (const double gamma : gammas) free -= gamma;
  // With a parameter for nearly every row, the divisor would go to 0.
  return std::max(mode.squared_residual() / std::max(free, 1e-3 * n), noise_floor * target_variance);
}

namespace {

/// Whether the noise is at its floor, or nearly every row has a parameter.
bool memorises(const Posterior& fit, const EvidenceProblem& problem) {
  constexpr double near_floor = 10 * EvidenceProblem::noise_floor;
  constexpr double most = 0.9;
  double parameters = 0;
  for (const double gamma : fit.gamma) parameters += gamma;
  const bool collapsed = !problem.fixed_noise() && fit.noise_variance <= near_floor * problem.target_variance;
  return collapsed || parameters > most * static_cast<double>(problem.basis.rows);
}

}  // namespace

std::optional<Fit> finished(Mode& mode, const EvidenceProblem& problem, Status status, int iterations,
                            bool with_covariance) {
  Fit fit;
  fit.status = status;
  fit.iterations = iterations;
  if (status != Status::stopped) {
    const Mode::Search found = mode.search(problem.options.final_tolerance);
    if (found == Mode::Search::indefinite || (found == Mode::Search::found && !mode.factorise())) return std::nullopt;
    if (found == Mode::Search::stopped)
      fit.status = Status::stopped;
    else
      static_cast<Posterior&>(fit) = mode.posterior(with_covariance);
  }
  double said = 0;
  for (std::size_t m = 0; m < fit.columns.size(); ++m) said += problem.bias && fit.columns[m] == 0 ? 0 : fit.gamma[m];
  fit.null_model = said < null_gamma;
  fit.memorised = problem.regression() && status != Status::stopped && memorises(fit, problem);
  fit.newton_steps = mode.work().newton_steps;
  fit.factorisations = mode.work().factorisations;
  fit.full_factorisations = mode.work().full_factorisations;
  return fit;
}

Posterior posterior(const Basis& basis, std::span<const std::uint32_t> columns, std::span<const double> alpha,
                    std::span<const double> targets, data::Task task, double noise_variance, bool with_covariance,
                    const core::Context& context, double tolerance) {
  check_fitted_targets(targets, basis.rows, task);
  if (task == data::Task::regression) check_noise(noise_variance);
  if (columns.empty() || columns.size() != alpha.size()) {
    refuse(
        fmt::format("there are {} columns and {} alpha; every column needs an alpha, and at least one column is needed",
                    columns.size(), alpha.size()));
  }
  if (columns.back() >= basis.columns || std::ranges::adjacent_find(columns, std::greater_equal<>{}) != columns.end())
    refuse(fmt::format("columns must ascend, and lie below the number of columns of the basis, {}", basis.columns));
  if (!std::ranges::all_of(alpha, [](double value) { return value > 0 && std::isfinite(value); }))
    refuse("every alpha must be a finite number > 0");
  Mode mode(basis, columns, alpha, {task, targets}, noise_variance, context);
  const Mode::Search found = mode.search(tolerance);
  if (found == Mode::Search::stopped)
    throw Error(ErrorCode::interrupted, "the search for the most probable weights was stopped");
  if (found == Mode::Search::indefinite || !mode.factorise())
    refuse("alpha is too small for these basis functions: rounding makes the Hessian indefinite");
  return mode.posterior(with_covariance);
}

Fit fit(const Basis& basis, bool bias, std::span<const double> targets, data::Task task, const FitOptions& options,
        bool with_covariance, const core::Context& context) {
  const EvidenceProblem problem = problem_of(basis, bias, targets, task, options);
  const std::vector<double> starts = starts_of(options, basis.rows);
  Fit best;
  Work work;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    Fit one = fit_from(problem, starts[s], with_covariance, context);
    work.newton_steps += one.newton_steps;
    work.factorisations += one.factorisations;
    work.full_factorisations += one.full_factorisations;
    if (one.status == Status::stopped) {
      best = Fit();
      break;
    }
    if (s == 0 || one.log_evidence > best.log_evidence) {
      best = std::move(one);
      best.start = static_cast<int>(s);
    }
  }
  best.newton_steps = work.newton_steps;
  best.factorisations = work.factorisations;
  best.full_factorisations = work.full_factorisations;
  return best;
}

double null_evidence(std::span<const double> targets, data::Task task, const FitOptions& options) {
  FitOptions exact;
  exact.noise_variance = options.noise_variance;
  exact.noise_start = options.noise_start;
  exact.evidence_tolerance = 1e-12;
  exact.alpha_tolerance = 1e-9;
  exact.inner_tolerance = 1e-10;
  exact.max_iterations = 10000;
  Basis ones(targets.size(), 1);
  std::ranges::fill(ones.values, 1.0);
  const core::Threads one_thread(1);
  core::Monitor monitor;
  const core::Context context{one_thread, monitor};
  return fit(ones, true, targets, task, exact, false, context).log_evidence;
}

}  // namespace credence::rvm
