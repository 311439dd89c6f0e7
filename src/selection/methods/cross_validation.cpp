#include "credence/selection/methods/cross_validation.hpp"

#include <fmt/format.h>

#include <utility>

#include "credence/selection/selector.hpp"
#include "selection/frame/head.hpp"
#include "selection/methods/left_out_losses.hpp"
#include "selection/resample/resamples.hpp"
#include "selection/score/clipped_scores.hpp"

namespace credence::selection {
namespace {

/// The default average keeps the scores of all settings: where they do not fit, fewer kernels and scalings are judged,
/// and at last the best setting is chosen.
/// @param note  gets what was left out
Options fitting_memory(const data::Dataset& dataset, Options options, const core::Context& context, std::string& note) {
  const auto fits = [&] {
    const std::size_t settings = kernels_of(options).size() * options.costs.axis().size();
    return ClippedScores::bytes_of(dataset.rows(), settings, dataset.class_count()) <= context.memory_budget;
  };
  std::string left_out;
  while (options.rule == Rule::average && !fits()) {
    std::vector<data::Scaling>& scalings = options.preparation.scalings;
    std::vector<kernel::KernelType>& types = options.kernels.types;
    left_out += left_out.empty() ? "" : ", ";
    if (scalings.size() > 1) {
      left_out += fmt::format("the scaling {}", core::word(scalings.back()));
      scalings.pop_back();
    } else if (types.size() > 1) {
      left_out += fmt::format("the {} kernel", core::word(types.back()));
      types.pop_back();
    } else {
      left_out += "the average (the best setting is chosen)";
      options.rule = Rule::best;
    }
  }
  if (!left_out.empty())
    note = fmt::format("the scores of all settings do not fit into {} MB: left out are {}",
                       context.memory_budget >> 20U, left_out);
  return options;
}

}  // namespace

Selection CrossValidation::select(const data::Dataset& dataset, const Options& options, const core::Context& context,
                                  const Forecast* forecast) const {
  check_data(dataset, options);
  std::string note;
  const Options fitting = options.averages_by_default ? fitting_memory(dataset, options, context, note) : options;
  Selection selection = select_by_left_out_losses(dataset, fitting, resamples_of_cv(dataset, options), "CV", context,
                                                  {.forecast = note.empty() ? forecast : nullptr});
  if (!note.empty()) selection.notes.push_back(std::move(note));
  return selection;
}

}  // namespace credence::selection
