#include "selection/in_sample/hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/train.hpp"

namespace credence::selection {
namespace {

struct LinearMachine {
  std::vector<double> beta;
  double bias = 0;
  bool converged = true;
};

LinearMachine solve_linear(kernel::Rows& rows, std::span<const int> signs, const Options& options,
                           const core::Monitor& monitor) {
  const svm::BinaryMachine of_signs{1, -1, {}, {}, 0};
  const std::vector<double> factors(signs.size(), 1.0);
  const double C[] = {options.in_sample()->hint_C};
  LinearMachine machine;
  svm::c_path(rows, svm::machine_problem(signs, of_signs, factors), C, options.solver(), monitor,
              [&](const svm::PathPoint& point) {
                machine = {point.state.beta, point.bias, point.statistics.status == qp::Status::converged};
              });
  if (machine.beta.empty() || monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the hint was stopped");
  return machine;
}

/// Puts the support vectors of all machines into one table and refers each machine to it.
void assemble(const std::vector<LinearMachine>& machines, const data::Features& features, svm::SvmModel& model) {
  for (std::size_t i = 0; i < features.rows(); ++i) {
    const auto place = static_cast<std::uint32_t>(model.support_rows.size());
    bool supports = false;
    for (std::size_t m = 0; m < machines.size(); ++m) {
      if (!machines[m].beta.empty() && machines[m].beta[i] != 0) {
        model.machines[m].support.push_back(place);
        model.machines[m].coefficients.push_back(machines[m].beta[i]);
        supports = true;
      }
    }
    if (supports) model.support_rows.push_back(i);
  }
  for (std::size_t m = 0; m < machines.size(); ++m) model.machines[m].bias = machines[m].bias;
  model.support_vectors = features.select_rows(model.support_rows);
}

std::string name_of(const svm::BinaryMachine& machine, const data::Schema& schema) {
  return schema.classes.size() == 2
             ? std::string("the hint")
             : fmt::format("the hint for class '{}'", schema.classes[static_cast<std::size_t>(machine.positive)]);
}

}  // namespace

std::vector<int> machine_signs(const data::Dataset& dataset, const svm::BinaryMachine& machine) {
  std::vector<int> signs(dataset.rows());
  std::transform(dataset.labels.begin(), dataset.labels.end(), signs.begin(),
                 [&](int label) { return label == machine.positive ? 1 : -1; });
  return signs;
}

std::shared_ptr<const svm::SvmModel> train_hint(const data::Dataset& rows, const data::Preprocessing& preprocessing,
                                                const Options& options, const core::Context& context,
                                                std::vector<std::string>& warnings) {
  auto model = std::make_shared<svm::SvmModel>();
  model->schema = rows.schema_without_hint();
  model->missing = options.preparation.missing;
  model->preprocessing = preprocessing;
  model->record.method = "hint";
  model->record.rows = rows.rows();
  model->record.seed = options.seed;
  model->record.C = options.in_sample()->hint_C;
  model->record.tolerance = options.solver().tolerance;
  model->record.version = version();
  model->kernel.type = kernel::KernelType::linear;
  model->machines = svm::one_against_rest(rows.class_count());
  const data::Features features = preprocessing.apply(rows, data::UnknownLevel::ignore);
  const auto kernel_rows = kernel::cached_rows(model->kernel, features, context.memory_budget);
  std::vector<LinearMachine> machines;
  for (const svm::BinaryMachine& machine : model->machines) {
    const std::vector<int> signs = machine_signs(rows, machine);
    const std::string name = name_of(machine, rows.schema);
    if (std::adjacent_find(signs.begin(), signs.end(), std::not_equal_to<>{}) == signs.end()) {
      machines.push_back({{}, static_cast<double>(signs.front()), true});
      warnings.push_back(
          fmt::format("{} is the constant {}: the rows that train it have one class only", name, signs.front()));
      continue;
    }
    machines.push_back(solve_linear(*kernel_rows, signs, options, context.monitor));
    if (!machines.back().converged) {
      warnings.push_back(
          fmt::format("the SVM of {} met the step limit before the tolerance; the bound holds for it as "
                      "it is",
                      name));
    }
  }
  assemble(machines, features, *model);
  return model;
}

}  // namespace credence::selection
