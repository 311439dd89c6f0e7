#include "selection/race/forecast.hpp"

#include <algorithm>
#include <variant>

#include "core/numbers.hpp"
#include "credence/core/error.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/frame/frame.hpp"
#include "selection/race/race.hpp"
#include "selection/race/rule.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {

namespace {

Options pilot_options(const Options& options) {
  Options plain = options;
  if (const auto* regions = std::get_if<Regions>(&options.method))
    plain.method = CrossValidation{.folds = regions->folds};
  plain.estimate = Estimate::none;
  if (plain.looks_at("race")) plain.race = Race::no;
  if (plain.learner() == Learner::rvm) plain.rvms.further = 0;  // the forecast is of the grid that was asked for
  return plain;
}

/// @throws Error as a selection does
Pilot begun_pilot(const data::Dataset& dataset, const PilotPlan& plan, std::size_t rows, const Options& options,
                  const core::Context& context) {
  Pilot pilot;
  pilot.rows = rows;
  if (plan.resamples.empty()) {
    const data::Dataset some = rung_data(dataset, first_rows(plan.order, rows));
    pilot.selection = Selector(pilot_options(options)).select(some, context);
  } else {
    check_data(dataset, options);
    pilot.rung =
        std::make_shared<const JudgedRung>(judge_rung(dataset, options, plan.resamples, plan.order, rows, context));
    pilot.selection = pilot.rung->found;
  }
  return pilot;
}

}  // namespace

double updates_of(const Setting& setting, std::size_t rows, const Options& options) {
  const double per_step = static_cast<double>(rows);
  if (options.learner() != Learner::rvm) return static_cast<double>(setting.steps) * per_step;
  const auto centres = static_cast<double>(resolved_centres(rows, options));
  return static_cast<double>(setting.steps) * per_step * centres * centres;
}

std::optional<PilotPlan> plan_of_pilot(const data::Dataset& dataset, const Options& options, bool may_race) {
  PilotPlan plan;
  try {
    if (may_race && options.traits().folds) plan.resamples = resamples_of_cv(dataset, options);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
    return std::nullopt;
  }
  plan.order = stratified_order(dataset, plan.resamples, options.seed);
  return plan;
}

std::optional<Pilot> pilot_on(const data::Dataset& dataset, const PilotPlan& plan, std::size_t rows,
                              const Options& options, const core::Context& context) {
  // A monitor of its own: the pilot is no part of the work that is forecast.
  core::Monitor quiet([&](const core::Monitor::Progress&) { return !context.monitor.should_stop(); });
  try {
    Pilot pilot = begun_pilot(dataset, plan, rows, options, {context.threads, quiet, context.memory_budget});
    if (context.monitor.should_stop() || pilot.selection.stopped != core::StopReason::none) {
      pilot.finished = false;
      return pilot;
    }
    pilot.seconds = pilot.selection.seconds;
    for (const Setting& setting : pilot.selection.grid) pilot.updates += updates_of(setting, rows, options);
    return pilot;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
    return std::nullopt;  // what cannot be selected on a sample is not forecast
  }
}

namespace {

/// The power with which updates, and seconds with them, grow. Two samples tell the power of a grid of SVMs to about
/// 0.2. From 1,000 to 8,000 rows of eight data sets the updates grow with the power 1.97, with a standard deviation of
/// 0.17. So the forecast believes both as much. A power of SVMs above 2.5 is mostly chance: rows that contradict each
/// other cost many steps, and in one of four draws of the set adult only the larger sample had any. The other limits
/// are no fits: they are there for samples that chance has spoilt. Where nothing is updated, as of nearest neighbours,
/// pairs of rows count. Whether a selection races depends on the power, so seconds have no part in it.
double growth_of(const Pilot& small, const Pilot& large, const Options& options) {
  constexpr double usual = 2.0;
  constexpr double most_of_svms = 2.5;
  if (small.updates == 0 || large.updates == 0) return usual;
  const bool of_svms = options.learner() == Learner::svm;
  const double growth =
      core::growth_between(static_cast<double>(small.rows), small.updates, static_cast<double>(large.rows),
                           large.updates, 1.3, of_svms ? most_of_svms : 3.0);
  return of_svms ? (growth + usual) / 2 : growth;
}

/// The share of the machines on all rows that the rule of a race lets through at most: 0.12 of 110 settings and ten
/// folds. What the smaller rungs cost is left out, and so are the settings that are dropped for their errors.
double race_share(std::size_t settings, std::size_t resamples, std::optional<Rule> rule) {
  double judged = 0;
  std::size_t begin = 0;
  std::size_t most = most_after_rung;
  for (const LastRungPart& part : parts_of_last_rung(resamples, rule)) {
    judged += static_cast<double>((part.until - begin) * std::min(most, settings));
    begin = part.until;
    most = part.most;
  }
  return judged / static_cast<double>(settings * resamples);
}

/// The seconds of one region of the feature space times their number. Bisection leaves at least half of `region_size`
/// in a setting, three quarters on average. Half is nearer to the seconds of the data sets of docs/large-data.md. The
/// pilot of a grid on all rows may have more folds than a region would. The first partitions, one for each kernel and
/// scaling, judge the grid together. A further one judges nine settings of its own: of 110 that takes
/// about a quarter of the seconds, and of 36 about 0.6, as distances and their median are needed all the same.
double regions_seconds(const Pilot& pilot, const Forecast& forecast, int partitions, std::size_t spaces) {
  const double further = std::max(0.0, partitions - static_cast<double>(spaces)) / static_cast<double>(spaces);
  const double near = 9.0 * static_cast<double>(spaces) / static_cast<double>(pilot.selection.grid.size());
  const double seconds_of_near = std::min(1.0, 0.1 + 2 * near);
  const double rows = 0.5 * static_cast<double>(forecast.region_size);
  const int folds = pilot.selection.resamples;
  const double share = forecast.in_regions ? 1 : std::min(1.0, 1.0 * Regions{}.folds / folds);
  return pilot.seconds * share * (1 + seconds_of_near * further) *
         core::times_as_much(rows, static_cast<double>(pilot.rows), forecast.growth) *
         static_cast<double>(forecast.rows) / rows;
}

std::vector<Setting> grid_of(const Pilot& pilot) {
  std::vector<Setting> grid = pilot.selection.grid;
  for (Setting& setting : grid) setting.rung = pilot.rows;
  return grid;
}

/// What a pilot leaves that was stopped. None where no setting was judged.
std::shared_ptr<const Forecast> unfinished(std::size_t rows, const Pilot& small) {
  if (std::ranges::none_of(small.selection.grid, &Setting::complete)) return nullptr;
  Forecast made;
  made.rows = rows;
  made.pilot_rows = small.rows;
  made.finished = false;
  made.grid = grid_of(small);
  return std::make_shared<const Forecast>(std::move(made));
}

/// @param dataset  the rows that the method judges
std::shared_ptr<const Forecast> forecast_of_method(const data::Dataset& dataset, const Options& options,
                                                   const core::Context& context) {
  const std::size_t rows = first_rung_size(dataset.rows());
  const bool may_race =
      options.looks_at("race") && options.race != Race::no && reason_against_race(dataset, options).empty();
  const std::optional<PilotPlan> plan = plan_of_pilot(dataset, options, may_race);
  const std::optional<Pilot> small = plan ? pilot_on(dataset, *plan, rows / 2, options, context) : std::nullopt;
  if (small && !small->finished) return unfinished(dataset.rows(), *small);
  const std::optional<Pilot> large = small ? pilot_on(dataset, *plan, rows, options, context) : std::nullopt;
  if (large && !large->finished) return unfinished(dataset.rows(), *small);
  if (!large || !large->selection.best) return nullptr;
  Forecast made;
  made.rows = dataset.rows();
  made.pilot_rows = rows;
  made.growth = growth_of(*small, *large, options);
  const double times =
      core::times_as_much(static_cast<double>(made.rows), static_cast<double>(large->rows), made.growth);
  made.updates = large->updates * times;
  made.exact_seconds = large->seconds * times;
  if (may_race) {
    const auto resamples = static_cast<std::size_t>(large->selection.resamples);
    made.race_seconds = made.exact_seconds * race_share(large->selection.grid.size(), resamples, options.rule);
  }
  made.races = may_race && (options.race == Race::yes || made.updates > Forecast::stated_cost);
  const auto* regions = std::get_if<Regions>(&options.method);
  made.in_regions = regions != nullptr;
  if (regions != nullptr) made.region_size = regions->size();
  if (regions != nullptr || (options.traits().in_regions != nullptr && options.learner() == Learner::svm)) {
    const std::optional<int> partitions = regions != nullptr ? regions->partitions : std::nullopt;
    made.regions_seconds =
        regions_seconds(*large, made, partitions.value_or(Regions::most_partitions), spaces_of(options).size());
  }
  if (options.looks_at("race")) made.gammas = gammas_by_error(large->selection.grid, costs_of(options));
  made.grid = grid_of(*large);
  made.first_rung = large->rung;
  return std::make_shared<const Forecast>(std::move(made));
}

}  // namespace

std::shared_ptr<const Forecast> forecast(const data::Dataset& given, const Options& asked,
                                         const core::Context& context) {
  if (given.rows() < Forecast::from_rows || is_precomputed(asked)) return nullptr;
  const RowsInUse used = rows_in_use(given, asked);
  const data::Dataset& dataset = *used.rows;
  const Options& options = used.options;
  const bool sets_aside = options.estimate.value_or(default_estimate(dataset, options)) == Estimate::holdout;
  if (!sets_aside || !dataset.splits.empty()) return forecast_of_method(dataset, options, context);
  std::shared_ptr<const Forecast> made = forecast_of_method(rows_not_set_aside(dataset, options), options, context);
  if (!made) return made;
  Forecast whole = *made;
  whole.set_aside = dataset.rows() - made->rows;
  return std::make_shared<const Forecast>(std::move(whole));
}

namespace {

/// What is compared or trained has no estimate beside it that sets rows aside.
Options without_estimate(const Options& options) {
  Options plain = options.resolved();
  plain.estimate = Estimate::none;
  return plain;
}

}  // namespace

ComparisonForecast forecast(const data::Dataset& dataset, std::span<const Contestant> contestants,
                            const ComparisonOptions& options, const core::Context& context) {
  throw_if_any(options.validate());
  ComparisonForecast all{dataset.rows(), options.outer_folds, options.repeats, 0, {}};
  for (const Contestant& contestant : contestants) {
    const auto one = forecast(dataset, without_estimate(contestant.options), context);
    if (!one || !one->finished || one->races) continue;
    const double share = 1 - 1.0 / options.outer_folds;
    const double seconds =
        1.0 * options.repeats * options.outer_folds * core::times_as_much(share, 1, one->growth) * one->seconds();
    all.seconds += seconds;
    all.methods.push_back({contestant.name, seconds});
  }
  return all;
}

std::optional<FitForecast> forecast(const data::Dataset& dataset, const OneSetting& setting, int folds,
                                    const core::Context& context) {
  const auto ten = forecast(dataset, without_estimate(setting.options), context);
  if (!ten || !ten->finished) return std::nullopt;
  constexpr double resamples = 10;  // of the cross-validation that is forecast, on all threads; the fit has one
  const double on_one_thread = std::min(resamples, static_cast<double>(context.threads.count()));
  const double fit =
      ten->exact_seconds / resamples * core::times_as_much(resamples, resamples - 1, ten->growth) * on_one_thread;
  const double cross = folds < 2 ? 0 : ten->exact_seconds * folds / resamples;
  return FitForecast{dataset.rows(), ten->pilot_rows, ten->growth, fit + cross};
}

}  // namespace credence::selection
