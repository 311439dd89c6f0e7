#include "selection/family/family_training.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "neighbours/search/family.hpp"
#include "selection/asked.hpp"
#include "selection/choose/choose.hpp"
#include "selection/family/member_cells.hpp"
#include "selection/frame/head.hpp"
#include "selection/grid/rvm_grid.hpp"
#include "selection/kept/kept_parts.hpp"
#include "selection/kept/visits.hpp"
#include "svm/path/machine_parts.hpp"

namespace credence::selection {
namespace {

/// One machine of one cell.
struct Machine {
  svm::SparseMachine solution;
  qp::Statistics statistics;
  bool solved = false;
};

Machine machine_at(const svm::PathPoint& point, const std::vector<std::size_t>& rows) {
  Machine machine{svm::sparse_machine(point.state.beta, rows, point.bias), point.statistics, true};
  double squared_norm = 0;
  for (std::size_t i = 0; i < point.state.beta.size(); ++i) {
    const double beta = point.state.beta[i];
    if (beta != 0) squared_norm += beta * (point.state.gradient[i] + point.problem.linear[i]);
  }
  machine.solution.norm = std::sqrt(std::max(squared_norm, 0.0));
  return machine;
}

template <class Bytes>
void visit(Bytes& bytes, Machine& machine) {
  bytes(machine.solution, machine.statistics, machine.solved);
}

/// The machines of all cells.
class MachineTable {
 public:
  MachineTable(std::size_t cells, std::size_t machines) : machines_(machines), table_(cells * machines) {}

  Machine& at(std::size_t cell, std::size_t machine) { return table_[cell * machines_ + machine]; }
  std::span<const Machine> of_cell(std::size_t cell) const {
    return std::span(table_).subspan(cell * machines_, machines_);
  }
  std::size_t machines() const { return machines_; }
  /// Lets a cell have machines without support vectors.
  void empty(std::size_t cell) {
    for (std::size_t m = 0; m < machines_; ++m) at(cell, m) = {.solution = {}, .statistics = {}, .solved = true};
  }

  std::vector<Machine> of_cells(std::size_t first, std::size_t count) const {
    const auto begin = table_.begin() + static_cast<std::ptrdiff_t>(first * machines_);
    return {begin, begin + static_cast<std::ptrdiff_t>(count * machines_)};
  }
  void put(std::size_t first, std::vector<Machine> machines) {
    std::move(machines.begin(), machines.end(), table_.begin() + static_cast<std::ptrdiff_t>(first * machines_));
  }

 private:
  std::size_t machines_;
  std::vector<Machine> table_;  ///< (cell, machine), machine fastest
};

/// The machines of each gamma in the checkpoint.
class KeptMachines {
 public:
  KeptMachines(const data::Dataset& dataset, const Resample& part, const Options& options, std::size_t costs,
               const core::Context& context)
      : drawn_(part.drawn.begin(), part.drawn.end()),
        costs_(costs),
        monitor_(context.monitor),
        parts_("family", dataset, options, context) {}

  bool recall(std::size_t gamma, MachineTable& table) const {
    auto known = parts_.recall<std::vector<Machine>>(part_of(gamma), [&](const std::vector<Machine>& machines) {
      return machines.size() == costs_ * table.machines() &&
             std::ranges::all_of(machines, [&](const Machine& machine) { return fits(machine.solution); });
    });
    if (!known) return false;
    table.put(gamma * costs_, std::move(*known));
    return true;
  }
  /// Keeps the machines of a gamma that came to its end.
  void keep(std::size_t gamma, const MachineTable& table) const {
    if (!parts_.any() || monitor_.should_stop()) return;
    std::vector<Machine> machines = table.of_cells(gamma * costs_, costs_);
    parts_.keep(part_of(gamma), machines);
  }

 private:
  /// Whether the rows are rows of the data, ascending, with a finite coefficient each.
  bool fits(const svm::SparseMachine& machine) const {
    return machine.rows.size() == machine.coefficients.size() &&
           std::ranges::adjacent_find(machine.rows, std::greater_equal<>()) == machine.rows.end() &&
           (machine.rows.empty() || machine.rows.back() < drawn_.size()) && std::isfinite(machine.bias) &&
           std::ranges::all_of(machine.coefficients, [](double value) { return std::isfinite(value); });
  }
  std::vector<std::uint64_t> part_of(std::size_t gamma) const {
    std::vector<std::uint64_t> part{gamma};
    part.insert(part.end(), drawn_.begin(), drawn_.end());
    return part;
  }

  std::vector<std::uint64_t> drawn_;
  std::size_t costs_;
  const core::Monitor& monitor_;
  KeptParts parts_;
};

MachineTable solve_grid(const data::Dataset& dataset, const Resample& part, const Options& options,
                        const core::Context& context, const std::vector<bool>& wanted) {
  GridRun run(dataset, options, std::span(&part, 1), context);
  const std::vector<double> factors = factors_of(dataset, options, part);
  const std::vector<svm::BinaryMachine> layout = svm::machine_layout(dataset.class_count());
  MachineTable table(run.cells(), layout.size());
  const KeptMachines kept(dataset, part, options, run.costs(), context);
  std::set<std::pair<std::size_t, std::size_t>> known;
  for (const std::size_t gamma : run.wanted().gammas())
    if (kept.recall(gamma, table)) known.emplace(gamma, 0);
  run.leave_out(std::move(known));
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t) {
    const svm::MachineParts parts(rows, dataset.labels, factors, layout, dataset.class_count());
    for (std::size_t m = 0; m < layout.size() && !context.monitor.should_stop(); ++m) {
      const svm::MachinePart own = parts.part(m);
      solve_costs(*own.kernel, own.unit, options, context.monitor, [&](const svm::PathPoint& point) {
        const std::size_t cell = gamma * run.costs() + point.index;
        table.at(cell, m) = machine_at(point, own.rows);
        return any_wanted(wanted, cell + 1, (gamma + 1) * run.costs());
      });
    }
    kept.keep(gamma, table);
  });
  return table;
}

/// The same for relevance vector machines: rows are centres, coefficients weights, and norms are not known.
MachineTable solve_rvms(const data::Dataset& dataset, const Resample& part, const Options& options,
                        const core::Context& context) {
  const GridRun run(dataset, options, std::span(&part, 1), context);
  MachineTable table(run.cells(), svm::one_against_rest(dataset.class_count()).size());
  const data::Features features = run.features(0);
  const std::vector<std::size_t> rows = part.training_rows();
  const KeptMachines kept(dataset, part, options, run.costs(), context);
  for_each_rvm(run, options, rows.size(), context, [&](std::size_t gamma, std::size_t, const core::Context& own) {
    if (kept.recall(gamma, table)) return;
    RvmPart trained = train_part(dataset, features, run.kernel_at(gamma, 0, features), options, rows, own);
    for (std::size_t m = 0; trained.complete && m < table.machines(); ++m) {
      table.at(gamma, m).solution = std::move(trained.machines[m]);
      table.at(gamma, m).solved = true;
    }
    Machine& first = table.at(gamma, 0);  // the counts are of all machines
    first.statistics.steps = trained.newton_steps;
    first.statistics.factorisations = trained.factorisations;
    first.statistics.status = trained.unconverged == 0 ? qp::Status::converged : qp::Status::step_limit;
    if (trained.complete) kept.keep(gamma, table);
  });
  return table;
}

void record(const MachineTable& table, bool stopped, std::vector<Cell>& cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::span<const Machine> machines = table.of_cell(k);
    cells[k].complete = std::all_of(machines.begin(), machines.end(), std::mem_fn(&Machine::solved));
    cells[k].infeasible = !cells[k].complete && !stopped;
    std::vector<std::uint32_t> support;
    for (const Machine& machine : machines) {
      support.insert(support.end(), machine.solution.rows.begin(), machine.solution.rows.end());
      cells[k].steps += machine.statistics.steps;
      cells[k].factorisations += machine.statistics.factorisations;
      cells[k].unconverged += machine.statistics.status != qp::Status::converged ? 1U : 0U;
    }
    std::sort(support.begin(), support.end());
    cells[k].n_sv = static_cast<double>(std::unique(support.begin(), support.end()) - support.begin());
  }
}

/// The costs that every gamma could be trained at; a family is a full table. Cells of the others become infeasible.
std::vector<std::size_t> usable_costs(std::size_t costs, std::vector<Cell>& cells) {
  std::vector<bool> usable(costs, true);
  for (std::size_t k = 0; k < cells.size(); ++k) usable[k % costs] = usable[k % costs] && !cells[k].infeasible;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < costs; ++c)
    if (usable[c]) kept.push_back(c);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (!usable[k % costs]) {
      cells[k].complete = false;
      cells[k].infeasible = true;
    }
  }
  return kept;
}

/// Puts the machines of the given cells, cost_count for each gamma, into one table.
std::shared_ptr<svm::SvmFamily> assemble(MachineTable table, const std::vector<std::size_t>& cells,
                                         std::size_t cost_count) {
  std::vector<svm::SparseMachine> machines;  // (gamma, machine, cost), cost fastest
  for (std::size_t first = 0; first < cells.size(); first += cost_count)
    for (std::size_t m = 0; m < table.machines(); ++m)
      for (std::size_t c = 0; c < cost_count; ++c)
        machines.push_back(std::move(table.at(cells[first + c], m).solution));
  return svm::family_of(std::move(machines), table.machines(), cost_count);
}

TrainedFamily train_neighbours(const data::Dataset& dataset, const Resample& part, const Options& options,
                               std::vector<Cell>& cells) {
  if (!dataset.weights.empty()) throw Error(ErrorCode::invalid_argument, "nearest neighbours take no sample weights");
  TrainedFamily trained;
  const data::Dataset training = dataset.select_rows(part.training_rows());
  trained.preprocessing = data::Preprocessing::fit(training, options.preparation.scaling());
  auto family = std::make_shared<neighbours::NeighbourFamily>();
  family->rows = trained.preprocessing.apply(training);
  family->rows.own();
  family->labels = training.labels;
  family->k = options.k;
  family->class_count = dataset.class_count();
  trained.family = std::move(family);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    cells[k].complete = true;
    trained.cells.push_back(k);
  }
  return trained;
}

/// SVMs or relevance vector machines.
TrainedFamily train_machines(const data::Dataset& dataset, const Resample& part, const Options& options,
                             const core::Context& context, std::vector<Cell>& cells, const std::vector<bool>& wanted) {
  const bool relevance = options.learner() == Learner::rvm;
  MachineTable table =
      relevance ? solve_rvms(dataset, part, options, context) : solve_grid(dataset, part, options, context, wanted);
  const bool stopped = context.monitor.should_stop();
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (!wanted[k]) table.empty(k);
  record(table, stopped, cells);
  TrainedFamily trained;
  const std::size_t costs = relevance ? 1 : options.costs.axis().size();
  const std::vector<std::size_t> kept = usable_costs(costs, cells);
  if (stopped || kept.empty()) return trained;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (cells[k].complete) trained.cells.push_back(k);
  trained.preprocessing = GridRun(dataset, options, std::span(&part, 1), context).preprocessing(0);
  auto family = assemble(std::move(table), trained.cells, kept.size());
  if (!is_precomputed(options)) {
    family->support_vectors =
        trained.preprocessing.apply(dataset.select_rows(family->support_rows), data::UnknownLevel::ignore);
  }
  family->kernel = options.kernels.shape().with();
  for (std::size_t k = 0; k < cells.size(); k += costs) family->gammas.push_back(cells[k].gamma);
  family->class_count = dataset.class_count();
  family->relevance_vectors = relevance;
  family->geometric = asked(
      options.method, Margin::functional,
      [](const auto& own)
            requires requires { own.margin; }
          { return own.margin; }) == Margin::geometric;
  trained.family = std::move(family);
  return trained;
}

}  // namespace

TrainedFamily train_family(const data::Dataset& dataset, const Resample& part, const Options& options,
                           const core::Context& context, std::vector<Cell>& cells, const std::vector<bool>& wanted) {
  return options.learner() == Learner::knn ? train_neighbours(dataset, part, options, cells)
                                           : train_machines(dataset, part, options, context, cells, wanted);
}

MemberName name_of(const Cell& cell) {
  return {cell.C, cell.nu, cell.gamma, cell.k};
}

namespace {

/// Of members of several scalings, the standard one: known rows and familiarity rest on it.
data::Preprocessing preprocessing_of(const model::Members& members, const data::Dataset& dataset,
                                     const std::vector<std::size_t>& rows) {
  for (const model::Members::Part& part : members.parts)
    if (members.parts.size() == 1 || part.preprocessing->scaling == data::Scaling::standard) return *part.preprocessing;
  return data::Preprocessing::fit(dataset, rows, data::Scaling::standard);
}

}  // namespace

Ensemble ensemble_of(const data::Dataset& dataset, const Resample& part, const Selection& selection,
                     model::Members members, std::vector<MemberName> names) {
  Ensemble ensemble;
  const std::vector<std::size_t> rows = part.training_rows();
  set_head(ensemble, dataset, preprocessing_of(members, dataset, rows), selection.options);
  for (model::Members::Part& one : members.parts)
    if (one.preprocessing->scaling == ensemble.preprocessing.scaling) one.preprocessing.reset();
  ensemble.members = std::move(members);
  ensemble.names = std::move(names);
  ensemble.record.rows = rows.size();
  ensemble.record.resamples = selection.resamples;
  return ensemble;
}

std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context) {
  const Resample all = all_rows(dataset.rows());
  AverageRule rule;
  model::Members members;
  std::vector<MemberName> names;
  for (MemberCells& rectangle : member_cells(selection)) {
    TrainedFamily trained = train_family(dataset, all, rectangle.options, context, rectangle.cells, rectangle.members);
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "training the average's settings on all rows was stopped");
    if (!trained.family) continue;
    for (const std::size_t cell : trained.cells) {
      if (rectangle.members[cell]) rule.members.push_back(static_cast<std::uint32_t>(names.size()));
      names.push_back(name_of(rectangle.cells[cell]));
    }
    members.parts.push_back({std::move(trained.preprocessing), std::move(trained.family)});
  }
  if (rule.members.empty())
    throw Error(ErrorCode::invalid_data, "no setting of the average has a solution on all rows");
  auto predictor =
      std::make_shared<Ensemble>(ensemble_of(dataset, all, selection, std::move(members), std::move(names)));
  predictor->record.selected_error = selected_error(selection);
  predictor->calibration = selection.calibration;
  predictor->rule = std::move(rule);
  return predictor;
}

}  // namespace credence::selection
