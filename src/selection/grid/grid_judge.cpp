#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "credence/core/error.hpp"
#include "selection/grid/judged_grid.hpp"
#include "selection/grid/kept_tasks.hpp"
#include "selection/grid/rvm_grid.hpp"

namespace credence::selection {
namespace {

/// Strangeness of rows, and their soft losses added up in the order of the resamples, at the costs of one gamma. The
/// resamples come in any order: a sum must not depend on threads.
class OrderedSums {
 public:
  /// @param cells  of the grid  @param judged  whose sums, (row, cell), are added to
  OrderedSums(std::span<const Resample> resamples, std::size_t cells, JudgedGrid& judged)
      : resamples_(resamples), cells_(cells), judged_(judged) {}

  /// @param cell_of  from now on, the cell of each cost  @param first  the resample that comes next
  void go_on(std::vector<std::size_t> cell_of, std::size_t first) {
    cell_of_ = std::move(cell_of);
    done_ = first;
  }

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
        const std::size_t at = rows[h] * cells_ + cell_of_[c];
        judged_.soft[at] += said[c][h].soft;
        if (judged_.witness[rows[h]] == done_) judged_.strangeness[at] = -said[c][h].score;
      }
    }
  }

  std::span<const Resample> resamples_;
  std::size_t cells_;
  std::vector<std::size_t> cell_of_;
  JudgedGrid& judged_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::map<std::size_t, std::vector<std::vector<RowJudgement>>> waiting_;
};

std::size_t largest_part(std::span<const Resample> resamples) {
  std::size_t largest = 0;
  for (const Resample& resample : resamples) largest = std::max(largest, resample.training_rows().size());
  return largest;
}

/// The options with those costs that are wanted of one gamma.
Options with_costs(const Options& options, std::span<const std::size_t> wanted) {
  Options narrowed = options;
  SvmCosts& costs = narrowed.costs;
  std::vector<double>& axis = costs.nu.empty() ? costs.C : costs.nu;
  std::vector<double> kept;
  for (const std::size_t c : wanted) kept.push_back(axis[c]);
  axis = std::move(kept);
  return narrowed;
}

/// The options of each gamma. Gammas of which the same costs are wanted share one copy: a copy holds all gammas.
std::vector<std::shared_ptr<const Options>> options_of_gammas(const Options& options, const GridRun& run) {
  std::map<std::vector<std::size_t>, std::shared_ptr<const Options>> made;
  std::vector<std::shared_ptr<const Options>> of_gamma;
  for (std::size_t gamma = 0; gamma < run.gammas(); ++gamma) {
    const std::span<const std::size_t> wanted = run.wanted().costs_of(gamma);
    std::shared_ptr<const Options>& shared = made[{wanted.begin(), wanted.end()}];
    if (!shared) shared = std::make_shared<const Options>(with_costs(options, wanted));
    of_gamma.push_back(shared);
  }
  return of_gamma;
}

/// Calls use(task, gamma, resample) with every trained task of the run, from several threads.
/// @param judged  the rows of a resample that are judged
/// @param prepare  called with every task of SVMs, and its gamma, before it is solved
template <class Use, class Prepare>
void train_tasks(const GridRun& run, const data::Dataset& dataset, const Options& options,
                 std::span<const Resample> resamples, std::vector<std::size_t> (Resample::*judged)() const,
                 const core::Context& context, const Use& use, const Prepare& prepare) {
  if (options.learner() == Learner::rvm) {
    Options resolved = options;
    resolved.machines.centres = resolved_centres(dataset.rows(), options);
    const auto work = [&](std::size_t gamma, std::size_t resample, const core::Context& part) {
      if (run.leaves_out(gamma, resample)) return;
      RvmTask task(dataset, resolved, resamples[resample], (resamples[resample].*judged)());
      const data::Features features = run.features(resample);
      task.solve(features, run.kernel_at(gamma, resample, features), part);
      use(task, gamma, resample);
    };
    for_each_rvm(run, resolved, largest_part(resamples), context, work);
    return;
  }
  const auto of_gamma = options_of_gammas(options, run);
  run.run([&](kernel::Rows& rows, std::size_t gamma, std::size_t resample) {
    GridTask task(dataset, *of_gamma[gamma], resamples[resample], (resamples[resample].*judged)());
    prepare(task, gamma);
    task.solve(rows, context.monitor);
    use(task, gamma, resample);
  });
}

}  // namespace

/// Takes what tasks say of the rows left out, from several threads.
class GridJudge::Recorder {
 public:
  Recorder(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
           std::size_t gammas, std::size_t costs, const JudgementVisitor& visit, JudgedGrid& judged)
      : dataset_(dataset),
        options_(options),
        count_(resamples.size()),
        cells_(gammas * costs),
        visit_(visit),
        judged_(judged) {
    for (std::size_t gamma = 0; gamma < gammas; ++gamma)
      sums_.push_back(std::make_unique<OrderedSums>(resamples, cells_, judged));
  }

  /// @param first  the first resample of the go
  void go_on(const WantedCells& wanted, std::size_t first) {
    wanted_ = &wanted;
    for (const std::size_t gamma : wanted.gammas()) {
      std::vector<std::size_t> cells;
      for (std::size_t c = 0; c < wanted.costs_of(gamma).size(); ++c) cells.push_back(wanted.cell(gamma, c));
      sums_[gamma]->go_on(std::move(cells), first);
    }
  }

  template <class Task>
  void take(const Task& task, std::size_t gamma, std::size_t resample) {
    const std::size_t costs = wanted_->costs_of(gamma).size();
    std::vector<std::vector<RowJudgement>> all(costs);
    for (std::size_t c = 0; c < costs; ++c) {
      const std::size_t cell = wanted_->cell(gamma, c);
      double sum = 0;
      TaskResult& result = judged_.results[cell * count_ + resample];
      result = task.judge(c, [&](std::size_t i, RowJudgement said) {
        if (!judged_.weights.empty())
          said.soft = judged_.weights[i] * (judging_loss(options_) == Loss::soft ? said.soft : said.error ? 1 : 0);
        sum += said.soft;
        keep(resample, cell, all[c].size(), i, said);
        all[c].push_back(said);
        // Other resamples of the same cell may leave the same row out.
        std::atomic_ref(judged_.errors[i * cells_ + cell]).fetch_add(said.error ? 1U : 0U, std::memory_order_relaxed);
        if (visit_) visit_(resample, cell, i, said.error, said.soft);
      });
      if (!judged_.weights.empty()) result.soft = sum;
    }
    sums_[gamma]->add(resample, std::move(all));
    for (std::size_t c = 0; c < costs; ++c) keep_scores(task, c, wanted_->cell(gamma, c), resample);
  }

 private:
  /// @param h  position of the row among those that the resample holds out
  void keep(std::size_t resample, std::size_t cell, std::size_t h, std::size_t row, const RowJudgement& said) {
    OutOfSample& kept = judged_.said;
    if (kept.empty()) return;
    const std::size_t place = kept.starts[resample] + h;
    if (kept.clipped.classes() == 2)
      kept.clipped.set(place, cell, 1, dataset_.labels[row] == 1 ? said.score : -said.score);
    if (kept.takes_labels())
      kept.set_label(cell, place, static_cast<std::size_t>(said.label));
    else
      kept.values[cell * kept.places() + place] = kept_value(row, said);
  }

  double kept_value(std::size_t row, const RowJudgement& said) const {
    const Score score = options_.score;
    if (score == Score::accuracy) return judging_loss(options_, judged_) == Loss::soft ? said.soft : said.error ? 1 : 0;
    if (score == Score::log_loss && options_.learner() == Learner::rvm) return said.log_loss;
    return dataset_.labels[row] == 1 ? said.score : -said.score;
  }

  /// A row has one witness, so no two threads write the same score.
  template <class Task>
  void keep_scores(const Task& task, std::size_t c, std::size_t cell, std::size_t resample) {
    ClippedScores& clipped = judged_.said.clipped;
    const bool averages = clipped.classes() > 2;
    if (!judged_.class_scores.has(cell) && !averages) return;
    std::size_t visits = 0;
    task.visit_scores(c, [&](std::size_t i, std::size_t k, double score) {
      if (judged_.class_scores.has(cell) && judged_.witness[i] == resample) judged_.class_scores.set(i, cell, k, score);
      // Rows come in the order in which the resample holds them out, each with all classes.
      if (averages) clipped.set(judged_.said.starts[resample] + visits / clipped.classes(), cell, k, score);
      ++visits;
    });
  }

  const data::Dataset& dataset_;
  const Options& options_;
  std::size_t count_;
  std::size_t cells_;
  const WantedCells* wanted_ = nullptr;  ///< of the go
  JudgementVisitor visit_;
  JudgedGrid& judged_;
  std::vector<std::unique_ptr<OrderedSums>> sums_;
};

namespace {

/// Gives the cells that some resample gave up to all of its gamma's resamples alike: which of the others solved them
/// depends on threads. The resamples that ended first say why.
void give_up_together(std::size_t resamples, std::size_t costs, std::vector<TaskResult>& results) {
  GivenUp reason = GivenUp::no;
  for (std::size_t cell = 0; cell * resamples < results.size(); ++cell) {
    if (cell % costs == 0) reason = GivenUp::no;
    const auto begin = results.begin() + static_cast<std::ptrdiff_t>(cell * resamples);
    const auto end = begin + static_cast<std::ptrdiff_t>(resamples);
    if (reason == GivenUp::no)
      for (auto result = begin; result != end; ++result) reason = std::max(reason, result->given_up);
    if (reason == GivenUp::no) continue;
    for (auto result = begin; result != end; ++result) *result = {.skipped = true, .given_up = reason};
  }
}

}  // namespace

void make_room_for_average(const data::Dataset& dataset, const core::Context& context, JudgedGrid& judged) {
  OutOfSample& said = judged.said;
  const std::size_t bytes = ClippedScores::bytes_of(said.places(), said.cells, dataset.class_count());
  if (bytes > context.memory_budget) {
    throw Error(ErrorCode::memory,
                fmt::format("the rule average keeps the scores of {} cells for each row left out, which take {} MB; {} "
                            "MB are allowed",
                            said.cells, bytes >> 20U, context.memory_budget >> 20U));
  }
  said.clipped = ClippedScores(said.places(), said.cells, dataset.class_count());
  if (said.score != Score::accuracy || judged.weights.empty()) return;
  for (const std::uint32_t row : said.rows) said.costs.push_back(judged.weights[row]);
}

GridJudge::GridJudge(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                     const core::Context& context, const JudgementVisitor& visit, ScoredCells scored)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      context_(context),
      visits_(visit != nullptr),
      handed_on_(GridRun(dataset, options, resamples, context).gammas()) {
  const GridRun grid(dataset, options, resamples, context);
  judged_ = empty_grid(dataset, options, resamples, grid.cells());
  const bool averages = options.rule == Rule::average;  // whose clipped scores say all that is asked
  judged_.class_scores =
      ClassScores(dataset, grid.cells(), averages ? ScoredCells::none : scored, context.memory_budget);
  if (averages) make_room_for_average(dataset, context, judged_);
  recorder_ = std::make_unique<Recorder>(dataset, options, resamples, grid.gammas(), grid.costs(), visit, judged_);
}

GridJudge::~GridJudge() = default;

void GridJudge::judge(const WantedCells& wanted, std::vector<std::size_t> which) {
  if (which.empty()) return;
  recorder_->go_on(wanted, which.front());
  const bool whole = which.size() == resamples_.size();
  GridRun run(dataset_, options_, resamples_, context_, wanted, std::move(which));
  if (!whole) run.by_resample(handed_on_);
  // Who is told of each resample judges subsets of them, which must not know of the others. A go of some resamples is
  // followed by a decision of its own.
  std::vector<SharedEnd> ends(visits_ ? 0 : run.gammas());
  const bool together = whole && !visits_;
  const bool keeps_class_scores = judged_.class_scores.any() || judged_.said.clipped.classes() > 2;
  const KeptTasks kept(dataset_, options_, resamples_, {together, whole, keeps_class_scores}, context_);
  if (kept.any()) {
    std::set<std::pair<std::size_t, std::size_t>> known;
    for (const std::size_t gamma : wanted.gammas()) {
      for (const std::size_t resample : run.which()) {
        const std::optional<RecalledTask> task = kept.recall(gamma, wanted.costs_of(gamma), resample);
        if (!task) continue;
        recorder_->take(*task, gamma, resample);
        if (const auto end = task->own_end(); together && end) ends[gamma].end_at(*end);
        known.emplace(gamma, resample);
      }
    }
    run.leave_out(std::move(known));
  }
  const bool keeps_machines = keeps_machines_ && !kept.any() && options_.learner() == Learner::svm;
  if (keeps_machines) judged_.machines.resize(judged_.results.size());
  train_tasks(
      run, dataset_, options_, resamples_, &Resample::held_out, context_,
      [&](auto& task, std::size_t gamma, std::size_t resample) {
        recorder_->take(task, gamma, resample);
        kept.keep(task, gamma, wanted.costs_of(gamma), resample);
        if constexpr (std::is_same_v<decltype(task), GridTask&>)
          for (std::size_t c = 0; keeps_machines && c < wanted.costs_of(gamma).size(); ++c)
            judged_.machines[wanted.cell(gamma, c) * resamples_.size() + resample] = std::move(task.machines(c));
      },
      [&](GridTask& task, std::size_t gamma) {
        if (keeps_machines) task.keep_machines(0);
        if (whole) task.may_give_up(visits_ ? nullptr : &ends[gamma]);
      });
  if (together) give_up_together(resamples_.size(), run.costs(), judged_.results);
}

JudgedGrid GridJudge::take() {
  if (options_.score == Score::log_loss && options_.learner() == Learner::svm && !context_.monitor.should_stop())
    judge_by_sigmoids(options_.seed, context_, judged_.said);
  return std::move(judged_);
}

JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context, const JudgementVisitor& visit, ScoredCells scored,
                      const std::optional<WantedCells>& wanted, KeepMachines keep) {
  const GridRun whole(dataset, options, resamples, context);
  GridJudge judge(dataset, options, resamples, context, visit, scored);
  if (keep == KeepMachines::yes) judge.keep_machines();
  judge.judge(wanted ? *wanted : whole.wanted(), {whole.which().begin(), whole.which().end()});
  return judge.take();
}

TrainingLabels training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const Resample whole = all_rows(dataset.rows());
  const GridRun run(dataset, options, std::span(&whole, 1), context);
  TrainingLabels table{run.cells(), std::vector<int>(dataset.rows() * run.cells(), 0),
                       std::vector<std::uint8_t>(run.cells(), 0)};
  train_tasks(
      run, dataset, options, std::span(&whole, 1), &Resample::training_rows, context,
      [&](const auto& task, std::size_t gamma, std::size_t) {
        for (std::size_t c = 0; c < run.costs(); ++c) {
          const std::size_t cell = gamma * run.costs() + c;
          table.complete[cell] = task.usable(c) ? 1 : 0;
          for (std::size_t i = 0; task.usable(c) && i < dataset.rows(); ++i)
            table.labels[i * run.cells() + cell] = task.label(c, i);
        }
      },
      [](GridTask&, std::size_t) {});
  return table;
}

}  // namespace credence::selection
