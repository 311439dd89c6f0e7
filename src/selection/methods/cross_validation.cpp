
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/choose/choose.hpp"
#include "selection/ensemble/chosen_models.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/judged_grid.hpp"
#include "selection/methods/methods.hpp"
#include "selection/race/race.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/resample/resamples.hpp"

namespace credence::selection {
namespace {

/// The default average keeps the scores of all settings: where they do not fit, kernels and scalings that the default
/// grid has are left out, and at last the best setting is chosen. What was given stays.
/// @param places  where scores are kept: rows, as often as they are held out  @param note  gets what was left out
Options fitting_memory(std::size_t places, std::size_t classes, Options options, const core::Context& context,
                       std::string& note) {
  std::vector<data::Scaling>& scalings = options.preparation.scalings;
  std::vector<kernel::KernelType>& types = options.kernels.types;
  const auto fits = [&] {
    const std::size_t settings = kernels_of(options).size() * options.costs.axis().size();
    return Predictions::bytes_of(places, settings, classes) <= context.memory_budget;
  };
  std::vector<std::string> left_out;
  while (options.rule == Rule::average && !fits()) {
    if (options.by_default.scalings && scalings.size() > 1) {
      left_out.push_back(fmt::format("the scaling {}", core::word(scalings.back())));
      scalings.pop_back();
    } else if (options.by_default.kernels && types.size() > 1) {
      left_out.push_back(fmt::format("the {} kernel", core::word(types.back())));
      types.pop_back();
    } else {
      left_out.emplace_back("the average (the best setting is chosen)");
      options.rule = Rule::best;
    }
  }
  if (!left_out.empty())
    note = fmt::format("the scores of all settings do not fit into {} MB: left out {} {}", context.memory_budget >> 20U,
                       left_out.size() == 1 ? "is" : "are", fmt::join(left_out, ", "));
  return options;
}

/// Fills Selection::grid, and chooses.
void fill(const JudgedGrid& judged, const data::Dataset& dataset, const Options& options, Selection& selection) {
  selection.grid = settings_of(judged, dataset, options);
  choose(options, selection);
}

/// Fills Selection::grid and chooses; of relevance vector machines, judges further widths while the best setting lies
/// on the border.
/// @param judged  the grid of the options
JudgedGrid choose_among_further(JudgedGrid judged, const data::Dataset& dataset, const Options& options,
                                std::span<const Resample> resamples, const core::Context& context,
                                Selection& selection) {
  Options wide = options;
  fill(judged, dataset, options, selection);
  WidthWalk walk(options, selection);
  while (const std::optional<FurtherWidth> further = walk.next(selection, context)) {
    Options alone = options;
    alone.kernels.gamma = {{kernel::GammaRule::Kind::value, further->gamma}};
    const JudgedGrid one = judge_grid(dataset, alone, resamples, context);
    judged = further->front ? joined(one, judged) : joined(std::move(judged), one);
    auto& gammas = wide.kernels.gamma;
    gammas.insert(further->front ? gammas.begin() : gammas.end(), alone.kernels.gamma.front());
    fill(judged, dataset, wide, selection);
  }
  walk.mark_added(selection);
  return judged;
}

}  // namespace

Selection select_by(const CrossValidation&, const data::Dataset& dataset, const Options& given,
                    const core::Context& context, const Forecast* forecast) {
  check_data(dataset, given);
  const std::vector<Resample> resamples = resamples_of_cv(dataset, given);
  std::size_t places = 0;
  for (const Resample& one : resamples) places += one.held_out().size();
  std::string note;
  const Options options =
      given.by_default.average ? fitting_memory(places, dataset.class_count(), given, context, note) : given;
  if (!note.empty()) forecast = nullptr;
  Selection selection = begin_report(dataset, options, context);
  selection.score = score_name("CV", selection);
  selection.resamples = static_cast<int>(resamples.size());
  PlannedGrid planned(dataset, options, resamples, context, forecast);
  JudgedGrid judged = planned.judge();
  if (planned.races())  // over the settings of the grid alone
    fill(judged, dataset, options, selection);
  else
    judged = choose_among_further(std::move(judged), dataset, options, resamples, context, selection);
  planned.report(judged, selection);
  add_average(judged.predictions, options, context, selection);
  const OwnEstimate of_race = [&](const core::Context& part) {
    return planned.estimate(bbc_options(options, selection.weighted), judged.predictions, part);
  };
  finish(dataset, options, context, judged, selection, planned.races() ? of_race : OwnEstimate());
  calibrate(dataset, options, judged, "out-of-fold", resamples, context, selection);
  if (dataset.is_regression()) keep_regression(dataset, options, context, selection);
  if (!note.empty()) selection.notes.push_back(std::move(note));
  return selection;
}

}  // namespace credence::selection
