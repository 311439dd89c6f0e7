#include <cmath>
#include <numeric>
#include <span>

#include "comparison_selection.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/ensemble.hpp"

namespace credence::bench {
namespace {

constexpr std::size_t columns = 20;
constexpr std::size_t trained_rows = 1000;
constexpr std::size_t validation_rows = 50;
constexpr std::size_t block_rows = 256;  ///< of kernel values at a time

data::DenseMatrix normal_rows(std::size_t rows, std::uint64_t purpose) {
  core::RandomStream random(0, purpose);
  data::DenseMatrix numbers(rows, columns);
  for (double& value : numbers.values) value = random.normal();
  return numbers;
}

/// Two overlapping classes: the sign of the first column plus noise.
data::Dataset training_set() {
  data::DenseMatrix numbers = normal_rows(trained_rows + validation_rows, 1);
  core::RandomStream random(0, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < numbers.rows; ++i)
    labels.push_back(numbers.row(i)[0] + 0.7 * random.normal() > 0 ? "1" : "0");
  return data::make_dataset(std::move(numbers), labels);
}

std::shared_ptr<const selection::Ensemble> trained(const Grid& grid) {
  selection::Options options;
  options.method = selection::Nonconformity{};
  options.validation_rows = validation_rows;
  set_grid(options, grid);
  options.preparation.scalings = {data::Scaling::none};
  options.estimate = selection::Estimate::none;
  options.costs.solver.tolerance = tolerance;
  const SelectionRun run = credence_selection(training_set(), options, 1);
  return std::dynamic_pointer_cast<const selection::Ensemble>(run.selection.predictor);
}

data::Features part(const data::DenseMatrix& rows, std::size_t first, std::size_t count) {
  data::DenseMatrix some(std::min(count, rows.rows - first), rows.columns);
  std::copy_n(rows.row(first).begin(), some.values.size(), some.values.begin());
  return some;
}

Seconds predict(const selection::Ensemble& predictor, const data::Features& rows, int threads) {
  const core::Threads workers(threads);
  core::Monitor monitor;
  const Stopwatch stopwatch;
  predictor.predict_preprocessed(rows, {workers, monitor});
  return stopwatch.elapsed();
}

/// The kernel values of all gammas, thrown away.
Seconds kernel_values(const svm::SvmFamily& family, const std::vector<data::Features>& blocks) {
  const Stopwatch stopwatch;
  for (const double gamma : family.gammas) {
    kernel::Kernel kernel = family.kernel;
    kernel.gamma = gamma;
    for (const data::Features& block : blocks) kernel::kernel_block(kernel, block, family.support_vectors);
  }
  return stopwatch.elapsed();
}

double mean_support(const svm::SvmFamily& family) {
  double count = 0;
  for (const svm::MachineCosts& machine : family.machines) {
    const std::span<const double> betas = machine.coefficients.values;
    count += static_cast<double>(std::count_if(betas.begin(), betas.end(), [](double beta) { return beta != 0; }));
  }
  return count / static_cast<double>(family.models());
}

/// Between the decision values of LIBSVM and the scores of class 1.
double largest_difference(const svm::SvmFamily& family, const data::Features& rows, const data::DenseMatrix& theirs) {
  const core::Threads workers(1);
  core::Monitor monitor;
  const model::Scores ours = family.score_all(rows, {workers, monitor});
  double largest = 0;
  for (std::size_t i = 0; i < ours.rows; ++i) {
    for (std::size_t k = 0; k < ours.models; ++k) {
      const double value = theirs.row(i)[k];
      largest = std::max(largest, std::abs(ours.at(i, k)[1] - value) / (1 + std::abs(value)));
    }
  }
  return largest;
}

}  // namespace

double PredictionRow::speed_up() const {
  std::vector<double> pairs;
  for (std::size_t i = 0; i < std::min(one_thread.size(), two_threads.size()); ++i)
    pairs.push_back(one_thread[i].wall / two_threads[i].wall);
  return median(pairs);
}

PredictionRow compare_prediction(const Grid& grid, const Settings& settings) {
  const auto predictor = trained(grid);
  const auto& family = dynamic_cast<const svm::SvmFamily&>(predictor->family());
  const data::DenseMatrix numbers = normal_rows(settings.quick ? 5000 : 50000, 3);
  const data::Features rows = numbers;
  std::vector<data::Features> blocks;
  for (std::size_t first = 0; first < numbers.rows; first += block_rows)
    blocks.push_back(part(numbers, first, block_rows));
  PredictionRow row;
  row.rows = numbers.rows;
  row.features = columns;
  row.training_rows = trained_rows;
  row.models = family.models();
  row.support = family.support_rows.size();
  row.mean_support = mean_support(family);
  row.libsvm_rows = settings.quick ? 50 : 500;
  const data::Features sample = part(numbers, 0, row.libsvm_rows);

  predict(*predictor, rows, 2);  // warms up
  for (int run = 0; run < settings.runs; ++run) {
    row.one_thread.push_back(predict(*predictor, rows, 1));
    row.two_threads.push_back(predict(*predictor, rows, 2));
    row.kernel_alone.push_back(kernel_values(family, blocks));
    if (settings.alone) continue;
    const FamilyRun theirs = libsvm_family(family, sample);
    row.libsvm.push_back(theirs.seconds);
    row.largest_difference = largest_difference(family, sample, theirs.decisions);
  }
  return row;
}

void to_json(nlohmann::json& json, const PredictionRow& row) {
  json = {{"rows", row.rows},
          {"features", row.features},
          {"training_rows", row.training_rows},
          {"models", row.models},
          {"support_vectors", row.support},
          {"mean_support_vectors", row.mean_support},
          {"credence_seconds", row.one_thread},
          {"credence_two_threads_seconds", row.two_threads},
          {"kernel_values_alone_seconds", row.kernel_alone},
          {"rows_per_second_and_core", row.rows_per_second()},
          {"over_kernel_values", row.over_kernel()},
          {"speed_up_two_threads", row.speed_up()},
          {"libsvm_rows", row.libsvm_rows},
          {"libsvm_seconds_of_these_rows", row.libsvm},
          {"libsvm_seconds_scaled_up", median(row.libsvm).cpu * row.scale()},
          {"ratio", row.ratio()},
          {"largest_relative_difference_of_decision_values", row.largest_difference}};
}

}  // namespace credence::bench
