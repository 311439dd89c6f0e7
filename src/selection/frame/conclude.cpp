#include "selection/frame/conclude.hpp"

#include <algorithm>

#include "credence/core/error.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/warnings.hpp"

namespace credence::selection {

void finish(const data::Dataset& dataset, const Options& options, const core::Context& context,
            const std::function<LossTable()>& losses, const OutOfSample& said, Selection& selection,
            const OwnEstimate& own) {
  choose(options, selection);
  if (selection.best) {
    const std::vector<std::size_t> order = preference(selection, options, true);
    add_bbc(
        options, context, dataset.rows(), dataset.clusters(),
        [&](const core::Context& part) {
          if (own) return own(part);
          return said.empty() ? bbc_of_smallest_loss(losses(), order, dataset.clusters(),
                                                     bbc_options(options, selection.weighted), part)
                              : bbc_of_scores(said, dataset.rows(), order, options.rule_or_best(), dataset.clusters(),
                                              bbc_options(options, selection.weighted), part);
        },
        selection);
  }
  conclude(dataset, options, context, selection);
}

void conclude(const data::Dataset& dataset, const Options& options, const core::Context& context,
              Selection& selection) {
  if (std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) { return cell.infeasible; })) {
    throw Error(ErrorCode::invalid_data,
                "no machine can have any nu of the list on all training parts of these rows; a nu can be at most twice "
                "the share of the smaller class, and must not be too near 0",
                {dataset.source, 0, ""});
  }
  add_warnings(dataset, selection);
  const bool all_done = std::all_of(selection.grid.begin(), selection.grid.end(), [](const Cell& cell) {
    return cell.complete || cell.infeasible || cell.given_up != GivenUp::no || cell.rung > 0;
  });
  if (all_done && wants(Estimate::nested, options, context)) add_nested(dataset, options, context, selection);
  if (!all_done) selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - selection.seconds;
}

}  // namespace credence::selection
