#include <dlib/svm.h>

#include <algorithm>

#include "comparison_rvm.hpp"
#include "credence/rvm/train.hpp"
#include "process.hpp"

namespace credence::bench {
namespace {

using Sample = dlib::matrix<double, 0, 1>;
using Rbf = dlib::radial_basis_kernel<Sample>;

/// What dlib adds to every kernel value.
constexpr double shift = 0.001;

std::vector<Sample> samples_of(const data::DenseMatrix& rows) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    Sample sample(static_cast<long>(rows.columns));
    std::ranges::copy(rows.row(i), sample.begin());
    samples.push_back(sample);
  }
  return samples;
}

/// dlib gives back the rows themselves.
std::uint32_t row_of(const Sample& centre, const std::vector<Sample>& samples) {
  const auto found = std::ranges::find_if(
      samples, [&](const Sample& one) { return std::equal(one.begin(), one.end(), centre.begin()); });
  return static_cast<std::uint32_t>(found - samples.begin());
}

RvmMachine machine_of(const dlib::decision_function<Rbf>& function, const std::vector<Sample>& samples) {
  RvmMachine machine;
  machine.shift = shift;
  for (long m = 0; m < function.alpha.size(); ++m) {
    machine.centres.push_back(row_of(function.basis_vectors(m), samples));
    machine.weights.push_back(function.alpha(m));
  }
  return machine;
}

template <class Trainer>
dlib::decision_function<Rbf> trained(const RvmTask& task, const std::vector<Sample>& samples,
                                     const std::vector<double>& targets) {
  Trainer trainer;
  trainer.set_kernel(Rbf(rvm::gamma_of_sigma(task.sigma)));
  return trainer.train(samples, targets);
}

/// dlib's classes are -1 and 1.
std::vector<double> dlib_targets(const RvmTask& task) {
  std::vector<double> targets = task.targets;
  if (!task.regression()) std::ranges::transform(targets, targets.begin(), [](double t) { return 2 * t - 1; });
  return targets;
}

}  // namespace

DlibRun dlib_rvm(const RvmTask& task) {
  constexpr int most_runs = 3;
  constexpr double long_enough = 1;
  const std::vector<Sample> samples = samples_of(task.training);
  const std::vector<double> targets = dlib_targets(task);
  DlibRun run;
  dlib::decision_function<Rbf> function;
  double total = 0;
  for (int i = 0; i < most_runs && total < long_enough; ++i) {
    const Stopwatch stopwatch;
    function = task.regression() ? trained<dlib::rvm_regression_trainer<Rbf>>(task, samples, targets)
                                 : trained<dlib::rvm_trainer<Rbf>>(task, samples, targets);
    run.seconds.push_back(stopwatch.elapsed());
    total += run.seconds.back().wall;
  }
  run.machine = machine_of(function, samples);
  for (const Sample& row : samples_of(task.test)) run.predictions.push_back(function(row));
  return run;
}

}  // namespace credence::bench
