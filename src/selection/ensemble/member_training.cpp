#include "selection/ensemble/member_training.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "neighbours/search/family.hpp"
#include "selection/asked.hpp"
#include "selection/choose/choose.hpp"
#include "selection/fit/fit_grid.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Returns the costs at which some of the gammas were judged, and the last cost of a member.
std::vector<std::size_t> path_costs(const std::vector<Cell>& grid, const std::set<std::size_t>& gammas,
                                    std::size_t costs, std::size_t last) {
  std::vector<std::size_t> path;
  for (std::size_t cost = 0; cost <= last; ++cost) {
    const auto judged = [&](std::size_t gamma) { return is_on_path(grid[gamma * costs + cost]); };
    if (cost == last || std::ranges::any_of(gammas, judged)) path.push_back(cost);
  }
  return path;
}

}  // namespace

std::size_t MemberCells::costs() const {
  return costs_of(options);
}

bool any_wanted(const std::vector<bool>& wanted, std::size_t from, std::size_t end) {
  while (from < end && !wanted.empty() && !wanted[from]) ++from;
  return from < end;
}

namespace {

/// @param members  of one space, ascending
MemberCells rectangle_of(const Selection& selection, const std::vector<std::size_t>& members) {
  MemberCells rectangle{options_of_cell(selection.options, selection.grid[members.front()]), {}, {}, {}};
  Options& options = rectangle.options;
  const std::size_t costs = costs_of(options);
  std::size_t last_cost = 0;
  std::set<std::size_t> gammas;
  for (const std::size_t cell : members) {
    last_cost = std::max(last_cost, cell % costs);
    gammas.insert(cell / costs);
  }
  const std::vector<std::size_t> path = path_costs(selection.grid, gammas, costs, last_cost);
  if (costs > 1) {
    std::vector<double>& axis = options.costs.nu.empty() ? options.costs.C : options.costs.nu;
    std::vector<double> kept;
    for (const std::size_t cost : path) kept.push_back(axis[cost]);
    axis = std::move(kept);
  }
  std::vector<double> values;
  for (const std::size_t gamma : gammas) values.push_back(selection.grid[gamma * costs].gamma);
  if (options.kernels.shape().uses_gamma()) {
    options.kernels.gamma.clear();
    for (const double value : values) options.kernels.gamma.push_back({kernel::GammaRule::Kind::value, value});
  }
  rectangle.cells = named_cells(values, options);
  for (const std::size_t gamma : gammas) {
    for (const std::size_t cost : path) {
      rectangle.of_grid.push_back(gamma * costs + cost);
      rectangle.members.push_back(std::ranges::binary_search(members, gamma * costs + cost));
    }
  }
  return rectangle;
}

}  // namespace

std::vector<MemberCells> member_cells(const Selection& selection) {
  const std::vector<std::size_t> members =
      selection.average ? selection.average->members : std::vector<std::size_t>{selection.best.value()};
  std::vector<MemberCells> rectangles;
  for (auto first = members.begin(); first != members.end();) {
    const auto last = std::find_if(first, members.end(), [&](std::size_t cell) {
      return !same_space(selection.grid[*first], selection.grid[cell]);
    });
    rectangles.push_back(rectangle_of(selection, {first, last}));
    first = last;
  }
  return rectangles;
}

namespace {

/// Trains the cells of a grid on a part of the rows, along each gamma to the last wanted cost.
/// @param wanted  empty: all  @return for each gamma what was found, with the machines of wanted cells
std::vector<FittedTask> fit_cells(const data::Dataset& dataset, const Resample& part, const Options& options,
                                  const core::Context& context, const std::vector<bool>& wanted) {
  const std::span resamples(&part, 1);
  GridRun run(dataset, options, resamples, context);
  std::vector<FittedTask> found(run.gammas());
  const auto begin = [&](std::size_t gamma, std::size_t) {
    TaskWants wants{.machines = std::vector<bool>(run.costs(), true), .norms = true};
    for (std::size_t c = 0; c < run.costs(); ++c) {
      wants.machines[c] = wanted.empty() || wanted[gamma * run.costs() + c];
      if (wants.machines[c]) wants.costs = c + 1;
    }
    return wants;
  };
  const auto end = [&](std::size_t gamma, std::size_t, FittedTask task) { found[gamma] = std::move(task); };
  fit_grid(dataset, options, resamples, run, {.kind = "family", .begin = begin, .end = end}, context);
  return found;
}

/// @param cells  those of the grid that was fitted; the others, which nobody wants, have machines without support
/// vectors
void record(const std::vector<FittedTask>& found, const std::vector<bool>& wanted, bool stopped,
            std::vector<Cell>& cells) {
  const std::size_t costs = cells.size() / found.size();
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (!wanted.empty() && !wanted[k]) {
      cells[k].complete = true;
      continue;
    }
    const std::vector<TaskResult>& of_gamma = found[k / costs].costs;
    const TaskResult result = k % costs < of_gamma.size() ? of_gamma[k % costs] : TaskResult();
    cells[k].complete = result.usable();
    cells[k].infeasible = !cells[k].complete && !stopped;
    cells[k].steps += result.steps;
    cells[k].factorisations += result.factorisations;
    cells[k].unconverged += result.unconverged;
    cells[k].n_sv = static_cast<double>(result.support);
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
/// @param costs  of each gamma in the grid
std::shared_ptr<svm::SvmFamily> assemble(std::vector<FittedTask> found, const std::vector<std::size_t>& cells,
                                         std::size_t costs, std::size_t cost_count, std::size_t layout) {
  std::vector<svm::SparseMachine> machines;  // (gamma, machine, cost), cost fastest
  for (std::size_t first = 0; first < cells.size(); first += cost_count) {
    for (std::size_t m = 0; m < layout; ++m) {
      for (std::size_t c = 0; c < cost_count; ++c) {
        auto& of_gamma = found[cells[first + c] / costs].machines;
        const std::size_t cost = cells[first + c] % costs;
        const bool kept = cost < of_gamma.size() && !of_gamma[cost].empty();
        machines.push_back(kept ? std::move(of_gamma[cost][m]) : svm::SparseMachine());
      }
    }
  }
  return svm::family_of(std::move(machines), layout, cost_count);
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
  std::vector<FittedTask> found = fit_cells(dataset, part, options, context, wanted);
  const bool stopped = context.monitor.should_stop();
  record(found, wanted, stopped, cells);
  TrainedFamily trained;
  const std::size_t costs = costs_of(options);
  const std::vector<std::size_t> kept = usable_costs(costs, cells);
  if (stopped || kept.empty()) return trained;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (cells[k].complete) trained.cells.push_back(k);
  trained.preprocessing = GridRun(dataset, options, std::span(&part, 1), context).preprocessing(0);
  const std::size_t classes = dataset.class_count();
  const std::size_t layout = (relevance ? svm::one_against_rest(classes) : svm::machine_layout(classes)).size();
  auto family = assemble(std::move(found), trained.cells, costs, kept.size(), layout);
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
