#include "selection/choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/comparison.hpp"
#include "selection/grid/grid_run.hpp"

namespace credence::selection {
namespace {

bool on_border(std::size_t index, std::size_t count) {
  return count > 1 && (index == 0 || index + 1 == count);
}

/// Values of the axis other than gamma.
std::size_t cost_count(const Selection& selection, const Options& options) {
  if (options.learner() == Learner::knn) return selection.grid.size();
  return chooses_gamma_alone(options) ? 1 : options.costs().axis().size();
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
}

Selection describe(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  Selection selection;
  selection.method = options.name();
  selection.options = options;
  selection.task = options.task;
  selection.n = dataset.rows();
  selection.features = dataset.features.columns();
  selection.classes = dataset.schema.classes;
  selection.class_counts.assign(dataset.class_count(), 0);
  for (std::size_t i = 0; !dataset.is_regression() && i < dataset.rows(); ++i)
    ++selection.class_counts[static_cast<std::size_t>(dataset.labels[i])];
  selection.scale_scope = *options.preparation.scope;
  selection.seed = options.seed;
  selection.threads = context.threads.count();
  selection.seconds = context.monitor.seconds();
  selection.version = version();
  return selection;
}

std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options) {
  if (!options.kernels().shape.uses_gamma()) return {0};
  std::vector<double> gammas;
  data::Features features;
  for (const kernel::GammaRule& rule : options.kernels().gamma) {
    if (rule.kind != kernel::GammaRule::Kind::value && features.rows() == 0)
      features = data::Preprocessing::fit(dataset, *options.preparation.scaling).apply(dataset);
    gammas.push_back(kernel::resolve_gamma(rule, options.kernels().shape.type, features));
  }
  return gammas;
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
  const std::size_t costs = cost_count(selection, options);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < selection.grid.size(); ++k)
    if (!usable_only || selection.grid[k].complete) order.push_back(k);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(a % costs, selection.grid[a].gamma) < std::tuple(b % costs, selection.grid[b].gamma);
  });
  return order;
}

void choose(const Options& options, Selection& selection, const std::function<bool(const Cell&)>& eligible) {
  std::vector<std::size_t> order = preference(selection, options, true);
  std::erase_if(order, [&](std::size_t k) {
    const Cell& cell = selection.grid[k];
    return !std::isfinite(cell.error) || (eligible && !eligible(cell));
  });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return selection.grid[a].error < selection.grid[b].error; });
  if (order.empty()) return;
  selection.best = order[0];
  if (order.size() > 1) selection.runner_up = order[1];
  const std::size_t values = cost_count(selection, options);
  selection.best_on_border =
      on_border(order[0] % values, values) || on_border(order[0] / values, selection.grid.size() / values);
}

void warn_of_memory(Selection& selection) {
  selection.memorised = true;
  selection.warnings.emplace_back(
      "the machine of the chosen kernel repeats its training targets: its standard deviations say nothing; intervals "
      "from rows left out do not need them");
}

void note_effective(double effective, Selection& selection) {
  selection.effective = effective;
  std::string sentence = selection.memorised ? "" : rvm::many_kernels_sentence(effective, selection.n);
  if (!sentence.empty()) selection.warnings.push_back(std::move(sentence));
}

BbcOptions bbc_options(const Options& options) {
  BbcOptions bbc;
  bbc.resamples = options.estimate_samples;
  bbc.delta = options.delta;
  bbc.seed = options.seed;
  bbc.bounded = options.task == data::Task::classification;
  return bbc;
}

void add_bbc(const Options& options, const core::Context& context, std::size_t rows, std::span<const int> clusters,
             const std::function<HonestEstimate(const core::Context&)>& make, Selection& selection) {
  if (!wants(Estimate::bbc, options, context)) return;
  const bool one_cluster =
      !clusters.empty() && std::ranges::adjacent_find(clusters, std::not_equal_to<>{}) == clusters.end();
  if (rows < 2 || one_cluster) {
    selection.warnings.emplace_back(
        "there is no honest estimate: the rows held out are a single row, group or fixed fold");
    return;
  }
  context.monitor.expect(1);
  core::Monitor part(context.monitor, 1);
  HonestEstimate estimate = make({context.threads, part, context.memory_budget});
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();
  } else if (estimate.resamples > 0) {
    if (!clusters.empty() && estimate.error == 0) {
      selection.warnings.emplace_back(
          "no group or fixed fold has an error, so that nothing tells how much its rows depend on each other: in the "
          "interval of the honest estimate each of them counts as one trial at most");
    }
    selection.honest = std::move(estimate);
  }
}

bool wants(Estimate estimate, const Options& options, const core::Context& context) {
  return options.estimate == estimate && !context.monitor.should_stop();
}

void finish(const data::Dataset& dataset, const Options& options, const core::Context& context, const LossTable& losses,
            Selection& selection) {
  choose(options, selection);
  if (selection.best) {
    const std::vector<std::size_t> order = preference(selection, options, true);
    add_bbc(
        options, context, dataset.rows(), dataset.clusters(),
        [&](const core::Context& part) {
          return bbc_of_smallest_loss(losses, order, dataset.clusters(), bbc_options(options), part);
        },
        selection);
  }
  conclude(dataset, options, context, selection);
}

namespace {

/// "a, b, c": the first few, and how many more.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  const std::string text = fmt::format("{}", fmt::join(first, ", "));
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

/// What the bounds of an estimation rest on, where it is not given.
void add_warnings_of_bounds(const data::Dataset& dataset, const Options& options, const core::Context& context,
                            Selection& selection) {
  if (!dataset.clusters().empty()) {
    selection.warnings.push_back(fmt::format(
        "the bounds count the rows of a {0} as independent; where rows of a {0} depend on each other, the bounds do "
        "not hold",
        dataset.folds.empty() ? "group" : "fixed fold"));
  }
  if (!options.is<LeaveOneOut>() && selection.scale_scope == ScaleScope::all &&
      !fits_nothing(dataset, options, context)) {
    selection.warnings.emplace_back(
        "the preprocessing (scaling, filled cells, levels, or a gamma given by a word) was fitted on all rows, those "
        "that "
        "judge too, so the bounds are not proved; they are with a fit in each fold");
  }
}

/// What counts rows as independent that may not be.
void add_warnings_of_clusters(const data::Dataset& dataset, const Options& options, Selection& selection) {
  if (dataset.clusters().empty()) return;
  const char* cluster = dataset.folds.empty() ? "group" : "fixed fold";
  if (options.is<Nonconformity>()) {
    selection.warnings.push_back(fmt::format(
        "the limits of nonconformity count the validation rows of a {0} as independent; where they depend on each "
        "other, the limits do not hold",
        cluster));
  } else if (options.traits().calibrates) {
    selection.warnings.push_back(fmt::format(
        "what is kept for p-values or intervals of new rows counts the rows of a {0} as independent; where they depend "
        "on each other, regions err more often than they say",
        cluster));
  }
}

void add_warnings(const data::Dataset& dataset, const Options& options, Selection& selection) {
  const auto preprocessing = data::Preprocessing::fit(dataset, *options.preparation.scaling);
  if (!preprocessing.constant.empty())
    selection.warnings.push_back("constant on all rows, hence without effect: " + first_of(preprocessing.constant));
  const bool folded = options.traits().folds ||
                      (options.traits().evidence && selection.folds > 0);  // whose C was chosen by cross-validation
  for (std::size_t c = 0; folded && c < selection.class_counts.size(); ++c) {
    if (selection.class_counts[c] < static_cast<std::size_t>(selection.folds)) {
      selection.warnings.push_back(fmt::format("class '{}' has {} {} for {} folds, so some folds hold none of it out",
                                               selection.classes[c], selection.class_counts[c],
                                               selection.class_counts[c] == 1 ? "row" : "rows", selection.folds));
    }
  }
  if (!dataset.folds.empty() && !folded && !options.traits().draws && !options.is<LeaveOneOut>())
    selection.warnings.push_back(fmt::format("the fixed folds of the data are not used by {}", options.name()));
  if (!dataset.hint.empty() && !selection.in_sample())
    selection.warnings.push_back(fmt::format("the hint of the data is not used by {}", options.name()));
  add_warnings_of_clusters(dataset, options, selection);
  std::size_t unconverged = 0;
  for (const Cell& cell : selection.grid) unconverged += cell.unconverged;
  if (unconverged > 0) {
    const bool machines = options.learner() == Learner::rvm;
    selection.warnings.push_back(
        fmt::format("{} of the {}; {} approximate", unconverged,
                    machines ? "relevance vector machines met the iteration limit while their evidence still moved"
                             : "solves met the step limit before the tolerance",
                    unconverged == 1 ? "it is" : "their results are"));
  }
  const auto infeasible =
      std::count_if(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.infeasible; });
  if (infeasible > 0) {
    selection.warnings.push_back(
        fmt::format("{} of {} cells are left out: no machine can have their nu on some of the training rows",
                    infeasible, selection.grid.size()));
  }
}

}  // namespace

void add_nested(const data::Dataset& dataset, const Options& options, const core::Context& context,
                Selection& selection) {
  try {
    HonestEstimate estimate = nested_estimate(dataset, options, context);
    if (context.monitor.should_stop())
      selection.stopped = context.monitor.stop_reason();
    else
      selection.honest = std::move(estimate);
  } catch (const Error& error) {
    selection.warnings.push_back(fmt::format("there is no nested estimate: {}", error.sentence()));
  }
}

void conclude(const data::Dataset& dataset, const Options& options, const core::Context& context,
              Selection& selection) {
  if (std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.infeasible; })) {
    throw Error(ErrorCode::invalid_data,
                "no machine can have any nu of the list on all training parts of these rows; a nu can be at most twice "
                "the share of the smaller class, and must not be too near 0",
                {dataset.source, 0, ""});
  }
  add_warnings(dataset, options, selection);
  if (options.traits().bounds) add_warnings_of_bounds(dataset, options, context, selection);
  const bool all_done = std::all_of(selection.grid.begin(), selection.grid.end(),
                                    [](const Cell& cell) { return cell.complete || cell.infeasible; });
  if (all_done && wants(Estimate::nested, options, context)) add_nested(dataset, options, context, selection);
  if (!all_done) selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - selection.seconds;
}

}  // namespace credence::selection
