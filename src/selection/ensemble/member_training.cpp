#include "selection/ensemble/member_training.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
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
std::vector<std::size_t> path_costs(const std::vector<Setting>& grid, const std::set<std::size_t>& gammas,
                                    std::size_t costs, std::size_t last) {
  std::vector<std::size_t> path;
  for (std::size_t cost = 0; cost <= last; ++cost) {
    const auto judged = [&](std::size_t gamma) { return is_on_path(grid[gamma * costs + cost]); };
    if (cost == last || std::ranges::any_of(gammas, judged)) path.push_back(cost);
  }
  return path;
}

}  // namespace

std::vector<double> gammas_of(const std::vector<Setting>& settings, std::size_t costs) {
  std::vector<double> gammas;
  for (std::size_t first = 0; first < settings.size(); first += costs) gammas.push_back(settings[first].gamma);
  return gammas;
}

std::vector<std::vector<std::size_t>> MemberSettings::costs_of_members() const {
  std::vector<std::vector<std::size_t>> found(settings.size() / costs());
  for (std::size_t setting = 0; setting < settings.size(); ++setting)
    if (members[setting]) found[setting / costs()].push_back(setting % costs());
  return found;
}

namespace {

/// @param members  of one space, ascending
MemberSettings rectangle_of(const Selection& selection, const std::vector<std::size_t>& members) {
  MemberSettings rectangle{options_of_setting(selection.options, selection.grid[members.front()]), {}, {}, {}};
  Options& options = rectangle.options;
  const std::size_t costs = costs_of(options);
  std::size_t last_cost = 0;
  std::set<std::size_t> gammas;
  for (const std::size_t setting : members) {
    last_cost = std::max(last_cost, setting % costs);
    gammas.insert(setting / costs);
  }
  const std::vector<std::size_t> path = path_costs(selection.grid, gammas, costs, last_cost);
  if (costs > 1) options = with_costs(options, path);
  const auto values = core::mapped(gammas, [&](std::size_t gamma) { return selection.grid[gamma * costs].gamma; });
  if (options.kernels.shape().uses_gamma())
    options.kernels.gamma =
        core::mapped(values, [](double value) { return kernel::GammaRule{kernel::GammaRule::Kind::value, value}; });
  rectangle.settings = named_settings(values, options);
  for (const std::size_t gamma : gammas) {
    for (const std::size_t cost : path) {
      rectangle.of_grid.push_back(gamma * costs + cost);
      rectangle.members.push_back(std::ranges::binary_search(members, gamma * costs + cost));
    }
  }
  return rectangle;
}

}  // namespace

std::vector<MemberSettings> member_settings(const Selection& selection) {
  const std::vector<std::size_t> members =
      selection.average ? selection.average->members : std::vector<std::size_t>{selection.best.value()};
  std::vector<MemberSettings> rectangles;
  for (auto first = members.begin(); first != members.end();) {
    const auto last = std::find_if(first, members.end(), [&](std::size_t setting) {
      return !same_space(selection.grid[*first], selection.grid[setting]);
    });
    rectangles.push_back(rectangle_of(selection, {first, last}));
    first = last;
  }
  return rectangles;
}

std::vector<FittedTask> fit_settings(const data::Dataset& dataset, std::span<const Resample> resamples,
                                     const Options& options, const std::vector<bool>& wanted, std::string_view kind,
                                     bool norms, const core::Context& context) {
  GridRun run(dataset, options, resamples, context);
  std::vector<FittedTask> found(run.gammas() * resamples.size());
  const auto begin = [&](std::size_t gamma, std::size_t) {
    TaskWants wants{.machines = std::vector<bool>(run.costs(), true), .norms = norms};
    for (std::size_t c = 0; c < run.costs(); ++c) {
      wants.machines[c] = wanted.empty() || wanted[gamma * run.costs() + c];
      if (wants.machines[c]) wants.costs = c + 1;
    }
    return wants;
  };
  const auto end = [&](std::size_t gamma, std::size_t resample, FittedTask task) {
    found[gamma * resamples.size() + resample] = std::move(task);
  };
  fit_grid(run, {.kind = kind, .begin = begin, .end = end});
  return found;
}

std::shared_ptr<svm::SvmFamily> family_of(const data::Dataset& dataset, const Options& options,
                                          const data::Preprocessing& preprocessing, std::vector<double> gammas,
                                          ModelMachines models) {
  const std::size_t layout = machines_of_setting(dataset, options);
  const std::size_t columns = models.size() / gammas.size();
  std::vector<svm::SparseMachine> machines(models.size() * layout);  // (gamma, machine, model), model fastest
  for (std::size_t k = 0; k < models.size(); ++k)
    for (std::size_t m = 0; m < models[k].size(); ++m)
      machines[(k / columns * layout + m) * columns + k % columns] = std::move(models[k][m]);
  auto family = svm::family_of(std::move(machines), layout, columns);
  if (!is_precomputed(options)) {
    family->support_vectors =
        preprocessing.apply(dataset.select_rows(family->support_rows), data::UnknownLevel::ignore);
  }
  family->kernel = options.kernels.shape().with();
  family->gammas = std::move(gammas);
  family->class_count = dataset.is_regression() ? 1 : dataset.class_count();
  family->relevance_vectors = options.learner() == Learner::rvm;
  return family;
}

namespace {

/// @param settings  those of the grid that was fitted; the others, which nobody wants, have machines without support
/// vectors
void record(const std::vector<FittedTask>& found, const std::vector<bool>& wanted, bool stopped,
            std::vector<Setting>& settings) {
  const std::size_t costs = settings.size() / found.size();
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (!wanted.empty() && !wanted[k]) {
      settings[k].complete = true;
      continue;
    }
    const std::vector<TaskResult>& of_gamma = found[k / costs].costs;
    const TaskResult result = k % costs < of_gamma.size() ? of_gamma[k % costs] : TaskResult();
    settings[k].complete = result.usable();
    settings[k].infeasible = !settings[k].complete && !stopped;
    add_work(result, settings[k]);
    settings[k].n_sv = static_cast<double>(result.support);
  }
}

/// A family is a full table: costs that some gamma could not be trained at become infeasible at all of them.
void leave_out_infeasible_costs(std::size_t costs, std::vector<Setting>& settings) {
  std::vector<bool> usable(costs, true);
  for (std::size_t k = 0; k < settings.size(); ++k) usable[k % costs] = usable[k % costs] && !settings[k].infeasible;
  for (std::size_t k = 0; k < settings.size(); ++k) {
    if (!usable[k % costs]) {
      settings[k].complete = false;
      settings[k].infeasible = true;
    }
  }
}

TrainedFamily train_neighbours(const data::Dataset& dataset, const Resample& part, const Options& options,
                               std::vector<Setting>& settings) {
  if (!dataset.weights.empty()) refuse("nearest neighbours take no sample weights");
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
  trained.settings = core::numbers_below(settings.size());
  for (Setting& setting : settings) setting.complete = true;
  return trained;
}

/// SVMs or relevance vector machines.
TrainedFamily train_machines(const data::Dataset& dataset, const Resample& part, const Options& options,
                             const core::Context& context, std::vector<Setting>& grid,
                             const std::vector<bool>& wanted) {
  std::vector<FittedTask> found = fit_settings(dataset, std::span(&part, 1), options, wanted, "family", true, context);
  const bool stopped = context.monitor.should_stop();
  record(found, wanted, stopped, grid);
  TrainedFamily trained;
  const std::size_t costs = costs_of(options);
  leave_out_infeasible_costs(costs, grid);
  ModelMachines models;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (!grid[k].complete) continue;
    trained.settings.push_back(k);
    ModelMachines& of_gamma = found[k / costs].machines;
    models.push_back(k % costs < of_gamma.size() ? std::move(of_gamma[k % costs]) : std::vector<svm::SparseMachine>());
  }
  if (stopped || models.empty()) return {};
  trained.preprocessing = GridRun(dataset, options, std::span(&part, 1), context).preprocessing(0);
  auto family = family_of(dataset, options, trained.preprocessing, gammas_of(grid, costs), std::move(models));
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
                           const core::Context& context, std::vector<Setting>& grid, const std::vector<bool>& wanted) {
  return options.learner() == Learner::knn ? train_neighbours(dataset, part, options, grid)
                                           : train_machines(dataset, part, options, context, grid, wanted);
}

MemberName name_of(const Setting& setting) {
  return {setting.C, setting.nu, setting.gamma, setting.k};
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
  for (MemberSettings& rectangle : member_settings(selection)) {
    TrainedFamily trained =
        train_family(dataset, all, rectangle.options, context, rectangle.settings, rectangle.members);
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "training the average's settings on all rows was stopped");
    if (!trained.family) continue;
    for (const std::size_t setting : trained.settings) {
      if (rectangle.members[setting]) rule.members.push_back(static_cast<std::uint32_t>(names.size()));
      names.push_back(name_of(rectangle.settings[setting]));
    }
    members.parts.push_back({std::move(trained.preprocessing), std::move(trained.family)});
  }
  if (rule.members.empty()) refuse_data("no setting of the average has a solution on all rows");
  auto predictor =
      std::make_shared<Ensemble>(ensemble_of(dataset, all, selection, std::move(members), std::move(names)));
  predictor->record.selected_error = selected_error(selection);
  predictor->calibration = selection.calibration;
  predictor->rule = std::move(rule);
  return predictor;
}

}  // namespace credence::selection
