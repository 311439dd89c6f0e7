#include <algorithm>
#include <set>
#include <utility>

#include "credence/core/error.hpp"
#include "selection/choose/choose.hpp"
#include "selection/family/family_training.hpp"

namespace credence::selection {
namespace {

/// The smallest rectangle of the grid with all members, from the most regularised cost on: paths begin there.
struct Rectangle {
  Options options;            ///< whose grid is the rectangle
  std::vector<Cell> cells;    ///< of that grid
  std::vector<bool> members;  ///< of each of its cells whether it takes part
};

Rectangle rectangle_of(const Selection& selection) {
  const std::vector<std::size_t>& members = selection.average->members;
  Rectangle rectangle{selection.options, {}, {}};
  Options& options = rectangle.options;
  const std::size_t costs = options.costs().axis().size();
  std::size_t last_cost = 0;
  std::set<std::size_t> gammas;
  for (const std::size_t cell : members) {
    last_cost = std::max(last_cost, cell % costs);
    gammas.insert(cell / costs);
  }
  (options.costs().nu.empty() ? options.costs().C : options.costs().nu).resize(last_cost + 1);
  std::vector<double> values;
  for (const std::size_t gamma : gammas) values.push_back(selection.grid[gamma * costs].gamma);
  if (options.kernels().shape.uses_gamma()) {
    options.kernels().gamma.clear();
    for (const double value : values) options.kernels().gamma.push_back({kernel::GammaRule::Kind::value, value});
  }
  rectangle.cells = named_cells(values, options);
  for (const std::size_t gamma : gammas)
    for (std::size_t cost = 0; cost <= last_cost; ++cost)
      rectangle.members.push_back(std::ranges::binary_search(members, gamma * costs + cost));
  return rectangle;
}

}  // namespace

std::shared_ptr<const model::Predictor> train_average(const data::Dataset& dataset, const Selection& selection,
                                                      const core::Context& context) {
  Rectangle rectangle = rectangle_of(selection);
  const TrainedFamily trained =
      train_family(dataset, all_rows(dataset.rows()), rectangle.options, context, rectangle.cells, rectangle.members);
  if (context.monitor.should_stop())
    throw Error(ErrorCode::interrupted, "training the average's cells on all rows was stopped");
  AverageRule rule;
  for (std::size_t model = 0; model < trained.cells.size(); ++model)
    if (rectangle.members[trained.cells[model]]) rule.members.push_back(static_cast<std::uint32_t>(model));
  if (!trained.family || rule.members.empty())
    throw Error(ErrorCode::invalid_data, "no cell of the average has a solution on all rows");
  auto predictor = std::make_shared<FamilyPredictor>(
      predictor_of(dataset, dataset.rows(), rectangle.options, trained, rectangle.cells));
  predictor->record.resamples = selection.resamples;
  predictor->record.selected_error = selected_error(selection);
  predictor->calibration = selection.calibration;
  predictor->rule = std::move(rule);
  return predictor;
}

}  // namespace credence::selection
