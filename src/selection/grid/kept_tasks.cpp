#include "selection/grid/kept_tasks.hpp"

#include <algorithm>
#include <utility>

#include "selection/grid/task_visits.hpp"

namespace credence::selection {

template <class Bytes>
void visit(Bytes& bytes, KeptTask& task) {
  bytes(task.results, task.labels, task.scores, task.soft, task.log_losses, task.class_scores);
}

bool RecalledTask::fits(const data::Dataset& dataset, const KeptTask& kept, std::size_t judged, std::size_t costs) {
  const auto usable = static_cast<std::size_t>(std::ranges::count_if(kept.results, is_usable));
  const std::size_t places = usable * judged;
  const auto none_or = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
  const auto is_class = [&](std::uint16_t label) { return label < dataset.class_count(); };
  return kept.results.size() == costs && kept.labels.size() == places && kept.scores.size() == places &&
         none_or(kept.soft.size(), places) && kept.log_losses.size() == kept.soft.size() &&
         none_or(kept.class_scores.size(), places * dataset.class_count()) &&
         (dataset.is_regression() || std::ranges::all_of(kept.labels, is_class));
}

RecalledTask::RecalledTask(const data::Dataset& dataset, KeptTask kept, std::vector<std::size_t> judged,
                           std::size_t costs)
    : dataset_(dataset), kept_(std::move(kept)), judged_(std::move(judged)) {
  std::size_t places = 0;
  for (std::size_t c = 0; c < costs; ++c) {
    starts_.push_back(places);
    if (usable(c)) places += judged_.size();
  }
}

RowJudgement RecalledTask::judgement(std::size_t c, std::size_t h) const {
  const std::size_t at = starts_[c] + h;
  const int label = kept_.labels[at];
  const double score = kept_.scores[at];
  const bool error = !dataset_.is_regression() && label != dataset_.labels[judged_[h]];
  if (kept_.soft.empty()) return {error, score, svm::soft_loss(score), label};
  return {error, score, kept_.soft[at], label, kept_.log_losses[at]};
}

std::optional<std::size_t> RecalledTask::own_end() const {
  for (std::size_t c = 1; c < kept_.results.size(); ++c)
    if (kept_.results[c].given_up != GivenUp::no) return c - 1;
  return std::nullopt;
}

KeptTasks::KeptTasks(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                     const Manner& manner, const core::Context& context)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      manner_(manner),
      parts_("grid", dataset, options, context) {}

std::vector<std::uint64_t> KeptTasks::part_of(std::size_t gamma, std::span<const std::size_t> costs,
                                              std::size_t resample) const {
  const Resample& own = resamples_[resample];
  std::vector<std::uint64_t> part{resamples_.size(),
                                  manner_.together ? 1U : 0U,
                                  manner_.may_give_up ? 1U : 0U,
                                  manner_.class_scores ? 1U : 0U,
                                  gamma,
                                  resample,
                                  costs.size()};
  part.insert(part.end(), costs.begin(), costs.end());
  part.insert(part.end(), own.drawn.begin(), own.drawn.end());
  part.insert(part.end(), own.apart.begin(), own.apart.end());
  return part;
}

std::optional<RecalledTask> KeptTasks::recall(std::size_t gamma, std::span<const std::size_t> costs,
                                              std::size_t resample) const {
  if (!any()) return std::nullopt;
  std::vector<std::size_t> judged = resamples_[resample].held_out();
  std::optional<KeptTask> kept = parts_.recall<KeptTask>(part_of(gamma, costs, resample), [&](const KeptTask& task) {
    return RecalledTask::fits(dataset_, task, judged.size(), costs.size());
  });
  if (!kept) return std::nullopt;
  return RecalledTask(dataset_, std::move(*kept), std::move(judged), costs.size());
}

void KeptTasks::add(const RowJudgement& said, KeptTask& kept) const {
  kept.labels.push_back(static_cast<std::uint16_t>(said.label));
  kept.scores.push_back(said.score);
  if (options_.learner() != Learner::rvm) return;
  kept.soft.push_back(said.soft);
  kept.log_losses.push_back(said.log_loss);
}

void KeptTasks::put(KeptTask kept, std::size_t gamma, std::span<const std::size_t> costs, std::size_t resample) const {
  const auto ended = [](const TaskResult& result) { return result.complete || result.skipped; };
  if (!std::all_of(kept.results.begin(), kept.results.end(), ended)) return;
  parts_.keep(part_of(gamma, costs, resample), kept);
}

}  // namespace credence::selection
