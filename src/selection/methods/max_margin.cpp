#include <fmt/format.h>

#include <functional>
#include <map>
#include <ranges>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/core/list.hpp"
#include "selection/frame/frame.hpp"
#include "selection/methods/hold_out.hpp"
#include "selection/methods/methods.hpp"

namespace credence::selection {
namespace {

/// The validation rows take no part in what decides, so their error is an honest estimate as it stands.
HonestEstimate error_of_largest_margin(const HeldOutRun& run, const Options& options) {
  std::map<int, FoldErrors> clusters;  // all rows are one where none belong together
  for (std::size_t i = 0; i < run.labels.size(); ++i) {
    FoldErrors& errors = clusters[run.clusters.empty() ? 0 : run.clusters[i]];
    ++errors.rows;
    errors.errors += largest_margin(run.scores, i).label != run.labels[i] ? 1U : 0U;
  }
  const auto counts = core::mapped(std::views::values(clusters), std::identity());
  const bool copies = options.copies == data::Copies::fold;
  const double share =
      run.clusters.empty() ? 1 : static_cast<double>(counts.size()) / static_cast<double>(run.labels.size());
  HonestEstimate estimate = estimate_of_folds(counts, !run.clusters.empty() && !copies, options.delta, share);
  estimate.method = "hold-out";
  estimate.resamples = 1;
  if (run.clusters.empty()) {
    const FoldErrors& all = counts.front();
    const bounds::Interval interval = bounds::clopper_pearson(all.errors, all.rows, estimate.delta);
    estimate.lower = interval.lower;
    estimate.upper = interval.upper;
    estimate.interval = "Clopper-Pearson";
    estimate.trials = static_cast<double>(all.rows);
  }
  return estimate;
}

}  // namespace

/// SVM-Linf: each row is given to the model with the largest margin.
Selection select_by(const MaxMargin&, const data::Dataset& dataset, const Options& options,
                    const core::Context& context, const Forecast*) {
  HeldOutRun run = hold_out(dataset, options, context);
  if (!run.members.empty()) {
    auto predictor = std::make_shared<Ensemble>(run.predictor(dataset));
    predictor->rule = MaxMarginRule{};
    if (wants(Estimate::bbc, options, context)) run.selection.honest = error_of_largest_margin(run, options);
    run.selection.predictor = std::move(predictor);
  }
  conclude(dataset, context, run.selection);
  return std::move(run.selection);
}

}  // namespace credence::selection
