#include <algorithm>
#include <cmath>

#include "comparison_conformal.hpp"
#include "credence/conformal/transductive_svm.hpp"

namespace credence::bench {
namespace {

constexpr double C = 1;
constexpr std::size_t features = 10;
constexpr double gamma = 1.0 / features;

struct Ranking {
  Seconds seconds;
  data::DenseMatrix p_values;
};

Ranking rank(const SplitData& data) {
  conformal::TransductiveSvmOptions options;
  options.C = C;
  options.kernel.gamma = gamma;
  options.solver.tolerance = tolerance;
  const core::Threads workers(1);
  core::Monitor monitor;
  const core::Context context{workers, monitor};
  const conformal::TransductiveSvm machine(data.training, data.labels, data.classes, options, context);
  const Stopwatch stopwatch;
  const conformal::Ranks ranks = machine.ranks(data.test, false, context);
  const Seconds seconds = stopwatch.elapsed();
  return {seconds, conformal::p_values(ranks, {})};
}

std::size_t label_of(std::span<const double> p) {
  return static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
}

/// On the rows that LIBSVM ranked.
void compare_p_values(const data::DenseMatrix& ours, const data::DenseMatrix& theirs, TransductiveSvmRow& row) {
  double sum = 0;
  row.differing_labels = 0;
  for (std::size_t i = 0; i < theirs.rows; ++i) {
    for (std::size_t c = 0; c < theirs.columns; ++c) sum += std::abs(ours.row(i)[c] - theirs.row(i)[c]);
    row.differing_labels += label_of(ours.row(i)) != label_of(theirs.row(i)) ? 1U : 0U;
  }
  row.mean_difference = sum / static_cast<double>(theirs.values.size());
}

}  // namespace

TransductiveSvmRow compare_transductive_svm(const Settings& settings) {
  const SplitData data = gaussians(500, 200, features);
  TransductiveSvmRow row;
  row.name = "two Gaussian classes";
  row.rows = data.training.rows;
  row.test_rows = data.test.rows;
  row.libsvm_rows = settings.quick ? 20 : 100;
  row.classes = data.classes;
  row.C = C;
  row.gamma = gamma;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    Ranking ours;
    for (int run = 0; run < settings.runs; ++run) {
      ours = rank(data);
      row.credence.push_back(ours.seconds);
    }
    if (settings.alone) continue;
    Seconds seconds;
    const data::DenseMatrix theirs = libsvm_transductive(data, row.libsvm_rows, C, gamma, seconds);
    row.libsvm.push_back(seconds);
    compare_p_values(ours.p_values, theirs, row);
  }
  return row;
}

}  // namespace credence::bench
