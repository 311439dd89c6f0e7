#include "selection/in_sample/in_sample_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace credence::selection {
namespace {

/// Rows of the bound that support some machine, ascending.
std::vector<std::size_t> supporting_rows(std::span<const svm::IvanovSolution> solutions, std::size_t n) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::any_of(solutions.begin(), solutions.end(),
                    [&](const svm::IvanovSolution& solution) { return solution.beta[i] != 0; })) {
      rows.push_back(i);
    }
  }
  return rows;
}

/// The coefficients with the sum 0 that a free bias gives them, to the last digit, and the bias for rows that are not
/// centred: sum s_i (x_i - c) (x - c) = sum s_i x_i x - sum s_i x_i c.
void undo_centring(const InSampleProblem& problem, const data::DenseMatrix& support, svm::BinaryMachine& machine) {
  if (machine.coefficients.empty()) return;
  const auto largest = std::max_element(machine.coefficients.begin(), machine.coefficients.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
  *largest -= std::accumulate(machine.coefficients.begin(), machine.coefficients.end(), 0.0);
  for (std::size_t k = 0; k < machine.support.size(); ++k) {
    const auto row = support.row(machine.support[k]);
    machine.bias -= machine.coefficients[k] * std::inner_product(row.begin(), row.end(), problem.centre.begin(), 0.0);
  }
}

}  // namespace

std::shared_ptr<const svm::SvmModel> classifier_of(const InSampleProblem& problem, double gamma,
                                                   std::span<const svm::IvanovSolution> solutions,
                                                   const Options& options, model::TrainingRecord record) {
  auto model = std::make_shared<svm::SvmModel>();
  model->schema = problem.schema;
  model->missing = options.preparation.missing;
  model->preprocessing = problem.preprocessing;
  model->record = std::move(record);
  model->kernel = options.kernels().shape.with();
  if (model->kernel.uses_gamma()) model->kernel.gamma = gamma;
  model->hint = problem.hint;
  model->machines = problem.layout;
  const std::vector<std::size_t> rows = supporting_rows(solutions, problem.rows.size());
  for (std::size_t m = 0; m < solutions.size(); ++m) {
    svm::BinaryMachine& machine = model->machines[m];
    machine.bias = solutions[m].bias;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (const double beta = solutions[m].beta[rows[k]]; beta != 0) {
        machine.support.push_back(static_cast<std::uint32_t>(k));
        machine.coefficients.push_back(beta);
      }
    }
  }
  for (const std::size_t row : rows) model->support_rows.push_back(problem.rows[row]);
  if (model->kernel.type != kernel::KernelType::precomputed)
    model->support_vectors = problem.features.select_rows(rows);
  for (std::size_t m = 0; problem.centred && m < model->machines.size(); ++m)
    undo_centring(problem, model->support_vectors.dense(), model->machines[m]);
  return model;
}

}  // namespace credence::selection
