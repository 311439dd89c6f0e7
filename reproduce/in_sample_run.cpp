#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

constexpr double hint_share = 0.3;
constexpr int folds = 10;
constexpr int resamples = 100;

/// What all methods have in common: a linear kernel on features that are prepared already, one grid for C and rho.
selection::Options common_options(std::uint64_t seed) {
  selection::Options options;
  options.kernel.type = kernel::KernelType::linear;
  options.grid.rho = selection::Grid::rho_list();
  options.grid.C = options.grid.rho;
  options.folds = folds;
  options.resamples = resamples;
  options.final_classifier = selection::FinalClassifier::random;
  options.estimate = selection::Estimate::none;
  options.scaling = data::Scaling::none;
  options.seed = seed;
  return options;
}

bool is_in_sample(Column column) {
  return column < kcv;
}

selection::Options options_of(Column column, selection::Loss loss, std::uint64_t seed) {
  constexpr std::array<const char*, column_count> methods{
      "maximal-discrepancy", "rademacher", "maximal-discrepancy", "rademacher", "kfold-nested", "loo", "bootstrap"};
  selection::Options options = common_options(seed);
  options.method = methods[column];
  options.loss = loss;
  if (column == md_hint || column == rc_hint) options.in_sample.hint = hint_share;
  return options;
}

/// Hoeffding's for the soft loss, Clopper-Pearson's for the hard one.
std::optional<double> held_out_bound(const selection::ErrorEstimation& estimation, selection::Loss loss) {
  const std::string name = loss == selection::Loss::soft ? "Hoeffding" : "Clopper-Pearson";
  for (const selection::ErrorBound& bound : estimation.bounds)
    if (bound.loss == loss && bound.name == name) return bound.bound;
  return std::nullopt;
}

void add_in_sample(const selection::InSample& found, Chosen& chosen) {
  const selection::InSampleCell& cell = found.cells[found.chosen.front()];
  chosen.bound = found.bound;
  chosen.estimate = cell.training_loss;
  chosen.in_sample = {found.n,        found.trials,     cell.training_loss, cell.complexity, cell.complexity_error,
                      cell.deviation, found.bound_upper};
}

Chosen chosen_of(const selection::Selection& selection, selection::Loss loss) {
  Chosen chosen;
  if (selection.best) {
    const selection::Cell& cell = selection.grid[*selection.best];
    chosen.hyper_parameter = selection.in_sample ? cell.rho : cell.C;
  }
  if (selection.in_sample) add_in_sample(*selection.in_sample, chosen);
  if (selection.estimation) {
    chosen.estimate = loss == selection::Loss::soft ? selection.estimation->soft : selection.estimation->hard;
    chosen.bound = held_out_bound(*selection.estimation, loss);
  }
  return chosen;
}

/// @throws Error interrupted
Chosen choose(Column column, selection::Loss loss, const Split& split, std::uint64_t seed,
              const core::Context& context) {
  const selection::Options options = options_of(column, loss, seed);
  const double start = context.monitor.seconds();
  const selection::Selection selection = selection::make_selector(options)->select(split.training, context);
  if (selection.stopped != core::StopReason::none) throw Error(ErrorCode::interrupted, "stopped");
  const auto predictor = selection::fitted(split.training, options, selection, context);
  Chosen chosen = chosen_of(selection, loss);
  chosen.seconds = context.monitor.seconds() - start;
  const std::vector<LinearClassifier> classifiers = linear_classifiers(*predictor);
  chosen.classifiers = classifiers.size();
  chosen.error = reference_error(classifiers, split.reference, context);
  return chosen;
}

/// @throws Error interrupted
Draw run_draw(const Settings& settings, const Split& split, std::uint64_t seed, const core::Context& context) {
  Draw draw{seed, {}};
  for (const Column column : settings.columns) {
    MethodResult result{column, choose(column, selection::Loss::soft, split, seed, context), {}};
    if (!is_in_sample(column)) result.hard = choose(column, selection::Loss::hard, split, seed, context);
    draw.methods.push_back(result);
  }
  return draw;
}

/// None if it was stopped.
std::optional<Draw> run_unless_stopped(const Settings& settings, const Split& split, std::uint64_t seed,
                                       std::size_t units, const core::Context& context) {
  core::Monitor monitor(context.monitor, units);
  const core::Context part{context.threads, monitor, context.memory_budget};
  try {
    return run_draw(settings, split, seed, part);
  } catch (const Error&) {
    if (!context.monitor.should_stop()) throw;
    return std::nullopt;
  }
}

std::size_t units_of_draw(std::size_t training_rows) {
  return training_rows * training_rows;
}

/// Draws 0, 1, ..., each from its seed by `split_of`.
template <class SplitOf>
void run_draws(Line& line, const Settings& settings, int draws, const SplitOf& split_of, const core::Context& context) {
  for (int d = 0; d < draws && !context.monitor.should_stop(); ++d) {
    const std::uint64_t seed = settings.seed + static_cast<std::uint64_t>(d);
    const Split split = split_of(seed);
    line.training_rows = split.training.rows();
    line.reference_rows = split.reference.rows();
    auto draw = run_unless_stopped(settings, split, seed, units_of_draw(line.training_rows), context);
    if (draw) line.draws.push_back(std::move(*draw));
  }
  line.complete = line.draws.size() == static_cast<std::size_t>(draws);
}

}  // namespace

std::size_t units_of(const Settings& settings, const PaperSet& set) {
  if (!set.is_mnist()) return static_cast<std::size_t>(settings.splits) * units_of_draw(set.rows - set.test_rows);
  std::size_t units = 0;
  for (const std::size_t line : settings.lines) units += units_of_draw(sizes[line]);
  return static_cast<std::size_t>(settings.draws) * units;
}

std::vector<Line> run_lines(const Settings& settings, const PaperSet& set, const data::Dataset& dataset,
                            const core::Context& context) {
  const std::vector<std::string> differences = mismatches(set, dataset);
  std::vector<Line> lines;
  if (!set.is_mnist()) {
    lines.push_back({&set, set.line, set.name, 0, 0, differences, {}, false});
    const auto split_of = [&](std::uint64_t seed) { return draw_stratified(set, dataset, seed); };
    run_draws(lines.back(), settings, settings.splits, split_of, context);
    return lines;
  }
  for (const std::size_t line : settings.lines) {
    lines.push_back({&set, line, std::to_string(sizes[line]), sizes[line], 0, differences, {}, false});
    const auto split_of = [&](std::uint64_t seed) { return draw_balanced(dataset, sizes[line], seed); };
    run_draws(lines.back(), settings, settings.draws, split_of, context);
  }
  return lines;
}

}  // namespace credence::reproduce::in_sample
