// The parts by themselves: kernel matrices, blocks, the solver. Run with --benchmark_filter=NAME.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "credence/core/random.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/selection/options.hpp"
#include "credence/svm/ivanov.hpp"
#include "credence/svm/train.hpp"

namespace {

using namespace credence;

data::DenseMatrix normal_rows(std::size_t n, std::size_t d, std::uint64_t purpose) {
  core::RandomStream random(0, purpose);
  data::DenseMatrix rows(n, d);
  for (double& value : rows.values) value = random.normal();
  return rows;
}

/// Two overlapping classes: the sign of the first column plus noise.
std::vector<int> noisy_labels(const data::DenseMatrix& rows) {
  core::RandomStream random(0, 7);
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows.rows; ++i) labels.push_back(rows.row(i)[0] + 0.7 * random.normal() > 0 ? 1 : 0);
  return labels;
}

/// Squared distances of n rows of d numbers.
void base(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const data::Features rows = normal_rows(n, static_cast<std::size_t>(state.range(1)), 1);
  for (auto _ : state) {
    const kernel::Base distances(kernel::KernelType::rbf, rows);
    benchmark::DoNotOptimize(distances.row(0));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(0) / 2);
}
BENCHMARK(base)->Args({768, 8})->Args({1800, 36})->Unit(benchmark::kMillisecond);

/// The kernel matrix of one gamma.
void gram(benchmark::State& state) {
  const data::Features rows = normal_rows(static_cast<std::size_t>(state.range(0)), 8, 1);
  const kernel::Base distances(kernel::KernelType::rbf, rows);
  kernel::Kernel kernel;
  kernel.gamma = 0.125;
  for (auto _ : state) {
    const kernel::Gram matrix(kernel, distances);
    benchmark::DoNotOptimize(matrix.matrix().row(0));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(0) / 2);
}
BENCHMARK(gram)->Arg(768)->Arg(1800)->Unit(benchmark::kMillisecond);

/// One row of kernel values, computed from the features.
void cached_row(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const data::Features features = normal_rows(n, static_cast<std::size_t>(state.range(1)), 1);
  const auto rows = kernel::cached_rows(kernel::Kernel{}, features, std::size_t{4} * 4 * kernel::padded(n));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(rows->row(i));
    i = (i + 1) % n;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(cached_row)->Args({4435, 36})->Args({20000, 9})->Unit(benchmark::kMicrosecond);

/// Kernel values between new rows and support vectors, as prediction needs them.
void kernel_block(benchmark::State& state) {
  const data::Features rows = normal_rows(256, 36, 1);
  const data::Features support = normal_rows(1000, 36, 2);
  for (auto _ : state) benchmark::DoNotOptimize(kernel::kernel_block(kernel::Kernel{}, rows, support));
  state.SetItemsProcessed(state.iterations() * 256 * 1000);
}
BENCHMARK(kernel_block)->Unit(benchmark::kMillisecond);

/// One solve on a kernel matrix in memory; argument: log2 C, and whether Newton steps are allowed.
void solve(benchmark::State& state) {
  const data::DenseMatrix rows = normal_rows(768, 8, 1);
  const std::vector<int> labels = noisy_labels(rows);
  kernel::Kernel kernel;
  kernel.gamma = 0.125;
  const kernel::Base distances(kernel::KernelType::rbf, rows);
  const kernel::Gram matrix(kernel, distances);
  const auto view = kernel::rows_of(matrix);
  const double C = std::exp2(static_cast<double>(state.range(0)));
  const std::vector<double> factors(labels.size(), C);
  const qp::Problem problem = svm::machine_problem(labels, svm::machine_layout(2)[0], factors);
  qp::Options options;
  options.newton = state.range(1) != 0;
  const core::Monitor monitor;
  qp::Statistics statistics;
  for (auto _ : state) {
    qp::State start = qp::zero_state(problem);
    statistics = qp::solve(*view, problem, start, options, monitor);
  }
  state.counters["steps"] = static_cast<double>(statistics.steps);
  state.counters["factorisations"] = static_cast<double>(statistics.factorisations);
  state.counters["per step"] =
      benchmark::Counter(static_cast<double>(statistics.steps),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(solve)->ArgsProduct({{-5, 3, 11}, {0, 1}})->Unit(benchmark::kMillisecond);

/// n rows of 50 numbers with labels by coin, as trials of a complexity have them.
struct RandomLabels {
  std::vector<int> labels;
  kernel::Gram gram;
  std::unique_ptr<kernel::Rows> rows;

  explicit RandomLabels(std::size_t n)
      : gram({kernel::KernelType::linear}, kernel::Base(kernel::KernelType::linear, normal_rows(n, 50, 1))),
        rows(kernel::rows_of(gram)) {
    core::RandomStream random(0, 8);
    for (std::size_t i = 0; i < n; ++i) labels.push_back(random.below(2) == 1 ? 1 : -1);
  }
};

/// The least hinge loss at one norm, from nothing; arguments: rows, -log10 rho.
void ivanov_hinge(benchmark::State& state) {
  const RandomLabels problem(static_cast<std::size_t>(state.range(0)));
  const double rho = std::pow(10.0, -static_cast<double>(state.range(1)));
  const core::Monitor monitor;
  svm::IvanovSolution found;
  for (auto _ : state) found = svm::ivanov_hinge(*problem.rows, problem.labels, {}, rho, {}, monitor);
  state.counters["loss"] = found.loss;
}
BENCHMARK(ivanov_hinge)->ArgsProduct({{100, 400}, {4, 2, 0}})->Unit(benchmark::kMillisecond);

/// The least soft loss at the first norms of the default grid, each from the one before; arguments: rows, norms.
void soft_ivanov(benchmark::State& state) {
  const RandomLabels problem(static_cast<std::size_t>(state.range(0)));
  std::vector<double> rhos = selection::SvmCosts::rho_list();
  rhos.resize(static_cast<std::size_t>(state.range(1)));
  const core::Monitor monitor;
  svm::IvanovWork work;
  for (auto _ : state) {
    svm::SoftIvanov minimiser(*problem.rows, problem.labels, {}, {}, monitor);
    for (const double rho : rhos) minimiser.grow_to(rho);
    work = minimiser.work();
  }
  state.counters["convex"] = static_cast<double>(work.convex_steps);
  state.counters["solves"] = static_cast<double>(work.solves);
  state.counters["steps"] = static_cast<double>(work.steps);
  state.counters["factorisations"] = static_cast<double>(work.factorisations);
}
BENCHMARK(soft_ivanov)->ArgsProduct({{100, 400}, {16, 20, 24}})->Unit(benchmark::kMillisecond);

}  // namespace
