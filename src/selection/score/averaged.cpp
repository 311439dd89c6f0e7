#include "selection/score/averaged.hpp"

#include <algorithm>

#include "credence/svm/loss.hpp"
#include "selection/choose/choose.hpp"

namespace credence::selection {
namespace {

/// The average as a grid of one cell, with room for what is kept.
OutOfSample one_cell_of(const OutOfSample& said) {
  OutOfSample one;
  one.score = said.score;
  one.kept = said.kept;
  one.soft = said.soft;
  one.by_rows = said.by_rows;
  one.classes = said.classes;
  one.cells = 1;
  one.rows = said.rows;
  one.truth = said.truth;
  one.weights = said.weights;
  one.costs = said.costs;
  one.label_costs = said.label_costs;
  one.starts = said.starts;
  if (one.kept == Kept::labels)
    one.labels.resize(one.places());
  else
    one.values.resize(one.places());
  return one;
}

/// The largest score; ties go to the lowest class.
std::size_t label_of(std::span<const double> scores) {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

/// What an accuracy counts at a place: the error or the soft loss, times what errors on its row cost.
double loss_at(const OutOfSample& said, std::size_t place, std::span<const double> scores) {
  const auto truth = static_cast<std::size_t>(said.truth[place]);
  const double loss = said.soft ? svm::soft_loss(scores[truth]) : label_of(scores) == truth ? 0 : 1;
  return said.costs.empty() ? loss : said.costs[place] * loss;
}

}  // namespace

OutOfSample averaged_margins(const OutOfSample& said, std::span<const std::size_t> members,
                             std::span<const double> weights) {
  OutOfSample one = one_cell_of(said);
  std::vector<double> scores(said.clipped.classes());
  for (std::size_t p = 0; p < one.places(); ++p) {
    if (!weights.empty() && weights[p] == 0) continue;
    said.clipped.mean(p, members, scores);
    if (one.takes_labels())
      one.set_label(0, p, label_of(scores));
    else
      one.values[p] = one.score == Score::accuracy ? loss_at(said, p, scores) : scores[1];
  }
  return one;
}

OutOfSample averaged(const OutOfSample& said, std::span<const std::size_t> members, std::uint64_t seed,
                     const core::Context& context) {
  OutOfSample one = averaged_margins(said, members);
  if (one.score == Score::log_loss) judge_by_sigmoids(seed, context, one);
  return one;
}

std::vector<RowLosses> losses_of_average(const OutOfSample& said, std::span<const std::size_t> members) {
  std::vector<RowLosses> losses;
  std::vector<double> scores(said.clipped.classes());
  for (std::size_t p = 0; p < said.places(); ++p) {
    said.clipped.mean(p, members, scores);
    const auto truth = static_cast<std::size_t>(said.truth[p]);
    losses.push_back({label_of(scores) != truth, svm::soft_loss(scores[truth])});
  }
  return losses;
}

void add_average(const OutOfSample& said, const Options& options, const core::Context& context, Selection& selection) {
  if (options.rule != Rule::average || context.monitor.should_stop()) return;
  std::vector<std::size_t> members = averaged_members(losses_of_cells(selection), preference(selection, options, true),
                                                      [&](std::size_t cell) { return selection.grid[cell].error_se; });
  if (members.empty()) return;
  Cell average;
  const OutOfSample one = averaged(said, members, options.seed, context);
  set_score(one, 0, average);
  if (said.by_rows) {
    if (one.kept == Kept::losses) average.error = loss_over_rows(one, 0).mean;
    average.error_se = error_over_rows(one, 0);
  }
  selection.average = CellAverage{std::move(members), average.error, average.error_se};
}

}  // namespace credence::selection
