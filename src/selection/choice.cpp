#include "selection/choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "credence/core/version.hpp"

namespace credence::selection {
namespace {

/// Smaller error; ties to the smaller C, then to the smaller gamma.
bool better(const Cell& a, const Cell& b) {
  return std::tuple(a.error, a.C, a.gamma) < std::tuple(b.error, b.C, b.gamma);
}

bool on_border(std::size_t index, std::size_t count) {
  return count > 1 && (index == 0 || index + 1 == count);
}

}  // namespace

Selection describe(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  Selection selection;
  selection.method = options.method;
  selection.n = dataset.rows();
  selection.features = dataset.features.columns();
  selection.classes = dataset.schema.classes;
  selection.class_counts.assign(dataset.class_count(), 0);
  for (const int label : dataset.labels) {
    ++selection.class_counts[static_cast<std::size_t>(label)];
  }
  selection.scale_scope = options.resolved_scale_scope();
  selection.seed = options.seed;
  selection.threads = context.threads.count();
  selection.version = version();
  return selection;
}

std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options) {
  if (!options.kernel.uses_gamma()) {
    return {0};
  }
  std::vector<double> gammas;
  data::Features features;
  for (const kernel::GammaRule& rule : options.grid.gamma) {
    if (rule.kind != kernel::GammaRule::Kind::value && features.rows() == 0) {
      features = data::Preprocessing::fit(dataset, options.scaling).apply(dataset);
    }
    gammas.push_back(kernel::resolve_gamma(rule, options.kernel.type, features));
  }
  return gammas;
}

void choose(const Options& options, Selection& selection) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < selection.grid.size(); ++k) {
    if (selection.grid[k].complete) {
      order.push_back(k);
    }
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return better(selection.grid[a], selection.grid[b]); });
  if (order.empty()) {
    return;
  }
  selection.best = order[0];
  if (order.size() > 1) {
    selection.runner_up = order[1];
  }
  const std::size_t values = options.grid.C.size();
  selection.best_on_border =
      on_border(order[0] % values, values) || on_border(order[0] / values, selection.grid.size() / values);
}

void add_warnings(const data::Dataset& dataset, const Options& options, Selection& selection) {
  const auto preprocessing = data::Preprocessing::fit(dataset, options.scaling);
  if (!preprocessing.constant.empty()) {
    selection.warnings.push_back(
        fmt::format("constant on all rows, hence without effect: {}", fmt::join(preprocessing.constant, ", ")));
  }
  for (std::size_t c = 0; c < selection.class_counts.size(); ++c) {
    if (selection.class_counts[c] < static_cast<std::size_t>(selection.folds)) {
      selection.warnings.push_back(fmt::format("class '{}' has {} rows for {} folds, so some folds hold none of it out",
                                               selection.classes[c], selection.class_counts[c], selection.folds));
    }
  }
  std::size_t unconverged = 0;
  for (const Cell& cell : selection.grid) {
    unconverged += cell.unconverged;
  }
  if (unconverged > 0) {
    selection.warnings.push_back(
        fmt::format("{} solves met the step limit before the tolerance; their results are approximate", unconverged));
  }
}

}  // namespace credence::selection
