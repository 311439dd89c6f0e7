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

constexpr std::size_t usual_siblings = 10;

/// The member cells of one kernel function and scaling, trained for each sibling.
struct SiblingModels {
  MemberCells cells;
  std::vector<std::vector<std::size_t>> costs;  ///< of each gamma, those of its members
  std::size_t columns = 0;                      ///< the most members of a gamma; others have models that are not there
  std::size_t siblings = 0;
  ModelMachines models;  ///< (gamma, member of the gamma, sibling), sibling fastest

  SiblingModels(const MemberCells& given, std::size_t count)
      : cells(given), costs(given.costs_of_members()), siblings(count) {
    for (const auto& of_gamma : costs) columns = std::max(columns, of_gamma.size());
    models.resize(costs.size() * columns * siblings);
  }
  /// The number of a model. @param member  of the gamma  @param count  of the siblings
  std::size_t place(std::size_t gamma, std::size_t member, std::size_t sibling, std::size_t count) const {
    return (gamma * columns + member) * count + sibling;
  }
  ModelMachines of_sibling(std::size_t sibling) const {
    ModelMachines own;
    for (std::size_t at = sibling; at < models.size(); at += siblings) own.push_back(models[at]);
    return own;
  }
  /// Appends the models whose mean each of so many siblings is. @param first  number of the first model
  void add_averages(std::size_t count, std::size_t first, std::vector<std::vector<std::uint32_t>>& averages) const {
    averages.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t g = 0; g < costs.size(); ++g)
        for (std::size_t m = 0; m < costs[g].size(); ++m)
          averages[k].push_back(static_cast<std::uint32_t>(first + place(g, m, k, count)));
  }
};

/// The options under which siblings are trained: scalings and widths of the model, no other search.
std::vector<MemberCells> sibling_cells(const Selection& selection) {
  std::vector<MemberCells> parts = member_cells(selection);
  for (MemberCells& cells : parts) cells.options.preparation.scope = ScaleScope::all;
  return parts;
}

}  // namespace

model::Calibration judged_by_siblings(const data::Dataset& dataset,
                                      const std::function<model::Members(std::size_t)>& sibling,
                                      const data::Preprocessing& preprocessing, const std::vector<int>& sibling_of,
                                      const core::Context& context) {
  data::DenseMatrix scores(dataset.rows(), dataset.is_regression() ? 1 : dataset.class_count());
  const int last = *std::ranges::max_element(sibling_of);
  for (int k = 0; k <= last; ++k) {
    const std::vector<std::size_t> own = data::rows_where(sibling_of, k);
    if (own.empty()) continue;
    const model::Members alone = sibling(static_cast<std::size_t>(k));
    alone.score(dataset.select_rows(own), preprocessing, context,
                [&](std::size_t first, std::size_t, const model::Scores& block) {
                  for (std::size_t row = 0; row < block.rows; ++row)
                    std::copy_n(block.at(row, 0), block.classes, scores.row(own[first + row]).begin());
                });
  }
  model::Calibration kept;
  kept.source = "out-of-fold";
  const std::vector<std::size_t> rows = data::rows_where(sibling_of, [](int number) { return number >= 0; });
  if (dataset.class_count() > 2) kept.scores = data::DenseMatrix(rows.size(), dataset.class_count());
  for (std::size_t a = 0; a < rows.size(); ++a) {
    const auto own = scores.row(rows[a]);
    kept.sibling_of.push_back(sibling_of[rows[a]]);
    if (dataset.is_regression()) {
      kept.strangeness.push_back(std::abs(dataset.targets[rows[a]] - own[0]));
      continue;
    }
    const int label = dataset.labels[rows[a]];
    kept.labels.push_back(label);
    kept.strangeness.push_back(-own[static_cast<std::size_t>(label)]);
    if (kept.scores.rows > 0) std::ranges::copy(own, kept.scores.row(a).begin());
  }
  return kept;
}

namespace {

/// Splits that the data bring, which may overlap: the first one that holds a row out judges the row.
SiblingRows rows_of_splits(const data::Dataset& dataset) {
  SiblingRows rows;
  rows.sibling_of.assign(dataset.rows(), -1);
  for (const Resample& split : resamples_of_splits(dataset)) {
    const auto sibling = static_cast<int>(rows.resamples.size());
    bool judges = false;
    for (const std::size_t row : split.held_out()) {
      if (rows.sibling_of[row] >= 0) continue;
      rows.sibling_of[row] = sibling;
      judges = true;
    }
    if (judges) rows.resamples.push_back(split);
  }
  return rows;
}

}  // namespace

SiblingRows sibling_rows(const data::Dataset& dataset, const Options& options) {
  if (options.traits().splits && !dataset.splits.empty()) return rows_of_splits(dataset);
  SiblingRows rows;
  const std::size_t wanted = options.traits().folds ? options.resample_count(dataset.rows()) : usual_siblings;
  const auto folds = static_cast<int>(std::min(wanted, dataset.units()));
  if (folds < 2) return rows;
  rows.sibling_of = data::folds_of(dataset, folds, options.seed, 2, options.name());
  rows.resamples = resamples_of_folds(rows.sibling_of);
  return rows;
}

namespace {

/// Trains the siblings, of one kernel function and scaling.
/// @param grid  cells of the grid  @param rows, judged  as of sibling_family
SiblingModels sibling_models(const data::Dataset& dataset, const MemberCells& cells, std::size_t grid,
                             const core::Context& context, SiblingRows& rows, ModelMachines judged) {
  const std::size_t siblings = rows.resamples.size();
  SiblingModels trained(cells, siblings);
  const bool are_judged = judged.size() == grid * siblings;
  std::vector<FittedTask> found;
  if (!are_judged) found = fit_cells(dataset, rows.resamples, cells.options, cells.members, {}, false, context);
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the machines that compare rows was stopped");
  for (std::size_t k = 0; k < siblings; ++k) {
    bool whole = true;  // some nu cannot be had on some rows
    for (std::size_t g = 0; g < trained.costs.size(); ++g) {
      for (std::size_t m = 0; m < trained.costs[g].size(); ++m) {
        const std::size_t cost = trained.costs[g][m];
        auto& model = trained.models[trained.place(g, m, k, siblings)];
        model = std::move(are_judged ? judged[cells.of_grid[g * cells.costs() + cost] * siblings + k]
                                     : found[g * siblings + k].machines[cost]);
        whole = whole && !model.empty();
      }
    }
    if (!whole) std::ranges::replace(rows.sibling_of, static_cast<int>(k), -1);
  }
  return trained;
}

}  // namespace

std::shared_ptr<svm::SvmFamily> sibling_family(const data::Dataset& dataset, const Selection& selection,
                                               const data::Preprocessing& preprocessing, const core::Context& context,
                                               SiblingRows& rows, ModelMachines judged) {
  const MemberCells cells = std::move(sibling_cells(selection).front());
  SiblingModels trained = sibling_models(dataset, cells, selection.grid.size(), context, rows, std::move(judged));
  return family_of(dataset, cells.options, preprocessing, cells.gammas(), std::move(trained.models));
}

void train_siblings(const data::Dataset& dataset, const Selection& selection, const core::Context& context,
                    model::Predictor& model) {
  SiblingRows rows = sibling_rows(dataset, selection.options);
  if (rows.resamples.empty()) return;
  std::vector<SiblingModels> trained;
  for (const MemberCells& cells : sibling_cells(selection))
    trained.push_back(sibling_models(dataset, cells, selection.grid.size(), context, rows, {}));
  std::vector<std::optional<data::Preprocessing>> preprocessing;
  for (const SiblingModels& part : trained) {
    const Options& own = part.cells.options;
    const bool of_model = is_precomputed(own) || own.preparation.scaling() == model.preprocessing.scaling;
    preprocessing.push_back(of_model ? std::nullopt : std::optional(fit_preprocessing(dataset, own)));
  }
  const auto add = [&](std::size_t t, ModelMachines models, std::size_t siblings, model::Members& members) {
    const MemberCells& cells = trained[t].cells;
    if (selection.average) trained[t].add_averages(siblings, members.models(), members.averages);
    members.parts.push_back(
        {preprocessing[t], family_of(dataset, cells.options, preprocessing[t].value_or(model.preprocessing),
                                     cells.gammas(), std::move(models))});
  };
  const auto sibling = [&](std::size_t k) {
    model::Members alone;
    for (std::size_t t = 0; t < trained.size(); ++t) add(t, trained[t].of_sibling(k), 1, alone);
    return alone;
  };
  model.calibration = judged_by_siblings(dataset, sibling, model.preprocessing, rows.sibling_of, context);
  model.siblings = {};
  for (std::size_t t = 0; t < trained.size(); ++t)
    add(t, std::move(trained[t].models), rows.resamples.size(), model.siblings);
}

}  // namespace credence::selection
