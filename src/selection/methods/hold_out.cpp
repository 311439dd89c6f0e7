#include "selection/methods/hold_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/data/splits.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Trains the models of each kernel and scaling, and names their cells. Returns whether there is one to judge.
bool train_grid(const data::Dataset& dataset, const data::Dataset& training, const Options& options,
                const core::Context& context, HeldOutRun& run) {
  std::vector<Cell>& grid = run.selection.grid;
  const std::vector<Options> spaces = spaces_of(options);
  for (const Options& own : spaces) {
    std::vector<Cell> cells = named_cells(reported_gammas(training, own), own);
    TrainedFamily trained = train_family(dataset, run.part, own, context, cells);
    for (const std::size_t cell : trained.cells) run.cells.push_back(grid.size() + cell);
    if (trained.family) run.members.parts.push_back({std::move(trained.preprocessing), std::move(trained.family)});
    grid.insert(grid.end(), cells.begin(), cells.end());
  }
  if (run.members.parts.size() < spaces.size() && context.monitor.should_stop()) {  // a part of a grid chooses nothing
    run.members.parts.clear();
    run.cells.clear();
  }
  return !run.members.empty();
}

void count_validation_errors(const HeldOutRun& run, std::vector<Cell>& cells) {
  for (std::size_t k = 0; k < run.cells.size(); ++k) {
    double errors = 0;
    for (std::size_t i = 0; i < run.labels.size(); ++i) errors += run.loss(i, k);
    cells[run.cells[k]].error = errors / static_cast<double>(run.labels.size());
  }
}

/// What the score of the options needs of the predictions of the models.
OutOfSample said_of(const HeldOutRun& run, const Options& options, const core::Context& context) {
  std::vector<std::size_t> every(run.labels.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  OutOfSample said =
      room_for(options, std::span(&every, 1), run.labels, run.sample_weights, run.selection.classes, run.cells.size());
  if (options.rule == Rule::average && !said.empty())
    said.clipped = ClippedScores(said.places(), said.cells, said.classes);
  if (said.score == Score::accuracy && run.selection.weighted) said.costs = run.weights;
  const bool probabilities = options.score == Score::log_loss && options.learner() == Learner::rvm;
  for (std::size_t k = 0; k < said.cells; ++k) {
    for (std::size_t i = 0; i < said.places(); ++i) {
      const std::size_t at = k * said.places() + i;
      const double* const scores = run.scores.at(i, k);
      for (std::size_t c = 0; c < said.clipped.classes(); ++c) said.clipped.set(i, k, c, scores[c]);
      if (said.kept == Kept::losses && said.score == Score::accuracy)
        said.values[at] = run.loss(i, k);
      else if (said.takes_labels())
        said.set_label(k, i, static_cast<std::size_t>(run.scores.label(i, k)));
      else
        said.values[at] = probabilities ? rvm::log_loss_of_scores({scores, said.classes}, run.labels[i]) : scores[1];
    }
  }
  if (said.score == Score::log_loss && !said.empty() && !probabilities) judge_by_sigmoids(options.seed, context, said);
  return said;
}

}  // namespace

std::size_t default_validation_rows(std::size_t n) {
  constexpr std::size_t few = 500;
  return n <= few ? std::min<std::size_t>(n / 5, 50) : std::min<std::size_t>(n / 10, 10000);
}

std::vector<bool> validation_split(const data::Dataset& given, const Options& options) {
  const RowsInUse used = rows_in_use(given, options);
  const data::Dataset& dataset = *used.rows;
  const std::size_t n = dataset.rows();
  const std::size_t count = options.validation_rows.value_or(default_validation_rows(n));
  if (count < 1 || count + 2 > n) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} of {} rows cannot be held out for validation: at least 1 is needed, and 2 must be left",
                            count, n),
                {dataset.source, 0, ""});
  }
  return used.of_given(data::random_hold_out(n, count, dataset.together(), options.seed));
}

HeldOutRun hold_out(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  check_data(dataset, options);
  HeldOutRun run;
  run.selection = begin_report(dataset, options, context);
  run.selection.score = score_name("validation", run.selection);
  run.selection.resamples = 1;
  Resample& part = run.part = all_rows(dataset.rows());
  const std::vector<bool> held_out_rows = validation_split(dataset, options);
  for (std::size_t i = 0; i < held_out_rows.size(); ++i) part.drawn[i] = held_out_rows[i] ? 0 : 1;
  const data::Dataset training = dataset.select_rows(part.training_rows());
  data::check_trainable(training);
  const data::Dataset validation = dataset.select_rows(part.held_out());
  run.labels = validation.labels;
  run.weights.assign(validation.rows(), 1.0);
  run.sample_weights = validation.weights;
  if (run.selection.weighted) run.weights = error_weights(validation, class_costs(training, options));
  run.clusters = validation.clusters();
  run.selection.validation_rows = validation.rows();
  if (train_grid(dataset, training, options, context, run)) {
    run.scores = run.members.score_all(validation, {}, context);
    count_validation_errors(run, run.selection.grid);
    run.said = said_of(run, options, context);
    for (std::size_t k = 0; k < run.said.cells; ++k) {
      Cell& cell = run.selection.grid[run.cells[k]];
      set_score(run.said, k, cell);
      if (options.rule_or_best() != Rule::best) cell.error_se = error_over_rows(run.said, k);
      cell.split_scores.clear();
    }
  } else {
    for (Cell& cell : run.selection.grid) cell.complete = false;  // trained or not, nothing has judged it
  }
  return run;
}

LossTable HeldOutRun::losses() const {
  LossTable table(labels.size(), cells.size());
  for (std::size_t i = 0; i < table.rows; ++i)
    for (std::size_t k = 0; k < table.cells; ++k) table.row(i)[k] = static_cast<float>(loss(i, k));
  return table;
}

Ensemble HeldOutRun::predictor(const data::Dataset& dataset) const {
  std::vector<MemberName> names;
  for (const std::size_t cell : cells) names.push_back(name_of(selection.grid[cell]));
  Ensemble result = ensemble_of(dataset, part, selection, members, std::move(names));
  result.validation_rows = labels.size();
  return result;
}

}  // namespace credence::selection
