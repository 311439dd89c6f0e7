#include "credence/svm/train.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"

namespace credence::svm {
namespace {

/// Rows of the two classes of a machine, in ascending order.
std::vector<std::size_t> rows_of_machine(std::span<const int> labels, const BinaryMachine& machine) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] == machine.positive || labels[i] == machine.negative) rows.push_back(i);
  return rows;
}

template <class T>
std::vector<T> pick(std::span<const T> values, std::span<const std::size_t> rows) {
  std::vector<T> chosen;
  chosen.reserve(rows.size());
  for (const std::size_t i : rows) chosen.push_back(values[i]);
  return chosen;
}

/// A precomputed kernel among some rows: those rows, and of them those columns.
data::Features square_part(const data::Features& features, std::span<const std::size_t> rows) {
  const data::DenseMatrix values = features.to_dense();
  data::DenseMatrix part(rows.size(), rows.size());
  for (std::size_t a = 0; a < rows.size(); ++a)
    for (std::size_t b = 0; b < rows.size(); ++b) part.row(a)[b] = values.row(rows[a])[rows[b]];
  return part;
}

struct MachineSolution {
  std::vector<std::size_t> rows;  ///< training rows of its two classes
  std::vector<double> beta;
  double C = 0;
  double bias = 0;
  double objective = 0;
  qp::Statistics statistics;
};

void solve_for_C(kernel::Rows& rows, const qp::Problem& problem, const TrainOptions& options,
                 const core::Monitor& monitor, MachineSolution& solution) {
  qp::State state = qp::zero_state(problem);
  solution.C = options.C;
  solution.statistics = qp::solve(rows, problem, state, options.solver, monitor);
  solution.bias = qp::bias(problem, state);
  solution.objective = qp::objective(problem, state);
  solution.beta = std::move(state.beta);
}

/// @return false if no C gives this nu, or the monitor said stop before it was found
bool solve_for_nu(kernel::Rows& rows, const qp::Problem& unit_problem, const TrainOptions& options,
                  const core::Monitor& monitor, MachineSolution& solution) {
  const double nu[] = {*options.nu};
  bool found = false;
  nu_path(rows, unit_problem, nu, options.solver, monitor, [&](const PathPoint& point) {
    found = true;
    solution.C = point.C;
    solution.statistics = point.statistics;
    solution.bias = point.bias;
    solution.objective = qp::objective(point.problem, point.state);
    solution.beta = point.state.beta;
  });
  return found;
}

[[noreturn]] void refuse_nu(double nu, const qp::Problem& unit_problem, const data::Schema& schema,
                            const BinaryMachine& machine) {
  const double largest = largest_nu(unit_problem);
  const std::string& one = schema.classes[static_cast<std::size_t>(std::min(machine.positive, machine.negative))];
  const std::string& other = schema.classes[static_cast<std::size_t>(std::max(machine.positive, machine.negative))];
  const std::string reason = nu > largest ? "is too large for" : "leaves no margin between";
  throw Error(ErrorCode::invalid_data,
              fmt::format("nu = {} {} the classes '{}' and '{}'; the largest possible value is {:.4g}{}", nu, reason,
                          one, other, largest, nu > largest ? "" : ", and a value nearer to it leaves a margin"));
}

MachineSolution solve_machine(const data::Features& features, const data::Dataset& dataset,
                              const BinaryMachine& machine, std::span<const double> factors,
                              const TrainOptions& options, const kernel::Kernel& kernel, std::size_t budget,
                              const core::Monitor& monitor) {
  const std::span<const int> labels = dataset.labels;
  MachineSolution solution;
  solution.rows = rows_of_machine(labels, machine);
  const bool precomputed = kernel.type == kernel::KernelType::precomputed;
  const data::Features own = precomputed ? square_part(features, solution.rows) : features.select_rows(solution.rows);
  const auto rows = kernel::cached_rows(kernel, own, budget);
  std::vector<double> own_factors = pick(factors, solution.rows);
  for (double& factor : own_factors) factor *= options.nu ? 1 : options.C;
  const qp::Problem problem = machine_problem(pick(labels, solution.rows), machine, own_factors);
  if (!options.nu) {
    solve_for_C(*rows, problem, options, monitor, solution);
  } else if (!solve_for_nu(*rows, problem, options, monitor, solution)) {
    if (monitor.should_stop())
      throw Error(ErrorCode::interrupted, "training was stopped before the C of this nu was found");
    refuse_nu(*options.nu, problem, dataset.schema, machine);
  }
  return solution;
}

/// Puts the support vectors of all machines into one table and refers each machine to it.
void assemble(const std::vector<MachineSolution>& solutions, const data::Features& features, SvmModel& model) {
  std::vector<std::uint32_t> position(features.rows(), 0);
  for (const MachineSolution& solution : solutions)
    for (std::size_t a = 0; a < solution.rows.size(); ++a)
      position[solution.rows[a]] |= solution.beta[a] != 0 ? 1U : 0U;
  for (std::size_t i = 0; i < position.size(); ++i) {
    if (position[i] != 0) {
      position[i] = static_cast<std::uint32_t>(model.support_rows.size());
      model.support_rows.push_back(i);
    }
  }
  for (std::size_t m = 0; m < solutions.size(); ++m) {
    BinaryMachine& machine = model.machines[m];
    machine.bias = solutions[m].bias;
    for (std::size_t a = 0; a < solutions[m].rows.size(); ++a) {
      if (solutions[m].beta[a] != 0) {
        machine.support.push_back(position[solutions[m].rows[a]]);
        machine.coefficients.push_back(solutions[m].beta[a]);
      }
    }
  }
  if (model.kernel.type != kernel::KernelType::precomputed)
    model.support_vectors = features.select_rows(model.support_rows);
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
  if (!good || colon == 0 || !(factor > 0))
    throw Error(ErrorCode::invalid_argument, fmt::format("'{}' is neither balanced nor name:w with w > 0", item));
  weights.named[std::string(item.substr(0, colon))] = factor;
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
  std::vector<double> class_factor(classes, 1.0);
  for (const auto& [name, factor] : weights.named) {
    const auto found = std::find(dataset.schema.classes.begin(), dataset.schema.classes.end(), name);
    if (found == dataset.schema.classes.end()) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a weight is given for class '{}', which does not exist; the classes are {}", name,
                              fmt::join(dataset.schema.classes, ", ")));
    }
    class_factor[static_cast<std::size_t>(found - dataset.schema.classes.begin())] = factor;
  }
  if (weights.balanced) {
    std::vector<double> count(classes, 0.0);
    double total = 0;
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      if (training[i]) {
        ++count[static_cast<std::size_t>(dataset.labels[i])];
        ++total;
      }
    }
    for (std::size_t c = 0; c < classes; ++c)
      class_factor[c] *= count[c] > 0 ? total / (static_cast<double>(classes) * count[c]) : 1.0;
  }
  std::vector<double> factors(dataset.rows(), 0.0);
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    if (training[i]) {
      factors[i] = class_factor[static_cast<std::size_t>(dataset.labels[i])] *
                   (dataset.weights.empty() ? 1.0 : dataset.weights[i]);
    }
  }
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
    model.kernel.gamma = kernel::resolve_gamma(options.gamma, model.kernel.type, features);
    throw_if_any(model.kernel.validate());
  }
  if (precomputed) kernel::check_precomputed(features);
  model.machines = machine_layout(dataset.class_count());
  model.record.rows = dataset.rows();
  model.record.seed = options.seed;
  model.record.nu = options.nu;
  model.record.tolerance = options.solver.tolerance;
  model.record.version = version();

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
  model.record.C = solutions.back().C;
  for (const MachineSolution& solution : solutions) {
    add(result.statistics, solution.statistics);
    result.objective += solution.objective;
  }
  assemble(solutions, features, model);
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
