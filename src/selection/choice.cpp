#include "selection/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "selection/grid/grid_run.hpp"
#include "selection/score/error_weights.hpp"
#include "selection/warnings.hpp"

namespace credence::selection {
namespace {

/// Values of the axis other than gamma.
std::size_t costs_of_grid(const Selection& selection, const Options& options) {
  if (options.learner() == Learner::knn) return selection.grid.size();
  return chooses_gamma_alone(options) ? 1 : options.costs().axis().size();
}

/// Scores that are of two classes only.
void check_score(const data::Dataset& dataset, const Options& options) {
  const Score score = options.score();
  const bool by_sigmoid = score == Score::log_loss && options.learner() != Learner::rvm;
  const bool of_two = score == Score::roc_auc || score == Score::f1 || by_sigmoid;
  if (!of_two || dataset.class_count() == 2) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the {} is of two classes, and the data have {}",
                          by_sigmoid ? "log loss of SVMs" : title(score), dataset.class_count()),
              {dataset.source, 0, ""});
}

}  // namespace

bool chooses_gamma_alone(const Options& options) {
  return options.traits().evidence || options.learner() == Learner::rvm;
}

void check_data(const data::Dataset& dataset, const Options& options) {
  if (options.task != dataset.schema.task) {
    throw Error(ErrorCode::invalid_argument,
                dataset.is_regression() ? "the data are those of a regression, but a classifier was asked for"
                                        : "the data are those of a classifier, but a regression was asked for",
                {dataset.source, 0, ""});
  }
  if (dataset.is_regression())
    data::check_trainable_regression(dataset);
  else
    data::check_trainable(dataset);
  if (chooses_gamma_alone(options) && !dataset.weights.empty())
    throw Error(ErrorCode::invalid_data, "relevance vector machines take no sample weights", {dataset.source, 0, ""});
  check_score(dataset, options);
}

Selection begin_report(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  Selection selection;
  selection.method = options.name();
  selection.options = options;
  selection.task = options.task;
  selection.weighted = weighs_errors(dataset, options);
  selection.n = dataset.rows();
  selection.features = dataset.features.columns();
  selection.classes = dataset.schema.classes;
  selection.class_counts.assign(dataset.class_count(), 0);
  for (std::size_t i = 0; !dataset.is_regression() && i < dataset.rows(); ++i)
    ++selection.class_counts[static_cast<std::size_t>(dataset.labels[i])];
  if (!dataset.is_regression()) selection.class_shares = class_shares(dataset, options);
  selection.scale_scope = *options.preparation.scope;
  selection.seed = options.seed;
  selection.threads = context.threads.count();
  selection.seconds = context.monitor.seconds();
  selection.version = version();
  return selection;
}

std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options) {
  if (!options.has_kernels()) return {0};
  return resolved_gammas(options, [&] { return fit_preprocessing(dataset, options).apply(dataset); }, dataset.weights);
}

void set_head(model::Predictor& predictor, data::Schema schema, data::Preprocessing preprocessing,
              const Options& options, std::size_t rows) {
  predictor.schema = std::move(schema);
  predictor.missing = options.preparation.missing;
  predictor.preprocessing = std::move(preprocessing);
  predictor.record.method = options.name();
  predictor.record.rows = rows;
  predictor.record.seed = options.seed;
  predictor.record.tolerance = options.solver().tolerance;
  predictor.record.version = version();
}

std::string_view name(GivenUp reason) {
  switch (reason) {
    case GivenUp::no:
      return "no";
    case GivenUp::step_budget:
      return "step budget";
    case GivenUp::step_limit:
      return "step limit";
  }
  return "";
}

std::vector<Cell> named_cells(std::span<const double> gammas, const Options& options) {
  std::vector<Cell> cells;
  if (options.learner() == Learner::knn) {
    for (const int k : std::get<NeighbourCandidates>(*options.candidates).k) cells.emplace_back().k = k;
    return cells;
  }
  for (const double gamma : gammas) {
    if (chooses_gamma_alone(options)) {
      cells.emplace_back().gamma = gamma;
      continue;
    }
    for (const double cost : options.costs().axis()) {
      Cell& cell = cells.emplace_back();
      (options.costs().nu.empty() ? cell.C : cell.nu) = cost;
      cell.gamma = gamma;
    }
  }
  return cells;
}

std::vector<std::size_t> preference(const Selection& selection, const Options& options, bool usable_only) {
  const std::size_t costs = costs_of_grid(selection, options);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < selection.grid.size(); ++k)
    if (!usable_only || selection.grid[k].complete) order.push_back(k);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(a % costs, selection.grid[a].gamma) < std::tuple(b % costs, selection.grid[b].gamma);
  });
  return order;
}

bool on_border(std::size_t index, std::size_t count) {
  return count > 1 && (index == 0 || index + 1 == count);
}

std::optional<double> selected_error(const Selection& selection) {
  if (!selection.best || selection.weighted || selection.options.score() != Score::accuracy) return std::nullopt;
  return selection.grid[*selection.best].error;
}

double deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::optional<std::size_t> smallest(std::span<const double> losses, std::span<const std::size_t> preference) {
  std::optional<std::size_t> best;
  for (const std::size_t cell : preference)
    if (!std::isnan(losses[cell]) && (!best || losses[cell] < losses[*best])) best = cell;
  return best;
}

std::string loss_name(const Selection& selection) {
  if (selection.task == data::Task::regression) return "mean squared error";
  const Options& options = selection.options;
  return (selection.weighted ? "weighted " : "") +
         (options.loss() == Loss::soft ? "soft loss" : loss_title(options.score()));
}

std::string score_name(const std::string& procedure, const Selection& selection) {
  return procedure + ' ' + loss_name(selection);
}

void choose(const Options& options, Selection& selection, const std::function<bool(const Cell&)>& eligible) {
  const std::vector<std::size_t> order = preference(selection, options, true);
  std::vector<double> losses;
  for (const Cell& cell : selection.grid) {
    const bool counts = std::isfinite(cell.error) && (!eligible || eligible(cell));
    losses.push_back(counts ? cell.error : std::numeric_limits<double>::quiet_NaN());
  }
  const auto best = chosen_by(options.rule(), losses, order, [&](std::size_t k) { return selection.grid[k].error_se; });
  if (!best) return;
  selection.best = best;
  losses[*best] = std::numeric_limits<double>::quiet_NaN();
  if (const auto next = smallest(losses, order)) selection.runner_up = next;
  const std::size_t values = costs_of_grid(selection, options);
  selection.best_on_border =
      on_border(*best % values, values) || on_border(*best / values, selection.grid.size() / values);
}

void finish(const data::Dataset& dataset, const Options& options, const core::Context& context,
            const std::function<LossTable()>& losses, const OutOfSample& said, Selection& selection,
            const OwnEstimate& own) {
  choose(options, selection);
  if (selection.best) {
    const std::vector<std::size_t> order = preference(selection, options, true);
    add_bbc(
        options, context, dataset.rows(), dataset.clusters(),
        [&](const core::Context& part) {
          if (own) return own(part);
          return said.empty() ? bbc_of_smallest_loss(losses(), order, dataset.clusters(),
                                                     bbc_options(options, selection.weighted), part)
                              : bbc_of_scores(said, dataset.rows(), order, options.rule(), dataset.clusters(),
                                              bbc_options(options, selection.weighted), part);
        },
        selection);
  }
  conclude(dataset, options, context, selection);
}

void conclude(const data::Dataset& dataset, const Options& options, const core::Context& context,
              Selection& selection) {
  if (std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.infeasible; })) {
    throw Error(ErrorCode::invalid_data,
                "no machine can have any nu of the list on all training parts of these rows; a nu can be at most twice "
                "the share of the smaller class, and must not be too near 0",
                {dataset.source, 0, ""});
  }
  add_warnings(dataset, selection);
  const bool all_done = std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) {
    return cell.complete || cell.infeasible || cell.given_up != GivenUp::no || cell.rung > 0;
  });
  if (all_done && wants(Estimate::nested, options, context)) add_nested(dataset, options, context, selection);
  if (!all_done) selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - selection.seconds;
}

}  // namespace credence::selection
