#include <algorithm>
#include <cmath>

#include "comparison_in_sample.hpp"
#include "credence/core/random.hpp"

namespace credence::bench {
namespace {

/// What a machine needs of the digits.
struct Digits {
  std::vector<int> labels;  ///< -1, +1
  kernel::Gram gram;

  explicit Digits(const data::Dataset& dataset)
      : gram({kernel::KernelType::linear}, kernel::Base(kernel::KernelType::linear, dataset.features)) {
    for (const int label : dataset.labels) labels.push_back(label == 1 ? 1 : -1);
  }
};

class CredenceMinimiser final : public SoftMinimiser {
 public:
  CredenceMinimiser(kernel::Rows& rows, std::span<const int> labels, const svm::IvanovOptions& options,
                    const core::Monitor& monitor, SoftWork& work)
      : minimiser_(rows, labels, {}, options, monitor), total_(work) {}
  ~CredenceMinimiser() override {
    total_.convex_steps += minimiser_.work().convex_steps;
    total_.trainings += minimiser_.work().solves;
    total_.steps += minimiser_.work().steps;
  }
  CredenceMinimiser(const CredenceMinimiser&) = delete;
  CredenceMinimiser& operator=(const CredenceMinimiser&) = delete;
  double loss_at(double rho) override {
    minimiser_.grow_to(rho);
    return minimiser_.solution().loss;
  }

 private:
  svm::SoftIvanov minimiser_;
  SoftWork& total_;
};

std::vector<int> random_labels(std::size_t n, core::RandomStream& random) {
  std::vector<int> labels(n);
  for (int& label : labels) label = random.below(2) == 1 ? 1 : -1;
  return labels;
}

/// The labels of a random half are flipped.
std::vector<int> half_flipped(std::vector<int> labels, core::RandomStream& random) {
  std::vector<std::size_t> order(labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  for (std::size_t i = 0; i < order.size() / 2; ++i) labels[order[i]] *= -1;
  return labels;
}

std::vector<std::vector<int>> label_vectors(const ConvexStepCase& task, const std::vector<int>& labels) {
  core::RandomStream random(0, 1);
  std::vector<std::vector<int>> vectors;
  for (std::size_t i = 0; i < task.trials; ++i) {
    vectors.push_back(task.method == "rademacher" ? random_labels(labels.size(), random)
                                                  : half_flipped(labels, random));
  }
  return vectors;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

SoftSweep run_credence(const Digits& digits, const std::vector<std::vector<int>>& trials,
                       const std::vector<double>& rhos, ConvexStepRow& row) {
  svm::IvanovOptions options;
  options.norm_tolerance = norm_tolerance;
  options.solver.tolerance = soft_tolerance;
  const core::Monitor monitor;
  const auto rows = kernel::rows_of(digits.gram);
  row.credence_work = {};
  return soft_sweep(digits.labels, trials, rhos, [&](std::span<const int> labels) {
    return std::make_unique<CredenceMinimiser>(*rows, labels, options, monitor, row.credence_work);
  });
}

void run_libsvm(const Digits& digits, const std::vector<std::vector<int>>& trials, const std::vector<double>& rhos,
                const SoftSweep& ours, ConvexStepRow& row) {
  const KernelNodesPointer nodes = kernel_nodes(digits.gram);
  row.libsvm_work = {};
  const SoftSweep theirs = soft_sweep(digits.labels, trials, rhos, [&](std::span<const int> labels) {
    return libsvm_minimiser(*nodes, labels, row.libsvm_work);
  });
  row.libsvm.push_back(theirs.seconds);
  row.libsvm_rhos = theirs.training.size();
  row.training_difference = largest_difference(theirs.training, ours.training);
  row.complexity_difference = largest_difference(theirs.complexity, ours.complexity);
}

}  // namespace

SoftSweep soft_sweep(std::span<const int> labels, const std::vector<std::vector<int>>& trials,
                     std::span<const double> rhos, const MakeMinimiser& make) {
  SoftSweep found;
  const Stopwatch stopwatch;
  const auto learner = make(labels);
  std::vector<std::unique_ptr<SoftMinimiser>> minimisers;
  for (const std::vector<int>& vector : trials) minimisers.push_back(make(vector));
  double least = HUGE_VAL;  // of training loss and complexity together
  for (const double rho : rhos) {
    found.training.push_back(learner->loss_at(rho));
    double sum = 0;
    for (const auto& minimiser : minimisers) sum += std::clamp(1 - 2 * minimiser->loss_at(rho), 0.0, 1.0);
    found.complexity.push_back(sum / static_cast<double>(trials.size()));
    least = std::min(least, found.training.back() + found.complexity.back());
    if (found.complexity.back() >= least) break;
  }
  found.seconds = stopwatch.elapsed();
  return found;
}

std::vector<ConvexStepCase> convex_step_cases(bool quick) {
  if (quick) return {{"maximal-discrepancy", 60, 10}, {"rademacher", 60, 10}};
  return {{"maximal-discrepancy", 100, 100},
          {"rademacher", 100, 100},
          {"maximal-discrepancy", 400, 100},
          {"rademacher", 400, 100}};
}

ConvexStepRow compare_convex_steps(const ConvexStepCase& task, const data::Dataset& digits, const Settings& settings) {
  const Digits drawn(balanced_draw(digits, task.rows));
  const std::vector<std::vector<int>> trials = label_vectors(task, drawn.labels);
  const std::vector<double> rhos = selection::SvmCosts::rho_list();
  ConvexStepRow row;
  row.task = task;
  const auto runs = static_cast<std::size_t>(settings.runs);
  SoftSweep ours = run_credence(drawn, trials, rhos, row);  // warms up
  row.credence_rhos = ours.training.size();
  const auto run_ours = [&](std::size_t count) {
    for (; count > 0; --count) row.credence.push_back(run_credence(drawn, trials, rhos, row).seconds);
  };
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    run_ours((runs + 1) / 2);  // half before LIBSVM, half after it
    if (!settings.alone) run_libsvm(drawn, trials, rhos, ours, row);
    run_ours(runs / 2);
    if (!settings.alone) row.ratios.push_back(row.libsvm.back().cpu / median(last(row.credence, runs)).cpu);
  }
  return row;
}

}  // namespace credence::bench
