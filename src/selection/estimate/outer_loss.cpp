#include "selection/estimate/outer_loss.hpp"

#include <fmt/format.h>

#include "credence/core/error.hpp"
#include "credence/model/sigmoid.hpp"
#include "rvm/machine_parts.hpp"
#include "selection/score/error_weights.hpp"

namespace credence::selection {
namespace {

/// Fitted to the out-of-sample margins of a classifier of two classes, or of one region of it.
model::Sigmoid sigmoid_of(const model::Calibration& calibration) {
  std::vector<double> margins;
  for (std::size_t i = 0; i < calibration.strangeness.size(); ++i)
    margins.push_back(calibration.labels[i] == 1 ? -calibration.strangeness[i] : calibration.strangeness[i]);
  return model::fit_sigmoid(margins, calibration.labels);
}

void check_outer_scores(const model::Prediction& prediction, const data::Dataset& test, Score score) {
  if (prediction.score.rows == test.rows()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the {} needs scores of the classes, which a choice among several models does not have",
                          title(score)));
}

std::vector<double> outer_log_losses(const Options& options, const model::Predictor& predictor,
                                     const model::Prediction& prediction, const data::Dataset& test) {
  const bool probabilities = options.learner() == Learner::rvm;
  if (!probabilities && predictor.calibration.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "the log loss of an SVM needs scores of rows left out, and the selection keeps none");
  }
  check_outer_scores(prediction, test, Score::log_loss);
  std::vector<model::Sigmoid> sigmoids;  // of each region, or of all rows
  if (!probabilities)
    for (const model::Calibration& own : model::by_region(predictor.calibration))
      sigmoids.push_back(sigmoid_of(own.empty() ? predictor.calibration : own));
  std::vector<double> losses;
  for (std::size_t i = 0; i < test.rows(); ++i) {
    const auto scores = prediction.score.row(i);
    const std::size_t region = sigmoids.size() < 2 ? 0 : static_cast<std::size_t>(prediction.region_of[i]);
    losses.push_back(probabilities ? rvm::log_loss_of_scores(scores, test.labels[i])
                                   : sigmoids[region].log_loss(scores[1], test.labels[i]));
  }
  return losses;
}

}  // namespace

std::vector<double> outer_losses(const Options& options, const model::Predictor& predictor,
                                 const model::Prediction& prediction, const data::Dataset& test) {
  if (options.score == Score::log_loss) return outer_log_losses(options, predictor, prediction, test);
  const model::DecisionCosts costs = label_costs(options, test.schema.classes);
  std::vector<double> losses;
  for (std::size_t i = 0; i < test.rows(); ++i) losses.push_back(costs.at(test.labels[i], prediction.label[i]));
  return losses;
}

ScoreSums outer_sums(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                     const data::Dataset& test) {
  const Score score = options.score;
  if (is_mean_loss(score)) return sums_of_losses(outer_losses(options, predictor, prediction, test), test.weights);
  if (score == Score::roc_auc) {
    check_outer_scores(prediction, test, score);
    std::vector<double> margins;
    for (std::size_t i = 0; i < test.rows(); ++i) margins.push_back(prediction.score.row(i)[1]);
    return sums_of_margins(margins, test.labels, test.weights);
  }
  LabelCounts counts(test.class_count());
  for (std::size_t i = 0; i < test.rows(); ++i) {
    counts.add(static_cast<std::size_t>(test.labels[i]), static_cast<std::size_t>(prediction.label[i]),
               test.weights.empty() ? 1 : test.weights[i]);
  }
  return counts.sums();
}

}  // namespace credence::selection
