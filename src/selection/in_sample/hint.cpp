#include "selection/in_sample/hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/train.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/resample/prepared.hpp"
#include "svm/assembly.hpp"

namespace credence::selection {

namespace {

/// @param converged  set to false if a solve ended before the tolerance
svm::SparseMachine solve_linear(kernel::Rows& rows, std::span<const int> signs, const Options& options,
                                const core::Monitor& monitor, bool& converged) {
  const svm::BinaryMachine of_signs{1, -1, {}, {}, 0};
  const std::vector<double> factors(signs.size(), 1.0);
  const double C[] = {options.in_sample.hint_C};
  std::optional<svm::SparseMachine> machine;
  svm::c_path(rows, svm::machine_problem(signs, of_signs, factors), C, options.costs.solver, monitor,
              [&](const svm::PathPoint& point) {
                machine = svm::sparse_machine(point.state.beta, {}, point.bias);
                converged = point.statistics.status == qp::Status::converged;
                return true;
              });
  if (!machine || monitor.should_stop()) throw Error(ErrorCode::interrupted, "training the hint was stopped");
  return *machine;
}

std::string machine_name(const svm::BinaryMachine& machine, const data::Schema& schema) {
  return schema.classes.size() == 2
             ? std::string("the hint")
             : fmt::format("the hint for class '{}'", schema.classes[static_cast<std::size_t>(machine.positive)]);
}

}  // namespace

std::vector<int> machine_signs(const data::Dataset& dataset, const svm::BinaryMachine& machine) {
  std::vector<int> signs(dataset.rows());
  std::ranges::transform(dataset.labels, signs.begin(), [&](int label) { return label == machine.positive ? 1 : -1; });
  return signs;
}

std::shared_ptr<const svm::SvmModel> train_hint(const data::Dataset& rows, const data::Preprocessing& preprocessing,
                                                const Options& options, const core::Context& context,
                                                std::vector<std::string>& warnings) {
  auto model = std::make_shared<svm::SvmModel>();
  set_head(*model, rows, preprocessing, options);
  model->known_rows = {};  // the model that adds the hint keeps them
  model->record.method = "hint";
  model->record.C = options.in_sample.hint_C;
  model->kernel.type = kernel::KernelType::linear;
  model->machines = svm::one_against_rest(rows.class_count());
  const data::Features features = preprocessing.apply(rows, data::UnknownLevel::ignore);
  const auto kernel_rows = kernel::cached_rows(model->kernel, features, context.memory_budget);
  std::vector<svm::SparseMachine> machines;
  for (const svm::BinaryMachine& machine : model->machines) {
    const std::vector<int> signs = machine_signs(rows, machine);
    const std::string name = machine_name(machine, rows.schema);
    if (std::ranges::adjacent_find(signs, std::not_equal_to<>{}) == signs.end()) {
      machines.push_back({.bias = static_cast<double>(signs.front())});
      warnings.push_back(
          fmt::format("{} is the constant {}: the rows that train it have one class only", name, signs.front()));
      continue;
    }
    bool converged = true;
    machines.push_back(solve_linear(*kernel_rows, signs, options, context.monitor, converged));
    if (!converged) {
      warnings.push_back(
          fmt::format("the SVM of {} ended before the tolerance; the bound holds for it as it is", name));
    }
  }
  svm::assemble(std::move(machines), *model);
  model->support_vectors = features.select_rows(model->support_rows);
  return model;
}

namespace {

/// The coefficients with the sum 0 that a free bias gives them, to the last digit, and the bias for rows that are not
/// centred: sum s_i (x_i - c) (x - c) = sum s_i x_i x - sum s_i x_i c.
void undo_centring(const InSampleProblem& problem, const data::DenseMatrix& support, svm::BinaryMachine& machine) {
  if (machine.coefficients.empty()) return;
  const auto largest =
      std::ranges::max_element(machine.coefficients, [](double a, double b) { return std::abs(a) < std::abs(b); });
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
  std::vector<svm::SparseMachine> machines = core::mapped(result.best, [&](const GammaResult::Best& best) {
    return svm::sparse_machine(best.classifier.beta, {}, best.classifier.bias);
  });
  svm::assemble(std::move(machines), *model);
  if (!is_precomputed(options)) model->support_vectors = problem.features.select_rows(model->support_rows);
  for (std::size_t& row : model->support_rows) row = problem.rows[row];
  for (std::size_t m = 0; problem.centred && m < model->machines.size(); ++m)
    undo_centring(problem, model->support_vectors.dense(), model->machines[m]);
  return model;
}

}  // namespace credence::selection
