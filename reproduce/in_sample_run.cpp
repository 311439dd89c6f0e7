#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "reproduce/in_sample.hpp"

namespace credence::reproduce::in_sample {
namespace {

constexpr double hint_share = 0.3;
constexpr int folds = 10;
constexpr int resamples = 100;

bool is_in_sample(Column column) {
  return column < kcv;
}

selection::Method method_of(Column column, selection::Loss loss) {
  selection::InSampleOptions in_sample;
  if (column == md_hint || column == rc_hint) in_sample.hint = hint_share;
  const selection::Estimation estimation{loss, selection::FinalClassifier::random};
  switch (column) {
    case md_hint:
    case md:
      return selection::MaximalDiscrepancy{in_sample};
    case rc_hint:
    case rc:
      return selection::Rademacher{in_sample};
    case kcv:
      return selection::KFoldNested{folds, estimation};
    case loo:
      return selection::LeaveOneOut{estimation};
    case bts:
      break;
  }
  return selection::Bootstrap{.resamples = resamples, .estimation = estimation};
}

/// A linear kernel on features that are prepared already, one grid for C and rho.
selection::Options options_of(Column column, selection::Loss loss, std::uint64_t seed) {
  selection::Options options;
  options.method = method_of(column, loss);
  options.kernels().shape.type = kernel::KernelType::linear;
  if (!is_in_sample(column)) options.costs().C = selection::NormCandidates::rho_list();
  options.estimate = selection::Estimate::none;
  options.preparation.scaling = data::Scaling::none;
  options.seed = seed;
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
    chosen.hyper_parameter = selection.in_sample() ? cell.rho : cell.C;
  }
  if (selection.in_sample()) add_in_sample(*selection.in_sample(), chosen);
  if (const selection::ErrorEstimation* estimation = selection.estimation()) {
    chosen.estimate = loss == selection::Loss::soft ? estimation->soft : estimation->hard;
    chosen.bound = held_out_bound(*estimation, loss);
  }
  return chosen;
}

/// @throws Error interrupted
Chosen choose(Column column, selection::Loss loss, const Split& split, std::uint64_t seed,
              const core::Context& context) {
  const selection::Options options = options_of(column, loss, seed);
  const double start = context.monitor.seconds();
  const selection::Selection selection = selection::Selector(options).select(split.training, context);
  check_not_stopped(selection.stopped != core::StopReason::none);
  const auto predictor = selection::fitted(split.training, selection, context);
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
    auto draw = unless_stopped(units_of_draw(line.training_rows), context,
                               [&](const core::Context& part) { return run_draw(settings, split, seed, part); });
    if (draw) line.draws.push_back(std::move(*draw));
  }
  line.complete = line.draws.size() == static_cast<std::size_t>(draws);
}

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

class InSample : public ExperimentWith<Report> {
 public:
  explicit InSample(const Request& request) { report_.settings = settings_of(request); }

  std::vector<Part> read(const std::string& folder) override {
    drop_missing(folder);
    std::vector<Part> parts;
    for (const PaperSet* set : report_.settings.sets) {
      const auto dataset = std::make_shared<const data::Dataset>(read_set(*set, folder));
      parts.push_back({units_of(report_.settings, *set), [this, set, dataset](const core::Context& context) {
                         bool complete = true;
                         for (Line& line : run_lines(report_.settings, *set, *dataset, context)) {
                           complete = complete && line.complete;
                           report_.lines.push_back(std::move(line));
                         }
                         return complete;
                       }});
    }
    return parts;
  }

 private:
  /// Leaves out the sets without a file where none was asked for by name.
  void drop_missing(const std::string& folder) {
    std::vector<const PaperSet*> there;
    std::vector<const PaperSet*> missing;
    for (const PaperSet* set : report_.settings.sets) (exists(*set, folder) ? there : missing).push_back(set);
    if (!report_.settings.only_existing || there.empty()) return;
    report_.settings.sets = there;
    report_.missing = missing;
  }
};

}  // namespace

}  // namespace credence::reproduce::in_sample

std::unique_ptr<credence::reproduce::Experiment> credence::reproduce::in_sample_experiment(const Request& request) {
  return std::make_unique<in_sample::InSample>(request);
}
