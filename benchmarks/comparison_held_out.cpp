#include <algorithm>
#include <cmath>
#include <numeric>

#include "comparison_in_sample.hpp"
#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"

namespace credence::bench {
namespace {

constexpr int folds = 10;
constexpr int bootstrap_samples = 100;

/// The rows of a split by a rule: 0 judges, m > 0 trains, m times.
template <class Use>
HeldOutSplit split_by(std::size_t n, const Use& use) {
  HeldOutSplit split;
  for (std::size_t i = 0; i < n; ++i) {
    const int times = use(i);
    if (times == 0) split.judging.push_back(i);
    for (int k = 0; k < times; ++k) split.training.push_back(i);
  }
  return split;
}

/// One side's means of the soft loss: over settings, or over the rows of each test fold for nested cross-validation.
struct Judged {
  Seconds seconds;
  std::vector<double> means;
  std::size_t trainings = 0;
};

class Libsvm {
 public:
  Libsvm(const data::Dataset& dataset, std::vector<double> costs)
      : costs_(std::move(costs)),
        folds_(dataset.folds),
        nodes_(kernel_nodes(
            kernel::Gram({kernel::KernelType::linear}, kernel::Base(kernel::KernelType::linear, dataset.features)))) {
    for (const int label : dataset.labels) labels_.push_back(label == 1 ? 1 : -1);
  }

  Judged leave_one_out(const std::vector<std::size_t>& sample) const {
    std::vector<HeldOutSplit> splits;
    for (const std::size_t row : sample)
      splits.push_back(split_by(labels_.size(), [row](std::size_t i) { return i == row ? 0 : 1; }));
    return mean_over_rows(splits);
  }

  Judged bootstrap(const std::vector<std::size_t>& sample) const {
    std::vector<HeldOutSplit> splits;
    for (const std::size_t b : sample) {
      constexpr std::uint64_t bootstrap_purpose = 632;  // as the method draws them
      const auto drawn =
          data::bootstrap(labels_.size(), core::random_choice(0, bootstrap_purpose, b, ~std::uint64_t{0}));
      splits.push_back(split_by(labels_.size(), [&](std::size_t i) { return static_cast<int>(drawn[i]); }));
    }
    return mean_over_rows(splits);
  }

  /// Every two folds left out together, once: such a machine judges either fold where the other is the test fold. Then,
  /// for each test fold, the cost with the least loss over the others, trained on all of them.
  Judged nested() const {
    Judged judged;
    const Stopwatch stopwatch;
    std::vector<std::vector<double>> inner(folds, std::vector<double>(costs_.size(), 0));
    for (int a = 0; a < folds; ++a)
      for (int b = a + 1; b < folds; ++b) add_pair(a, b, inner);
    for (int test = 0; test < folds; ++test) {
      const std::vector<double>& losses = inner[static_cast<std::size_t>(test)];
      const auto best = std::min_element(losses.begin(), losses.end()) - losses.begin();
      judged.means.push_back(mean_on(test, costs_[static_cast<std::size_t>(best)]));
    }
    judged.trainings = folds * (folds - 1) / 2 * costs_.size() + folds;
    judged.seconds = stopwatch.elapsed();
    return judged;
  }

 private:
  void add_pair(int a, int b, std::vector<std::vector<double>>& inner) const {
    const HeldOutSplit split =
        split_by(labels_.size(), [&](std::size_t i) { return folds_[i] == a || folds_[i] == b ? 0 : 1; });
    const data::DenseMatrix losses = libsvm_soft_losses(*nodes_, labels_, split, costs_);
    for (std::size_t i = 0; i < losses.rows; ++i) {
      const int test = folds_[split.judging[i]] == a ? b : a;
      for (std::size_t c = 0; c < costs_.size(); ++c) inner[static_cast<std::size_t>(test)][c] += losses.row(i)[c];
    }
  }

  double mean_on(int test, double cost) const {
    const HeldOutSplit split = split_by(labels_.size(), [&](std::size_t i) { return folds_[i] == test ? 0 : 1; });
    const data::DenseMatrix losses = libsvm_soft_losses(*nodes_, labels_, split, std::span(&cost, 1));
    return std::accumulate(losses.values.begin(), losses.values.end(), 0.0) / static_cast<double>(losses.rows);
  }

  /// Of each setting: the mean over rows of the mean over the splits that judge the row.
  Judged mean_over_rows(const std::vector<HeldOutSplit>& splits) const {
    Judged judged;
    const Stopwatch stopwatch;
    data::DenseMatrix sums(labels_.size(), costs_.size());
    std::vector<double> times(labels_.size(), 0);
    for (const HeldOutSplit& split : splits) {
      const data::DenseMatrix losses = libsvm_soft_losses(*nodes_, labels_, split, costs_);
      judged.trainings += costs_.size();
      for (std::size_t i = 0; i < split.judging.size(); ++i) {
        times[split.judging[i]] += 1;
        for (std::size_t c = 0; c < costs_.size(); ++c) sums.row(split.judging[i])[c] += losses.row(i)[c];
      }
    }
    judged.means.assign(costs_.size(), 0);
    const double rows =
        static_cast<double>(times.size()) - static_cast<double>(std::count(times.begin(), times.end(), 0));
    for (std::size_t i = 0; i < times.size(); ++i)
      for (std::size_t c = 0; c < costs_.size() && times[i] > 0; ++c)
        judged.means[c] += sums.row(i)[c] / times[i] / rows;
    judged.seconds = stopwatch.elapsed();
    return judged;
  }

  std::vector<double> costs_;
  std::vector<int> folds_;
  KernelNodesPointer nodes_;
  std::vector<int> labels_;
};

selection::Method method_of(const HeldOutCase& task) {
  if (task.method == "kfold-nested") return selection::KFoldNested{.folds = folds};
  if (task.method == "loo") return selection::LeaveOneOut{};
  return selection::Bootstrap{.resamples = bootstrap_samples};
}

selection::Options options_of(const HeldOutCase& task) {
  selection::Options options;
  options.method = method_of(task);
  options.loss = selection::Loss::soft;
  options.costs.C = selection::SvmCosts::rho_list();  // the same 30 values
  options.kernels.types = {kernel::KernelType::linear};
  options.preparation.scalings = {data::Scaling::none};
  options.estimate = selection::Estimate::none;
  options.costs.solver.tolerance = tolerance;
  return options;
}

Judged run_credence(const data::Dataset& dataset, const selection::Options& options, int threads) {
  const SelectionRun run = credence_selection(dataset, options, threads);
  Judged judged{run.seconds, {}, 0};
  if (options.is<selection::KFoldNested>())
    for (const auto& judgement : run.selection.estimation()->judgements) judged.means.push_back(judgement.soft);
  else
    for (const selection::Setting& setting : run.selection.grid) judged.means.push_back(setting.error);
  return judged;
}

Judged run_libsvm(const Libsvm& libsvm, const HeldOutRow& row) {
  std::vector<std::size_t> sample;
  for (std::size_t i = 0; i < row.libsvm_resamples; ++i) sample.push_back(i * row.resamples / row.libsvm_resamples);
  if (row.task.method == "kfold-nested") return libsvm.nested();
  return row.task.method == "loo" ? libsvm.leave_one_out(sample) : libsvm.bootstrap(sample);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace

std::vector<HeldOutCase> held_out_cases(bool quick) {
  return {{"kfold-nested", 400, 0, {6.3, 0.3}},
          {"loo", 400, quick ? 10U : 0U, {59.7, 0.5}},
          {"bootstrap", 400, quick ? 10U : 0U, {4.1, 0.3}}};
}

HeldOutRow compare_held_out(const HeldOutCase& task, const data::Dataset& digits, const Settings& settings) {
  data::Dataset dataset = balanced_draw(digits, task.rows);
  if (task.method == "kfold-nested") dataset.folds = data::stratified_k_fold(dataset.labels, folds, 0);
  const selection::Options options = options_of(task);
  HeldOutRow row;
  row.task = task;
  row.costs = options.costs.C.size();
  row.resamples = task.method == "loo" ? task.rows : task.method == "bootstrap" ? bootstrap_samples : folds;
  row.libsvm_resamples = task.sample == 0 ? row.resamples : task.sample;
  const Judged ours = run_credence(dataset, options, 2);  // warms up
  const auto runs = static_cast<std::size_t>(settings.runs);
  const auto run_ours = [&](std::size_t count) {
    for (; count > 0; --count) {
      row.two_threads.push_back(run_credence(dataset, options, 2).seconds);
      row.one_thread.push_back(run_credence(dataset, options, 1).seconds);
    }
  };
  const Libsvm libsvm(dataset, options.costs.C);
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    run_ours((runs + 1) / 2);  // half before LIBSVM, half after it
    const Judged theirs = settings.alone ? Judged{} : run_libsvm(libsvm, row);
    run_ours(runs / 2);
    if (settings.alone) continue;
    row.libsvm.push_back(theirs.seconds);
    row.libsvm_trainings = theirs.trainings;
    row.ratios.push_back(theirs.seconds.cpu * row.scale() / median(last(row.one_thread, runs)).cpu);
    if (!row.extrapolated()) row.difference = largest_difference(theirs.means, ours.means);
  }
  return row;
}

}  // namespace credence::bench
