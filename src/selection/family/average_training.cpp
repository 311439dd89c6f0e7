#include <utility>

#include "credence/core/error.hpp"
#include "selection/choose/choose.hpp"
#include "selection/family/family_training.hpp"
#include "selection/family/member_cells.hpp"
#include "selection/frame/head.hpp"

namespace credence::selection {
namespace {

/// Appends the models of one kernel function and scaling, and what of them takes part.
void add_part(TrainedFamily trained, const MemberCells& rectangle, AverageRule& rule, Ensemble& ensemble) {
  const std::size_t before = ensemble.members.models();
  for (std::size_t model = 0; model < trained.cells.size(); ++model)
    if (rectangle.members[trained.cells[model]]) rule.members.push_back(static_cast<std::uint32_t>(before + model));
  const std::vector<MemberName> names = names_of(rectangle.cells, trained.cells);
  ensemble.names.insert(ensemble.names.end(), names.begin(), names.end());
  ensemble.members.parts.push_back({std::move(trained.preprocessing), std::move(trained.family)});
}

/// Of a model with members of several scalings, the standard one: known rows and familiarity rest on it.
data::Preprocessing preprocessing_of(const Ensemble& ensemble, const data::Dataset& dataset) {
  const std::vector<model::Members::Part>& parts = ensemble.members.parts;
  for (const model::Members::Part& part : parts)
    if (parts.size() == 1 || part.preprocessing->scaling == data::Scaling::standard) return *part.preprocessing;
  return data::Preprocessing::fit(dataset, data::Scaling::standard);
}

}  // namespace

std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context) {
  auto predictor = std::make_shared<Ensemble>();
  AverageRule rule;
  for (MemberCells& rectangle : member_cells(selection)) {
    TrainedFamily trained =
        train_family(dataset, all_rows(dataset.rows()), rectangle.options, context, rectangle.cells, rectangle.members);
    if (context.monitor.should_stop())
      throw Error(ErrorCode::interrupted, "training the average's settings on all rows was stopped");
    if (trained.family) add_part(std::move(trained), rectangle, rule, *predictor);
  }
  if (rule.members.empty())
    throw Error(ErrorCode::invalid_data, "no setting of the average has a solution on all rows");
  set_head(*predictor, dataset, preprocessing_of(*predictor, dataset), selection.options);
  for (model::Members::Part& part : predictor->members.parts)
    if (part.preprocessing->scaling == predictor->preprocessing.scaling) part.preprocessing.reset();
  predictor->record.rows = dataset.rows();
  predictor->record.resamples = selection.resamples;
  predictor->record.selected_error = selected_error(selection);
  predictor->calibration = selection.calibration;
  predictor->rule = std::move(rule);
  return predictor;
}

}  // namespace credence::selection
