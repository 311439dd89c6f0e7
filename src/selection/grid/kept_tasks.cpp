#include "selection/grid/kept_tasks.hpp"

#include <algorithm>
#include <utility>

#include "core/task_bytes.hpp"
#include "credence/core/error.hpp"
#include "data/fingerprint.hpp"
#include "selection/tasks/visits.hpp"

namespace credence::selection {

template <class Bytes>
void visit(Bytes& bytes, KeptTask& task) {
  bytes(task.results, task.labels, task.scores, task.soft, task.log_losses, task.class_scores);
}

RecalledTask::RecalledTask(const data::Dataset& dataset, KeptTask kept, std::vector<std::size_t> judged,
                           std::size_t costs)
    : dataset_(dataset), kept_(std::move(kept)), judged_(std::move(judged)) {
  bool fits = kept_.results.size() == costs;
  std::size_t places = 0;
  for (std::size_t c = 0; fits && c < costs; ++c) {
    starts_.push_back(places);
    if (usable(c)) places += judged_.size();
  }
  const auto none_or = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
  fits = fits && kept_.labels.size() == places && kept_.scores.size() == places && none_or(kept_.soft.size(), places) &&
         kept_.log_losses.size() == kept_.soft.size() &&
         none_or(kept_.class_scores.size(), places * dataset.class_count());
  if (!fits) throw Error(ErrorCode::format, "a result of the checkpoint does not fit its task");
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
    : dataset_(dataset), options_(options), resamples_(resamples), manner_(manner), checkpoint_(context.checkpoint) {
  if (!any()) return;
  core::Fingerprint sum;
  data::add_with_columns(sum, dataset);
  const std::uint64_t facts[] = {static_cast<std::uint64_t>(options.task), resamples.size(), manner.together ? 1U : 0U,
                                 manner.may_give_up ? 1U : 0U, manner.class_scores ? 1U : 0U};
  sum.add(std::span<const std::uint64_t>(facts));
  Options copy = options;  // as they are: what resolves them once more might change them
  sum.add(copy.name());
  sum.add(core::word(copy.learner()));
  sum.add(fields_of(copy));
  scope_ = sum.text();
}

core::Checkpoint::Key KeptTasks::key_of(std::size_t gamma, std::span<const std::size_t> costs,
                                        std::size_t resample) const {
  core::Fingerprint sum;
  sum.add("grid");
  sum.add(scope_);
  const std::uint64_t facts[] = {gamma, resample};
  sum.add(std::span<const std::uint64_t>(facts));
  sum.add(costs);
  const Resample& own = resamples_[resample];
  sum.add(std::span<const std::uint32_t>(own.drawn));
  std::string apart;
  for (const bool row : own.apart) apart += row ? '1' : '0';
  sum.add(apart);
  return sum.digest();
}

std::optional<RecalledTask> KeptTasks::recall(std::size_t gamma, std::span<const std::size_t> costs,
                                              std::size_t resample) const {
  if (!any()) return std::nullopt;
  const std::optional<std::string> bytes = checkpoint_->find(key_of(gamma, costs, resample));
  if (!bytes) return std::nullopt;
  core::ByteReader reader(*bytes);
  KeptTask kept;
  reader(kept);
  return RecalledTask(dataset_, std::move(kept), resamples_[resample].held_out(), costs.size());
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
  core::ByteWriter writer;
  writer(kept);
  checkpoint_->keep(key_of(gamma, costs, resample), writer.content());
}

}  // namespace credence::selection
