#include "credence/svm/train.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "svm/assembly.hpp"

namespace credence::svm {
namespace {

/// Rows of the two classes of a machine, in ascending order.
std::vector<std::size_t> rows_of_machine(std::span<const int> labels, const BinaryMachine& machine) {
  return core::numbers_where(
      labels.size(), [&](std::size_t i) { return labels[i] == machine.positive || labels[i] == machine.negative; });
}

struct MachineSolution {
  SparseMachine machine;
  double C = 0;
  double objective = 0;
  qp::Statistics statistics;
};

/// @param own  the row of the data set of each row of the problem
void solve_for_C(kernel::Rows& rows, const qp::Problem& problem, std::span<const std::size_t> own,
                 const TrainOptions& options, const core::Monitor& monitor, MachineSolution& solution) {
  qp::State state = qp::zero_state(problem);
  solution.C = options.C;
  solution.statistics = qp::solve(rows, problem, state, options.solver, monitor);
  solution.objective = qp::objective(problem, state);
  solution.machine = sparse_machine(state.beta, own, qp::bias(problem, state));
}

/// @return false if no C gives this nu, or the monitor said stop before it was found
bool solve_for_nu(kernel::Rows& rows, const qp::Problem& unit_problem, std::span<const std::size_t> own,
                  const TrainOptions& options, const core::Monitor& monitor, MachineSolution& solution) {
  const double nu[] = {*options.nu};
  bool found = false;
  nu_path(rows, unit_problem, nu, options.solver, monitor, [&](const PathPoint& point) {
    found = true;
    solution.C = point.C;
    solution.statistics = point.statistics;
    solution.objective = qp::objective(point.problem, point.state);
    solution.machine = sparse_machine(point.state.beta, own, point.bias);
  });
  return found;
}

[[noreturn]] void refuse_nu(double nu, const qp::Problem& unit_problem, const data::Schema& schema,
                            const BinaryMachine& machine) {
  const double largest = largest_nu(unit_problem);
  const double digit = std::pow(10.0, std::floor(std::log10(largest)) - 3);  // rounded down: what is named is possible
  const std::string& one = schema.classes[static_cast<std::size_t>(std::min(machine.positive, machine.negative))];
  const std::string& other = schema.classes[static_cast<std::size_t>(std::max(machine.positive, machine.negative))];
  const std::string reason = nu > largest ? "is too large for" : "leaves no margin between";
  refuse_data(fmt::format("nu = {} {} the classes '{}' and '{}'; the largest possible value is {:.4g}{}", nu, reason,
                          one, other, std::floor(largest / digit) * digit,
                          nu > largest ? "" : ", and a value nearer to it leaves a margin"));
}

MachineSolution solve_machine(const data::Features& features, const data::Dataset& dataset,
                              const BinaryMachine& machine, std::span<const double> factors,
                              const TrainOptions& options, const kernel::Kernel& kernel, std::size_t budget,
                              const core::Monitor& monitor) {
  const std::span<const int> labels = dataset.labels;
  MachineSolution solution;
  const std::vector<std::size_t> own = rows_of_machine(labels, machine);
  const data::Features own_features = own_problem(features, own, kernel.type);
  const auto rows = kernel::cached_rows(kernel, own_features, budget);
  std::vector<double> own_factors = core::picked(factors, own);
  for (double& factor : own_factors) factor *= options.nu ? 1 : options.C;
  const qp::Problem problem = machine_problem(core::picked(labels, own), machine, own_factors);
  if (!options.nu) {
    solve_for_C(*rows, problem, own, options, monitor, solution);
  } else if (!solve_for_nu(*rows, problem, own, options, monitor, solution)) {
    if (monitor.should_stop())
      throw Error(ErrorCode::interrupted, "training was stopped before the C of this nu was found");
    refuse_nu(*options.nu, problem, dataset.schema, machine);
  }
  return solution;
}

void add(qp::Statistics& total, const qp::Statistics& part) {
  total.steps += part.steps;
  total.newton_steps += part.newton_steps;
  total.factorisations += part.factorisations;
  total.gap = std::max(total.gap, part.gap);
  total.status = std::max(total.status, part.status);
}

}  // namespace

std::vector<std::string> ClassWeights::validate() const {
  std::vector<std::string> problems;
  for (const auto& [name, factor] : named)
    if (!(factor > 0 && std::isfinite(factor)))
      problems.push_back(fmt::format("the weight of class '{}' must be a finite number above 0, not {}", name, factor));
  return problems;
}

namespace {

/// "balanced", or "name:w"; a name may hold commas and colons.
void add_weight(std::string_view item, ClassWeights& weights) {
  if (item == "balanced") {
    weights.balanced = true;
    return;
  }
  const std::size_t colon = item.rfind(':');
  const std::string_view number = colon == std::string_view::npos ? "" : item.substr(colon + 1);
  double factor = 0;
  const auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), factor);
  const bool good = status == std::errc{} && end == number.data() + number.size() && std::isfinite(factor);
  if (!good || colon == 0 || !(factor > 0)) refuse(fmt::format("'{}' is neither balanced nor name:w with w > 0", item));
  if (!weights.named.emplace(item.substr(0, colon), factor).second)
    refuse(fmt::format("class '{}' has two weights", item.substr(0, colon)));
}

}  // namespace

ClassWeights parse_class_weights(std::string_view text) {
  ClassWeights weights;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, std::min(text.find(','), text.size()));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    add_weight(item, weights);
  }
  return weights;
}

std::vector<std::string> TrainOptions::validate() const {
  std::vector<std::string> problems =
      kernel.with(gamma.kind == kernel::GammaRule::Kind::value ? gamma.value : 1).validate();
  if (!nu && !(C > 0 && std::isfinite(C)))
    problems.push_back(fmt::format("C must be a finite number above 0, not {}", C));
  if (nu && !(*nu > 0 && *nu <= 1)) problems.push_back(fmt::format("nu must be above 0 and at most 1, not {}", *nu));
  const std::vector<std::string> weight_problems = class_weights.validate();
  problems.insert(problems.end(), weight_problems.begin(), weight_problems.end());
  const std::vector<std::string> solver_problems = solver.validate();
  problems.insert(problems.end(), solver_problems.begin(), solver_problems.end());
  return problems;
}

std::vector<double> box_factors(const data::Dataset& dataset, const ClassWeights& weights,
                                const std::vector<bool>& training) {
  const std::size_t classes = dataset.class_count();
  const auto weight = [&](std::size_t i) { return dataset.weights.empty() ? 1.0 : dataset.weights[i]; };
  std::vector<double> class_factor(classes, 1.0);
  for (const auto& [name, factor] : weights.named) {
    const auto found = std::ranges::find(dataset.schema.classes, name);
    if (found == dataset.schema.classes.end()) {
      refuse(fmt::format("a weight is given for class '{}', which does not exist; the classes are {}", name,
                         fmt::join(dataset.schema.classes, ", ")));
    }
    class_factor[static_cast<std::size_t>(found - dataset.schema.classes.begin())] = factor;
  }
  if (weights.balanced) {
    std::vector<double> count(classes, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      if (training[i]) {
        count[static_cast<std::size_t>(dataset.labels[i])] += weight(i);
        total += weight(i);
      }
    }
    for (std::size_t c = 0; c < classes; ++c)
      class_factor[c] *= count[c] > 0 ? total / (static_cast<double>(classes) * count[c]) : 1.0;
  }
  std::vector<double> factors(dataset.rows(), 0.0);
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    if (training[i]) factors[i] = class_factor[static_cast<std::size_t>(dataset.labels[i])] * weight(i);
  return factors;
}

qp::Problem machine_problem(std::span<const int> labels, const BinaryMachine& machine,
                            std::span<const double> factors) {
  const std::size_t n = labels.size();
  qp::Problem problem{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0), std::vector<double>(n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    if (labels[i] == machine.positive) {
      problem.linear[i] = 1;
      problem.upper[i] = factors[i];
    } else if (labels[i] == machine.negative) {
      problem.linear[i] = -1;
      problem.lower[i] = -factors[i];
    }
  }
  return problem;
}

TrainResult train(const data::Dataset& dataset, const TrainOptions& options, const core::Context& context) {
  throw_if_any(options.validate());
  data::check_trainable(dataset);
  TrainResult result;
  SvmModel& model = result.model;
  model.schema = dataset.schema_without_hint();
  model.missing = options.missing;
  model.kernel = options.kernel.with();
  const bool precomputed = options.kernel.type == kernel::KernelType::precomputed;
  model.preprocessing = data::Preprocessing::fit(dataset, precomputed ? data::Scaling::none : options.scaling);
  const data::Features features = model.preprocessing.apply(dataset);
  if (model.kernel.uses_gamma()) {
    model.kernel.gamma = kernel::resolve_gamma(options.gamma, model.kernel.type, features, dataset.weights);
    throw_if_any(model.kernel.validate());
  }
  if (precomputed) kernel::check_precomputed(features);
  model.machines = machine_layout(dataset.class_count());
  const std::vector<double> factors =
      box_factors(dataset, options.class_weights, std::vector<bool>(dataset.rows(), true));
  const std::size_t at_once =
      std::min<std::size_t>(model.machines.size(), static_cast<std::size_t>(context.threads.count()));
  std::vector<MachineSolution> solutions(model.machines.size());
  context.monitor.expect(solutions.size());
  context.threads.for_each(solutions.size(), [&](std::size_t m) {
    solutions[m] = solve_machine(features, dataset, model.machines[m], factors, options, model.kernel,
                                 context.memory_budget / at_once, context.monitor);
    context.monitor.advance();
  });
  model.record.note_rows(dataset);
  model.record.seed = options.seed;
  if (!precomputed) model.keep_known_rows(dataset);
  model.record.C = solutions.back().C;
  model.record.nu = options.nu;
  model.record.weighs_classes = options.class_weights.any();
  model.record.tolerance = options.solver.tolerance;
  model.record.version = version();
  std::vector<SparseMachine> machines;
  for (MachineSolution& solution : solutions) {
    add(result.statistics, solution.statistics);
    result.objective += solution.objective;
    machines.push_back(std::move(solution.machine));
  }
  if (qp::is_approximate(result.statistics.status)) model.record.violation = result.statistics.gap;
  assemble(std::move(machines), model);
  if (!precomputed) model.support_vectors = features.select_rows(model.support_rows);
  return result;
}

}  // namespace credence::svm

credence::core::Value credence::core::Conversion<credence::svm::ClassWeights>::to(const svm::ClassWeights& weights) {
  Value::List list;
  if (weights.balanced) list.push_back({std::string("balanced")});
  for (const auto& [name, factor] : weights.named) list.push_back({fmt::format("{}:{}", name, factor)});
  if (list.empty()) return {};
  return {std::move(list)};
}

credence::svm::ClassWeights credence::core::Conversion<credence::svm::ClassWeights>::from(const Value& value) {
  if (value.is_none()) return {};
  const auto* list = std::get_if<Value::List>(&value.held);
  if (list == nullptr) return svm::parse_class_weights(string_of(value));
  svm::ClassWeights weights;
  for (const Value& item : *list) svm::add_weight(string_of(item), weights);
  return weights;
}
