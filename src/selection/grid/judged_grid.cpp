#include "selection/grid/judged_grid.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "credence/core/random.hpp"
#include "selection/choice.hpp"
#include "selection/grid/further_widths.hpp"
#include "selection/grid/retraining.hpp"
#include "selection/grid/rvm_grid.hpp"

namespace credence::selection {
namespace {

/// Changing it changes everyone's out-of-bag scores.
constexpr std::uint64_t witness_purpose = 634;

/// Strangeness of rows, and their soft losses added up in the order of the resamples, at the costs of one gamma. The
/// resamples come in any order: a sum must not depend on threads.
class OrderedSums {
 public:
  /// @param first  cell of the first cost  @param judged  whose sums, (row, cell), are added to
  OrderedSums(std::span<const Resample> resamples, std::size_t cells, std::size_t first, JudgedGrid& judged)
      : resamples_(resamples), cells_(cells), first_(first), judged_(judged) {}

  /// @param said  for each cost, of each row that the resample left out; nothing if not usable
  void add(std::size_t resample, std::vector<std::vector<RowJudgement>> said) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(resample, std::move(said));
    for (auto next = waiting_.find(done_); next != waiting_.end(); next = waiting_.find(++done_)) {
      add_next(next->second);
      waiting_.erase(next);
    }
  }

 private:
  void add_next(const std::vector<std::vector<RowJudgement>>& said) {
    const std::vector<std::size_t> rows = resamples_[done_].held_out();
    for (std::size_t c = 0; c < said.size(); ++c) {
      for (std::size_t h = 0; h < said[c].size(); ++h) {
        const std::size_t at = rows[h] * cells_ + first_ + c;
        judged_.soft[at] += said[c][h].soft;
        if (judged_.witness[rows[h]] == done_) judged_.strangeness[at] = -said[c][h].score;
      }
    }
  }

  std::span<const Resample> resamples_;
  std::size_t cells_;
  std::size_t first_;
  JudgedGrid& judged_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::map<std::size_t, std::vector<std::vector<RowJudgement>>> waiting_;
};

/// Takes what tasks say of the rows left out, from several threads.
class Recorder {
 public:
  Recorder(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
           std::size_t gammas, std::size_t costs, const JudgementVisitor& visit, JudgedGrid& judged)
      : dataset_(dataset),
        options_(options),
        count_(resamples.size()),
        costs_(costs),
        cells_(gammas * costs),
        visit_(visit),
        judged_(judged) {
    for (std::size_t gamma = 0; gamma < gammas; ++gamma)
      sums_.push_back(std::make_unique<OrderedSums>(resamples, cells_, gamma * costs_, judged));
  }

  template <class Task>
  void take(const Task& task, std::size_t gamma, std::size_t resample) {
    std::vector<std::vector<RowJudgement>> all(costs_);
    for (std::size_t c = 0; c < costs_; ++c) {
      const std::size_t cell = gamma * costs_ + c;
      judged_.results[cell * count_ + resample] = task.judge(c, [&](std::size_t i, const RowJudgement& said) {
        keep(resample, cell, all[c].size(), i, said);
        all[c].push_back(said);
        // Other resamples of the same cell may leave the same row out.
        std::atomic_ref(judged_.errors[i * cells_ + cell]).fetch_add(said.error ? 1U : 0U, std::memory_order_relaxed);
        if (visit_) visit_(resample, cell, i, said.error, said.soft);
      });
    }
    sums_[gamma]->add(resample, std::move(all));
    for (std::size_t c = 0; c < costs_; ++c) keep_scores(task, c, gamma * costs_ + c, resample);
  }

 private:
  /// @param h  position of the row among those that the resample holds out
  void keep(std::size_t resample, std::size_t cell, std::size_t h, std::size_t row, const RowJudgement& said) {
    OutOfSample& kept = judged_.said;
    if (kept.empty()) return;
    const std::size_t at = cell * kept.places() + kept.starts[resample] + h;
    if (kept.kept == Kept::labels)
      kept.labels[at] = static_cast<std::uint16_t>(said.label);
    else
      kept.values[at] = kept_value(row, said);
  }

  double kept_value(std::size_t row, const RowJudgement& said) const {
    const Score score = options_.score();
    if (score == Score::accuracy) return judging_loss(options_) == Loss::soft ? said.soft : said.error ? 1 : 0;
    if (score == Score::log_loss && options_.learner() == Learner::rvm) return said.log_loss;
    return dataset_.labels[row] == 1 ? said.score : -said.score;
  }

  /// A row has one witness, so no two threads write the same score.
  template <class Task>
  void keep_scores(const Task& task, std::size_t c, std::size_t cell, std::size_t resample) {
    if (!judged_.class_scores.has(cell)) return;
    task.visit_scores(c, [&](std::size_t i, std::size_t k, double score) {
      if (judged_.witness[i] == resample) judged_.class_scores.set(i, cell, k, score);
    });
  }

  const data::Dataset& dataset_;
  const Options& options_;
  std::size_t count_;
  std::size_t costs_;
  std::size_t cells_;
  const JudgementVisitor& visit_;
  JudgedGrid& judged_;
  std::vector<std::unique_ptr<OrderedSums>> sums_;
};

std::size_t largest_part(std::span<const Resample> resamples) {
  std::size_t largest = 0;
  for (const Resample& resample : resamples) largest = std::max(largest, resample.training_rows().size());
  return largest;
}

/// Calls use(task, gamma, resample) with every trained task of the grid, from several threads.
/// @param judged  the rows of a resample that are judged
template <class Use>
void train_tasks(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 std::vector<std::size_t> (Resample::*judged)() const, const core::Context& context, const Use& use) {
  const GridRun run(dataset, options, resamples, context);
  if (options.learner() == Learner::rvm) {
    Options resolved = options;
    resolved.machines().centres = resolved_centres(dataset.rows(), options);
    const auto work = [&](std::size_t gamma, std::size_t resample, const core::Context& part) {
      RvmTask task(dataset, resolved, resamples[resample], (resamples[resample].*judged)());
      const data::Features features = run.features(resample);
      task.solve(features, run.kernel_at(gamma, resample, features), part);
      use(task, gamma, resample);
    };
    for_each_rvm(run, resolved, resamples.size(), largest_part(resamples), context, work);
    return;
  }
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t resample) {
    GridTask task(dataset, options, resamples[resample], (resamples[resample].*judged)());
    task.solve(rows, context.monitor);
    use(task, gamma, resample);
  });
}

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
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < judged.size(); ++i)
    if (judged[i] > 0) rows.push_back(i);
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

namespace {

/// The options of the chosen cell, with the costs before it, along which its machines are trained.
Options path_to_chosen(const Options& options, std::size_t cells, const Selection& selection) {
  const bool has_costs = options.learner() == Learner::svm;
  const std::size_t costs = has_costs ? options.costs().axis().size() : 1;
  Options path = options;
  if (options.kernels().shape.uses_gamma()) {
    // A grid that went on has widths that are no words, and another first one.
    const bool went_on = cells > options.kernels().gamma.size() * costs;
    const kernel::GammaRule value{kernel::GammaRule::Kind::value, selection.grid[*selection.best].gamma};
    path.kernels().gamma = {went_on ? value : options.kernels().gamma[*selection.best / costs]};
  }
  if (has_costs) {
    auto& axis = options.costs().nu.empty() ? path.costs().C : path.costs().nu;
    axis.resize(*selection.best % costs + 1);
  }
  return path;
}

}  // namespace

model::Calibration chosen_calibration(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                                      const std::string& source, std::span<const Resample> resamples,
                                      const core::Context& context, const Selection& selection) {
  const bool complete = !judged.strangeness.empty() && (dataset.is_regression() || dataset.class_count() <= 2 ||
                                                        judged.class_scores.has(*selection.best));
  if (complete) return judged.calibration(*selection.best, dataset.labels, source);
  const Options path = path_to_chosen(options, judged.cells(), selection);
  const JudgedGrid again = judge_grid(dataset, path, resamples, context, {}, ScoredCells::last);
  if (context.monitor.should_stop()) return {};
  return again.calibration(again.cells() - 1, dataset.labels, source);
}

void calibrate(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
               const std::string& source, std::span<const Resample> resamples, const core::Context& context,
               Selection& selection) {
  if (!selection.best || selection.stopped != core::StopReason::none) return;
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
  both.results = first.results;
  both.results.insert(both.results.end(), second.results.begin(), second.results.end());
  both.errors = beside(first.errors, second.errors, rows);
  both.soft = beside(first.soft, second.soft, rows);
  if (!first.strangeness.empty() && !second.strangeness.empty())
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
  judged.soft.assign(rows * cells, 0);
  judged.strangeness.assign(rows * cells, 0);
  judged.said = room_for(options, held_out, dataset.labels, dataset.class_count(), cells);
  return judged;
}

JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context, const JudgementVisitor& visit, ScoredCells scored) {
  const GridRun run(dataset, options, resamples, context);
  JudgedGrid judged = empty_grid(dataset, options, resamples, run.cells());
  judged.class_scores = ClassScores(dataset, run.cells(), scored, context.memory_budget);
  Recorder recorder(dataset, options, resamples, run.gammas(), run.costs(), visit, judged);
  train_tasks(dataset, options, resamples, &Resample::held_out, context,
              [&](const auto& task, std::size_t gamma, std::size_t resample) { recorder.take(task, gamma, resample); });
  if (options.score() == Score::log_loss && options.learner() == Learner::svm && !context.monitor.should_stop())
    judge_by_sigmoids(options.seed, context, judged.said);
  return judged;
}

TrainingLabels training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const Resample whole = all_rows(dataset.rows());
  const GridRun run(dataset, options, std::span(&whole, 1), context);
  TrainingLabels table{run.cells(), std::vector<int>(dataset.rows() * run.cells(), 0),
                       std::vector<std::uint8_t>(run.cells(), 0)};
  train_tasks(dataset, options, std::span(&whole, 1), &Resample::training_rows, context,
              [&](const auto& task, std::size_t gamma, std::size_t) {
                for (std::size_t c = 0; c < run.costs(); ++c) {
                  const std::size_t cell = gamma * run.costs() + c;
                  table.complete[cell] = task.usable(c) ? 1 : 0;
                  for (std::size_t i = 0; task.usable(c) && i < dataset.rows(); ++i)
                    table.labels[i * run.cells() + cell] = task.label(c, i);
                }
              });
  return table;
}

Loss judging_loss(const Options& options) {
  return options.task == data::Task::regression ? Loss::soft : options.loss();
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
    cell.complete =
        !cell.infeasible && std::all_of(results.begin(), results.end(), [](const TaskResult& r) { return r.complete; });
    for (std::size_t r = 0; r < results.size(); ++r) {
      const double loss = results[r].loss(judging_loss(options));
      rates.push_back(loss / static_cast<double>(judged.held_out[r]));  // NaN where nothing is held out
      sum += loss;
      cell.fit_seconds.push_back(results[r].fit_seconds);
      cell.score_seconds.push_back(results[r].score_seconds);
      cell.n_sv += static_cast<double>(results[r].support) / static_cast<double>(results.size());
      cell.steps += results[r].steps;
      cell.factorisations += results[r].factorisations;
      cell.unconverged += results[r].unconverged;
    }
    cell.error = sum / held_out;
    set_spread(rates, cell);
    for (const double rate : rates) cell.split_scores.push_back(judging_loss(options) == Loss::soft ? rate : 1 - rate);
    if (options.score() != Score::accuracy && cell.complete) set_score(judged.said, k, cell);
  }
  return cells;
}

namespace {

/// Judges further widths while the best cell lies on the border; fills Selection::grid.
/// @param judged  the grid of the options
JudgedGrid judge_further(JudgedGrid judged, const data::Dataset& dataset, const Options& options,
                         std::span<const Resample> resamples, const core::Context& context, Selection& selection) {
  Options wide = options;
  selection.grid = cells_of(judged, dataset, options);
  choose(options, selection);
  WidthWalk walk(options, selection);
  while (const std::optional<FurtherWidth> further = walk.next(selection, context)) {
    Options alone = options;
    alone.kernels().gamma = {{kernel::GammaRule::Kind::value, further->gamma}};
    const JudgedGrid one = judge_grid(dataset, alone, resamples, context);
    judged = further->front ? joined(one, judged) : joined(judged, one);
    auto& gammas = wide.kernels().gamma;
    gammas.insert(further->front ? gammas.begin() : gammas.end(), alone.kernels().gamma.front());
    selection.grid = cells_of(judged, dataset, wide);
    choose(options, selection);
  }
  walk.mark_added(selection);
  return judged;
}

}  // namespace

Selection select_by_left_out_losses(const data::Dataset& dataset, const Options& options,
                                    std::span<const Resample> resamples, const std::string& score,
                                    const core::Context& context, FoundElsewhere* found) {
  Selection selection = begin_report(dataset, options, context);
  selection.score = score;
  selection.folds = static_cast<int>(resamples.size());
  const JudgedGrid judged =
      judge_further(found != nullptr ? std::move(found->judged) : judge_grid(dataset, options, resamples, context),
                    dataset, options, resamples, context, selection);
  Options concluding = options;
  if (found != nullptr && options.estimate == Estimate::nested) concluding.estimate = Estimate::none;
  finish(dataset, concluding, context, [&] { return judged.losses(judging_loss(options)); }, judged.said, selection);
  if (found != nullptr && found->add_nested) found->add_nested(selection);
  const model::Calibration* known = found != nullptr && selection.best ? found->calibration(selection) : nullptr;
  if (known != nullptr)
    selection.calibration = *known;
  else
    calibrate(dataset, options, judged, "out-of-fold", resamples, context, selection);
  if (dataset.is_regression()) keep_regression(dataset, options, context, selection);
  return selection;
}

}  // namespace credence::selection
