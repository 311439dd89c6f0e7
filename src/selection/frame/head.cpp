#include "selection/frame/head.hpp"

#include <fmt/format.h>

#include <utility>

#include "credence/core/error.hpp"
#include "credence/core/version.hpp"
#include "selection/choose/choose.hpp"
#include "selection/resample/prepared.hpp"
#include "selection/score/error_weights.hpp"

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
      throw Error(error.code(), error.sentence(), {dataset.source, 0, ""});
    }
  }
  const bool of_two = score == Score::roc_auc || score == Score::f1 || by_sigmoid;
  if (!of_two || dataset.class_count() == 2) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the {} is of two classes, and the data have {}",
                          by_sigmoid ? "log loss of SVMs" : title(score), dataset.class_count()),
              {dataset.source, 0, ""});
}

}  // namespace

void check_data(const data::Dataset& dataset, const Options& options) {
  if (options.task != dataset.schema.task) {
    throw Error(ErrorCode::invalid_argument,
                dataset.is_regression() ? "the data are those of a regression, but a classifier was asked for"
                                        : "the data are those of a classifier, but a regression was asked for",
                {dataset.source, 0, ""});
  }
  if (dataset.is_regression())
    data::check_trainable_regression(dataset);
  else
    data::check_trainable(dataset);
  if (options.has_machines() && !dataset.weights.empty())
    throw Error(ErrorCode::invalid_data, "relevance vector machines take no sample weights", {dataset.source, 0, ""});
  check_score(dataset, options);
}

Selection begin_report(const data::Dataset& dataset, const Options& options, const core::Context& context) {
  Selection selection;
  selection.options = options;
  selection.weighted = weighs_errors(dataset, options);
  selection.n = dataset.rows();
  selection.features = dataset.schema.columns.size();
  selection.classes = dataset.schema.classes;
  selection.class_counts.assign(dataset.class_count(), 0);
  for (std::size_t i = 0; !dataset.is_regression() && i < dataset.rows(); ++i)
    ++selection.class_counts[static_cast<std::size_t>(dataset.labels[i])];
  if (!dataset.is_regression()) selection.class_shares = class_shares(dataset, options);
  selection.scale_scope = *options.preparation.scope;
  selection.threads = context.threads.count();
  selection.seconds = context.monitor.seconds();
  selection.version = version();
  return selection;
}

std::vector<double> reported_gammas(const data::Dataset& dataset, const Options& options) {
  if (options.learner() == Learner::knn) return {0};
  std::vector<double> gammas;
  for (const Options& own : spaces_of(options)) {
    const std::vector<double> some =
        resolved_gammas(own, [&] { return fit_preprocessing(dataset, own).apply(dataset); }, dataset.weights);
    gammas.insert(gammas.end(), some.begin(), some.end());
  }
  return gammas;
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
  predictor.record.version = version();
}

}  // namespace credence::selection
