#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "selection/grid/grid_task.hpp"
#include "selection/kept/kept_parts.hpp"

/// The tasks of a grid in a checkpoint: one (gamma, resample) each.
namespace credence::selection {

/// What a task found, per wanted cost and judged row of the costs that are usable.
struct KeptTask {
  std::vector<TaskResult> results;
  std::vector<std::uint16_t> labels;
  std::vector<double> scores;
  std::vector<double> soft;         ///< RowJudgement::soft and log_loss, where they do not follow from the score
  std::vector<double> log_losses;   ///< ...: of relevance vector machines
  std::vector<float> class_scores;  ///< class fastest, as ClassScores has them; empty where nobody looks at them
};

/// A task that an earlier run solved: what GridTask and RvmTask are after `solve`.
class RecalledTask {
 public:
  /// @param kept  fits, as `fits` says
  RecalledTask(const data::Dataset& dataset, KeptTask kept, std::vector<std::size_t> judged, std::size_t costs);

  /// Whether the sizes are those of a task of so many judged rows and costs, and all labels are classes.
  static bool fits(const data::Dataset& dataset, const KeptTask& kept, std::size_t judged, std::size_t costs);

  template <class Visit>
  TaskResult judge(std::size_t c, const Visit& visit) const {
    TaskResult result = kept_.results[c];
    for (std::size_t h = 0; usable(c) && h < judged_.size(); ++h) {
      const RowJudgement said = judgement(c, h);
      result.errors += said.error ? 1U : 0U;
      result.soft += said.soft;
      visit(judged_[h], said);
    }
    return result;
  }
  template <class Visit>
  void visit_scores(std::size_t c, const Visit& visit) const {
    const std::size_t classes = kept_.class_scores.empty() ? 0 : dataset_.class_count();
    for (std::size_t h = 0; usable(c) && h < judged_.size(); ++h)
      for (std::size_t k = 0; k < classes; ++k)
        visit(judged_[h], k, double{kept_.class_scores[(starts_[c] + h) * classes + k]});
  }
  bool usable(std::size_t c) const { return is_usable(kept_.results[c]); }
  /// The last cost that the task's own path went to before it gave the larger ones up.
  std::optional<std::size_t> own_end() const;

 private:
  static bool is_usable(const TaskResult& result) { return result.complete && !result.infeasible; }
  RowJudgement judgement(std::size_t c, std::size_t h) const;

  const data::Dataset& dataset_;
  KeptTask kept_;
  std::vector<std::size_t> judged_;
  std::vector<std::size_t> starts_;  ///< of each cost in the lists of rows
};

/// Keeps the tasks of a grid in the checkpoint of the context, if there is one, and recalls them.
class KeptTasks {
 public:
  /// How a task was solved. The manner is part of the checkpoint key: a result of another manner is not used again.
  struct Manner {
    bool together;      ///< one resample's path ends those of all
    bool may_give_up;   ///< paths may end early
    bool class_scores;  ///< the scores of all classes are asked for
  };
  /// The arguments must outlive the object.
  KeptTasks(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
            const Manner& manner, const core::Context& context);

  bool any() const { return parts_.any(); }
  std::optional<RecalledTask> recall(std::size_t gamma, std::span<const std::size_t> costs, std::size_t resample) const;
  /// Keeps a task that came to its end.
  template <class Task>
  void keep(const Task& task, std::size_t gamma, std::span<const std::size_t> costs, std::size_t resample) const {
    if (!any()) return;
    KeptTask kept;
    for (std::size_t c = 0; c < costs.size(); ++c) {
      TaskResult own = task.judge(c, [&](std::size_t, const RowJudgement& said) { add(said, kept); });
      own.errors = 0;  // judging counts them
      own.soft = 0;
      kept.results.push_back(own);
      if (manner_.class_scores)
        task.visit_scores(
            c, [&](std::size_t, std::size_t, double score) { kept.class_scores.push_back(static_cast<float>(score)); });
    }
    put(std::move(kept), gamma, costs, resample);
  }

 private:
  void add(const RowJudgement& said, KeptTask& kept) const;
  void put(KeptTask kept, std::size_t gamma, std::span<const std::size_t> costs, std::size_t resample) const;
  std::vector<std::uint64_t> part_of(std::size_t gamma, std::span<const std::size_t> costs, std::size_t resample) const;

  const data::Dataset& dataset_;
  const Options& options_;
  std::span<const Resample> resamples_;
  Manner manner_;
  KeptParts parts_;
};

}  // namespace credence::selection
