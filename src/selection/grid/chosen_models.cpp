#include "selection/grid/chosen_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "selection/grid/grid_task.hpp"

namespace credence::selection {
namespace {

/// What is left of a choice once its path is done.
struct Trained {
  TaskResult result;
  std::vector<std::size_t> support;  ///< rows that any machine needs, ascending; empty unless kept, as the machines
  std::vector<svm::BinaryMachine> machines;
  double C = 0;  ///< of the last machine
};

void keep_machines(const std::vector<GridTask::Solution>& solutions, std::size_t classes, Trained& trained) {
  for (const GridTask::Solution& solution : solutions)
    for (const auto& [row, beta] : solution.betas) trained.support.push_back(row);
  std::sort(trained.support.begin(), trained.support.end());
  trained.support.erase(std::unique(trained.support.begin(), trained.support.end()), trained.support.end());
  trained.machines = svm::machine_layout(classes);
  trained.C = solutions.back().C;
  for (std::size_t m = 0; m < solutions.size(); ++m) {
    trained.machines[m].bias = solutions[m].bias;
    for (const auto& [row, beta] : solutions[m].betas) {
      trained.machines[m].coefficients.push_back(beta);
      const auto found = std::lower_bound(trained.support.begin(), trained.support.end(), row);
      trained.machines[m].support.push_back(static_cast<std::uint32_t>(found - trained.support.begin()));
    }
  }
}

/// The grid with one gamma and the costs up to one.
Options narrowed(const Options& options, std::size_t gamma, std::size_t costs) {
  Options narrow = options;
  if (options.kernels().shape.uses_gamma()) narrow.kernels().gamma = {options.kernels().gamma[gamma]};
  (options.costs().nu.empty() ? narrow.costs().C : narrow.costs().nu).resize(costs);
  return narrow;
}

/// All choices of one gamma.
/// @param which  indices of the choices  @param trained  per choice
void train_gamma(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 std::span<const Chosen> choices, std::size_t gamma, const std::vector<std::size_t>& which, bool keep,
                 const core::Context& context, std::vector<Trained>& trained) {
  const std::size_t costs = options.costs().axis().size();
  std::vector<Resample> parts;
  for (const std::size_t k : which) parts.push_back(resamples[choices[k].resample]);
  const Options of_gamma = narrowed(options, gamma, costs);
  GridRun(dataset, of_gamma, parts, context).run([&](kernel::Rows& rows, std::size_t, std::size_t part) {
    const std::size_t cost = choices[which[part]].cell % costs;
    const Options to_cost = narrowed(of_gamma, 0, cost + 1);
    GridTask task(dataset, to_cost, parts[part], parts[part].held_out());
    task.solve(rows, context.monitor);
    Trained& one = trained[which[part]];
    one.result = task.judge(cost, [](std::size_t, const RowJudgement&) {});
    if (keep && task.usable(cost)) keep_machines(task.solutions(), dataset.class_count(), one);
  });
}

data::Preprocessing preprocessing_of(const data::Dataset& dataset, const Options& options, const Resample& resample) {
  if (options.kernels().shape.type == kernel::KernelType::precomputed)
    return data::Preprocessing::fit(dataset, data::Scaling::none);
  return *options.preparation.scope == ScaleScope::all
             ? data::Preprocessing::fit(dataset, *options.preparation.scaling)
             : data::Preprocessing::fit(dataset, resample.training_rows(), *options.preparation.scaling);
}

kernel::Kernel kernel_of(const data::Dataset& dataset, const Options& options, const Resample& resample,
                         std::size_t gamma, const data::Preprocessing& preprocessing) {
  kernel::Kernel kernel = options.kernels().shape.with();
  if (kernel.uses_gamma()) {
    const kernel::GammaRule& rule = options.kernels().gamma[gamma];
    const bool all = *options.preparation.scope == ScaleScope::all;
    kernel.gamma =
        rule.kind == kernel::GammaRule::Kind::value
            ? rule.value
            : kernel::resolve_gamma(rule, kernel.type,
                                    preprocessing.apply(all ? dataset : dataset.select_rows(resample.training_rows()),
                                                        data::UnknownLevel::ignore));
  }
  return kernel;
}

std::shared_ptr<const model::Predictor> model_of(const data::Dataset& dataset, const Options& options,
                                                 const Resample& resample, std::size_t cell, Trained&& trained) {
  const std::size_t gamma = cell / options.costs().axis().size();
  auto model = std::make_shared<svm::SvmModel>();
  model->schema = dataset.schema_without_hint();
  model->missing = options.preparation.missing;
  model->preprocessing = preprocessing_of(dataset, options, resample);
  model->kernel = kernel_of(dataset, options, resample, gamma, model->preprocessing);
  model->support_rows = std::move(trained.support);
  if (options.kernels().shape.type != kernel::KernelType::precomputed) {
    model->support_vectors =
        model->preprocessing.apply(dataset.select_rows(model->support_rows), data::UnknownLevel::ignore);
  }
  model->machines = std::move(trained.machines);
  model->record.method = options.name();
  model->record.rows = std::accumulate(resample.drawn.begin(), resample.drawn.end(), std::size_t{0});
  model->record.seed = options.seed;
  model->record.C = trained.C;
  if (!options.costs().nu.empty()) model->record.nu = options.costs().nu[cell % options.costs().nu.size()];
  model->record.tolerance = options.solver().tolerance;
  model->record.version = version();
  return model;
}

/// Numbers of a row as a model keeps it: of all columns, or of those that are not 0.
std::size_t row_bytes(const data::Dataset& dataset, std::size_t row) {
  const data::Features& features = dataset.features;
  return features.is_sparse() ? features.sparse().row_values(row).size() * (sizeof(double) + sizeof(std::uint32_t))
                              : features.columns() * sizeof(double);
}

void check_memory(const data::Dataset& dataset, const std::vector<Trained>& trained, const core::Context& context) {
  std::size_t vectors = 0;
  std::size_t bytes = 0;
  for (const Trained& one : trained) {
    for (const std::size_t row : one.support) {
      ++vectors;
      bytes += row_bytes(dataset, row);
    }
    // Each classifier has names and preprocessing of the columns for its own.
    bytes += dataset.features.columns() *
             (sizeof(data::Column) + sizeof(data::Preprocessing::RawColumn) + sizeof(std::string) + 2 * sizeof(double));
  }
  if (bytes > context.memory_budget) {
    throw Error(
        ErrorCode::memory,
        fmt::format("the {} classifiers to draw from have {} support vectors in all, which take {} MB; {} MB are "
                    "allowed",
                    trained.size(), vectors, bytes >> 20U, context.memory_budget >> 20U));
  }
}

}  // namespace

ChosenModels train_chosen(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                          std::span<const Chosen> choices, bool keep, const core::Context& context) {
  std::map<std::size_t, std::vector<std::size_t>> by_gamma;
  for (std::size_t k = 0; k < choices.size(); ++k)
    by_gamma[choices[k].cell / options.costs().axis().size()].push_back(k);
  std::vector<Trained> trained(choices.size());
  for (const auto& [gamma, which] : by_gamma)
    train_gamma(dataset, options, resamples, choices, gamma, which, keep, context, trained);
  ChosenModels result;
  if (context.monitor.should_stop()) return result;
  result.complete = true;
  for (std::size_t k = 0; k < choices.size(); ++k) {
    const TaskResult& one = trained[k].result;
    const std::size_t rows = one.infeasible ? 0 : resamples[choices[k].resample].held_out().size();
    result.judgements.push_back({rows, one.errors, rows == 0 ? 0 : one.soft / static_cast<double>(rows),
                                 std::optional<std::size_t>(choices[k].cell)});
  }
  if (keep) {
    check_memory(dataset, trained, context);
    result.models.resize(choices.size());
    context.threads.for_each(choices.size(), [&](std::size_t k) {
      if (!trained[k].result.infeasible) {
        result.models[k] =
            model_of(dataset, options, resamples[choices[k].resample], choices[k].cell, std::move(trained[k]));
      }
    });
    std::erase(result.models, nullptr);
  }
  return result;
}

std::optional<std::size_t> smallest(std::span<const double> losses, std::span<const std::size_t> preference) {
  std::optional<std::size_t> best;
  for (const std::size_t cell : preference)
    if (!std::isnan(losses[cell]) && (!best || losses[cell] < losses[*best])) best = cell;
  return best;
}

ErrorEstimation estimation_of(std::string procedure, std::vector<Judgement> judgements, bool independent,
                              const Options& options) {
  ErrorEstimation estimation;
  estimation.procedure = std::move(procedure);
  estimation.judgements = std::move(judgements);
  estimation.independent = independent;
  estimation.delta = options.delta;
  estimation.united = options.estimation()->united;
  estimation.final_classifier = options.estimation()->final_classifier;
  add_bounds(estimation);
  return estimation;
}

std::shared_ptr<const model::Predictor> random_predictor(const ChosenModels& models, const Options& options,
                                                         const Selection& selection) {
  auto predictor = std::make_shared<RandomPredictor>();
  predictor->members = models.models;
  predictor->seed = options.seed;
  const model::Predictor& first = *models.models.front();
  predictor->schema = first.schema;
  predictor->missing = first.missing;
  predictor->preprocessing = first.preprocessing;
  predictor->record = first.record;
  predictor->record.rows = selection.n;
  predictor->record.folds = selection.folds;
  if (selection.best) predictor->record.selected_error = selection.grid[*selection.best].error;
  return predictor;
}

}  // namespace credence::selection
