#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"
#include "credence/core/version.hpp"
#include "selection/choose/choose.hpp"
#include "selection/frame/frame.hpp"
#include "selection/resample/error_weights.hpp"
#include "selection/resample/prepared.hpp"

namespace credence::selection {

namespace {

/// Scores that are of two classes only, and costs of other classes.
void check_score(const data::Dataset& dataset, const Options& options) {
  const Score score = options.score;
  const bool by_sigmoid = score == Score::log_loss && options.learner() != Learner::rvm;
  if (score == Score::cost) {
    try {
      label_costs(options, dataset.schema.classes);
    } catch (const Error& error) {
      throw Error(error.code(), error.sentence(), {dataset.source});
    }
  }
  const bool of_two = score == Score::roc_auc || score == Score::f1 || by_sigmoid;
  if (!of_two || dataset.class_count() == 2) return;
  refuse(fmt::format("the {} is of two classes, and the data have {}", by_sigmoid ? "log loss of SVMs" : title(score),
                     dataset.class_count()),
         {dataset.source});
}

}  // namespace

void check_data(const data::Dataset& dataset, const Options& options) {
  if (options.task != dataset.schema.task) {
    refuse(dataset.is_regression() ? "the data are those of a regression, but a classifier was asked for"
                                   : "the data are those of a classifier, but a regression was asked for",
           {dataset.source});
  }
  if (dataset.is_regression())
    data::check_trainable_regression(dataset);
  else
    data::check_trainable(dataset);
  if (options.has_rvms() && !dataset.weights.empty())
    refuse_data("relevance vector machines take no sample weights", {dataset.source});
  check_score(dataset, options);
}

Selection begin_report(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  Selection selection;
  selection.options = options;
  selection.weighted = weighs_errors(dataset, options);
  selection.n = dataset.rows();
  selection.features = dataset.schema.columns.size();
  selection.label = dataset.schema.label_column();
  selection.classes = dataset.schema.classes;
  selection.class_counts = core::counts_of(dataset.labels, dataset.class_count());
  if (!dataset.is_regression())
    selection.class_shares =
        class_shares(dataset, selection.weighted ? class_costs(dataset, options) : std::vector<double>{});
  selection.scale_scope = *options.preparation.scope;
  selection.threads = context.threads.count();
  selection.seconds = context.monitor.seconds();
  selection.version = version();
  return selection;
}

void set_head(model::Predictor& predictor, const data::Dataset& dataset, data::Preprocessing preprocessing,
              const Options& options, bool with_rows) {
  predictor.schema = dataset.schema_without_hint();
  predictor.missing = options.preparation.missing;
  predictor.preprocessing = std::move(preprocessing);
  predictor.record.method = options.name();
  predictor.record.seed = options.seed;
  if (with_rows) {
    predictor.record.note_rows(dataset);
    if (!is_precomputed(options)) predictor.keep_known_rows(dataset);
  }
  predictor.record.tolerance = options.costs.solver.tolerance;
  predictor.record.weighs_classes = options.has_costs() && options.costs.class_weights.any();
  predictor.record.version = version();
}

HonestEstimate bbc_of_choice(const data::Dataset& dataset, const Options& options, const JudgedGrid& judged,
                             const Selection& selection, const core::Context& context) {
  const std::vector<std::size_t> order = preference(selection, options, true);
  const BbcOptions bbc = bbc_options(options, selection.weighted);
  return compares_sums(options) ? bbc_of_smallest_loss(judged.losses(), order, dataset.clusters(), bbc, context)
                                : bbc_of_scores(judged.predictions, dataset.rows(), order, options.rule_or_best(),
                                                dataset.clusters(), bbc, context);
}

void finish(const data::Dataset& dataset, const Options& options, const core::Context& context,
            const JudgedGrid& judged, Selection& selection, const OwnEstimate& own) {
  choose(options, selection);
  if (selection.best) {
    const auto estimate = [&](const core::Context& part) {
      return own ? own(part) : bbc_of_choice(dataset, options, judged, selection, part);
    };
    add_bbc(options, context, dataset.rows(), dataset.clusters(), estimate, selection);
  }
  conclude(dataset, context, selection);
}

void conclude(const data::Dataset& dataset, const core::Context& context, Selection& selection) {
  if (std::ranges::all_of(selection.grid, [](const Setting& setting) { return setting.infeasible; })) {
    refuse_data(
        "no model can have any nu of the list on all training parts of these rows; a nu can be at most twice "
        "the share of the smaller class of each pair in each part, so take one that is a tenth smaller, and must not "
        "be too near 0",
        {dataset.source});
  }
  add_warnings(dataset, selection);
  const bool all_done = std::ranges::all_of(selection.grid, [](const Setting& setting) {
    return setting.complete || setting.infeasible || setting.given_up != GivenUp::no || setting.rung > 0;
  });
  if (!all_done) selection.stopped = context.monitor.stop_reason();
  selection.seconds = context.monitor.seconds() - selection.seconds;
}

BbcOptions bbc_options(const Options& options, bool weighted) {
  BbcOptions bbc;
  bbc.resamples = options.estimate_samples;
  bbc.delta = options.delta;
  bbc.seed = options.seed;
  bbc.of_copies = options.copies == data::Copies::fold;  // there are no groups then
  bbc.bounded = options.task == data::Task::classification && options.score == Score::accuracy && !weighted;
  return bbc;
}

void add_bbc(const Options& options, const core::Context& context, std::size_t rows, std::span<const int> clusters,
             const std::function<HonestEstimate(const core::Context&)>& make, Selection& selection) {
  if (!wants(Estimate::bbc, options, context)) return;
  const bool one_cluster =
      !clusters.empty() && std::ranges::adjacent_find(clusters, std::not_equal_to<>{}) == clusters.end();
  if (rows < 2 || one_cluster) {
    selection.warnings.emplace_back(
        "there is no honest estimate: the rows held out are a single row, group or fixed fold");
    return;
  }
  context.monitor.expect(1);
  core::Monitor part(context.monitor, 1);
  HonestEstimate estimate = make(context.with(part));
  if (context.monitor.should_stop()) {
    selection.stopped = context.monitor.stop_reason();
  } else if (estimate.resamples > 0) {
    if (estimate.interval == "Korn-Graubard" && estimate.error == 0) {
      selection.warnings.emplace_back(
          "no group or fixed fold has an error, so the data do not tell how much the rows of a group depend on each "
          "other: each group counts as one trial at most in the interval of the honest estimate");
    }
    estimate.score = loss_name(selection);
    selection.honest = std::move(estimate);
  }
}

bool wants(Estimate estimate, const Options& options, const core::Context& context) {
  return options.estimate == estimate && !context.monitor.should_stop();
}

}  // namespace credence::selection
