#include <utility>

#include "credence/core/error.hpp"
#include "selection/choose/choose.hpp"
#include "selection/family/family_training.hpp"
#include "selection/family/member_cells.hpp"

namespace credence::selection {
std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context) {
  MemberCells rectangle = member_cells(selection);
  const TrainedFamily trained =
      train_family(dataset, all_rows(dataset.rows()), rectangle.options, context, rectangle.cells, rectangle.members);
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the average's cells on all rows was stopped");
  AverageRule rule;
  for (std::size_t model = 0; model < trained.cells.size(); ++model)
    if (rectangle.members[trained.cells[model]]) rule.members.push_back(static_cast<std::uint32_t>(model));
  if (!trained.family || rule.members.empty())
    throw Error(ErrorCode::invalid_data, "no cell of the average has a solution on all rows");
  auto predictor =
      std::make_shared<Ensemble>(predictor_of(dataset, dataset.rows(), rectangle.options, trained, rectangle.cells));
  predictor->record.resamples = selection.resamples;
  predictor->record.selected_error = selected_error(selection);
  predictor->calibration = selection.calibration;
  predictor->rule = std::move(rule);
  return predictor;
}

}  // namespace credence::selection
