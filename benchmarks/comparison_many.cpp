#include "comparison_many.hpp"

#include <algorithm>
#include <cmath>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/svm/train.hpp"

namespace credence::bench {
namespace {

constexpr int bootstrap_samples = 100;
constexpr std::size_t validation_rows = 50;
constexpr std::size_t new_rows = 5000;

/// `count` of `all`, evenly spaced; all of them for 0.
template <class T>
std::vector<T> spread(const std::vector<T>& all, std::size_t count) {
  if (count == 0 || count >= all.size()) return all;
  std::vector<T> some;
  for (std::size_t k = 0; k < count; ++k) some.push_back(all[k * all.size() / count]);
  return some;
}

std::vector<std::size_t> every_row(std::size_t n) {
  std::vector<std::size_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = i;
  return rows;
}

std::vector<HeldOutSplit> bootstrap_splits(std::size_t n) {
  std::vector<HeldOutSplit> splits(bootstrap_samples);
  for (std::size_t b = 0; b < splits.size(); ++b) {
    const auto drawn = data::bootstrap(n, core::random_choice(0, 632, b, ~std::uint64_t{0}));
    for (std::size_t i = 0; i < n; ++i) {
      if (drawn[i] == 0) splits[b].judging.push_back(i);
      splits[b].training.insert(splits[b].training.end(), drawn[i], i);
    }
  }
  return splits;
}

/// The folds of the training rows of each outer fold, and the outer folds themselves.
std::vector<HeldOutSplit> nested_splits(const Problem& problem) {
  const std::vector<HeldOutSplit> outer = splits_of_folds(problem.folds);
  std::vector<HeldOutSplit> splits = outer;
  for (const HeldOutSplit& one : outer) {
    std::vector<int> labels;
    for (const std::size_t i : one.training) labels.push_back(problem.standardised.labels[i]);
    for (HeldOutSplit inner : splits_of_folds(data::stratified_k_fold(labels, 10, 0))) {
      for (std::size_t& i : inner.training) i = one.training[i];
      for (std::size_t& i : inner.judging) i = one.training[i];
      splits.push_back(std::move(inner));
    }
  }
  return splits;
}

std::vector<HeldOutSplit> hold_out_split(const Problem& problem) {
  HeldOutSplit split;
  const std::vector<bool> held = data::random_hold_out(problem.folds.size(), validation_rows, {}, 0);
  for (std::size_t i = 0; i < held.size(); ++i) (held[i] ? split.judging : split.training).push_back(i);
  return {split};
}

std::vector<HeldOutSplit> splits_of(ManyClassWork work, const Problem& problem) {
  const std::size_t n = problem.folds.size();
  switch (work) {
    case ManyClassWork::leave_one_out:
      return splits_without(n, every_row(n));
    case ManyClassWork::bootstrap:
      return bootstrap_splits(n);
    case ManyClassWork::nested:
      return nested_splits(problem);
    default:
      return hold_out_split(problem);
  }
}

selection::Method method_of(ManyClassWork work) {
  if (work == ManyClassWork::leave_one_out) return selection::LeaveOneOut{};
  if (work == ManyClassWork::bootstrap) return selection::Bootstrap{.resamples = bootstrap_samples};
  if (work == ManyClassWork::nested) return selection::CrossValidation{};
  return selection::Nonconformity{};
}

selection::Options options_of(ManyClassWork work, const Grid& grid) {
  selection::Options options;
  options.method = method_of(work);
  set_grid(options, grid);
  options.preparation.scalings = {data::Scaling::none};
  options.costs.solver.tolerance = tolerance;
  options.estimate = work == ManyClassWork::nested ? selection::Estimate::nested : selection::Estimate::none;
  return options;
}

/// Runs Credence half before LIBSVM and half after it.
template <class Ours, class Theirs>
void measure(const Settings& settings, const Ours& ours, const Theirs& theirs, ManyClassRow& row) {
  const auto run_ours = [&](int count) {
    for (; count > 0; --count) row.credence.push_back(ours());
  };
  const auto runs = static_cast<std::size_t>(settings.runs);
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    run_ours((settings.runs + 1) / 2);
    if (!settings.alone) row.libsvm.push_back(theirs());
    run_ours(settings.runs / 2);
    if (settings.alone) continue;
    row.ratios.push_back(row.libsvm.back().cpu * row.scale() / median(last(row.credence, runs)).cpu);
  }
}

void compare_selection(const ManyClassCase& task, const Problem& problem, const Grid& grid, const Settings& settings,
                       ManyClassRow& row) {
  const std::vector<HeldOutSplit> splits = splits_of(task.work, problem);
  const std::vector<HeldOutSplit> some = spread(splits, task.sample);
  row.parts = splits.size();
  row.libsvm_parts = some.size();
  std::vector<std::size_t> errors;
  GridRun theirs;
  measure(
      settings,
      [&] {
        const SelectionRun run = credence_selection(problem.standardised, options_of(task.work, grid), 1);
        errors.clear();
        for (const selection::Setting& setting : run.selection.grid)
          errors.push_back(static_cast<std::size_t>(std::lround(setting.error * validation_rows)));
        return run.seconds;
      },
      [&] {
        theirs = libsvm_grid(problem, grid, some, [](std::size_t) {});
        return theirs.seconds;
      },
      row);
  if (task.work == ManyClassWork::nonconformity && !settings.alone)
    row.difference = largest_distance(errors, theirs.errors);
}

/// Rows like those of the problem: each a random one of them with a tenth of noise.
data::DenseMatrix rows_like(const Problem& problem) {
  const data::DenseMatrix known = problem.standardised.features.to_dense();
  core::RandomStream random(0, 26);
  data::DenseMatrix rows(new_rows, known.columns);
  for (std::size_t i = 0; i < new_rows; ++i) {
    const auto like = known.row(static_cast<std::size_t>(random.below(known.rows)));
    for (std::size_t j = 0; j < known.columns; ++j) rows.row(i)[j] = like[j] + 0.1 * random.normal();
  }
  return rows;
}

std::vector<int> labels_of(const svm::SvmModel& model, const data::Features& rows, const core::Context& context) {
  return model.predict_preprocessed(rows, context).label;
}

/// (model, row)
std::vector<int> labels_of(const svm::SvmFamily& family, const data::Features& rows, const core::Context& context) {
  const model::Scores scores = family.score_all(rows, context);
  std::vector<int> labels;
  for (std::size_t k = 0; k < scores.models; ++k)
    for (std::size_t i = 0; i < scores.rows; ++i) labels.push_back(scores.label(i, k));
  return labels;
}

std::size_t count_different(const std::vector<int>& a, const std::vector<int>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1U : 0U;
  return count;
}

template <class Model>
void compare_labels(const Model& model, const Problem& problem, const Grid& grid,
                    const std::vector<std::size_t>& training, std::size_t sample, const Settings& settings,
                    ManyClassRow& row) {
  const data::DenseMatrix numbers = rows_like(problem);
  data::DenseMatrix some(sample == 0 ? new_rows : sample, numbers.columns);
  std::copy_n(numbers.values.begin(), some.values.size(), some.values.begin());
  row.parts = numbers.rows;
  row.libsvm_parts = some.rows;
  const data::Features asked = numbers;
  const core::Threads one(1);
  core::Monitor monitor;
  const core::Context context{one, monitor};
  LabelRun theirs;
  measure(
      settings,
      [&] {
        const Stopwatch stopwatch;
        labels_of(model, asked, context);
        return stopwatch.elapsed();
      },
      [&] {
        theirs = libsvm_labels(problem, grid, training, some);
        return theirs.seconds;
      },
      row);
  if (!settings.alone) row.difference = count_different(labels_of(model, some, context), theirs.labels);
}

void compare_one_model(const Problem& problem, Grid grid, std::size_t sample, const Settings& settings,
                       ManyClassRow& row) {
  grid.gamma = {grid.gamma[grid.gamma.size() / 2]};
  grid.C = {grid.C[grid.C.size() / 2]};
  row.models = 1;
  svm::TrainOptions options;
  options.C = grid.C.front();
  options.gamma = grid.gamma.front();
  options.scaling = data::Scaling::none;
  options.solver.tolerance = tolerance;
  const core::Threads one(1);
  core::Monitor monitor;
  const svm::TrainResult trained = svm::train(problem.standardised, options, {one, monitor});
  compare_labels(trained.model, problem, grid, every_row(problem.folds.size()), sample, settings, row);
}

void compare_family(const Problem& problem, const Grid& grid, std::size_t sample, const Settings& settings,
                    ManyClassRow& row) {
  const SelectionRun run = credence_selection(problem.standardised, options_of(ManyClassWork::predict_family, grid), 1);
  const auto& predictor = dynamic_cast<const selection::Ensemble&>(*run.selection.predictor);
  compare_labels(dynamic_cast<const svm::SvmFamily&>(predictor.family()), problem, grid,
                 hold_out_split(problem).front().training, sample, settings, row);
}

}  // namespace

std::string name_of(ManyClassWork work) {
  switch (work) {
    case ManyClassWork::leave_one_out:
      return "leave-one-out";
    case ManyClassWork::bootstrap:
      return "bootstrap";
    case ManyClassWork::nested:
      return "nested cv";
    case ManyClassWork::nonconformity:
      return "nonconformity";
    case ManyClassWork::predict_one:
      return "predict, one";
    case ManyClassWork::predict_family:
      return "predict, all";
  }
  return "";
}

std::vector<ManyClassCase> many_class_cases(bool quick) {
  std::vector<ManyClassCase> cases;
  const std::vector<Recipe> recipes = many_class_recipes();
  for (const Recipe& recipe : {recipes.front(), recipes.back()}) {
    cases.push_back({recipe, ManyClassWork::leave_one_out, quick ? 1U : 4U});
    cases.push_back({recipe, ManyClassWork::bootstrap, quick ? 1U : 4U});
    cases.push_back({recipe, ManyClassWork::nested, quick ? 1U : 4U});
    cases.push_back({recipe, ManyClassWork::nonconformity, 0});
    cases.push_back({recipe, ManyClassWork::predict_one, quick ? 500U : 0U});
    cases.push_back({recipe, ManyClassWork::predict_family, quick ? 50U : 200U});
  }
  return cases;
}

ManyClassRow compare_many_class_work(const ManyClassCase& task, const Settings& settings) {
  const Problem problem = prepare(task.recipe, settings.data);
  const Grid grid = many_class_grid(problem);
  ManyClassRow row;
  row.name = problem.name;
  row.work = task.work;
  row.rows = problem.standardised.rows();
  row.classes = problem.standardised.class_count();
  row.models = grid.gamma.size() * grid.C.size();
  if (task.work == ManyClassWork::predict_one)
    compare_one_model(problem, grid, task.sample, settings, row);
  else if (task.work == ManyClassWork::predict_family)
    compare_family(problem, grid, task.sample, settings, row);
  else
    compare_selection(task, problem, grid, settings, row);
  return row;
}

void to_json(nlohmann::json& json, const ManyClassRow& row) {
  json = {{"name", row.name},
          {"work", name_of(row.work)},
          {"rows", row.rows},
          {"classes", row.classes},
          {"models", row.models},
          {"parts", row.parts},
          {"libsvm_parts", row.libsvm_parts},
          {"libsvm_seconds_of_these_parts", row.libsvm},
          {"libsvm_seconds_scaled_up", median(row.libsvm).cpu * row.scale()},
          {"libsvm_extrapolated", row.extrapolated()},
          {"credence_seconds", row.credence},
          {"ratio", row.ratio()},
          {"largest_difference", row.difference ? nlohmann::json(*row.difference) : nlohmann::json()}};
}

void to_json(nlohmann::json& json, const ManyClassResults& results) {
  json = {{"grids", results.grids}, {"work", results.work}};
}

}  // namespace credence::bench
