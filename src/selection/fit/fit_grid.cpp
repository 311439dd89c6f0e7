#include "selection/fit/fit_grid.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "credence/core/list.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/fit/kept_parts.hpp"

namespace credence::selection {
namespace {

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

/// The tasks of a collector in the checkpoint of the context, if both are there.
class KeptTasks {
 public:
  /// The arguments must outlive the object.
  KeptTasks(const GridRun& run, const Collector& collector)
      : run_(run),
        collector_(collector),
        machines_(machines_of_setting(run.dataset(), run.options())),
        parts_(collector.kind, run.dataset(), run.options(), run.context()) {}

  /// Hands what is known to the collector. @return the tasks  @param ends  of paths that gave up together
  std::set<std::pair<std::size_t, std::size_t>> recall_all(std::vector<SharedEnd>& ends) const {
    std::set<std::pair<std::size_t, std::size_t>> known;
    if (!parts_.any()) return known;
    for (const std::size_t gamma : run_.wanted().gammas()) {
      for (const std::size_t resample : run_.which()) {
        TaskWants wants = collector_.begin(gamma, resample);
        std::optional<FittedTask> task = parts_.recall<FittedTask>(
            part_of(gamma, resample, wants), [&](const FittedTask& kept) { return fits(kept, wants, gamma); });
        if (!task) continue;
        task->judged = std::move(wants.judged);
        if (const auto end = task->own_end()) ends[gamma].end_at(*end);
        collector_.end(gamma, resample, std::move(*task));
        known.emplace(gamma, resample);
      }
    }
    return known;
  }
  void keep(std::size_t gamma, std::size_t resample, FittedTask& task) const {
    if (parts_.any() && task.ended()) parts_.keep(part_of(gamma, resample, collector_.begin(gamma, resample)), task);
  }

 private:
  /// A result of another manner is not used again.
  std::vector<std::uint64_t> part_of(std::size_t gamma, std::size_t resample, const TaskWants& wants) const {
    const std::span<const std::size_t> costs = run_.wanted().costs_of(gamma);
    const Resample& own = run_.resamples()[resample];
    std::vector<std::uint64_t> part{run_.resamples().size(),
                                    static_cast<std::uint64_t>(collector_.give_up),
                                    wants.class_scores ? 1U : 0U,
                                    static_cast<std::uint64_t>(wants.left_out),
                                    gamma,
                                    resample,
                                    costs.size()};
    core::append(part, costs);
    core::append(part, own.drawn);
    core::append(part, own.apart);
    core::append(part, own.one_by_one);
    core::append(part, wants.machines);
    return part;
  }

  /// Whether the sizes are those of the task, all labels are classes, and all machines have rows of the data.
  bool fits(const FittedTask& kept, const TaskWants& wants, std::size_t gamma) const {
    const std::size_t costs = wants.costs == 0 ? run_.wanted().costs_of(gamma).size() : wants.costs;
    const std::size_t places = costs * wants.judged.size();
    const auto none_or = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
    const auto is_class = [&](std::uint16_t label) { return label == 0 || label < run_.dataset().class_count(); };
    return kept.costs.size() == costs && kept.labels.size() == places && kept.scores.size() == places &&
           none_or(kept.log_losses.size(), places) &&
           kept.class_scores.size() == (wants.class_scores ? places * run_.dataset().class_count() : 0) &&
           std::ranges::all_of(kept.labels, is_class) && kept.machines.size() == (wants.machines.empty() ? 0 : costs) &&
           fit_machines(kept, wants);
  }
  /// Whether each cost that has machines, or needs them, has all.
  bool fit_machines(const FittedTask& kept, const TaskWants& wants) const {
    for (std::size_t c = 0; c < kept.machines.size(); ++c) {
      const bool none = kept.machines[c].empty() && !(wants.machines[c] && kept.costs[c].usable());
      const bool all = kept.machines[c].size() == machines_ &&
                       std::ranges::all_of(kept.machines[c], [&](const auto& machine) { return fits(machine); });
      if (!none && !all) return false;
    }
    return true;
  }
  /// Whether the rows are rows of the data, ascending, with a finite coefficient each.
  bool fits(const svm::SparseMachine& machine) const {
    return machine.rows.size() == machine.coefficients.size() &&
           std::ranges::adjacent_find(machine.rows, std::greater_equal<>()) == machine.rows.end() &&
           (machine.rows.empty() || machine.rows.back() < run_.dataset().rows()) && std::isfinite(machine.bias) &&
           std::ranges::all_of(machine.coefficients, [](double value) { return std::isfinite(value); });
  }

  const GridRun& run_;
  const Collector& collector_;
  std::size_t machines_;  ///< of each cost
  KeptParts parts_;
};

/// Relevance vector machines share no kernel matrix. @param end  of a task
void fit_rvm_tasks(const GridRun& run, const Collector& collector, const auto& end) {
  const Options& options = run.options();
  std::size_t rows = 0;  // of the largest part
  for (const Resample& resample : run.resamples()) rows = std::max(rows, resample.training_rows().size());
  const std::size_t count = run.which().size();
  const std::vector<std::size_t> units(run.wanted().gammas().size() * count, 1);
  const std::size_t bytes = fit_bytes(rows, resolved_centres(rows, options), options.task);
  for_each_fit(units, bytes, run.context(), [&](std::size_t task, const core::Context& own) {
    const std::size_t gamma = run.wanted().gammas()[task / count];
    const std::size_t resample = run.which()[task % count];
    if (run.leaves_out(gamma, resample)) return;
    const data::Features features = run.features(resample, gamma);
    const kernel::Kernel kernel = run.kernel_at(gamma, resample, features);
    end(gamma, resample,
        fit_rvms(run.dataset(), features, kernel, options, run.resamples()[resample], collector.begin(gamma, resample),
                 own));
  });
}

}  // namespace

void fit_grid(GridRun& run, const Collector& collector) {
  const Options& options = run.options();
  const core::Context& context = run.context();
  const KeptTasks kept(run, collector);
  std::vector<SharedEnd> ends(run.gammas());
  run.leave_out(kept.recall_all(ends));
  const auto end = [&](std::size_t gamma, std::size_t resample, FittedTask found) {
    kept.keep(gamma, resample, found);
    collector.end(gamma, resample, std::move(found));
  };
  if (options.learner() == Learner::rvm) return fit_rvm_tasks(run, collector, end);
  const auto of_gamma = options_of_gammas(options, run);
  context.monitor.expect(run.units());
  if (run.leaves_all_out()) return context.monitor.advance(run.units());
  for (const std::vector<std::size_t>& gammas : run.gammas_of_spaces()) {
    SharedGrams grams = run.grams(gammas);
    context.threads.for_each(grams.tasks(), [&](std::size_t task) {
      if (context.monitor.should_stop()) return;
      const std::size_t gamma = grams.gamma(task);
      const std::size_t resample = run.which()[grams.resample(task)];
      if (run.leaves_out(gamma, resample))
        grams.pass(task);
      else if (const std::shared_ptr<kernel::Rows> rows = grams.rows_of(task))
        end(gamma, resample,
            fit_paths(*rows, run.dataset(), *of_gamma[gamma], run.resamples()[resample],
                      collector.begin(gamma, resample), context.monitor, collector.give_up, &ends[gamma]));
      context.monitor.advance(run.wanted().units(gamma));
    });
  }
}

}  // namespace credence::selection
