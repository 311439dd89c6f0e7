#include "credence/selection/methods/cross_validation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "credence/selection/selector.hpp"
#include "selection/frame/head.hpp"
#include "selection/methods/left_out_losses.hpp"
#include "selection/resample/resamples.hpp"
#include "selection/score/clipped_scores.hpp"

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
    return ClippedScores::bytes_of(places, settings, classes) <= context.memory_budget;
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

}  // namespace

Selection CrossValidation::select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                  const Forecast* forecast) const {
  check_data(dataset, options);
  const std::vector<Resample> resamples = resamples_of_cv(dataset, options);
  std::size_t places = 0;
  for (const Resample& one : resamples) places += one.held_out().size();
  std::string note;
  const Options fitting =
      options.by_default.average ? fitting_memory(places, dataset.class_count(), options, context, note) : options;
  Selection selection = select_by_left_out_losses(dataset, fitting, resamples, "CV", context,
                                                  {.forecast = note.empty() ? forecast : nullptr});
  if (!note.empty()) selection.notes.push_back(std::move(note));
  return selection;
}

}  // namespace credence::selection
