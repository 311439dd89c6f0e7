#include "selection/ensemble/chosen_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/rvm/train.hpp"
#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/member_training.hpp"
#include "selection/fit/fit_grid.hpp"
#include "selection/frame/frame.hpp"

namespace credence::selection {
namespace {

/// A classifier of one resample, whose scaling is fitted on its rows.
model::Members::Part member_of(const data::Dataset& dataset, const Options& options, const Resample& resample,
                               std::size_t setting, ModelMachines model, const core::Context& context) {
  const GridRun run(dataset, options, std::span(&resample, 1), context);
  const std::size_t gamma = setting / costs_of(options);
  model::Members::Part part{.preprocessing = run.preprocessing(0, gamma)};
  const kernel::Kernel kernel = run.kernel_at(gamma, 0, run.by_word(gamma) ? run.features(0, gamma) : data::Features());
  const auto family =
      family_of(dataset, options, *part.preprocessing, {kernel.uses_gamma() ? kernel.gamma : 0.0}, std::move(model));
  family->kernel = kernel;
  family->by_weights = kernel.type == kernel::KernelType::linear && options.final_classifier == FinalClassifier::random;
  part.family = family;
  return part;
}

/// Numbers of a row as a model keeps it: of all columns, or of those that are not 0.
std::size_t row_bytes(const data::Dataset& dataset, std::size_t row) {
  const data::Features& features = dataset.features;
  return features.is_sparse() ? features.sparse().row_values(row).size() * (sizeof(double) + sizeof(std::uint32_t))
                              : features.columns() * sizeof(double);
}

void check_memory(const data::Dataset& dataset, const ModelMachines& models, const core::Context& context) {
  std::size_t vectors = 0;
  std::size_t bytes = 0;
  for (const auto& machines : models) {
    for (const std::size_t row : svm::support_of(machines)) {
      ++vectors;
      bytes += row_bytes(dataset, row);
    }
    // Each classifier has a preprocessing of its own, with the names of the columns.
    bytes += dataset.features.columns() *
             (sizeof(data::Column) + sizeof(data::Preprocessing::RawColumn) + sizeof(std::string) + 2 * sizeof(double));
  }
  if (bytes > context.memory_budget)
    throw Error(ErrorCode::memory, fmt::format("the {} classifiers to draw from have {} support vectors in all, which "
                                               "take {} MB; {} MB are allowed",
                                               models.size(), vectors, bytes >> 20U, context.memory_budget >> 20U));
}

}  // namespace

Options narrowed(const Options& options, std::size_t gamma, std::size_t costs) {
  const GridKernel own = kernels_of(options)[gamma];
  Options narrow = in_space(options, own.scaling, own.shape.type);
  if (own.gamma) narrow.kernels.gamma = {*own.gamma};
  (options.costs.nu.empty() ? narrow.costs.C : narrow.costs.nu).resize(costs);
  return narrow;
}

ChosenModels train_chosen(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                          std::span<const Chosen> choices, bool keep, const core::Context& context) {
  const std::size_t costs = costs_of(options);
  std::map<std::size_t, std::vector<std::size_t>> by_gamma;
  for (std::size_t k = 0; k < choices.size(); ++k) by_gamma[choices[k].setting / costs].push_back(k);
  ChosenModels result;
  result.judgements.resize(choices.size());
  ModelMachines models(choices.size());
  for (const auto& of_gamma : by_gamma) {
    const std::vector<std::size_t>& which = of_gamma.second;
    const auto parts = core::mapped(which, [&](std::size_t k) { return resamples[choices[k].resample]; });
    const Options narrow = narrowed(options, of_gamma.first, costs);
    const auto begin = [&](std::size_t, std::size_t part) {
      const std::size_t cost = choices[which[part]].setting % costs;
      TaskWants wants{.judged = parts[part].held_out(), .costs = cost + 1};
      if (keep) wants.machines.assign(cost + 1, false);
      if (keep) wants.machines[cost] = true;
      return wants;
    };
    const auto end = [&](std::size_t, std::size_t part, FittedTask found) {
      const std::size_t choice = which[part];
      const std::size_t cost = found.costs.size() - 1;
      Judgement judgement{found.costs[cost].usable() ? found.judged.size() : 0, 0, 0, choices[choice].setting};
      for (std::size_t h = 0; h < judgement.rows; ++h) {
        const RowJudgement said = found.said(cost, h, dataset);
        judgement.errors += said.error ? 1U : 0U;
        judgement.soft += said.soft;
      }
      if (judgement.rows > 0) judgement.soft /= static_cast<double>(judgement.rows);
      result.judgements[choice] = judgement;
      if (keep) models[choice] = std::move(found.machines[cost]);
    };
    GridRun run(dataset, narrow, parts, context);
    fit_grid(run, {.begin = begin, .end = end});
  }
  if (context.monitor.should_stop()) return {};
  result.complete = true;
  if (!keep) return result;
  check_memory(dataset, models, context);
  result.members.resize(choices.size());
  context.threads.for_each(choices.size(), [&](std::size_t k) {
    if (models[k].empty()) return;
    result.members[k] = member_of(dataset, options, resamples[choices[k].resample], choices[k].setting,
                                  {std::move(models[k])}, context);
  });
  std::erase_if(result.members, [](const model::Members::Part& part) { return part.family == nullptr; });
  return result;
}

ErrorEstimation estimation_of(std::string procedure, std::vector<Judgement> judgements, bool independent,
                              const Options& options) {
  ErrorEstimation estimation{.procedure = std::move(procedure),
                             .judgements = std::move(judgements),
                             .delta = options.delta,
                             .united = options.united,
                             .independent = independent,
                             .final_classifier = options.final_classifier};
  add_bounds(estimation);
  return estimation;
}

std::shared_ptr<const model::Predictor> random_predictor(const data::Dataset& dataset, ChosenModels models,
                                                         const Options& options, const Selection& selection) {
  auto predictor = std::make_shared<Ensemble>();
  const auto standard = std::ranges::find_if(models.members, [](const model::Members::Part& member) {
    return member.preprocessing->scaling == data::Scaling::standard;
  });
  set_head(*predictor, dataset, *(standard == models.members.end() ? models.members.begin() : standard)->preprocessing,
           options);
  predictor->record.rows = selection.n;
  predictor->record.resamples = selection.resamples;
  predictor->record.selected_error = selected_error(selection);
  predictor->members.parts = std::move(models.members);
  predictor->rule = DrawRule{options.seed};
  return predictor;
}

}  // namespace credence::selection
