#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "selection/choose/choose.hpp"
#include "selection/fit/kept_parts.hpp"
#include "selection/frame/frame.hpp"
#include "selection/in_sample/hint.hpp"
#include "selection/in_sample/in_sample_problem.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {
namespace {

/// Of the machines' complexities where a bias is free: the mean of |sum of t| / n, the smallest over the sets.
double floor_of(const TrialSets& trials, const svm::IvanovOptions& options) {
  double floor = options.bias ? 1 : 0;
  for (const TrialSet& set : trials.sets) {
    double sum = 0;
    for (const Labels& labels : set.drawn.vectors)
      sum += std::abs(std::accumulate(labels.begin(), labels.end(), 0.0)) / static_cast<double>(labels.size());
    floor = std::min(floor, sum / static_cast<double>(set.drawn.vectors.size()));
  }
  return floor;
}

class InSampleRun {
 public:
  InSampleRun(const ComplexityMethod& method, const Options& options) : method_(method), options_(options) {}
  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    Selection selection = begin_report(dataset, options_, context);
    selection.score = "bound on the soft loss";
    selection.scale_scope = options_.in_sample.hint ? ScaleScope::fold : ScaleScope::all;
    bool stopped = true;
    const auto make = [&] { return make_in_sample_problem(dataset, options_, context, selection.warnings); };
    if (const auto problem = core::unless_stopped(context.monitor, make)) {
      const TrialSets trials = draw(*problem);
      InSample& bound = selection.found.emplace<InSample>(describe_bound(*problem, trials));
      const std::vector<GammaResult> results =
          run(*problem, trials, bound, KeptParts("gamma in sample", dataset, options_, context), context);
      stopped = results.size() < bound.gammas.size() || results.back().stopped;
      take_settings(results, bound);
      selection.grid = settings_of(bound, results);
      if (const auto gamma = best_gamma(bound, results)) {
        choose(*gamma, results, selection);
        selection.predictor =
            classifier_of(*problem, bound.gammas[*gamma], results[*gamma], options_, dataset, bound.bound);
      }
    } else {
      name_settings(selection.found.emplace<InSample>(), reported_gammas(dataset, options_));
      selection.grid = settings_of(*selection.in_sample(), {});
    }
    conclude(dataset, context, selection);
    selection.stopped = stopped ? context.monitor.stop_reason() : core::StopReason::none;
    return selection;
  }

 private:
  TrialSets draw(const InSampleProblem& problem) const {
    TrialSets trials;
    const std::size_t asked = options_.in_sample.trials.value_or(default_trials(problem.rows.size()));
    for (const InSampleProblem::Machine& machine : problem.machines) {
      const bool even = machine.hint.empty();
      if (trials.sets.empty() || method_.of_labels || !even)
        trials.sets.push_back({method_.draw(machine.labels, even, asked, options_.seed), machine.hint});
      trials.of_machine.push_back(trials.sets.size() - 1);
    }
    return trials;
  }

  bool exact(std::size_t n) const {
    if (options_.in_sample.exact.value_or(false) && n > svm::most_rows_enumerated) {
      refuse_data(fmt::format("exact minima are found for at most {} rows, but the bound has {}",
                              svm::most_rows_enumerated, n));
    }
    return options_.in_sample.exact.value_or(n <= most_rows_exact && !options_.in_sample.ivanov.peel);
  }

  /// Everything but the results.
  InSample describe_bound(const InSampleProblem& problem, const TrialSets& trials) const {
    InSample bound;
    bound.n = problem.rows.size();
    bound.hint_rows = problem.hint_rows;
    bound.given_hint = problem.given_hint;
    bound.trials = trials.sets.front().drawn.vectors.size();
    bound.enumerated = trials.sets.front().drawn.enumerated;
    bound.exact = exact(bound.n);
    bound.delta = options_.delta;
    bound.united = options_.in_sample.united;
    const std::size_t settings = problem.gammas.size() * options_.costs.rho.size();
    bound.delta_each = options_.delta / static_cast<double>(problem.machines.size() * (bound.united ? settings : 1));
    bound.floor = floor_of(trials, options_.in_sample.ivanov);
    bound.fixed_in_advance = problem.fixed_in_advance;
    bound.positive_semidefinite = problem.positive_semidefinite;
    for (const svm::BinaryMachine& machine : problem.layout) bound.classes.push_back(machine.positive);
    name_settings(bound, problem.gammas);
    return bound;
  }

  std::vector<GammaResult> run(const InSampleProblem& problem, const TrialSets& trials, const InSample& bound,
                               const KeptParts& kept, const core::Context& context) const {
    const std::vector<double> deviation = core::mapped(trials.sets, [&](const TrialSet& set) {
      return method_.deviation(bound.n, set.drawn, options_.in_sample.term, bound.delta_each);
    });
    const std::size_t solvers = solver_count(problem, trials);
    context.monitor.expect(problem.gammas.size() * options_.costs.rho.size() * solvers);
    const bool in_memory = kernel::gram_bytes(bound.n) <= context.memory_budget / 2;
    const auto base = in_memory ? std::make_unique<kernel::Base>(options_.kernels.shape().type, problem.for_kernel(),
                                                                 context.threads, context.monitor)
                                : nullptr;
    std::vector<GammaResult> results;
    double to_beat = std::numeric_limits<double>::infinity();
    for (const double gamma : problem.gammas) {
      if (context.monitor.should_stop()) break;
      const std::uint64_t part[] = {results.size(), std::bit_cast<std::uint64_t>(to_beat)};
      const auto fits = [&](const GammaResult& result) {
        return result.has_sizes(problem.machines.size(), options_.costs.rho.size(), problem.rows.size());
      };
      if (auto known = kept.recall<GammaResult>(part, fits)) {
        results.push_back(std::move(*known));
        context.monitor.advance(options_.costs.rho.size() * solvers);
      } else {
        const SharedKernel shared(kernel_of(options_, gamma), problem.for_kernel(), base.get(), solvers, context);
        results.push_back(run_gamma(problem, trials, shared, bound.exact, deviation, to_beat, options_, context));
        if (!results.back().stopped) kept.keep(part, results.back());
      }
      to_beat = std::min(to_beat, results.back().smallest_sum());
    }
    return results;
  }

  /// Empty cells for every machine, gamma and rho.
  void name_settings(InSample& bound, std::vector<double> gammas) const {
    bound.complexity = method_.name;
    bound.rhos = options_.costs.rho;
    bound.gammas = std::move(gammas);
    bound.settings.resize(bound.classes.size() * bound.gammas.size() * bound.rhos.size());
  }

  void take_settings(const std::vector<GammaResult>& results, InSample& bound) const {
    for (std::size_t gamma = 0; gamma < results.size(); ++gamma) {
      for (std::size_t m = 0; m < bound.classes.size(); ++m) {
        const std::vector<InSampleSetting>& along = results[gamma].settings[m];
        const std::size_t first = (m * bound.gammas.size() + gamma) * along.size();
        std::ranges::copy(along, bound.settings.begin() + static_cast<std::ptrdiff_t>(first));
      }
      for (const GammaResult::Effort& effort : results[gamma].efforts) add(bound.work, effort.work);
    }
  }

  /// One for each (gamma, rho): the machines' bounds summed.
  std::vector<Setting> settings_of(const InSample& bound, const std::vector<GammaResult>& results) const {
    std::vector<Setting> settings(bound.gammas.size() * bound.rhos.size());
    for (std::size_t k = 0; k < settings.size(); ++k) {
      const std::size_t gamma = k / bound.rhos.size();
      const std::size_t rho = k % bound.rhos.size();
      Setting& setting = settings[k];
      setting.kernel = options_.kernels.shape().type;
      setting.scale = options_.preparation.scaling();
      setting.gamma = bound.gammas[gamma];
      setting.rho = bound.rhos[rho];
      if (gamma >= results.size()) continue;
      const GammaResult& result = results[gamma];
      setting.complete = std::ranges::all_of(
          result.settings, [&](const std::vector<InSampleSetting>& along) { return along[rho].complete; });
      for (const std::vector<InSampleSetting>& along : result.settings)
        setting.error += setting.complete ? along[rho].bound : 0;
      const GammaResult::Effort& effort = result.efforts[rho];
      setting.n_sv = setting.complete ? static_cast<double>(effort.support) : 0;
      add_work(effort.work, setting);
    }
    return settings;
  }

  /// The smallest sum of the machines' smallest bounds; ties to the smallest rho, then to the smallest gamma.
  std::optional<std::size_t> best_gamma(const InSample& bound, const std::vector<GammaResult>& results) const {
    std::optional<std::size_t> best;
    const auto key = [&](std::size_t gamma) {
      std::vector<std::size_t> rhos = core::mapped(results[gamma].best, [&](const GammaResult::Best& of_machine) {
        return of_machine.rho.value_or(bound.rhos.size());
      });
      return std::tuple(results[gamma].smallest_sum(), rhos, bound.gammas[gamma]);
    };
    for (std::size_t gamma = 0; gamma < results.size(); ++gamma)
      if (std::isfinite(results[gamma].smallest_sum()) && (!best || key(gamma) < key(*best))) best = gamma;
    return best;
  }

  /// The machines' settings and what they say together.
  void choose(std::size_t gamma, const std::vector<GammaResult>& results, Selection& selection) const {
    InSample& bound = std::get<InSample>(selection.found);
    const std::size_t rhos = bound.rhos.size();
    for (std::size_t m = 0; m < bound.classes.size(); ++m) {
      bound.chosen.push_back((m * bound.gammas.size() + gamma) * rhos + *results[gamma].best[m].rho);
      bound.bound += bound.settings[bound.chosen.back()].bound;
      bound.bound_upper += bound.settings[bound.chosen.back()].bound_upper;
    }
    const double factor = bound.classes.size() == 1 ? 2 : 1;
    bound.error_bound = factor * bound.bound;
    bound.error_bound_upper = factor * bound.bound_upper;
    choose_settings(gamma, selection);
  }

  /// The grid's setting that stands for the choice: of the chosen gamma, that with the smallest sum of bounds.
  void choose_settings(std::size_t gamma, Selection& selection) const {
    const std::size_t rhos = selection.in_sample()->rhos.size();
    std::vector<std::size_t> order =
        core::numbers_where(selection.grid.size(), [&](std::size_t k) { return selection.grid[k].complete; });
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
      const auto key = [&](std::size_t k) {
        const Setting& setting = selection.grid[k];
        return std::tuple(setting.error, setting.rho, setting.gamma);
      };
      return key(a) < key(b);
    });
    const auto best = std::ranges::find_if(order, [&](std::size_t k) { return k / rhos == gamma; });
    selection.best = *best;
    order.erase(best);
    if (!order.empty()) selection.runner_up = order.front();
    const std::vector<std::size_t>& chosen = selection.in_sample()->chosen;
    selection.best_on_border =
        on_border(gamma, selection.in_sample()->gammas.size()) ||
        std::ranges::any_of(chosen, [&](std::size_t setting) { return on_border(setting % rhos, rhos); });
  }

  ComplexityMethod method_;
  const Options& options_;
};

}  // namespace

Selection select_in_sample(const ComplexityMethod& method, const data::Dataset& dataset, const Options& options,
                           const core::Context& context) {
  return InSampleRun(method, options).select(dataset, context);
}

std::size_t default_trials(std::size_t n) {
  return std::max<std::size_t>(30, n == 0 ? 0 : (4000 + n - 1) / n);
}

std::vector<std::string> InSampleOptions::validate() const {
  std::vector<std::string> problems = ivanov.validate();
  if (!(hint_C > 0 && std::isfinite(hint_C)))
    problems.push_back(fmt::format("the C of the hint must be a finite number above 0, not {}", hint_C));
  if (exact.value_or(false) && ivanov.peel) problems.emplace_back("exact minima and peeling exclude each other");
  return problems;
}

}  // namespace credence::selection
