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
#include "selection/fit/fit_grid.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/resample/error_weights.hpp"

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
        if (!judged_.soft.empty()) judged_.soft[at] += said[c][h].soft;
        if (!judged_.strangeness.empty() && judged_.witness[rows[h]] == done_)
          judged_.strangeness[at] = -said[c][h].score;
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

  void take(const FittedTask& task, std::size_t gamma, std::size_t resample) {
    const std::size_t costs = wanted_->costs_of(gamma).size();
    std::vector<std::vector<RowJudgement>> all(costs);
    for (std::size_t c = 0; c < costs; ++c) {
      const std::size_t cell = wanted_->cell(gamma, c);
      TaskResult& result = judged_.results[cell * count_ + resample];
      result = task.costs[c];
      for (std::size_t h = 0; result.usable() && h < task.judged.size(); ++h) {
        const std::size_t i = task.judged[h];
        RowJudgement said = task.said(c, h, dataset_.is_regression() ? 0 : dataset_.labels[i]);
        if (!judged_.weights.empty())
          said.soft = judged_.weights[i] * (judging_loss(options_) == Loss::soft ? said.soft : said.error ? 1 : 0);
        result.errors += said.error ? 1U : 0U;
        result.soft += said.soft;
        keep(resample, cell, h, i, said);
        if (!task.class_scores.empty()) keep_scores(task, c, h, cell, resample);
        all[c].push_back(said);
        // Other resamples of the same cell may leave the same row out.
        std::atomic_ref(judged_.errors[i * cells_ + cell]).fetch_add(said.error ? 1U : 0U, std::memory_order_relaxed);
        if (visit_) visit_(resample, cell, i, said.error, said.soft);
      }
    }
    sums_[gamma]->add(resample, std::move(all));
  }

 private:
  /// Where rows are left out one by one, all resamples are one, with the rows in their order.
  std::size_t place_of(std::size_t resample, std::size_t h, std::size_t row) const {
    return judged_.said.resamples() < count_ ? row : judged_.said.starts[resample] + h;
  }

  /// @param h  position of the row among those that the resample holds out
  void keep(std::size_t resample, std::size_t cell, std::size_t h, std::size_t row, const RowJudgement& said) {
    OutOfSample& kept = judged_.said;
    if (kept.empty()) return;
    const std::size_t place = place_of(resample, h, row);
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
  void keep_scores(const FittedTask& task, std::size_t c, std::size_t h, std::size_t cell, std::size_t resample) {
    ClippedScores& clipped = judged_.said.clipped;
    const std::size_t row = task.judged[h];
    const std::size_t classes = dataset_.class_count();
    const double* const scores = task.scores_of(c, h, classes);
    for (std::size_t k = 0; k < classes; ++k) {
      if (judged_.class_scores.has(cell) && judged_.witness[row] == resample)
        judged_.class_scores.set(row, cell, k, scores[k]);
      if (clipped.classes() > 2) clipped.set(place_of(resample, h, row), cell, k, scores[k]);
    }
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
      handed_on_(kernels_of(options).size()) {
  const std::size_t gammas = handed_on_.visited.size();
  const std::size_t cells = gammas * costs_of(options);
  judged_ = empty_grid(dataset, options, resamples, cells);
  const bool averages = options.rule == Rule::average;  // whose clipped scores say all that is asked
  judged_.class_scores = ClassScores(dataset, cells, averages ? ScoredCells::none : scored, context.memory_budget);
  if (averages) make_room_for_average(dataset, context, judged_);
  recorder_ = std::make_unique<Recorder>(dataset, options, resamples, gammas, costs_of(options), visit, judged_);
}

GridJudge::~GridJudge() = default;

void GridJudge::judge(const WantedCells& wanted, std::vector<std::size_t> which, bool keeps_machines) {
  if (which.empty()) return;
  recorder_->go_on(wanted, which.front());
  const bool whole = which.size() == resamples_.size();
  GridRun run(dataset_, options_, resamples_, context_, wanted, std::move(which));
  if (!whole) run.by_resample(handed_on_);
  // A visitor, or who decides after some of the resamples, must not have paths that other resamples ended.
  const GiveUp give_up = !whole ? GiveUp::never : visits_ ? GiveUp::alone : GiveUp::together;
  keeps_machines = keeps_machines && context_.checkpoint == nullptr && options_.learner() == Learner::svm;
  if (keeps_machines) judged_.machines.resize(judged_.results.size());
  const auto begin = [&](std::size_t gamma, std::size_t resample) {
    return TaskWants{.judged = resamples_[resample].held_out(),
                     .class_scores = judged_.class_scores.any() || judged_.said.clipped.classes() > 2,
                     .machines = std::vector<bool>(keeps_machines ? wanted.costs_of(gamma).size() : 0, true),
                     .left_out = compares_scores(options_) ? LeftOutRows::scores : LeftOutRows::errors};
  };
  const auto end = [&](std::size_t gamma, std::size_t resample, FittedTask found) {
    recorder_->take(found, gamma, resample);
    for (std::size_t c = 0; c < found.machines.size(); ++c)
      judged_.machines[wanted.cell(gamma, c) * resamples_.size() + resample] = std::move(found.machines[c]);
  };
  fit_grid(dataset_, options_, resamples_, run, {"grid", give_up, begin, end}, context_);
  if (give_up == GiveUp::together) give_up_together(resamples_.size(), run.costs(), judged_.results);
}

JudgedGrid GridJudge::take() {
  if (options_.score == Score::log_loss && options_.learner() == Learner::svm && !context_.monitor.should_stop())
    judge_by_sigmoids(options_.seed, context_, judged_.said);
  return std::move(judged_);
}

JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context, const JudgementVisitor& visit, ScoredCells scored,
                      const std::optional<WantedCells>& wanted, bool keeps_machines) {
  const GridRun whole(dataset, options, resamples, context);
  GridJudge judge(dataset, options, resamples, context, visit, scored);
  judge.judge(wanted ? *wanted : whole.wanted(), {whole.which().begin(), whole.which().end()}, keeps_machines);
  return judge.take();
}

TrainingLabels training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  const Resample whole = all_rows(dataset.rows());
  GridRun run(dataset, options, std::span(&whole, 1), context);
  TrainingLabels table{run.cells(), std::vector<int>(dataset.rows() * run.cells(), 0),
                       std::vector<std::uint8_t>(run.cells(), 0)};
  const auto begin = [&](std::size_t, std::size_t) { return TaskWants{.judged = whole.training_rows()}; };
  const auto end = [&](std::size_t gamma, std::size_t, const FittedTask& found) {
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t cell = gamma * run.costs() + c;
      table.complete[cell] = found.costs[c].usable() ? 1 : 0;
      for (std::size_t i = 0; found.costs[c].usable() && i < dataset.rows(); ++i)
        table.labels[i * run.cells() + cell] = found.labels[c * dataset.rows() + i];
    }
  };
  fit_grid(dataset, options, std::span(&whole, 1), run, {.begin = begin, .end = end}, context);
  return table;
}

}  // namespace credence::selection
