#include "selection/frame/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "credence/core/list.hpp"
#include "credence/kernel/kernel.hpp"
#include "credence/rvm/train.hpp"
#include "credence/selection/partition.hpp"

namespace credence::selection {
namespace {

/// "a, b, c": the first few, and how many more.
std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  const std::string text = fmt::format("{}", fmt::join(first, ", "));
  return names.size() > most ? fmt::format("{} and {} more", text, names.size() - most) : text;
}

/// What counts rows as independent that may not be.
void add_warnings_of_clusters(const data::Dataset& dataset, const Options& options, Selection& selection) {
  if (dataset.clusters().empty()) return;
  const char* rows = !dataset.folds.empty()   ? "rows of a fixed fold"
                     : dataset.groups.empty() ? "copies of a row"
                                              : "rows of a group";
  const bool bounds = selection.in_sample() || selection.estimation();
  if (bounds && !dataset.folds.empty())
    selection.warnings.emplace_back("the bounds do not hold if the rows of a fixed fold depend on each other");
  if (options.is<Nonconformity>()) {
    selection.warnings.push_back(
        fmt::format("the limits of {} do not hold if the validation {} depend on each other", options.name(), rows));
  } else if (options.traits().calibrates) {
    selection.warnings.push_back(fmt::format(
        "prediction sets and intervals miss more often than they say if the {} depend on each other", rows));
  }
}

/// Resamples that do not count, because their rows have no score.
void add_warning_of_score(const Options& options, Selection& selection) {
  if (options.score == Score::accuracy || !selection.best) return;
  const std::vector<double>& scores = selection.grid[*selection.best].split_scores;
  const auto undefined = std::ranges::count_if(scores, [](double score) { return std::isnan(score); });
  if (undefined > 0) {
    selection.warnings.push_back(
        fmt::format("{} of {} resamples hold one class out only and have no {}; they do not count", undefined,
                    scores.size(), title(options.score)));
  }
}

/// Whether the chosen setting lies beside a setting that was given up, in C, in gamma or in both.
bool beside_given_up(const Options& options, const Selection& selection) {
  if (!selection.best) return false;
  const std::size_t costs = options.costs.axis().size();
  const auto near = [](std::size_t a, std::size_t b) { return std::max(a, b) - std::min(a, b) <= 1; };
  for (std::size_t k = 0; k < selection.grid.size(); ++k)
    if (selection.grid[k].given_up != GivenUp::no && near(k % costs, *selection.best % costs) &&
        near(k / costs, *selection.best / costs))
      return true;
  return false;
}

void add_warnings_of_given_up(const Options& options, Selection& selection) {
  const std::size_t settings = selection.grid.size();
  const auto count = [&](GivenUp reason) {
    return static_cast<std::size_t>(
        std::ranges::count_if(selection.grid, [&](const Setting& setting) { return setting.given_up == reason; }));
  };
  const std::size_t budget = count(GivenUp::step_budget);
  const std::size_t limit = count(GivenUp::step_limit);
  const auto share = [&](std::size_t given_up) {
    return fmt::format("{} of {} settings ({:.0f} %) {} given up and cannot be chosen", given_up, settings,
                       100.0 * static_cast<double>(given_up) / static_cast<double>(settings),
                       given_up == 1 ? "is" : "are");
  };
  if (budget > 0) {
    selection.warnings.push_back(share(budget) +
                                 " (step budget): their gamma had spent its steps, and a smaller C was clearly better; "
                                 "give_up = 0 solves them");
  }
  if (limit > 0) {
    selection.warnings.push_back(share(limit) +
                                 " (step limit): a solve of their gamma met the step limit at a smaller C; give_up = 0 "
                                 "solves them");
  }
  if (budget + limit > 0 && beside_given_up(options, selection))
    selection.warnings.emplace_back(
        "the best setting lies beside a setting that was given up; give_up = 0 compares them");
}

/// Classes with fewer rows than folds, in one sentence.
void add_warning_of_small_classes(Selection& selection) {
  const std::vector<std::size_t> small = core::numbers_where(selection.class_counts.size(), [&](std::size_t c) {
    return selection.class_counts[c] < static_cast<std::size_t>(selection.resamples);
  });
  if (small.empty()) return;
  if (small.size() == 1) {
    const std::size_t rows = selection.class_counts[small.front()];
    selection.warnings.push_back(fmt::format("class '{}' has {} {} for {} folds, so some folds judge no row of it",
                                             selection.classes[small.front()], rows, rows == 1 ? "row" : "rows",
                                             selection.resamples));
    return;
  }
  const std::vector<std::string> names = core::mapped(
      small, [&](std::size_t c) { return fmt::format("'{}' ({})", selection.classes[c], selection.class_counts[c]); });
  selection.warnings.push_back(fmt::format(
      "{} classes have fewer rows than there are folds, so for each of them some of the {} folds judge no row: {}",
      small.size(), selection.resamples, first_of(names)));
}

/// Classes that a fold does not train on: its model cannot name them.
void add_warning_of_lacking_classes(const data::Dataset& dataset, const Options& options, Selection& selection) {
  if (dataset.is_regression()) return;
  std::size_t folds = 0;
  std::size_t all = 0;
  std::vector<bool> lacking(selection.classes.size());
  for (const Resample& one : resamples_of_cv(dataset, options)) {
    std::vector<bool> trained(selection.classes.size());
    for (std::size_t i = 0; i < one.drawn.size(); ++i)
      if (one.drawn[i] > 0) trained[static_cast<std::size_t>(dataset.labels[i])] = true;
    ++all;
    if (std::ranges::find(trained, false) != trained.end()) ++folds;
    for (std::size_t c = 0; c < trained.size(); ++c) lacking[c] = lacking[c] || !trained[c];
  }
  if (folds == 0) return;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < lacking.size(); ++c)
    if (lacking[c]) names.push_back("'" + selection.classes[c] + "'");
  selection.warnings.push_back(
      fmt::format("the training rows of {} of {} folds lack a class ({}), which their models cannot name: scores, "
                  "probabilities and p-values of its rows are poor",
                  folds, all, first_of(names)));
}

}  // namespace

void add_warnings(const data::Dataset& dataset, Selection& selection,
                  const std::optional<std::vector<std::string>>& known) {
  const Options& options = selection.options;
  const std::vector<std::string> constant =
      known ? *known : data::Preprocessing::fit(dataset, options.preparation.scaling()).constant;
  if (!constant.empty())
    selection.warnings.push_back("constant on all rows, hence without effect: " + first_of(constant));
  const bool split = options.traits().splits && !dataset.splits.empty();
  const bool folded = (options.traits().folds && !split) ||
                      (options.traits().evidence && selection.resamples > 0);  // whose C was chosen by cross-validation
  if (folded) add_warning_of_small_classes(selection);
  if (options.is<CrossValidation>() || split) add_warning_of_lacking_classes(dataset, options, selection);
  if (!dataset.splits.empty() && !split)
    selection.warnings.push_back(fmt::format("the splits of the data are not used by {}", options.name()));
  if (!dataset.folds.empty() && !folded && options.resample_count(selection.n) == 0)
    selection.warnings.push_back(fmt::format("the fixed folds of the data are not used by {}", options.name()));
  add_warning_of_score(options, selection);
  if (!dataset.hint.empty() && !selection.in_sample())
    selection.warnings.push_back(fmt::format("the hint of the data is not used by {}", options.name()));
  add_warnings_of_clusters(dataset, options, selection);
  std::size_t unconverged = 0;
  for (const Setting& setting : selection.grid) unconverged += setting.unconverged;
  if (unconverged > 0) {
    const bool machines = options.learner() == Learner::rvm;
    selection.warnings.push_back(
        fmt::format("{} of the {}; {} approximate", unconverged,
                    machines ? "relevance vector machines met the iteration limit before the evidence had settled"
                             : "solves ended before the tolerance, at the step limit or in rounding errors",
                    unconverged == 1 ? "its result is" : "their results are"));
  }
  if (options.has_costs()) {
    add_warnings_of_given_up(options, selection);
    // A stopped selection may have chosen none: the last one has the largest C.
    const Setting& setting = selection.grid[selection.best.value_or(selection.grid.size() - 1)];
    const std::string beyond =
        beyond_floats(dataset, options, setting.C, {kernel::GammaRule::Kind::value, setting.gamma});
    if (!beyond.empty()) selection.warnings.push_back(beyond);
  }
  if (options.has_costs() && options.costs.class_weights.any() && !selection.weighted &&
      options.score == Score::accuracy) {
    selection.warnings.push_back(fmt::format(
        "the class weights count in training alone: {} does not weigh the errors by which it chooses", options.name()));
  }
  const auto infeasible = std::ranges::count_if(selection.grid, &Setting::infeasible);
  if (infeasible > 0) {
    selection.warnings.push_back(
        fmt::format("{} of {} settings are left out: no model can have their nu on some of the training rows",
                    infeasible, selection.grid.size()));
  }
}

std::string beyond_floats(const data::Dataset& dataset, const Options& options, double C,
                          const kernel::GammaRule& gamma) {
  using kernel::KernelType;
  constexpr double most = 1e8;  // docs/robustness.md
  const kernel::Shape& shape = options.kernels.shape();
  const bool grows = shape.type == KernelType::linear || shape.type == KernelType::polynomial;
  double largest = 1;  // the other kernels are bounded
  if (C > 0 && (grows || shape.type == KernelType::precomputed)) {
    const std::vector<std::size_t> looked_at = looked_at_rows(dataset.rows());
    const data::Dataset rows = looked_at.size() == dataset.rows() ? dataset.with_features(dataset.features.view())
                                                                  : dataset.select_rows(looked_at);
    const auto preprocessing =
        data::Preprocessing::fit(rows, grows ? options.preparation.scaling() : data::Scaling::none);
    std::vector<std::size_t> first = core::numbers_below(std::min<std::size_t>(rows.rows(), 100));
    const auto prepared = [&](const std::vector<std::size_t>& some) {
      return preprocessing.apply(rows.select_rows(some));
    };
    const kernel::Kernel of_rows =
        shape.with(shape.uses_gamma() ? kernel::resolve_gamma(gamma, shape.type, prepared(first)) : 1);
    for (std::size_t i = 0; i < rows.rows(); ++i) {  // one by one: a copy of wide rows is as large as the data
      const data::Features row = prepared({i});
      const data::DenseMatrix values = grows ? kernel::kernel_block(of_rows, row, row) : row.to_dense();
      for (const double value : values.row(0)) largest = std::max(largest, std::abs(value));
    }
  }
  if (!(C * largest >= most)) return {};
  return fmt::format(
      "C times the largest kernel value is {:.2g}: above about {:.0e}, single precision does not hold the rows "
      "apart, and the model may be wrong although its training ended; {}take a smaller C",
      C * largest, most, grows && options.preparation.scaling() == data::Scaling::none ? "scale the columns, or " : "");
}

void warn_of_memory(Selection& selection) {
  selection.memorised = true;
  selection.warnings.emplace_back(
      "the model of the chosen kernel repeats its training targets: its standard deviations say nothing; intervals "
      "from rows left out do not need them");
}

void note_effective(double effective, Selection& selection) {
  selection.effective = effective;
  std::string sentence = selection.memorised ? "" : rvm::many_kernels_sentence(effective, selection.n);
  if (!sentence.empty()) selection.warnings.push_back(std::move(sentence));
}

}  // namespace credence::selection
