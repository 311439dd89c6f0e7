#include "selection/ensemble/fold_models.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "selection/ensemble/member_training.hpp"
#include "selection/judge/judged_grid.hpp"

namespace credence::selection {
namespace {

constexpr std::size_t usual_fold_models = 10;

/// The member settings of one kernel function and scaling, trained for each fold model.
struct FoldModels {
  MemberSettings settings;
  std::vector<std::vector<std::size_t>> costs;  ///< of each gamma, those of its members
  std::size_t columns = 0;                      ///< the most members of a gamma; others have models that are not there
  std::size_t fold_models = 0;
  ModelMachines models;  ///< (gamma, member of the gamma, fold model), fold model fastest

  FoldModels(const MemberSettings& given, std::size_t count)
      : settings(given), costs(given.costs_of_members()), fold_models(count) {
    for (const auto& of_gamma : costs) columns = std::max(columns, of_gamma.size());
    models.resize(costs.size() * columns * fold_models);
  }
  /// The number of a model. @param member  of the gamma  @param count  of the fold models
  std::size_t place(std::size_t gamma, std::size_t member, std::size_t fold_model, std::size_t count) const {
    return (gamma * columns + member) * count + fold_model;
  }
  ModelMachines of_fold_model(std::size_t fold_model) const {
    ModelMachines own;
    for (std::size_t at = fold_model; at < models.size(); at += fold_models) own.push_back(models[at]);
    return own;
  }
  /// Appends the models whose mean each of so many fold models is. @param first  number of the first model
  void add_averages(std::size_t count, std::size_t first, std::vector<std::vector<std::uint32_t>>& averages) const {
    averages.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t g = 0; g < costs.size(); ++g)
        for (std::size_t m = 0; m < costs[g].size(); ++m)
          averages[k].push_back(static_cast<std::uint32_t>(first + place(g, m, k, count)));
  }
};

/// The options under which fold models are trained: scalings and widths of the model, no other search.
std::vector<MemberSettings> fold_model_settings(const Selection& selection) {
  std::vector<MemberSettings> parts = member_settings(selection);
  for (MemberSettings& settings : parts) settings.options.preparation.scope = ScaleScope::all;
  return parts;
}

}  // namespace

model::Calibration judged_by_fold_models(const data::Dataset& dataset,
                                         const std::function<model::Members(std::size_t)>& fold_model,
                                         const data::Preprocessing& preprocessing,
                                         const std::vector<int>& fold_model_of, const core::Context& context) {
  data::DenseMatrix scores(dataset.rows(), dataset.is_regression() ? 1 : dataset.class_count());
  const int last = *std::ranges::max_element(fold_model_of);
  for (int k = 0; k <= last; ++k) {
    const std::vector<std::size_t> own = data::rows_where(fold_model_of, k);
    if (own.empty()) continue;
    const model::Members alone = fold_model(static_cast<std::size_t>(k));
    alone.score(dataset.select_rows(own), preprocessing, context,
                [&](std::size_t first, std::size_t, const model::Scores& block) {
                  for (std::size_t row = 0; row < block.rows; ++row)
                    std::copy_n(block.at(row, 0), block.classes, scores.row(own[first + row]).begin());
                });
  }
  model::Calibration kept;
  kept.source = "out-of-fold";
  const std::vector<std::size_t> rows = data::rows_where(fold_model_of, [](int number) { return number >= 0; });
  if (dataset.class_count() > 2) kept.scores = data::DenseMatrix(rows.size(), dataset.class_count());
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const auto own = scores.row(rows[a]);
    kept.fold_model_of.push_back(fold_model_of[rows[a]]);
    if (dataset.is_regression()) {
      kept.nonconformity_scores.push_back(std::abs(dataset.targets[rows[a]] - own[0]));
      continue;
    }
    const int label = dataset.labels[rows[a]];
    kept.labels.push_back(label);
    kept.nonconformity_scores.push_back(-own[static_cast<std::size_t>(label)]);
    if (kept.scores.rows > 0) std::ranges::copy(own, kept.scores.row(a).begin());
  }
  return kept;
}

namespace {

/// Splits that the data bring, which may overlap: the first one that holds a row out judges the row.
FoldModelRows rows_of_splits(const data::Dataset& dataset) {
  FoldModelRows rows;
  rows.fold_model_of.assign(dataset.rows(), -1);
  for (const Resample& split : resamples_of_splits(dataset)) {
    const auto fold_model = static_cast<int>(rows.resamples.size());
    bool judges = false;
    for (const std::size_t row : split.held_out()) {
      if (rows.fold_model_of[row] >= 0) continue;
      rows.fold_model_of[row] = fold_model;
      judges = true;
    }
    if (judges) rows.resamples.push_back(split);
  }
  return rows;
}

}  // namespace

FoldModelRows fold_model_rows(const data::Dataset& dataset, const Options& options) {
  if (options.traits().splits && !dataset.splits.empty()) return rows_of_splits(dataset);
  FoldModelRows rows;
  const std::size_t wanted = options.traits().folds ? options.resample_count(dataset.rows()) : usual_fold_models;
  const auto folds = static_cast<int>(std::min(wanted, dataset.units()));
  if (folds < 2) return rows;
  rows.fold_model_of = data::folds_of(dataset, folds, options.seed, 2, options.name());
  rows.resamples = resamples_of_folds(rows.fold_model_of);
  return rows;
}

namespace {

/// Trains the fold models, of one kernel function and scaling.
/// @param grid  settings of the grid  @param rows, judged  as of fold_model_family
FoldModels trained_fold_models(const data::Dataset& dataset, const MemberSettings& settings, std::size_t grid,
                               const core::Context& context, FoldModelRows& rows, ModelMachines judged) {
  const std::size_t fold_models = rows.resamples.size();
  FoldModels trained(settings, fold_models);
  const bool are_judged = judged.size() == grid * fold_models;
  std::vector<FittedTask> found;
  if (!are_judged)
    found = fit_settings(dataset, rows.resamples, settings.options, settings.members, {}, false, context);
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the models that compare rows was stopped");
  for (std::size_t k = 0; k < fold_models; ++k) {
    bool whole = true;  // some nu cannot be had on some rows
    for (std::size_t g = 0; g < trained.costs.size(); ++g) {
      for (std::size_t m = 0; m < trained.costs[g].size(); ++m) {
        const std::size_t cost = trained.costs[g][m];
        auto& model = trained.models[trained.place(g, m, k, fold_models)];
        model = std::move(are_judged ? judged[settings.of_grid[g * settings.costs() + cost] * fold_models + k]
                                     : found[g * fold_models + k].machines[cost]);
        whole = whole && !model.empty();
      }
    }
    if (!whole) std::ranges::replace(rows.fold_model_of, static_cast<int>(k), -1);
  }
  return trained;
}

}  // namespace

std::shared_ptr<svm::SvmFamily> fold_model_family(const data::Dataset& dataset, const Selection& selection,
                                                  const data::Preprocessing& preprocessing,
                                                  const core::Context& context, FoldModelRows& rows,
                                                  ModelMachines judged) {
  const MemberSettings settings = std::move(fold_model_settings(selection).front());
  FoldModels trained = trained_fold_models(dataset, settings, selection.grid.size(), context, rows, std::move(judged));
  return family_of(dataset, settings.options, preprocessing, settings.gammas(), std::move(trained.models));
}

void train_fold_models(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                       model::Predictor& model) {
  FoldModelRows rows = fold_model_rows(dataset, selection.options);
  if (rows.resamples.empty()) return;
  std::vector<FoldModels> trained;
  for (const MemberSettings& settings : fold_model_settings(selection))
    trained.push_back(trained_fold_models(dataset, settings, selection.grid.size(), context, rows, {}));
  std::vector<std::optional<data::Preprocessing>> preprocessing;
  for (const FoldModels& part : trained) {
    const Options& own = part.settings.options;
    const bool of_model = is_precomputed(own) || own.preparation.scaling() == model.preprocessing.scaling;
    preprocessing.push_back(of_model ? std::nullopt : std::optional(fit_preprocessing(dataset, own)));
  }
  const auto add = [&](std::size_t t, ModelMachines models, std::size_t fold_models, model::Members& members) {
    const MemberSettings& settings = trained[t].settings;
    if (selection.average) trained[t].add_averages(fold_models, members.models(), members.averages);
    members.parts.push_back(
        {preprocessing[t], family_of(dataset, settings.options, preprocessing[t].value_or(model.preprocessing),
                                     settings.gammas(), std::move(models))});
  };
  const auto fold_model = [&](std::size_t k) {
    model::Members alone;
    for (std::size_t t = 0; t < trained.size(); ++t) add(t, trained[t].of_fold_model(k), 1, alone);
    return alone;
  };
  model.calibration = judged_by_fold_models(dataset, fold_model, model.preprocessing, rows.fold_model_of, context);
  model.fold_models = {};
  for (std::size_t t = 0; t < trained.size(); ++t)
    add(t, std::move(trained[t].models), rows.resamples.size(), model.fold_models);
}

}  // namespace credence::selection
