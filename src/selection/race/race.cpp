#include "selection/race/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/data/fingerprint.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/forecast.hpp"
#include "selection/asked.hpp"
#include "selection/choose/choose.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/race/rule.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Work of a rung in units of the monitor, if a setting costs the square of the rows.
std::size_t work_units_of(std::size_t rows) {
  constexpr std::size_t rows_of_a_unit = 1000;
  return std::max<std::size_t>(1, rows * rows / (rows_of_a_unit * rows_of_a_unit));
}

/// The estimate that is made beside changes nothing on a rung.
std::uint32_t race_fingerprint(const data::Dataset& dataset, Options options) {
  options.estimate = Estimate::none;
  core::Fingerprint sum;
  data::add_to(sum, dataset);
  add_to(sum, options);
  return sum.value();
}

/// The losses of settings on a rung.
/// @param settings  of the grid, in the order in which ties are settled
RungLosses losses_of(const JudgedGrid& judged, std::vector<std::size_t> settings, std::vector<std::size_t> rows,
                     std::size_t most, double growth) {
  const LossTable all = judged.losses();
  RungLosses rung{std::move(rows), std::move(settings), {}, most, growth};
  rung.losses = LossTable(all.rows, rung.settings.size());
  for (std::size_t i = 0; i < all.rows; ++i)
    for (std::size_t k = 0; k < rung.settings.size(); ++k) rung.losses.row(i)[k] = all.row(i)[rung.settings[k]];
  return rung;
}

}  // namespace

std::string reason_against_race(const data::Dataset& dataset, const Options& options) {
  if (rung_sizes(dataset.rows()).size() < 2)
    return fmt::format("a race needs at least {} rows, and there are {}", least_rows_to_race, dataset.rows());
  if (is_precomputed(options)) return "a race selects rows, which a precomputed kernel cannot follow";
  if (kernels_of(options).size() * costs_of(options) < 2) return "one setting has no rival";
  if (options.score != Score::accuracy || options.rule_or_best() == Rule::one_se)
    return "a race judges row by row, by errors or soft losses, and chooses the best settings";
  return asked(
      options.method, std::string(),
      [](const auto& own)
        requires requires { own.against_race(); }
      { return own.against_race(); });
}

JudgedRung judge_rung(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                      std::span<const std::size_t> order, std::size_t count, const core::Context& context,
                      const std::optional<WantedSettings>& wanted) {
  const double begun = context.monitor.seconds();
  JudgedRung rung;
  rung.rows = first_rows(order, count);
  const data::Dataset some = rung_data(dataset, rung.rows);
  if (!wanted) rung.fingerprint = race_fingerprint(some, options);
  rung.judged = judge_grid(some, options, restricted(resamples, rung.rows), context, {}, ScoredSettings::none, wanted);
  rung.found = begin_report(some, options, context);
  rung.found.resamples = static_cast<int>(resamples.size());
  rung.found.grid = settings_of(rung.judged, some, options);
  choose(options, rung.found);
  rung.found.seconds = context.monitor.seconds() - begun;
  return rung;
}

/// A race over the settings of a grid. What it refers to must outlive it.
struct PlannedGrid::Runners {
  const data::Dataset& dataset;
  const Options& options;
  std::span<const Resample> resamples;  ///< of all rows
  const core::Context& context;
  std::size_t costs = costs_of(options);
  double begun = context.monitor.seconds();  ///< the rung at hand
  RaceReport report{{}, options.race == Race::yes};
  std::vector<RungLosses> rungs{};  ///< complete ones
  std::vector<Setting> settings =
      std::vector<Setting>(kernels_of(options).size() * costs);                    ///< by the last complete rung
  std::vector<bool> left = std::vector<bool>(settings.size(), true);               ///< for each setting of the grid
  std::vector<std::size_t> gammas = core::numbers_below(settings.size() / costs);  ///< the best first

  /// Judges the settings that are left on growing subsets of the rows, and then on all rows. After each rung those that
  /// are behind are dropped. Stops within a rung if the monitor says so.
  /// @param first  the smallest rung, if it has been judged on the same data with the same options; else nullptr
  JudgedGrid judge(const JudgedRung* first) {
    const std::vector<std::size_t> sizes = rung_sizes(dataset.rows());
    const std::vector<std::size_t> order = stratified_order(dataset, resamples, options.seed);
    if (first != nullptr && is_first_rung(*first, order)) {
      begun -= first->found.seconds;
      take(*first);
    }
    for (std::size_t r = rungs.size(); r + 1 < sizes.size() && !context.monitor.should_stop(); ++r) {
      context.monitor.expect(work_units_of(sizes[r]));
      core::Monitor part(context.monitor, work_units_of(sizes[r]));
      take(judge_rung(dataset, options, resamples, order, sizes[r], context.with(part), wanted()));
    }
    return judge_on_all_rows();
  }

  /// Resample after resample: settings are dropped after a tenth, a fifth and half of the resamples too.
  JudgedGrid judge_on_all_rows() {
    GridJudge judge(dataset, options, resamples, context);
    std::size_t begin = 0;
    for (const LastRungPart& part : parts_of_last_rung(resamples.size(), options.rule)) {
      if (context.monitor.should_stop()) break;
      judge.judge(wanted(), core::numbers_from(begin, part.until - begin));
      begin = part.until;
      if (begin == resamples.size() || context.monitor.should_stop()) break;
      drop_after(losses_so_far(judge.judged(), part), dataset.rows(), begin);
    }
    return judge.take();
  }

  /// A caller might return what was judged on other data, or with other options.
  bool is_first_rung(const JudgedRung& rung, std::span<const std::size_t> order) const {
    return rung.rows == first_rows(order, first_rung_size(dataset.rows())) &&
           rung.fingerprint == race_fingerprint(rung_data(dataset, rung.rows), options);
  }

  WantedSettings wanted() const {
    WantedSettings some(left, costs, gammas);
    some.weigh(steps_of(settings));
    return some;
  }

  void take(const JudgedRung& rung) {
    const std::vector<Setting>& grid = rung.found.grid;
    std::vector<std::size_t> judged = preference(rung.found, options, true);
    if (judged.empty() || (context.monitor.should_stop() && !rungs.empty())) return;
    drop_after(losses_of(rung.judged, std::move(judged), rung.rows, most_after_rung,
                         growth_after(rung.rows.size(), dataset.rows())),
               rung.rows.size(), resamples.size());
    gammas = gammas_by_error(grid, costs);
    for (std::size_t k = 0; k < settings.size(); ++k) {
      if (grid[k].complete) {
        settings[k] = grid[k];
        settings[k].rung = rung.rows.size();
      } else {
        settings[k].complete = false;
      }
    }
  }

  void drop_after(RungLosses losses, std::size_t rows, std::size_t resamples_so_far) {
    const RungLosses& rung = rungs.emplace_back(std::move(losses));
    left = settings_after(rung, settings.size(), costs);
    const double now = context.monitor.seconds();
    report.rungs.push_back(
        {rows, resamples_so_far, rung.settings.size(), survivors(rung).size(), now - std::exchange(begun, now)});
  }

  /// On the rows that the resamples up to the end of the part have left out.
  RungLosses losses_so_far(const JudgedGrid& judged, const LastRungPart& part) const {
    std::vector<std::uint32_t> times(dataset.rows(), 0);
    for (std::size_t r = 0; r < part.until; ++r)
      for (const std::size_t row : resamples[r].held_out()) ++times[row];
    Selection some;
    some.grid = settings;
    for (std::size_t k = 0; k < left.size(); ++k) some.grid[k].complete = left[k] && !settings[k].infeasible;
    RungLosses rung{data::rows_where(times, [](auto count) { return count > 0; }),
                    preference(some, options, true),
                    {},
                    part.most,
                    1};
    rung.losses = LossTable(rung.rows.size(), rung.settings.size());
    for (std::size_t r = 0; r < rung.rows.size(); ++r) {
      const std::size_t i = rung.rows[r];
      for (std::size_t k = 0; k < rung.settings.size(); ++k)
        rung.losses.row(r)[k] = static_cast<float>(judged.sum(i, rung.settings[k]) / times[i]);
    }
    return rung;
  }

  /// See PlannedGrid::report.
  void tell(const JudgedGrid& judged, Selection& selection) {
    const bool reached = std::ranges::any_of(selection.grid, &Setting::complete);
    if (reached)
      drop_after(losses_of(judged, preference(selection, options, true), core::numbers_below(dataset.rows()),
                           settings.size(), 1),
                 dataset.rows(), resamples.size());
    else
      selection.stopped = context.monitor.stop_reason();
    const bool stopped = context.monitor.should_stop();
    for (std::size_t k = 0; k < settings.size() && settings.size() == selection.grid.size(); ++k) {
      Setting& setting = selection.grid[k];
      const bool waiting = reached && stopped && !setting.complete && left[k];
      if (setting.complete || waiting) continue;
      const Setting parameters = std::exchange(setting, settings[k]);
      setting.C = parameters.C;
      setting.nu = parameters.nu;
      setting.gamma = parameters.gamma;  // words are resolved on all rows
      if (reached) setting.complete = false;
    }
    selection.race = std::move(report);
  }

  struct MeanLoss {
    double mean;  ///< NaN where nothing counts
    double standard_error;
  };
  /// Of a setting on the last rung. @param count  how often each row counts
  MeanLoss mean_loss(std::size_t setting, const auto& count) const {
    const RungLosses& last = rungs.back();
    const auto position = static_cast<std::size_t>(std::ranges::find(last.settings, setting) - last.settings.begin());
    double times = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < last.losses.rows; ++i) {
      const double loss = double{last.losses.row(i)[position]};
      const double own = count(i);
      if (own == 0 || std::isnan(loss)) continue;
      times += own;
      sum += own * loss;
      squares += own * loss * loss;
    }
    const double mean = sum / times;
    return {mean, std::sqrt(std::max(0.0, squares / times - mean * mean) / times)};
  }

  /// What the race that the drawn rows repeat errs on the others.
  double judged_by(std::span<const std::uint32_t> drawn, const Predictions& predictions) const {
    std::vector<bool> allowed;
    for (std::size_t r = 0; r + 1 < rungs.size(); ++r) {
      std::vector<std::uint32_t> times;
      for (const std::size_t row : rungs[r].rows) times.push_back(drawn[row]);
      allowed = settings_after(rungs[r], settings.size(), costs, times, allowed);
    }
    std::vector<std::size_t> chosen = survivors(rungs.back(), drawn, allowed);
    if (chosen.empty()) chosen = survivors(rungs.back(), drawn);
    const auto is_left_out = [&](std::size_t i) { return drawn[i] > 0 ? 0.0 : 1.0; };
    if (options.rule != Rule::average) return mean_loss(chosen.front(), is_left_out).mean;
    std::vector<double> losses(settings.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> errors(settings.size(), 0);
    for (const std::size_t setting : chosen) {
      const MeanLoss own = mean_loss(setting, [&](std::size_t i) { return static_cast<double>(drawn[i]); });
      losses[setting] = own.mean;
      errors[setting] = own.standard_error;
    }
    std::vector<double> left_out;
    for (const std::uint32_t row : predictions.rows) left_out.push_back(is_left_out(row));
    const std::vector<std::size_t> members =
        averaged_members(losses, chosen, [&](std::size_t setting) { return errors[setting]; });
    const Predictions average = averaged(predictions, members, left_out);
    return loss_of_sums(Score::accuracy, sums_of_losses(average.values(0), left_out));
  }
};

PlannedGrid::PlannedGrid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                         const core::Context& context, const Forecast* forecast)
    : dataset_(dataset), options_(options), resamples_(resamples), context_(context), forecast_(forecast) {
  if (forecast_ != nullptr && forecast_->rows != dataset.rows()) forecast_ = nullptr;
  if (options.race == Race::yes) {
    const std::string reason = reason_against_race(dataset, options);
    if (!reason.empty()) refuse("race: " + reason);
  } else if (forecast_ == nullptr) {
    own_ = selection::forecast(dataset, options, context);
    forecast_ = own_.get();
  }
  if (options.race == Race::yes || (forecast_ != nullptr && forecast_->races))
    race_ = std::make_shared<Runners>(Runners{dataset, options, resamples, context});
}

JudgedGrid PlannedGrid::judge() {
  if (race_) return race_->judge(forecast_ != nullptr ? forecast_->first_rung.get() : nullptr);
  const std::size_t costs = costs_of(options_);
  WantedSettings wanted = WantedSettings::all(kernels_of(options_).size(), costs);
  if (forecast_ != nullptr && forecast_->finished) {  // the gamma first that the pilot found best
    wanted = {std::vector<bool>(forecast_->gammas.size() * costs, true), costs, forecast_->gammas};
    wanted.weigh(steps_of(forecast_->grid));
  }
  GridJudge judge(dataset_, options_, resamples_, context_);
  judge.judge(wanted, core::numbers_below(resamples_.size()));
  return judge.take();
}

void PlannedGrid::report(const JudgedGrid& judged, Selection& selection) {
  if (race_) race_->tell(judged, selection);
  if (!context_.monitor.should_stop() || forecast_ == nullptr) return;
  if (forecast_->grid.size() != selection.grid.size()) return;
  if (std::ranges::any_of(selection.grid, &Setting::complete)) return;
  for (std::size_t k = 0; k < selection.grid.size(); ++k) {
    const double gamma = selection.grid[k].gamma;  // gammas given by a word are resolved on all rows
    selection.grid[k] = forecast_->grid[k];
    selection.grid[k].gamma = gamma;
  }
  selection.stopped = context_.monitor.stop_reason();
}

HonestEstimate PlannedGrid::estimate(const BbcOptions& bbc, const Predictions& predictions,
                                     const core::Context& context) const {
  return bootstrap_bias_corrected(
      dataset_.rows(), dataset_.clusters(),
      [&](std::span<const std::uint32_t> drawn) { return race_->judged_by(drawn, predictions); }, bbc, context);
}

}  // namespace credence::selection
