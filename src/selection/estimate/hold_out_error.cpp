#include <algorithm>

#include "credence/core/list.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/judge/out_of_sample.hpp"
#include "selection/methods/hold_out.hpp"

namespace credence::selection {
namespace {

/// Cells of the family that have the fewest errors on the drawn validation rows, in order of preference.
std::vector<std::uint32_t> fewest_errors(const HeldOutRun& run, std::span<const std::uint32_t> order,
                                         std::span<const std::uint32_t> drawn) {
  std::vector<std::size_t> errors(run.cells.size(), 0);
  for (std::size_t i = 0; i < run.labels.size(); ++i)
    for (std::size_t k = 0; drawn[i] > 0 && k < errors.size(); ++k)
      errors[k] += run.scores.label(i, k) != run.labels[i] ? drawn[i] : 0U;
  const std::size_t fewest = *std::ranges::min_element(errors);
  std::vector<std::uint32_t> members;
  std::copy_if(order.begin(), order.end(), std::back_inserter(members),
               [&](std::uint32_t k) { return errors[k] == fewest; });
  return members;
}

/// The models of the family in the order in which ties are settled.
std::vector<std::uint32_t> family_order(const HeldOutRun& run, const Options& options) {
  return core::mapped(preference(run.selection, options, true), [&](std::size_t cell) {
    return static_cast<std::uint32_t>(std::ranges::find(run.cells, cell) - run.cells.begin());
  });
}

double resampled_vote(const HeldOutRun& run, std::span<const std::uint32_t> order,
                      std::span<const std::uint32_t> drawn) {
  const VoteRule rule{fewest_errors(run, order, drawn)};
  std::size_t errors = 0;
  std::size_t rows = 0;
  for (std::size_t i = 0; i < run.labels.size(); ++i) {
    if (drawn[i] == 0) {
      errors += majority(rule, run.scores, i) != run.labels[i] ? 1U : 0U;
      ++rows;
    }
  }
  return static_cast<double>(errors) / static_cast<double>(rows);
}

/// The cell with the smallest error on rows held out once, or the vote of all that attain it.
class HoldOutError {
 public:
  HoldOutError(const Options& options, bool vote) : options_(options), vote_(vote) {}

  Selection select(const data::Dataset& dataset, const core::Context& context) const {
    HeldOutRun run = hold_out(dataset, options_, context);
    choose(options_, run.selection);
    if (!run.members.empty()) {
      add_average_of_family(run, context);
      const std::vector<std::uint32_t> order = family_order(run, options_);
      if (!vote_) run.selection.calibration = calibration(run);
      keep_models(dataset, run, order);
      add_bbc(
          options_, context, run.labels.size(), run.clusters,
          [&](const core::Context& part) { return estimate(run, order, part); }, run.selection);
    }
    conclude(dataset, options_, context, run.selection);
    if (run.selection.stopped != core::StopReason::none) run.selection.calibration = {};
    return std::move(run.selection);
  }

 private:
  /// Whether the model that was judged is handed over, not another one trained on all rows.
  bool keeps_judged() const { return options_.refit == Refit::training_rows || options_.learner() == Learner::knn; }

  /// The family's models are the cells that could be trained.
  void add_average_of_family(HeldOutRun& run, const core::Context& context) const {
    Selection of_family = run.selection;
    of_family.grid.clear();
    for (const std::size_t cell : run.cells) of_family.grid.push_back(run.selection.grid[cell]);
    add_average(run.said, options_, context, of_family);
    run.selection.average = of_family.average;
    if (!run.selection.average) return;
    for (std::size_t& member : run.selection.average->members) member = run.cells[member];
  }

  /// The models of the family that take part in the average.
  AverageRule average_rule(const HeldOutRun& run) const {
    AverageRule rule;
    for (std::size_t k = 0; k < run.cells.size(); ++k)
      if (std::ranges::binary_search(run.selection.average->members, run.cells[k]))
        rule.members.push_back(static_cast<std::uint32_t>(k));
    return rule;
  }

  /// What the chosen model, or the average, says of the validation rows.
  model::Calibration calibration(const HeldOutRun& run) const {
    AverageRule rule;
    if (run.selection.average) rule = average_rule(run);
    const auto chosen = std::ranges::find(run.cells, *run.selection.best);
    const auto k = static_cast<std::size_t>(chosen - run.cells.begin());
    model::Calibration result;
    result.source = "held-out";
    // The rows that judge a single cell choose nothing.
    if (keeps_judged() && run.selection.grid.size() == 1) result.trust = model::Trust::split;
    result.labels = run.labels;
    data::DenseMatrix scores(run.labels.size(), run.scores.classes);
    for (std::size_t i = 0; i < run.labels.size(); ++i) {
      if (rule.members.empty())
        std::copy_n(run.scores.at(i, k), run.scores.classes, scores.row(i).begin());
      else
        average(rule, run.scores, i, scores.row(i));
      result.strangeness.push_back(-scores.row(i)[static_cast<std::size_t>(run.labels[i])]);
    }
    if (run.scores.classes > 2) result.scores = std::move(scores);
    return result;
  }

  /// The models themselves are handed over where they are what was judged, or there is nothing to retrain them with.
  void keep_models(const data::Dataset& dataset, HeldOutRun& run, std::span<const std::uint32_t> order) const {
    if (!vote_ && !keeps_judged()) return;
    VoteRule rule{fewest_errors(run, order, std::vector<std::uint32_t>(run.labels.size(), 1))};
    if (!vote_) rule.members.resize(1);
    auto predictor = std::make_shared<Ensemble>(run.predictor(dataset));
    predictor->record.selected_error = selected_error(run.selection);
    predictor->calibration = run.selection.calibration;
    if (run.selection.average)
      predictor->rule = average_rule(run);
    else
      predictor->rule = std::move(rule);
    run.selection.predictor = std::move(predictor);
  }

  HonestEstimate estimate(const HeldOutRun& run, std::span<const std::uint32_t> order,
                          const core::Context& context) const {
    if (!run.said.empty()) {
      return bbc_of_scores(run.said, run.labels.size(), std::vector<std::size_t>(order.begin(), order.end()),
                           options_.rule_or_best(), run.clusters, bbc_options(options_, run.selection.weighted),
                           context);
    }
    if (!vote_) {
      return bbc_of_smallest_loss(run.losses(), std::vector<std::size_t>(order.begin(), order.end()), run.clusters,
                                  bbc_options(options_, run.selection.weighted), context);
    }
    return bootstrap_bias_corrected(
        run.labels.size(), run.clusters,
        [&](std::span<const std::uint32_t> drawn) { return resampled_vote(run, order, drawn); },
        bbc_options(options_, run.selection.weighted), context);
  }

  const Options& options_;
  bool vote_;
};

}  // namespace

Selection HoldOut::select(const data::Dataset& dataset, const Options& options, const core::Context& context) const {
  return HoldOutError(options, false).select(dataset, context);
}

Selection HoldOutVote::select(const data::Dataset& dataset, const Options& options,
                              const core::Context& context) const {
  return HoldOutError(options, true).select(dataset, context);
}

}  // namespace credence::selection
