#include "selection/in_sample/in_sample_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "selection/choose/choose.hpp"

namespace credence::selection {

SharedKernel::SharedKernel(const kernel::Kernel& kernel, const data::Features& features, const kernel::Base* base,
                           std::size_t views, const core::Context& context)
    : kernel_(kernel), features_(features), budget_of_view_(context.memory_budget / std::max<std::size_t>(views, 1)) {
  if (base != nullptr) {
    gram_.emplace(kernel::Gram::Deferred(), base->size());
    context.threads.for_each(gram_->blocks(), [&](std::size_t block) { gram_->build(block, kernel, *base); });
  }
}

std::unique_ptr<kernel::Rows> SharedKernel::view() const {
  return gram_ ? kernel::rows_of(*gram_) : kernel::cached_rows(kernel_, features_, budget_of_view_);
}

LeastLoss::LeastLoss(const SharedKernel& kernel, std::span<const int> labels, std::span<const double> hint,
                     const InSampleOptions& options, bool exact, const core::Monitor& monitor)
    : rows_(kernel.view()), labels_(labels), hint_(hint), options_(options.ivanov), monitor_(monitor) {
  if (!exact) soft_.emplace(*rows_, labels, hint, options_, monitor);
}

void LeastLoss::grow_to(double rho) {
  if (soft_)
    soft_->grow_to(rho);
  else
    exact_ = svm::ivanov_soft_exact(*rows_, labels_, hint_, rho, options_, monitor_);
}

double LeastLoss::cut(double value) const {
  return options_.bias ? std::clamp(value, 0.0, 1.0) : value;
}

double LeastLoss::discrepancy() const {
  return cut(1 - 2 * (soft_ ? soft_->peeled_loss() : exact_.loss));
}

double LeastLoss::discrepancy_upper() const {
  return soft_ ? std::max(discrepancy(), cut(1 - 2 * soft_->lower_limit())) : discrepancy();
}

double GammaResult::smallest_sum() const {
  double sum = 0;
  for (std::size_t m = 0; m < best.size(); ++m) {
    if (!best[m].rho) return std::numeric_limits<double>::infinity();
    const InSampleSetting& setting = settings[m][*best[m].rho];
    sum += setting.training_loss + setting.complexity;
  }
  return sum;
}

bool GammaResult::has_sizes(std::size_t machines, std::size_t rhos, std::size_t rows) const {
  const auto along_rho = [&](const std::vector<InSampleSetting>& along) { return along.size() == rhos; };
  const auto fits = [&](const Best& one) {
    return one.rho ? *one.rho < rhos && one.classifier.beta.size() == rows : one.classifier.beta.empty();
  };
  return settings.size() == machines && std::ranges::all_of(settings, along_rho) && best.size() == machines &&
         std::ranges::all_of(best, fits) && efforts.size() == rhos;
}

std::size_t solver_count(const InSampleProblem& problem, const TrialSets& trials) {
  return std::accumulate(trials.sets.begin(), trials.sets.end(), problem.machines.size(),
                         [](std::size_t count, const TrialSet& set) { return count + set.drawn.vectors.size(); });
}

void add(svm::IvanovWork& total, const svm::IvanovWork& part) {
  total.convex_steps += part.convex_steps;
  total.solves += part.solves;
  add_work(part, total);
}

namespace {

/// Standard deviation (n - 1) over sqrt(n); 0 for a single value.
double standard_error(std::span<const double> values) {
  const double mean = core::mean_of(values);
  const auto count = static_cast<double>(values.size());
  const double squares = std::accumulate(values.begin(), values.end(), 0.0, [&](double sum, double value) {
    return sum + (value - mean) * (value - mean);
  });
  return values.size() > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
}

svm::IvanovWork difference(const svm::IvanovWork& after, const svm::IvanovWork& before) {
  return {after.convex_steps - before.convex_steps, after.solves - before.solves, after.steps - before.steps,
          after.factorisations - before.factorisations, after.unconverged - before.unconverged};
}

class GammaRun {
 public:
  GammaRun(const InSampleProblem& problem, const TrialSets& trials, const SharedKernel& kernel, bool exact,
           std::span<const double> deviation, double to_beat, const Options& options, const core::Context& context)
      : problem_(problem),
        trials_(trials),
        deviation_(deviation),
        to_beat_(to_beat),
        options_(options),
        context_(context),
        vectors_(trials.sets.size()),
        settled_(problem.machines.size(), false) {
    for (const InSampleProblem::Machine& machine : problem.machines)
      classifiers_.emplace_back(kernel, machine.labels, machine.hint, options.in_sample, exact, context.monitor);
    for (std::size_t s = 0; s < vectors_.size(); ++s)
      for (const Labels& labels : trials.sets[s].drawn.vectors)
        vectors_[s].emplace_back(kernel, labels, trials.sets[s].hint, options.in_sample, exact, context.monitor);
    result_.settings.assign(machines(), std::vector<InSampleSetting>(options.costs.rho.size()));
    result_.best.resize(machines());
    result_.efforts.resize(options.costs.rho.size());
  }

  GammaResult run() {
    const std::size_t rhos = options_.costs.rho.size();
    for (std::size_t j = 0; j < rhos; ++j) {
      if (std::ranges::find(settled_, false) == settled_.end()) {
        context_.monitor.advance((rhos - j) * solver_count(problem_, trials_));
        break;
      }
      if (!advance(j)) {
        result_.stopped = true;
        break;
      }
      for (std::size_t m = 0; m < machines(); ++m)
        if (!settled_[m]) take_setting(m, j);
      take_effort(j);
      settle(j);
    }
    return std::move(result_);
  }

 private:
  /// All solvers that some machine still needs, to the j-th rho.
  /// @return false if the monitor said stop
  bool advance(std::size_t j) {
    std::vector<LeastLoss*> solvers;
    for (std::size_t m = 0; m < machines(); ++m)
      if (!settled_[m]) solvers.push_back(&classifiers_[m]);
    for (std::size_t s = 0; s < vectors_.size(); ++s)
      for (std::size_t t = 0; wanted(s) && t < vectors_[s].size(); ++t) solvers.push_back(&vectors_[s][t]);
    core::unless_stopped(context_.monitor, [&] {
      context_.threads.for_each(solvers.size(), [&](std::size_t i) {
        if (context_.monitor.should_stop()) return;
        solvers[i]->grow_to(options_.costs.rho[j]);
        context_.monitor.advance();
      });
      return true;
    });
    if (context_.monitor.should_stop()) return false;
    context_.monitor.advance(solver_count(problem_, trials_) - solvers.size());
    return true;
  }

  void take_setting(std::size_t machine, std::size_t j) {
    InSampleSetting& setting = result_.settings[machine][j];
    const std::size_t set = trials_.of_machine[machine];
    for (const LeastLoss& vector : vectors_[set]) {
      setting.trials.push_back(vector.discrepancy());
      setting.trials_upper.push_back(vector.discrepancy_upper());
    }
    setting.complete = true;
    setting.training_loss = classifiers_[machine].solution().loss;
    setting.complexity = core::mean_of(setting.trials);
    setting.complexity_error = trials_.sets[set].drawn.enumerated ? 0 : standard_error(setting.trials);
    setting.complexity_upper = core::mean_of(setting.trials_upper);
    setting.deviation = deviation_[set];
    setting.bound = setting.training_loss + setting.complexity + setting.deviation;
    setting.bound_upper = setting.training_loss + setting.complexity_upper + setting.deviation;
    GammaResult::Best& best = result_.best[machine];
    if (!best.rho || setting.bound < result_.settings[machine][*best.rho].bound)
      best = {j, classifiers_[machine].solution()};
  }

  void take_effort(std::size_t j) {
    std::vector<bool> supports(problem_.rows.size(), false);
    svm::IvanovWork total;
    for (const LeastLoss& classifier : classifiers_) {
      const std::vector<double>& beta = classifier.solution().beta;
      for (std::size_t i = 0; i < beta.size(); ++i) supports[i] = supports[i] || beta[i] != 0;
      add(total, classifier.work());
    }
    for (const std::vector<LeastLoss>& set : vectors_)
      for (const LeastLoss& vector : set) add(total, vector.work());
    result_.efforts[j] = {static_cast<std::size_t>(std::ranges::count(supports, true)), difference(total, work_)};
    work_ = total;
  }

  /// Complexity grows with rho and losses are not negative, so what is to come of a machine is at least its complexity.
  void settle(std::size_t j) {
    if (options_.in_sample.all_rhos || options_.in_sample.ivanov.peel) return;
    double at_least = 0;
    for (std::size_t m = 0; m < machines(); ++m) {
      const InSampleSetting& best = result_.settings[m][*result_.best[m].rho];
      const InSampleSetting& setting = result_.settings[m][j];
      const double smallest = best.training_loss + best.complexity;
      settled_[m] = settled_[m] || setting.complexity >= smallest;
      at_least += settled_[m] ? smallest : setting.complexity;
    }
    if (at_least >= to_beat_) settled_.assign(machines(), true);
  }

  bool wanted(std::size_t set) const {
    for (std::size_t m = 0; m < machines(); ++m)
      if (trials_.of_machine[m] == set && !settled_[m]) return true;
    return false;
  }

  std::size_t machines() const { return problem_.machines.size(); }

  const InSampleProblem& problem_;
  const TrialSets& trials_;
  std::span<const double> deviation_;
  double to_beat_;
  const Options& options_;
  const core::Context& context_;
  std::vector<LeastLoss> classifiers_;           ///< of each machine
  std::vector<std::vector<LeastLoss>> vectors_;  ///< of each set
  std::vector<bool> settled_;                    ///< no larger rho can win for the machine
  svm::IvanovWork work_;
  GammaResult result_;
};

}  // namespace

GammaResult run_gamma(const InSampleProblem& problem, const TrialSets& trials, const SharedKernel& kernel, bool exact,
                      std::span<const double> deviation, double to_beat, const Options& options,
                      const core::Context& context) {
  return GammaRun(problem, trials, kernel, exact, deviation, to_beat, options, context).run();
}

}  // namespace credence::selection
