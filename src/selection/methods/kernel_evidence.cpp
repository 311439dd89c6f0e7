#include "selection/methods/kernel_evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/fit/kept_parts.hpp"

namespace credence::selection {

void visit(auto& bytes, FittedKernel& kernel) {
  bytes(kernel.complete, kernel.fit, kernel.evidence, kernel.newton_steps, kernel.factorisations, kernel.unconverged);
}

namespace {

constexpr double same_value = 1e-10;
constexpr double relevant_gamma = 0.1;

bool same_matrix(const rvm::Problem& problem, const kernel::Kernel& a, const kernel::Kernel& b) {
  constexpr std::size_t block = 32;
  const std::span<const std::size_t> centres(problem.centre_rows);
  for (std::size_t first = 0; first < centres.size(); first += block) {
    const data::Features some =
        problem.rows.select_rows(centres.subspan(first, std::min(block, centres.size() - first)));
    const data::DenseMatrix left = kernel::kernel_block(a, some, problem.rows);
    const data::DenseMatrix right = kernel::kernel_block(b, some, problem.rows);
    for (std::size_t i = 0; i < left.values.size(); ++i)
      if (!(std::abs(left.values[i] - right.values[i]) < same_value)) return false;
  }
  return true;
}

/// What the fits say without an index.
KernelEvidence evidence_of(const rvm::KernelFit& fit, data::Task task) {
  KernelEvidence result;
  result.log_evidence = fit.log_evidence;
  result.effective = rvm::effective_kernels(fit);
  for (const rvm::Fit& machine : fit.machines) {
    for (std::size_t i = 0; i < machine.columns.size(); ++i) {
      result.largest_weight = std::max(result.largest_weight, std::abs(machine.weights[i]));
      if (machine.columns[i] > 0) {
        ++result.kernels;
        result.relevant += machine.gamma[i] > relevant_gamma ? 1U : 0U;
      }
    }
    result.iterations += machine.iterations;
    result.status = std::max(result.status, machine.status);
    result.null_model = result.null_model || machine.null_model;
    result.memorised = result.memorised || machine.memorised;
  }
  if (task == data::Task::regression) result.noise_sd = std::sqrt(fit.machines.front().noise_variance);
  return result;
}

/// The index, where the kernel has one. The method evidence does without one that is no number or asks for too much.
void add_index(const rvm::Problem& problem, const Options& options, const core::Context& context,
               FittedKernel& result) {
  try {
    const rvm::ValidityOptions index =
        options.is<KernelValidity>() ? options.as<KernelValidity>().index : rvm::ValidityOptions{};
    rvm::add_validity(problem, index, context, result.fit);
  } catch (const Error& error) {
    const bool of_numbers = error.code() == ErrorCode::invalid_data || error.code() == ErrorCode::memory;
    if (!options.is<Evidence>() || !of_numbers) throw;
    result.without_room = error.code() == ErrorCode::memory;
  }
  if (result.fit.validity.empty()) return;
  result.evidence.log_validity = result.fit.log_validity;
  for (rvm::Validity& validity : result.fit.validity) {
    result.evidence.stability += validity.stability;
    result.evidence.capped += validity.capped;
    result.evidence.saddles += validity.saddles;
    validity.slope = validity.curvature = validity.log_A = {};  // which are of no use any more
  }
}

FittedKernel fitted_kernel(const rvm::Problem& problem, const kernel::Kernel& kernel, const Options& options,
                           const core::Context& context) {
  FittedKernel result{fitted_rvms(problem, kernel, options, context)};
  result.complete = result.complete && !context.monitor.should_stop();
  if (!result.complete) return {};
  result.evidence = evidence_of(result.fit, problem.task);
  add_index(problem, options, context, result);
  return result;
}

/// The same fit as another kernel's, with an index of its own.
FittedKernel refitted_kernel(const rvm::Problem& problem, const kernel::Kernel& kernel, const FittedKernel& before,
                             const Options& options, const core::Context& context) {
  FittedKernel result;
  if (!before.complete || context.monitor.should_stop()) return result;
  result.complete = true;
  result.fit = {.kernel = kernel, .machines = before.fit.machines, .log_evidence = before.fit.log_evidence};
  result.evidence = evidence_of(result.fit, problem.task);
  result.evidence.reused = true;
  add_index(problem, options, context, result);
  return result;
}

}  // namespace

std::vector<bool> repeated(const rvm::Problem& problem, std::span<const kernel::Kernel> kernels) {
  return core::made(kernels.size(), [&](std::size_t k) {
    return k > 0 && kernels[k].uses_gamma() && same_matrix(problem, kernels[k - 1], kernels[k]);
  });
}

namespace {

/// The most memory that a fit and its index, one after the other, may need.
std::size_t most_bytes(const rvm::Problem& problem, kernel::KernelType type) {
  const std::size_t rows = problem.rows.rows();
  const std::size_t centres = problem.centre_rows.size();
  const std::size_t index =
      rvm::has_validity(type) ? rvm::validity_memory(type, rows, problem.rows.columns(), centres) : 0;
  return std::max(rvm::fit_memory(rows, centres, problem.task).least(), problem.machines() * index);
}

/// Whose machines a kernel has.
enum class Fit : std::uint8_t { own, of_the_kernel_before };

/// Whether the columns are the bias and candidate centres, ascending, with a weight each.
bool fits(const rvm::Fit& machine, std::size_t centres) {
  const std::size_t count = machine.columns.size();
  return count > 0 && machine.columns.back() <= centres &&
         std::ranges::adjacent_find(machine.columns, std::greater_equal<>()) == machine.columns.end() &&
         machine.weights.size() == count && machine.alpha.size() == count && machine.gamma.size() == count &&
         machine.covariance.values.empty();
}

bool fits(const FittedKernel& fitted, const rvm::Problem& problem, bool by_index) {
  return fitted.complete && fitted.fit.machines.size() == problem.machines() &&
         std::ranges::all_of(fitted.fit.machines,
                             [&](const rvm::Fit& machine) { return fits(machine, problem.centre_rows.size()); }) &&
         (!by_index || fitted.evidence.log_validity.has_value());
}

/// The fit of a kernel, kept or made. A fit whose index did not fit into memory is not kept: with more memory there is
/// one.
template <class Make>
FittedKernel kept_or_fitted(const rvm::Problem& problem, bool by_index, const KeptParts& kept,
                            const kernel::Kernel& kernel, Fit fit, const Make& make) {
  const std::uint64_t part[] = {std::bit_cast<std::uint64_t>(kernel.gamma), static_cast<std::uint64_t>(fit)};
  const auto is_one = [&](const FittedKernel& fitted) { return fits(fitted, problem, by_index); };
  if (auto known = kept.recall<FittedKernel>(part, is_one)) return std::move(*known);
  FittedKernel made = make();
  if (made.complete && !made.without_room) kept.keep(part, made);
  return made;
}

}  // namespace

std::vector<FittedKernel> fit_kernels(const rvm::Problem& problem, std::span<const kernel::Kernel> kernels,
                                      const Options& options, const KeptParts& kept, const core::Context& context) {
  const std::vector<bool> repeats = repeated(problem, kernels);
  std::vector<std::size_t> first;  // of each run of kernels with the same matrix
  std::vector<std::size_t> length;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (!repeats[k]) {
      first.push_back(k);
      length.push_back(0);
    }
    ++length.back();
  }
  std::vector<FittedKernel> fitted(kernels.size());
  const bool by_index = options.is<KernelValidity>();
  for_each_fit(
      length, most_bytes(problem, kernels.front().type), context, [&](std::size_t run, const core::Context& part) {
        const std::size_t k = first[run];
        fitted[k] = kept_or_fitted(problem, by_index, kept, kernels[k], Fit::own,
                                   [&] { return fitted_kernel(problem, kernels[k], options, part); });
        for (std::size_t next = k + 1; next < k + length[run]; ++next) {
          fitted[next] = kept_or_fitted(problem, by_index, kept, kernels[next], Fit::of_the_kernel_before, [&] {
            return refitted_kernel(problem, kernels[next], fitted[next - 1], options, part);
          });
        }
      });
  return fitted;
}

bool add_covariances(const rvm::Problem& problem, rvm::KernelFit& fit, const core::Context& context) {
  const rvm::Basis basis = rvm::basis_of(problem, fit.kernel);
  try {
    for (std::size_t m = 0; m < fit.machines.size(); ++m) {
      rvm::Fit& machine = fit.machines[m];
      machine.covariance = rvm::posterior(basis, machine.columns, machine.alpha, problem.targets[m], problem.task,
                                          machine.noise_variance, true, context)
                               .covariance;
    }
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) return false;
    throw;
  }
  return true;
}

}  // namespace credence::selection
