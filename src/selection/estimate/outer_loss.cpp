#include "selection/estimate/outer_loss.hpp"

#include <fmt/format.h>

#include "credence/core/error.hpp"
#include "credence/model/sigmoid.hpp"
#include "rvm/machine_parts.hpp"

namespace credence::selection {
namespace {

/// Fitted to the out-of-sample margins of a classifier of two classes.
model::Sigmoid sigmoid_of(const model::Calibration& calibration) {
  std::vector<double> margins;
  for (std::size_t i = 0; i < calibration.strangeness.size(); ++i)
    margins.push_back(calibration.labels[i] == 1 ? -calibration.strangeness[i] : calibration.strangeness[i]);
  return model::fit_sigmoid(margins, calibration.labels);
}

double mean_log_loss(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                     const data::Dataset& test) {
  const bool probabilities = options.learner() == Learner::rvm;
  if (!probabilities && predictor.calibration.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "the log loss of an SVM needs scores of rows left out, and the selection keeps none");
  }
  const model::Sigmoid sigmoid = probabilities ? model::Sigmoid{} : sigmoid_of(predictor.calibration);
  double sum = 0;
  for (std::size_t i = 0; i < test.rows(); ++i) {
    const auto scores = prediction.score.row(i);
    sum +=
        probabilities ? rvm::log_loss_of_scores(scores, test.labels[i]) : sigmoid.log_loss(scores[1], test.labels[i]);
  }
  return sum / static_cast<double>(test.rows());
}

}  // namespace

double outer_loss(const Options& options, const model::Predictor& predictor, const model::Prediction& prediction,
                  const data::Dataset& test) {
  const Score score = options.score();
  const bool by_scores = score == Score::roc_auc || score == Score::log_loss;
  if (by_scores && prediction.score.rows != test.rows()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the {} needs scores of the classes, which a choice among several models does not have",
                            title(score)));
  }
  if (score == Score::log_loss) return mean_log_loss(options, predictor, prediction, test);
  if (score == Score::roc_auc) {
    std::vector<double> margins;
    for (std::size_t i = 0; i < test.rows(); ++i) margins.push_back(prediction.score.row(i)[1]);
    return loss_of(score, roc_auc(margins, test.labels));
  }
  LabelCounts counts(test.class_count());
  for (std::size_t i = 0; i < test.rows(); ++i)
    counts.add(static_cast<std::size_t>(test.labels[i]), static_cast<std::size_t>(prediction.label[i]));
  return loss_of(score, counts.score(score));
}

}  // namespace credence::selection
