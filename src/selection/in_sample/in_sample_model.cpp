#include "selection/in_sample/in_sample_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "selection/choose/choose.hpp"
#include "selection/frame/head.hpp"
#include "selection/resample/prepared.hpp"
#include "svm/assembly.hpp"

namespace credence::selection {
namespace {

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
                                                   const GammaResult& result, const Options& options,
                                                   const data::Dataset& dataset, double bound) {
  auto model = std::make_shared<svm::SvmModel>();
  set_head(*model, dataset, problem.preprocessing, options);
  model->schema = problem.schema;
  model->record.C = result.best.back().classifier.C;
  model->record.tolerance = options.in_sample.ivanov.solver.tolerance;
  model->record.selected_error = bound;
  model->kernel = kernel_of(options, gamma);
  model->hint = problem.hint;
  model->machines = problem.layout;
  std::vector<svm::SparseMachine> machines;
  for (const GammaResult::Best& best : result.best)
    machines.push_back(svm::sparse_machine(best.classifier.beta, {}, best.classifier.bias));
  svm::assemble(std::move(machines), *model);
  if (!is_precomputed(options)) model->support_vectors = problem.features.select_rows(model->support_rows);
  for (std::size_t& row : model->support_rows) row = problem.rows[row];
  for (std::size_t m = 0; problem.centred && m < model->machines.size(); ++m)
    undo_centring(problem, model->support_vectors.dense(), model->machines[m]);
  return model;
}

}  // namespace credence::selection
