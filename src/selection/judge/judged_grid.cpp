#include "selection/judge/judged_grid.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "selection/choose/choose.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

ClassScores::ClassScores(const data::Dataset& dataset, std::size_t cells, ScoredCells scored,
                         std::size_t memory_budget) {
  if (scored == ScoredCells::none || dataset.is_regression() || dataset.class_count() <= 2) return;
  const std::size_t bytes_of_cell = dataset.rows() * dataset.class_count() * sizeof(float);
  const bool fits = cells == 1 || cells * bytes_of_cell <= memory_budget / share;
  first_ = scored == ScoredCells::last ? cells - 1 : 0;
  cells_ = scored == ScoredCells::last ? 1 : fits ? cells : 0;
  classes_ = dataset.class_count();
  values_.assign(dataset.rows() * cells_ * classes_, 0);
}

data::DenseMatrix ClassScores::of(std::span<const std::size_t> rows, std::size_t cell) const {
  data::DenseMatrix scores(rows.size(), classes_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t c = 0; c < classes_; ++c) scores.row(i)[c] = double{values_[at(rows[i], cell) + c]};
  return scores;
}

ClassScores ClassScores::joined(const ClassScores& first, const ClassScores& second) {
  ClassScores both;
  const bool whole = first.first_ == 0 && second.first_ == 0 && first.cells_ > 0 && second.cells_ > 0;
  if (!whole) return both;
  both.cells_ = first.cells_ + second.cells_;
  both.classes_ = first.classes_;
  both.values_.reserve(first.values_.size() + second.values_.size());
  const std::size_t rows = first.values_.size() / (first.cells_ * first.classes_);
  for (std::size_t i = 0; i < rows; ++i) {
    for (const ClassScores* part : {&first, &second}) {
      const std::span<const float> row = part->of_row(i);
      both.values_.insert(both.values_.end(), row.begin(), row.end());
    }
  }
  return both;
}

namespace {

/// Changing it changes everyone's out-of-bag scores.
constexpr std::uint64_t witness_purpose = 634;

}  // namespace

LossTable JudgedGrid::losses(Loss loss) const {
  LossTable table(judged.size(), cells());
  for (std::size_t i = 0; i < judged.size(); ++i) {
    for (std::size_t k = 0; k < table.cells; ++k) {
      const std::size_t at = i * table.cells + k;
      if (judged[i] == 0) {
        table.row(i)[k] = std::numeric_limits<float>::quiet_NaN();
      } else {
        table.row(i)[k] = loss == Loss::soft ? static_cast<float>(soft[at] / judged[i])
                                             : static_cast<float>(errors[at]) / static_cast<float>(judged[i]);
      }
    }
  }
  return table;
}

model::Calibration JudgedGrid::calibration(std::size_t cell, std::span<const int> labels,
                                           const std::string& source) const {
  model::Calibration result;
  result.source = source;
  const std::vector<std::size_t> rows = data::rows_where(judged, [](auto times) { return times > 0; });
  for (const std::size_t i : rows) {
    result.strangeness.push_back(strangeness[i * cells() + cell]);
    if (!labels.empty()) result.labels.push_back(labels[i]);
  }
  if (!class_scores.has(cell)) return result;
  result.scores = class_scores.of(rows, cell);
  for (std::size_t r = 0; r < rows.size(); ++r)
    result.scores.row(r)[static_cast<std::size_t>(result.labels[r])] = -result.strangeness[r];
  return result;
}

model::Calibration JudgedGrid::calibration_of_average(std::span<const std::size_t> members, std::span<const int> labels,
                                                      const std::string& source) const {
  const std::size_t classes = said.clipped.classes();
  std::vector<std::size_t> place_of(judged.size(), said.places());
  for (std::size_t r = 0; r < said.resamples(); ++r)
    for (std::size_t p = said.starts[r]; p < said.starts[r + 1]; ++p)
      if (said.resamples() == 1 || witness[said.rows[p]] == r) place_of[said.rows[p]] = p;
  const std::vector<std::size_t> rows = data::rows_where(judged, [](auto times) { return times > 0; });
  model::Calibration result;
  result.source = source;
  if (classes > 2) result.scores = data::DenseMatrix(rows.size(), classes);
  std::vector<double> scores(classes);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    said.clipped.mean(place_of[rows[r]], members, scores);
    result.strangeness.push_back(-scores[static_cast<std::size_t>(labels[rows[r]])]);
    result.labels.push_back(labels[rows[r]]);
    if (classes > 2) std::ranges::copy(scores, result.scores.row(r).begin());
  }
  return result;
}

namespace {

/// The options of the chosen cell, with the costs before it, along which its machines are trained.
Options path_to_chosen(const Options& options, std::size_t cells, const Selection& selection) {
  const bool has_costs = options.learner() == Learner::svm;
  const std::size_t costs = costs_of(options);
  const Cell& best = selection.grid[*selection.best];
  Options path = options_of_cell(options, best);
  if (path.kernels.shape().uses_gamma()) {
    // A grid that went on has widths that are no words, and another first one.
    const std::vector<GridKernel> kernels = kernels_of(options);
    const bool went_on = cells > kernels.size() * costs;
    const kernel::GammaRule value{kernel::GammaRule::Kind::value, best.gamma};
    path.kernels.gamma = {went_on ? value : *kernels[*selection.best / costs].gamma};
  }
  if (has_costs) {
    auto& axis = options.costs.nu.empty() ? path.costs.C : path.costs.nu;
    const std::size_t gamma = *selection.best / costs;
    std::vector<double> kept;
    for (std::size_t c = 0; c <= *selection.best % costs; ++c)
      if (is_on_path(selection.grid[gamma * costs + c])) kept.push_back(axis[c]);
    axis = std::move(kept);
  }
  return path;
}

}  // namespace

model::Calibration chosen_calibration(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                                      const std::string& source, std::span<const Resample> resamples,
                                      const core::Context& context, const Selection& selection) {
  if (dataset.is_regression() || dataset.class_count() <= 2 || judged.class_scores.has(*selection.best))
    return judged.calibration(*selection.best, dataset.labels, source);
  const Options path = path_to_chosen(options, judged.cells(), selection);
  const JudgedGrid again = judge_grid(dataset, path, resamples, context, {}, ScoredCells::last);
  if (context.monitor.should_stop()) return {};
  return again.calibration(again.cells() - 1, dataset.labels, source);
}

void calibrate(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
               const std::string& source, std::span<const Resample> resamples, const core::Context& context,
               Selection& selection) {
  if (!selection.best || selection.stopped != core::StopReason::none) return;
  if (selection.average) {
    selection.calibration = judged.calibration_of_average(selection.average->members, dataset.labels, source);
    return;
  }
  selection.calibration = chosen_calibration(dataset, options, judged, source, resamples, context, selection);
  if (selection.calibration.empty()) selection.stopped = context.monitor.stop_reason();
}

namespace {

/// A table of (row, cell), cell fastest, from two.
template <class Value>
std::vector<Value> beside(const std::vector<Value>& first, const std::vector<Value>& second, std::size_t rows) {
  std::vector<Value> both;
  both.reserve(first.size() + second.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (const std::vector<Value>* table : {&first, &second}) {
      const auto cells = static_cast<std::ptrdiff_t>(table->size() / rows);
      const auto start = table->begin() + static_cast<std::ptrdiff_t>(i) * cells;
      both.insert(both.end(), start, start + cells);
    }
  }
  return both;
}

}  // namespace

JudgedGrid joined(const JudgedGrid& first, const JudgedGrid& second) {
  const std::size_t rows = first.judged.size();
  JudgedGrid both;
  both.held_out = first.held_out;
  both.judged = first.judged;
  both.witness = first.witness;
  both.weights = first.weights;
  both.results = first.results;
  both.results.insert(both.results.end(), second.results.begin(), second.results.end());
  both.errors = beside(first.errors, second.errors, rows);
  both.soft = beside(first.soft, second.soft, rows);
  both.strangeness = beside(first.strangeness, second.strangeness, rows);
  both.said = joined(first.said, second.said);
  both.class_scores = ClassScores::joined(first.class_scores, second.class_scores);
  return both;
}

JudgedGrid empty_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      std::size_t cells) {
  JudgedGrid judged;
  const std::size_t rows = dataset.rows();
  std::vector<std::vector<std::size_t>> held_out;
  std::vector<std::vector<std::uint32_t>> left_out_by(rows);
  for (std::size_t r = 0; r < resamples.size(); ++r) {
    held_out.push_back(resamples[r].held_out());
    judged.held_out.push_back(held_out.back().size());
    for (const std::size_t i : held_out.back()) left_out_by[i].push_back(static_cast<std::uint32_t>(r));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::vector<std::uint32_t>& by = left_out_by[i];
    judged.judged.push_back(static_cast<std::uint32_t>(by.size()));
    judged.witness.push_back(by.empty() ? 0 : by[core::random_choice(options.seed, witness_purpose, i, by.size())]);
  }
  judged.results.resize(cells * resamples.size());
  judged.errors.assign(rows * cells, 0);
  if (weighs_errors(dataset, options))
    judged.weights = error_weights(dataset, class_costs(dataset, options), judged.judged);
  // Rows that are left out one by one have no scores where their labels alone are compared (LeftOutRows::errors).
  const bool scored = resamples.front().one_by_one.empty() || compares_scores(options);
  judged.soft.assign(scored || !judged.weights.empty() ? rows * cells : 0, 0);
  judged.strangeness.assign(scored ? rows * cells : 0, 0);
  if (!resamples.front().one_by_one.empty()) held_out = {data::rows_where(judged.judged, [](auto) { return true; })};
  judged.said = room_for(options, held_out, dataset.labels, dataset.weights, dataset.schema.classes, cells);
  return judged;
}

Loss judging_loss(const Options& options, const JudgedGrid& judged) {
  return judged.weights.empty() ? judging_loss(options) : Loss::soft;
}

std::vector<Cell> cells_of(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options) {
  std::vector<Cell> cells = named_cells(reported_gammas(dataset, options), options);
  const auto held_out =
      static_cast<double>(std::accumulate(judged.held_out.begin(), judged.held_out.end(), std::size_t{0}));
  for (std::size_t k = 0; k < cells.size(); ++k) {
    Cell& cell = cells[k];
    const std::span<const TaskResult> results = judged.of_cell(k);
    std::vector<double> rates;
    double sum = 0;
    cell.infeasible = std::any_of(results.begin(), results.end(), [](const TaskResult& r) { return r.infeasible; });
    for (const TaskResult& result : results) cell.given_up = std::max(cell.given_up, result.given_up);
    cell.complete =
        !cell.infeasible && std::all_of(results.begin(), results.end(), [](const TaskResult& r) { return r.complete; });
    for (std::size_t r = 0; r < results.size(); ++r) {
      const double loss = results[r].loss(judging_loss(options, judged));
      rates.push_back(loss / static_cast<double>(judged.held_out[r]));  // NaN where nothing is held out
      sum += loss;
      cell.fit_seconds.push_back(results[r].fit_seconds);
      cell.score_seconds.push_back(results[r].score_seconds);
      cell.n_sv += static_cast<double>(results[r].support) / static_cast<double>(results.size());
      cell.steps += results[r].steps;
      cell.factorisations += results[r].factorisations;
      cell.unconverged += results[r].unconverged;
    }
    cell.error = cell.given_up == GivenUp::no ? sum / held_out : std::numeric_limits<double>::quiet_NaN();
    set_spread(rates, cell);
    for (const double rate : rates) cell.split_scores.push_back(judging_loss(options) == Loss::soft ? rate : 1 - rate);
    if (options.score != Score::accuracy && cell.complete) set_score(judged.said, k, cell);
  }
  return cells;
}

}  // namespace credence::selection
