#include "credence/selection/selector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/data/repeats.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/front/proof.hpp"
#include "selection/resample/resamples.hpp"
#include "selection/resample/set_aside_rows.hpp"

namespace credence::selection {
namespace {

/// Cross-validation of the chosen setting alone, by the score that chose; none where there is no such setting.
std::optional<Options> crossing_of_choice(const Selection& selection) {
  if (!selection.best || selection.partition() || selection.stopped != core::StopReason::none) return std::nullopt;
  Options crossing = selection.options;
  const bool of_machines = std::holds_alternative<RvmCandidates>(*crossing.candidates);
  if (!of_machines && !std::holds_alternative<SvmCandidates>(*crossing.candidates)) return std::nullopt;
  const Cell& best = selection.grid[*selection.best];
  crossing.method = CrossValidation{.loss = selection.options.loss(),
                                    .scoring = {selection.options.score(), selection.options.label_costs()}};
  crossing.estimate = Estimate::none;
  crossing.trust = model::Trust::measured;
  crossing.copies = data::Copies::keep;
  if (crossing.kernels().shape.uses_gamma()) crossing.kernels().gamma = {{kernel::GammaRule::Kind::value, best.gamma}};
  if (of_machines)
    crossing.machines().further = 0;
  else if (crossing.costs().nu.empty())
    crossing.costs().C = {best.C};
  else
    crossing.costs().nu = {best.nu};
  return crossing.validate().empty() ? std::optional(std::move(crossing)) : std::nullopt;
}

/// The standard error of the honest estimate; that of the chosen cell where there is none.
double error_of_quoted(const Selection& selection) {
  if (!selection.honest) return selection.grid[*selection.best].error_se;
  const HonestEstimate& honest = *selection.honest;
  if (honest.trials > 0) return std::sqrt(std::max(honest.error * (1 - honest.error), 0.0) / honest.trials);
  return honest.lower && honest.upper ? (*honest.upper - *honest.lower) / 4 : 0;
}

/// Says which columns seem to name subjects, unless the notes of the file do. Cross-validates the choice once more with
/// whole subjects of the first of them, and warns where its error is larger then by more than two standard errors.
void look_for_subjects(const data::Dataset& dataset, const std::vector<std::string>& said, const core::Context& context,
                       Selection& selection) {
  if (!dataset.copies_count_once && !dataset.clusters().empty()) return;
  const std::vector<std::size_t> columns = data::subject_columns(dataset);
  for (const std::size_t column : columns) {
    std::string note = data::subject_note(dataset, column);
    if (std::ranges::find(said, note) == said.end()) selection.notes.push_back(std::move(note));
  }
  std::optional<Options> crossing = columns.empty() ? std::nullopt : crossing_of_choice(selection);
  const std::optional<double> left = context.monitor.seconds_left();
  // What a time limit leaves is for the training on all rows.
  if (!crossing || context.monitor.should_stop() || (left && *left < selection.seconds)) return;
  data::Dataset grouped = dataset.with_features(dataset.features.view());
  grouped.copies.clear();
  grouped.copies_count_once = false;
  grouped.groups = data::groups_by(dataset, columns.front());
  crossing->as<CrossValidation>().folds = static_cast<int>(std::min<std::size_t>(grouped.units(), 10));
  core::Monitor beside(context.monitor, 0);
  try {
    const Selection crossed = Selector(*crossing).select(grouped, context.with(beside));
    if (!crossed.best || crossed.stopped != core::StopReason::none) return;
    const Cell& found = crossed.grid[*crossed.best];
    const double quoted = selection.honest ? selection.honest->error : *selection.chosen_error();
    if (!(found.error - quoted > 2 * std::hypot(found.error_se, error_of_quoted(selection)))) return;
    const bool rate = selection.honest_kind() == ScoreKind::error;
    const auto shown = [&](double value) {
      return rate ? fmt::format("{:.2f} %", 100 * value) : fmt::format("{:.4g}", value);
    };
    selection.warnings.insert(
        selection.warnings.begin(),
        fmt::format(
            "with whole subjects of column '{}' left out, the chosen setting has the {} {}, and {} without regard "
            "to them: for new subjects the first of these holds (--groups; Python: groups=)",
            dataset.schema.columns[columns.front()].name, rate ? "error" : loss_title(selection.options.score()),
            shown(found.error), shown(quoted)));
  } catch (const Error& error) {
    if (error.code() == ErrorCode::memory) throw;  // groups that cannot be dealt are not judged
  }
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
    return std::visit(
        [&](const auto& method) {
          if constexpr (requires { method.racing; })
            return method.select(rows, choosing, context, forecast);
          else
            return method.select(rows, choosing, context);
        },
        choosing.method);
  };
  Selection selection = options.estimate == Estimate::holdout
                            ? select_with_rows_set_aside(dataset, options, context, by_method)
                            : by_method(dataset, options);
  state_gaps(dataset, selection);
  used.tell(selection);
  if (options_.looks_for_subjects && options.estimate != Estimate::none)
    look_for_subjects(dataset, given.notes, context, selection);
  return selection;
}

Selection::Selection() = default;
Selection::Selection(const Selection&) = default;
Selection::Selection(Selection&&) noexcept = default;
Selection& Selection::operator=(const Selection&) = default;
Selection& Selection::operator=(Selection&&) noexcept = default;
Selection::~Selection() = default;

std::optional<double> Selection::chosen_error() const {
  if (average) return average->error;
  return best ? std::optional(grid[*best].error) : std::nullopt;
}

ScoreKind Selection::score_kind() const {
  if (evidence()) return ScoreKind::log_evidence;
  if (in_sample()) return ScoreKind::loss_bound;
  return options.loss() == Loss::soft ? ScoreKind::soft_loss : honest_kind();
}

ScoreKind Selection::honest_kind() const {
  if (task == data::Task::regression) return ScoreKind::squared_error;
  if (options.loss() == Loss::soft && honest && honest->method == "bbc") return ScoreKind::soft_loss;
  const ScoreKind kind = kind_of(options.score());
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
