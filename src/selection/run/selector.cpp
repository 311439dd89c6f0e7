#include "credence/selection/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/data/repeats.hpp"
#include "credence/selection/comparison.hpp"
#include "selection/asked.hpp"
#include "selection/choose/choose.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/methods/methods.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {

namespace {

/// The chosen setting alone, by the score that chose, with whole subjects of a column left out; none if it has no
/// folds.
std::optional<Setting> judged_by_subjects(const data::Dataset& dataset, std::size_t column, const Selection& selection,
                                          const core::Context& context) {
  data::Dataset grouped = dataset.with_features(dataset.features.view());
  grouped.groups = data::groups_by(dataset, column);
  Options one = selection.options;
  one.estimate = Estimate::none;
  one.p_values = model::PValues::cross;
  one = one.with(CrossValidation{.folds = static_cast<int>(std::min<std::size_t>(grouped.units(), 10))});
  one.rule = Rule::best;
  one.race = Race::automatic;
  one.looks_at_columns = false;
  const Setting& best = selection.grid[*selection.best];
  one = options_of_setting(one, best);
  if (one.kernels.shape().uses_gamma()) one.kernels.gamma = {{kernel::GammaRule::Kind::value, best.gamma}};
  if (one.has_rvms())
    one.rvms.further = 0;
  else
    (best.nu > 0 ? one.costs.nu : one.costs.C) = {best.nu > 0 ? best.nu : best.C};
  core::Monitor beside(context.monitor, 0);
  try {
    const Selection crossed = Selector(one).select(grouped, context.with(beside));
    if (crossed.best && crossed.stopped == core::StopReason::none) return crossed.grid[*crossed.best];
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;
  }
  return std::nullopt;
}

/// Names columns of subjects, unless the notes of the file do, and warns where the chosen setting errs more on whole
/// subjects than the honest estimate says, by more than two standard errors.
void look_for_subjects(const data::Dataset& dataset, const data::Dataset& given, const core::Context& context,
                       Selection& selection) {
  const bool one_kind = selection.options.has_costs() != selection.options.has_rvms();
  const bool has_setting = selection.best && !selection.partition() && one_kind;
  bool warned = selection.stopped != core::StopReason::none || !selection.honest;
  for (const std::size_t column : data::subject_columns(dataset)) {
    const std::string note = data::subject_note(dataset, column);
    if (std::ranges::find(given.notes, note) == given.notes.end()) selection.notes.push_back(note);
    // What a time limit leaves is for the training on all rows.
    if (warned || !has_setting || context.monitor.seconds_left().value_or(INFINITY) < selection.seconds) continue;
    const std::optional<Setting> found = judged_by_subjects(dataset, column, selection, context);
    const HonestEstimate& honest = *selection.honest;
    const double error = honest.lower ? (*honest.upper - *honest.lower) / 4 : selection.grid[*selection.best].error_se;
    warned = found && found->error - honest.error > 2 * std::sqrt(found->error_se * found->error_se + error * error);
    if (!warned) continue;
    const bool squares = selection.honest_kind() == ScoreKind::squared_error;  // whose root the estimate shows
    const double unit = selection.honest_kind() == ScoreKind::error ? 100 : 1;
    const auto shown = [&](double loss) { return squares ? std::sqrt(loss) : unit * loss; };
    selection.warnings.push_back(fmt::format(
        "with whole subjects of column '{0}' left out the chosen setting has the {1} {2:.4g}{4}, and without regard to "
        "them {3:.4g}{4}: quote the first for new subjects (--groups {0})",
        dataset.schema.columns[column].name, squares ? "root " + honest.score : honest.score, shown(found->error),
        shown(honest.error), unit > 1 ? " %" : ""));
  }
}

/// Warns of columns that tell the class alone, and notes one that does so nearly as well as what was chosen.
void look_at_columns_alone(const data::Dataset& dataset, const Options& options, const core::Context& context,
                           Selection& selection) {
  if (selection.stopped != core::StopReason::none) return;
  std::optional<data::Dataset> chosen_on;
  if (options.estimate == Estimate::holdout) chosen_on = rows_not_set_aside(dataset, options);
  const data::Dataset& rows = chosen_on ? *chosen_on : dataset;
  const ColumnsAlone found = columns_alone(rows, options, context);
  const std::optional<double> chosen = selection.chosen_error();
  if (std::string warning = found.warning(rows); !warning.empty()) {
    selection.warnings.push_back(std::move(warning));
    return;
  }
  std::string note = chosen && selection.score_kind() == ScoreKind::error ? found.note(rows, *chosen) : "";
  if (note.empty()) note = found.doubt(rows);
  if (!note.empty()) selection.notes.push_back(std::move(note));
}

/// The estimate by nested cross-validation. What was selected stands, whatever becomes of it.
void add_nested(const data::Dataset& dataset, const Options& options, const core::Context& context,
                Selection& selection) {
  const double begun = context.monitor.seconds();
  try {
    HonestEstimate estimate = nested_estimate(dataset, options, context);
    if (context.monitor.should_stop())
      selection.stopped = context.monitor.stop_reason();
    else
      selection.honest = std::move(estimate);
  } catch (const Error& error) {
    selection.warnings.push_back(fmt::format("there is no nested estimate: {}", error.sentence()));
  }
  selection.seconds += context.monitor.seconds() - begun;
}

}  // namespace

namespace {

void add_gaps_of_rows(const data::Dataset& dataset, std::vector<std::string>& gaps) {
  if (!dataset.groups.empty()) gaps.emplace_back("rows of a group count as independent rows");
  if (!dataset.copies.empty())
    gaps.emplace_back(
        "copies of a row count as independent rows, and folds depend on which rows are equal (--copies drop)");
}

/// @param own  of the method
std::vector<std::string> gaps_in_sample(const data::Dataset& dataset, const InSample& bound,
                                        const std::vector<std::string>& own) {
  std::vector<std::string> gaps;
  const std::size_t settings = bound.gammas.size() * bound.rhos.size();
  if (settings > 1 && !bound.united)
    gaps.push_back(
        fmt::format("the smallest of {} bounds was taken, each at this confidence (--union avoids it)", settings));
  gaps.insert(gaps.end(), own.begin(), own.end());
  if (!bound.fixed_in_advance)
    gaps.emplace_back(
        "scaling, filled values, levels or gamma were fitted on the rows of the bound (--scale none fits no scaling)");
  if (bound.hint_rows > 0)
    gaps.emplace_back("the rows of the hint were drawn by class (--hint-column with a hint from other rows avoids it)");
  if (!bound.positive_semidefinite)
    gaps.emplace_back("the kernel is not positive semi-definite: there is no space for w to have a norm in");
  add_gaps_of_rows(dataset, gaps);
  return gaps;
}

std::vector<std::string> gaps_out_of_sample(const data::Dataset& dataset, const Options& options,
                                            const ErrorEstimation& estimation, ScaleScope scope,
                                            const std::vector<std::string>& own) {
  std::vector<std::string> gaps;
  const std::size_t count = estimation.judgements.size();
  if (!estimation.independent)
    gaps.push_back(fmt::format("the rows that judge also chose the setting ({} avoids it)",
                               options.traits().overlaps ? "--nested" : "--method kfold-nested"));
  if (estimation.final_classifier == FinalClassifier::retrained) {
    gaps.push_back(
        fmt::format("the bounds are about a random one of these {}, not about the classifier retrained on all rows "
                    "(--final random avoids it)",
                    count));
  }
  if (count > 1 && !estimation.united)
    gaps.push_back(fmt::format("the mean of {} limits was taken, each at this confidence (--union avoids it)", count));
  gaps.insert(gaps.end(), own.begin(), own.end());
  if (scope == ScaleScope::all && !options.traits().scales_once && !fits_nothing(dataset, options))
    gaps.emplace_back("scaling, filled values, levels or gamma were fitted on all rows (--scale-scope fold avoids it)");
  add_gaps_of_rows(dataset, gaps);
  return gaps;
}

/// Fills `gaps` of an in-sample bound or of an error estimation, if the selection has found one: what separates a bound
/// as it was run from the theorem that it comes from.
void state_gaps(const data::Dataset& dataset, Selection& selection) {
  const Options& options = selection.options;
  const auto own = asked(
      options.method, std::vector<std::string>{},
      [&](const auto& method)
        requires requires { gaps_of(method, dataset, selection); }
      { return gaps_of(method, dataset, selection); });
  if (auto* bound = std::get_if<InSample>(&selection.found))
    bound->gaps = gaps_in_sample(dataset, *bound, own);
  else if (auto* estimation = std::get_if<ErrorEstimation>(&selection.found))
    estimation->gaps = gaps_out_of_sample(dataset, options, *estimation, selection.scale_scope, own);
}

}  // namespace

Selector::Selector(const Options& options) : options_(options.resolved()) {
  throw_if_any(options.validate());
}

Selection Selector::select(const data::Dataset& given, const core::Context& context, const Forecast* forecast) const {
  const RowsInUse used = rows_in_use(given, options_);
  const data::Dataset& dataset = *used.rows;
  Options options = used.options;
  options.estimate = options.estimate.value_or(default_estimate(dataset, options));
  const Choosing by_method = [&](const data::Dataset& rows, const Options& choosing) {
    return std::visit([&](const auto& method) { return select_by(method, rows, choosing, context, forecast); },
                      choosing.method);
  };
  Selection selection = options.estimate == Estimate::holdout
                            ? select_with_rows_set_aside(dataset, options, context, by_method)
                            : by_method(dataset, options);
  if (options.estimate == Estimate::nested && !options.traits().nests && selection.stopped == core::StopReason::none)
    add_nested(dataset, options, context, selection);
  state_gaps(dataset, selection);
  used.add_note_to(selection);
  if (options_.looks_at_columns) look_at_columns_alone(dataset, options, context, selection);
  if (options_.looks_at_columns && options.estimate != Estimate::none)
    look_for_subjects(dataset, given, context, selection);
  return selection;
}

std::optional<double> Selection::chosen_error() const {
  if (average) return average->error;
  return best ? std::optional(grid[*best].error) : std::nullopt;
}

ScoreKind Selection::score_kind() const {
  if (evidence()) return ScoreKind::log_evidence;
  if (in_sample()) return ScoreKind::loss_bound;
  return options.loss == Loss::soft ? ScoreKind::soft_loss : honest_kind();
}

ScoreKind Selection::honest_kind() const {
  if (options.task == data::Task::regression) return ScoreKind::squared_error;
  if (options.loss == Loss::soft && honest && honest->method == "bbc") return ScoreKind::soft_loss;
  const ScoreKind kind = kind_of(options.score);
  return kind == ScoreKind::error && weighted ? ScoreKind::weighted_error : kind;
}

std::optional<double> Selection::error_bound() const {
  if (in_sample()) return in_sample()->error_bound;
  if (!estimation() || !estimation()->independent) return std::nullopt;
  for (const ErrorBound& bound : estimation()->bounds)
    if (bound.name == "Clopper-Pearson" && bound.loss == Loss::hard) return bound.bound;
  return std::nullopt;
}

}  // namespace credence::selection
