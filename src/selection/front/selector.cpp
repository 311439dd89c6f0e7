#include "credence/selection/selector.hpp"

#include "credence/core/error.hpp"
#include "selection/estimate/set_aside.hpp"
#include "selection/front/proof.hpp"
#include "selection/resample/set_aside_rows.hpp"

namespace credence::selection {

Selector::Selector(const Options& options) : options_(options.resolved()) {
  throw_if_any(options.validate());
}

Selection Selector::select(const data::Dataset& dataset, const core::Context& context, const Forecast* forecast) const {
  Options options = options_;
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
