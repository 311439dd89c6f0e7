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

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

/// Losses of rows, added up in the order of the resamples, at the costs of one gamma. The resamples come in any order:
/// a sum must not depend on threads.
class OrderedSums {
 public:
  /// @param judged  whose sums are added to
  OrderedSums(std::span<const Resample> resamples, JudgedGrid& judged) : resamples_(resamples), judged_(judged) {}

  /// @param setting_of  from now on, the setting of each cost  @param first  the resample that comes next
  void go_on(std::vector<std::size_t> setting_of, std::size_t first) {
    setting_of_ = std::move(setting_of);
    done_ = first;
  }

  /// @param losses  for each cost, of each row that the resample left out; nothing if not usable
  void add(std::size_t resample, std::vector<std::vector<double>> losses) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(resample, std::move(losses));
    for (auto next = waiting_.find(done_); next != waiting_.end(); next = waiting_.find(++done_)) {
      add_next(next->second);
      waiting_.erase(next);
    }
  }

 private:
  void add_next(const std::vector<std::vector<double>>& losses) {
    const std::vector<std::size_t> rows = resamples_[done_].held_out();
    for (std::size_t c = 0; c < losses.size(); ++c)
      for (std::size_t h = 0; h < losses[c].size(); ++h)
        judged_.sums[setting_of_[c] * judged_.judged.size() + rows[h]] += losses[c][h];
  }

  std::span<const Resample> resamples_;
  std::vector<std::size_t> setting_of_;
  JudgedGrid& judged_;
  std::mutex mutex_;
  std::size_t done_ = 0;
  std::map<std::size_t, std::vector<std::vector<double>>> waiting_;
};

}  // namespace

/// Stores the predictions of tasks for the rows left out, from several threads, none of which writes where another
/// does.
class GridJudge::Recorder {
 public:
  Recorder(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
           std::size_t gammas, const JudgementVisitor& visit, JudgedGrid& judged)
      : dataset_(dataset), options_(options), visit_(visit), judged_(judged) {
    for (std::size_t gamma = 0; gamma < gammas && !judged.sums.empty(); ++gamma)
      sums_.push_back(std::make_unique<OrderedSums>(resamples, judged));
  }

  /// @param first  the first resample of this call
  void go_on(const WantedSettings& wanted, std::size_t first) {
    wanted_ = wanted;
    if (sums_.empty()) return;
    for (const std::size_t gamma : wanted.gammas()) {
      std::vector<std::size_t> settings;
      for (std::size_t c = 0; c < wanted.costs_of(gamma).size(); ++c) settings.push_back(wanted.setting(gamma, c));
      sums_[gamma]->go_on(std::move(settings), first);
    }
  }

  void take(const FittedTask& task, std::size_t gamma, std::size_t resample) {
    const std::vector<std::size_t> places = places_of(task.judged, resample);
    const Loss loss = judging_loss(options_, judged_);
    std::vector<std::vector<double>> losses(wanted_->costs_of(gamma).size());
    for (std::size_t c = 0; c < losses.size(); ++c) {
      const std::size_t setting = wanted_->setting(gamma, c);
      TaskResult& result = judged_.results[setting * judged_.held_out.size() + resample];
      result = task.costs[c];
      for (std::size_t h = 0; result.usable() && h < task.judged.size(); ++h) {
        const RowJudgement said = judgement(task, c, h);
        result.errors += said.error ? 1U : 0U;
        result.soft += said.soft;
        if (places[h] != nowhere) keep(task, c, h, said, setting, places[h]);
        if (!sums_.empty()) losses[c].push_back(loss == Loss::soft ? said.soft : said.error ? 1 : 0);
        if (visit_) visit_(resample, setting, task.judged[h], said.error, said.soft);
      }
    }
    if (!sums_.empty()) sums_[gamma]->add(resample, std::move(losses));
  }

 private:
  /// The place of each row that a resample left out; `nowhere` if its predictions are not kept.
  std::vector<std::size_t> places_of(const std::vector<std::size_t>& rows, std::size_t resample) const {
    const Predictions& predictions = judged_.predictions;
    if (predictions.resamples() < judged_.held_out.size()) return rows;  // left out one by one
    std::vector<std::size_t> places;
    std::size_t next = predictions.starts[resample];
    for (const std::size_t row : rows) {
      const bool kept = next < predictions.starts[resample + 1] && predictions.rows[next] == row;
      places.push_back(kept ? next++ : nowhere);
    }
    return places;
  }

  /// The soft loss is the weighted loss where errors are weighted.
  RowJudgement judgement(const FittedTask& task, std::size_t c, std::size_t h) const {
    RowJudgement said = task.said(c, h, dataset_);
    if (!judged_.weights.empty())
      said.soft = judged_.weights[task.judged[h]] * (judging_loss(options_) == Loss::soft ? said.soft
                                                     : said.error                         ? 1
                                                                                          : 0);
    return said;
  }

  void keep(const FittedTask& task, std::size_t c, std::size_t h, const RowJudgement& said, std::size_t setting,
            std::size_t place) {
    Predictions& predictions = judged_.predictions;
    const std::size_t at = predictions.at(setting, place);
    predictions.labels[at] = static_cast<std::uint16_t>(said.label);
    if (!predictions.scores.empty()) predictions.scores[at] = said.score;
    if (!predictions.log_losses.empty()) predictions.log_losses[at] = said.log_loss;
    if (task.class_scores.empty() || !predictions.class_scores.has(setting)) return;
    const double* const scores = task.scores_of(c, h, predictions.classes);
    const std::span<float> kept = predictions.class_scores.at(setting, place);
    for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = static_cast<float>(scores[k]);
  }

  const data::Dataset& dataset_;
  const Options& options_;
  std::optional<WantedSettings> wanted_;  ///< of this call
  JudgementVisitor visit_;
  JudgedGrid& judged_;
  std::vector<std::unique_ptr<OrderedSums>> sums_;  ///< of each gamma, where rows are left out several times
};

namespace {

/// A setting that some resample gave up counts as given up by all resamples of its gamma: which of the others solved it
/// depends on threads. The reason is that of the resamples that ended first.
void give_up_together(std::size_t resamples, std::size_t costs, std::vector<TaskResult>& results) {
  GivenUp reason = GivenUp::no;
  for (std::size_t setting = 0; setting * resamples < results.size(); ++setting) {
    if (setting % costs == 0) reason = GivenUp::no;
    const auto begin = results.begin() + static_cast<std::ptrdiff_t>(setting * resamples);
    const auto end = begin + static_cast<std::ptrdiff_t>(resamples);
    if (reason == GivenUp::no)
      for (auto result = begin; result != end; ++result) reason = std::max(reason, result->given_up);
    if (reason == GivenUp::no) continue;
    for (auto result = begin; result != end; ++result) *result = {.skipped = true, .given_up = reason};
  }
}

}  // namespace

GridJudge::GridJudge(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                     const core::Context& context, const JudgementVisitor& visit, ScoredSettings scored)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      context_(context),
      visits_(visit != nullptr),
      handed_on_(kernels_of(options).size()) {
  const std::size_t gammas = handed_on_.visited.size();
  judged_ = empty_grid(dataset, options, resamples, gammas * costs_of(options), scored, context.memory_budget);
  recorder_ = std::make_unique<Recorder>(dataset, options, resamples, gammas, visit, judged_);
}

GridJudge::~GridJudge() = default;

void GridJudge::judge(const WantedSettings& wanted, std::vector<std::size_t> which, bool keeps_machines) {
  if (which.empty()) return;
  recorder_->go_on(wanted, which.front());
  const bool whole = which.size() == resamples_.size();
  GridRun run(dataset_, options_, resamples_, context_, wanted, std::move(which));
  if (!whole) run.by_resample(handed_on_);
  // With a visitor, or where only some resamples run, a path must not be ended by other resamples.
  const GiveUp give_up = !whole ? GiveUp::never : visits_ ? GiveUp::alone : GiveUp::together;
  keeps_machines = keeps_machines && context_.checkpoint == nullptr && options_.learner() == Learner::svm;
  if (keeps_machines) judged_.machines.resize(judged_.results.size());
  const auto begin = [&](std::size_t gamma, std::size_t resample) {
    return TaskWants{.judged = resamples_[resample].held_out(),
                     .class_scores = judged_.predictions.class_scores.any(),
                     .machines = std::vector<bool>(keeps_machines ? wanted.costs_of(gamma).size() : 0, true),
                     .left_out = compares_scores(options_) ? LeftOutRows::scores : LeftOutRows::errors};
  };
  const auto end = [&](std::size_t gamma, std::size_t resample, FittedTask found) {
    recorder_->take(found, gamma, resample);
    for (std::size_t c = 0; c < found.machines.size(); ++c)
      judged_.machines[wanted.setting(gamma, c) * resamples_.size() + resample] = std::move(found.machines[c]);
  };
  fit_grid(run, {"grid", give_up, begin, end});
  if (give_up == GiveUp::together) give_up_together(resamples_.size(), run.costs(), judged_.results);
}

JudgedGrid GridJudge::take() {
  if (options_.score == Score::log_loss && options_.learner() == Learner::svm && !context_.monitor.should_stop())
    judge_by_sigmoids(options_.seed, context_, judged_.predictions);
  return std::move(judged_);
}

JudgedGrid judge_grid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      const core::Context& context, const JudgementVisitor& visit, ScoredSettings scored,
                      const std::optional<WantedSettings>& wanted, bool keeps_machines) {
  const GridRun whole(dataset, options, resamples, context);
  GridJudge judge(dataset, options, resamples, context, visit, scored);
  judge.judge(wanted ? *wanted : whole.wanted(), {whole.which().begin(), whole.which().end()}, keeps_machines);
  return judge.take();
}

Predictions training_labels(const data::Dataset& dataset, const Options& options, const core::Context& context,
                            std::vector<Setting>& settings) {
  const Resample whole = all_rows(dataset.rows());
  const std::vector<std::size_t> rows = whole.training_rows();
  Predictions table =
      room_for(options, std::span(&rows, 1), dataset.labels, {}, dataset.schema.classes, settings.size(), false);
  GridRun run(dataset, options, std::span(&whole, 1), context);
  const auto begin = [&](std::size_t, std::size_t) { return TaskWants{.judged = rows}; };
  const auto end = [&](std::size_t gamma, std::size_t, const FittedTask& found) {
    for (std::size_t c = 0; c < run.costs(); ++c) {
      const std::size_t setting = gamma * run.costs() + c;
      settings[setting].complete = settings[setting].complete && found.costs[c].usable();
      for (std::size_t i = 0; found.costs[c].usable() && i < rows.size(); ++i)
        table.labels[table.at(setting, i)] = found.labels[c * rows.size() + i];
    }
  };
  fit_grid(run, {.begin = begin, .end = end});
  return table;
}

}  // namespace credence::selection
