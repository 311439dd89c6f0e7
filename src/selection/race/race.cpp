#include "selection/race/race.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/data/fingerprint.hpp"
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

/// Work of a rung in units of the monitor, if a cell costs the square of the rows.
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

bool some_complete(std::span<const Cell> cells) {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.complete; });
}

/// The losses of cells on a rung.
/// @param cells  of the grid, in the order in which ties are settled
RungLosses losses_of(const JudgedGrid& judged, std::vector<std::size_t> cells, std::vector<std::size_t> rows,
                     std::size_t most, double growth) {
  const LossTable all = judged.losses();
  RungLosses rung{std::move(rows), std::move(cells), {}, most, growth};
  rung.losses = LossTable(all.rows, rung.cells.size());
  for (std::size_t i = 0; i < all.rows; ++i)
    for (std::size_t k = 0; k < rung.cells.size(); ++k) rung.losses.row(i)[k] = all.row(i)[rung.cells[k]];
  return rung;
}

}  // namespace

std::string reason_against_race(const data::Dataset& dataset, const Options& options) {
  if (rung_sizes(dataset.rows()).size() < 2)
    return fmt::format("a race needs at least {} rows, and there are {}", least_rows_to_race, dataset.rows());
  if (is_precomputed(options)) return "a race selects rows, which a precomputed kernel cannot follow";
  if (kernels_of(options).size() * costs_of(options) < 2) return "one cell has no rival";
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
                      const std::optional<WantedCells>& wanted) {
  const double begun = context.monitor.seconds();
  JudgedRung rung;
  rung.rows = first_rows(order, count);
  const data::Dataset some = rung_data(dataset, rung.rows);
  if (!wanted) rung.fingerprint = race_fingerprint(some, options);
  rung.judged = judge_grid(some, options, restricted(resamples, rung.rows), context, {}, ScoredCells::none, wanted);
  rung.found = begin_report(some, options, context);
  rung.found.resamples = static_cast<int>(resamples.size());
  rung.found.grid = cells_of(rung.judged, some, options);
  choose(options, rung.found);
  rung.found.seconds = context.monitor.seconds() - begun;
  return rung;
}

RaceRun::RaceRun(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                 const core::Context& context, const JudgedRung* first)
    : dataset_(dataset),
      options_(options),
      resamples_(resamples),
      context_(context),
      costs_(costs_of(options)),
      begun_(context.monitor.seconds()) {
  report_.asked_for = options.race == Race::yes;
  cells_.resize(kernels_of(options).size() * costs_);
  left_.assign(cells_.size(), true);
  order_of_gammas_.resize(cells_.size() / costs_);
  std::iota(order_of_gammas_.begin(), order_of_gammas_.end(), std::size_t{0});
  const std::vector<std::size_t> sizes = rung_sizes(dataset.rows());
  const std::vector<std::size_t> order = stratified_order(dataset, resamples, options.seed);
  if (first != nullptr && is_first_rung(*first, order)) {
    begun_ -= first->found.seconds;
    take(*first);
  }
  for (std::size_t r = rungs_.size(); r + 1 < sizes.size() && !context.monitor.should_stop(); ++r)
    run_rung(sizes[r], order);
}

/// A caller might hand over what was judged on other data, or with other options.
bool RaceRun::is_first_rung(const JudgedRung& rung, std::span<const std::size_t> order) const {
  return rung.rows == first_rows(order, first_rung_size(dataset_.rows())) &&
         rung.fingerprint == race_fingerprint(rung_data(dataset_, rung.rows), options_);
}

WantedCells RaceRun::wanted() const {
  WantedCells cells(left_, costs_, order_of_gammas_);
  cells.weigh(steps_of(cells_));
  return cells;
}

void RaceRun::run_rung(std::size_t count, std::span<const std::size_t> order) {
  context_.monitor.expect(work_units_of(count));
  core::Monitor part(context_.monitor, work_units_of(count));
  take(judge_rung(dataset_, options_, resamples_, order, count, context_.with(part), wanted()));
}

void RaceRun::take(const JudgedRung& rung) {
  const std::vector<Cell>& grid = rung.found.grid;
  std::vector<std::size_t> cells = preference(rung.found, options_, true);
  if (cells.empty() || (context_.monitor.should_stop() && !rungs_.empty())) return;
  rungs_.push_back(losses_of(rung.judged, std::move(cells), rung.rows, most_after_rung,
                             growth_after(rung.rows.size(), dataset_.rows())));
  drop_after(rungs_.back(), rung.rows.size(), resamples_.size());
  order_of_gammas_ = gammas_by_error(grid, costs_);
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    if (grid[k].complete) {
      cells_[k] = grid[k];
      cells_[k].rung = rung.rows.size();
    } else {
      cells_[k].complete = false;
    }
  }
}

void RaceRun::drop_after(const RungLosses& rung, std::size_t rows, std::size_t resamples) {
  const std::vector<std::size_t> kept = survivors(rung);
  left_ = cells_after(rung, cells_.size(), costs_);
  const double now = context_.monitor.seconds();
  report_.rungs.push_back({rows, resamples, rung.cells.size(), kept.size(), now - std::exchange(begun_, now)});
}

JudgedGrid RaceRun::judge_last() {
  GridJudge judge(dataset_, options_, resamples_, context_);
  const std::size_t count = resamples_.size();
  std::size_t begin = 0;
  for (const LastRungPart& part : parts_of_last_rung(count, options_.rule)) {
    if (context_.monitor.should_stop()) break;
    std::vector<std::size_t> which(part.until - begin);
    std::iota(which.begin(), which.end(), begin);
    judge.judge(wanted(), std::move(which));
    begin = part.until;
    if (begin == count || context_.monitor.should_stop()) break;
    rungs_.push_back(losses_so_far(judge.judged(), part));
    drop_after(rungs_.back(), dataset_.rows(), begin);
  }
  return judge.take();
}

/// On the rows that the resamples up to the end of the part have left out.
RungLosses RaceRun::losses_so_far(const JudgedGrid& judged, const LastRungPart& part) const {
  std::vector<std::uint32_t> times(dataset_.rows(), 0);
  for (std::size_t r = 0; r < part.until; ++r)
    for (const std::size_t row : resamples_[r].held_out()) ++times[row];
  RungLosses rung{{}, in_order_of_preference(left_), {}, part.most, 1};
  for (std::size_t i = 0; i < times.size(); ++i)
    if (times[i] > 0) rung.rows.push_back(i);
  rung.losses = LossTable(rung.rows.size(), rung.cells.size());
  for (std::size_t r = 0; r < rung.rows.size(); ++r) {
    const std::size_t i = rung.rows[r];
    for (std::size_t k = 0; k < rung.cells.size(); ++k)
      rung.losses.row(r)[k] = static_cast<float>(judged.sum(i, rung.cells[k]) / times[i]);
  }
  return rung;
}

std::vector<std::size_t> RaceRun::in_order_of_preference(const std::vector<bool>& cells) const {
  Selection some;
  some.grid = cells_;
  for (std::size_t k = 0; k < cells.size(); ++k) some.grid[k].complete = cells[k] && !cells_[k].infeasible;
  return preference(some, options_, true);
}

void RaceRun::report(const JudgedGrid& judged, Selection& selection) {
  const bool reached = some_complete(selection.grid);
  if (reached) {
    std::vector<std::size_t> rows(dataset_.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    rungs_.push_back(losses_of(judged, preference(selection, options_, true), std::move(rows), cells_.size(), 1));
    drop_after(rungs_.back(), dataset_.rows(), resamples_.size());
  } else {
    selection.stopped = context_.monitor.stop_reason();
  }
  const bool stopped = context_.monitor.should_stop();
  for (std::size_t k = 0; k < cells_.size() && cells_.size() == selection.grid.size(); ++k) {
    Cell& cell = selection.grid[k];
    const bool waiting = reached && stopped && !cell.complete && left_[k];
    if (cell.complete || waiting) continue;
    const double gamma = cell.gamma;  // words are resolved on all rows
    const Cell parameters = cell;
    cell = cells_[k];
    cell.C = parameters.C;
    cell.nu = parameters.nu;
    cell.gamma = gamma;
    if (reached) cell.complete = false;
  }
  selection.race = std::move(report_);
}

/// The cells that Rule::average takes of those that are left.
std::vector<std::size_t> RaceRun::averaged_by(std::span<const std::uint32_t> drawn,
                                              std::span<const std::size_t> chosen) const {
  const RungLosses& last = rungs_.back();
  std::vector<double> losses(cells_.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> errors(cells_.size(), 0);
  for (const std::size_t cell : chosen) {
    const auto position = static_cast<std::size_t>(std::ranges::find(last.cells, cell) - last.cells.begin());
    double count = 0, sum = 0, squares = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const double loss = double{last.losses.row(i)[position]};
      if (drawn[i] == 0 || std::isnan(loss)) continue;
      count += drawn[i];
      sum += drawn[i] * loss;
      squares += drawn[i] * loss * loss;
    }
    losses[cell] = sum / count;
    errors[cell] = std::sqrt(std::max(0.0, squares / count - losses[cell] * losses[cell]) / count);
  }
  return averaged_members(losses, chosen, [&](std::size_t cell) { return errors[cell]; });
}

double RaceRun::judged_by(std::span<const std::uint32_t> drawn, const Predictions& predictions) const {
  std::vector<bool> allowed;
  for (std::size_t r = 0; r + 1 < rungs_.size(); ++r) {
    std::vector<std::uint32_t> times;
    for (const std::size_t row : rungs_[r].rows) times.push_back(drawn[row]);
    allowed = cells_after(rungs_[r], cells_.size(), costs_, times, allowed);
  }
  const RungLosses& last = rungs_.back();
  std::vector<std::size_t> chosen = survivors(last, drawn, allowed);
  if (chosen.empty()) chosen = survivors(last, drawn);
  if (options_.rule == Rule::average) {
    std::vector<double> left_out;
    for (const std::uint32_t row : predictions.rows) left_out.push_back(drawn[row] > 0 ? 0 : 1);
    const Predictions average = averaged(predictions, averaged_by(drawn, chosen), left_out);
    return loss_of_sums(Score::accuracy, sums_of_losses(average.values(0), left_out));
  }
  const auto position =
      static_cast<std::size_t>(std::find(last.cells.begin(), last.cells.end(), chosen.front()) - last.cells.begin());
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const double loss = double{last.losses.row(i)[position]};
    if (drawn[i] > 0 || std::isnan(loss)) continue;
    sum += loss;
    count += 1;
  }
  return sum / count;  // NaN where nothing is left out
}

HonestEstimate RaceRun::estimate(const BbcOptions& bbc, const Predictions& predictions,
                                 const core::Context& context) const {
  return bootstrap_bias_corrected(
      dataset_.rows(), dataset_.clusters(),
      [&](std::span<const std::uint32_t> drawn) { return judged_by(drawn, predictions); }, bbc, context);
}

PlannedGrid::PlannedGrid(const data::Dataset& dataset, const Options& options, std::span<const Resample> resamples,
                         const core::Context& context, const Forecast* forecast)
    : dataset_(dataset), options_(options), resamples_(resamples), context_(context), forecast_(forecast) {
  if (decides_to_race())
    race_.emplace(dataset, options, resamples, context, forecast_ != nullptr ? forecast_->first_rung.get() : nullptr);
}

bool PlannedGrid::decides_to_race() {
  if (forecast_ != nullptr && forecast_->rows != dataset_.rows()) forecast_ = nullptr;
  if (options_.race == Race::yes) {
    const std::string reason = reason_against_race(dataset_, options_);
    if (!reason.empty()) throw Error(ErrorCode::invalid_argument, "race: " + reason);
    return true;
  }
  if (forecast_ == nullptr) {
    own_ = forecast(dataset_, options_, context_);
    forecast_ = own_.get();
  }
  return forecast_ != nullptr && forecast_->races;
}

JudgedGrid PlannedGrid::judge() {
  if (race_) return race_->judge_last();
  std::optional<WantedCells> wanted;
  if (forecast_ != nullptr && forecast_->finished) {
    // All cells, with the gamma first that the pilot found best.
    const std::size_t costs = costs_of(options_);
    wanted.emplace(std::vector<bool>(forecast_->gammas.size() * costs, true), costs, forecast_->gammas);
    wanted->weigh(steps_of(forecast_->grid));
  }
  return judge_grid(dataset_, options_, resamples_, context_, {}, ScoredCells::if_they_fit, wanted);
}

void PlannedGrid::report(const JudgedGrid& judged, Selection& selection) {
  if (race_) race_->report(judged, selection);
  fall_back(selection);
}

void PlannedGrid::fall_back(Selection& selection) const {
  const auto complete = [](const Cell& cell) { return cell.complete; };
  if (!context_.monitor.should_stop() || forecast_ == nullptr) return;
  if (forecast_->grid.size() != selection.grid.size()) return;
  if (std::any_of(selection.grid.begin(), selection.grid.end(), complete)) return;
  for (std::size_t k = 0; k < selection.grid.size(); ++k) {
    const Cell parameters = selection.grid[k];  // gammas given by a word are resolved on all rows
    selection.grid[k] = forecast_->grid[k];
    selection.grid[k].gamma = parameters.gamma;
  }
  selection.stopped = context_.monitor.stop_reason();
}

}  // namespace credence::selection
