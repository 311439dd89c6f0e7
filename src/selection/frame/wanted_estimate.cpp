#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/selection/comparison.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/conclude.hpp"

namespace credence::selection {

BbcOptions bbc_options(const Options& options, bool weighted) {
  BbcOptions bbc;
  bbc.resamples = options.estimate_samples;
  bbc.delta = options.delta;
  bbc.seed = options.seed;
  bbc.of_copies = options.copies == data::Copies::fold;  // there are no groups then
  bbc.bounded = options.task == data::Task::classification && options.score == Score::accuracy && !weighted;
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
  HonestEstimate estimate = make(context.with(part));
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();
  } else if (estimate.resamples > 0) {
    if (estimate.interval == "Korn-Graubard" && estimate.error == 0) {
      selection.warnings.emplace_back(
          "no group or fixed fold has an error, so the data do not tell how much the rows of a group depend on each "
          "other: each group counts as one trial at most in the interval of the honest estimate");
    }
    estimate.score = loss_name(selection);
    selection.honest = std::move(estimate);
  }
}

bool wants(Estimate estimate, const Options& options, const core::Context& context) {
  return options.estimate == estimate && !context.monitor.should_stop();
}

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

}  // namespace credence::selection
