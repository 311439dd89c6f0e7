#include "selection/methods/left_out_losses.hpp"

#include <optional>
#include <utility>

#include "selection/choose/choose.hpp"
#include "selection/choose/further_widths.hpp"
#include "selection/chosen/retraining.hpp"
#include "selection/frame/conclude.hpp"
#include "selection/frame/head.hpp"
#include "selection/race/plan.hpp"
#include "selection/score/averaged.hpp"

namespace credence::selection {
namespace {

/// Fills Selection::grid, and chooses.
void fill(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options, Selection& selection) {
  selection.grid = cells_of(judged, dataset, options);
  choose(options, selection);
}

/// Judges further widths while the best cell lies on the border; fills Selection::grid.
/// @param judged  the grid of the options
JudgedGrid judge_further(JudgedGrid judged, const data::Dataset& dataset, const Options& options,
                         std::span<const Resample> resamples, const core::Context& context, Selection& selection) {
  Options wide = options;
  fill(judged, dataset, options, selection);
  WidthWalk walk(options, selection);
  while (const std::optional<FurtherWidth> further = walk.next(selection, context)) {
    Options alone = options;
    alone.kernels.gamma = {{kernel::GammaRule::Kind::value, further->gamma}};
    const JudgedGrid one = judge_grid(dataset, alone, resamples, context);
    judged = further->front ? joined(one, judged) : joined(judged, one);
    auto& gammas = wide.kernels.gamma;
    gammas.insert(further->front ? gammas.begin() : gammas.end(), alone.kernels.gamma.front());
    fill(judged, dataset, wide, selection);
  }
  walk.mark_added(selection);
  return judged;
}

}  // namespace

Selection select_by_left_out_losses(const data::Dataset& dataset, const Options& options,
                                    std::span<const Resample> resamples, const std::string& procedure,
                                    const core::Context& context, const KnownBefore& known) {
  FoundElsewhere* const found = known.found;
  Selection selection = begin_report(dataset, options, context);
  selection.score = score_name(procedure, selection);
  selection.resamples = static_cast<int>(resamples.size());
  std::optional<PlannedGrid> planned;
  if (found == nullptr) planned.emplace(dataset, options, resamples, context, known.forecast);
  JudgedGrid judged = planned ? planned->judge() : std::move(found->judged);
  if (planned && planned->races())  // over the cells of the grid alone
    fill(judged, dataset, options, selection);
  else
    judged = judge_further(std::move(judged), dataset, options, resamples, context, selection);
  if (planned) planned->report(judged, selection);
  add_average(judged.said, options, context, selection);
  const OwnEstimate of_race = [&](const core::Context& part) {
    return planned->estimate(bbc_options(options, selection.weighted), judged.said, part);
  };
  Options concluding = options;
  if (found != nullptr && options.estimate == Estimate::nested) concluding.estimate = Estimate::none;
  finish(
      dataset, concluding, context, [&] { return judged.losses(judging_loss(options, judged)); }, judged.said,
      selection, planned && planned->races() ? of_race : OwnEstimate());
  if (found != nullptr && found->add_nested) found->add_nested(selection);
  const model::Calibration* calibration = found != nullptr && selection.best ? found->calibration(selection) : nullptr;
  if (calibration != nullptr)
    selection.calibration = *calibration;
  else
    calibrate(dataset, options, judged, "out-of-fold", resamples, context, selection);
  if (dataset.is_regression()) keep_regression(dataset, options, context, selection);
  return selection;
}

}  // namespace credence::selection
