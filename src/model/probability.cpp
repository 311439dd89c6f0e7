#include "credence/model/probability.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::model {
namespace {

/// The score of the second of two classes. The scores of two classes differ in their sign alone.
std::vector<double> margins_of(const Calibration& calibration) {
  return core::made(calibration.labels.size(), [&](std::size_t i) {
    return calibration.labels[i] == 1 ? -calibration.nonconformity_scores[i] : calibration.nonconformity_scores[i];
  });
}

std::vector<double> scores_of_class(const Calibration& calibration, std::size_t c) {
  return core::made(calibration.scores.rows, [&](std::size_t i) { return calibration.scores.row(i)[c]; });
}

bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// What the maps of several classes say becomes probabilities.
void divide_by_sum(std::span<double> probability) {
  const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  const double even = 1 / static_cast<double>(probability.size());
  for (double& p : probability) p = sum > 0 ? p / sum : even;
}

}  // namespace

std::string missing_for_probabilities(const Predictor& model) {
  const std::string remedy = "a selection by cross-validation keeps them, and so does a training with folds";
  const Calibration& calibration = model.calibration;
  if (model.schema.task == data::Task::regression) return "a regression predicts numbers, not probabilities of classes";
  if (calibration.empty())
    return "the model keeps no scores of rows left out, to which probabilities are fitted; " + remedy;
  if (model.schema.classes.size() > 2 && calibration.scores.rows == 0) {
    return "the model keeps the scores of true classes alone, and probabilities of more than two classes need those of "
           "all classes; " +
           remedy;
  }
  if (!all_finite(calibration.nonconformity_scores) || !all_finite(calibration.scores.values))
    return "the model keeps a score that is infinite, and probabilities are fitted to finite ones";
  return {};
}

ProbabilityMaps::ProbabilityMaps(const Predictor& model, CalibrationMap map)
    : map_(map), agree_with_labels_(!model.record.weighs_classes), classes_(model.schema.classes.size()) {
  const std::string problem = missing_for_probabilities(model);
  if (!problem.empty()) refuse(problem);
  for (const Calibration& own : by_region(model.calibration)) {
    const Calibration& region = own.empty() ? model.calibration : own;
    std::vector<Map>& maps = maps_.emplace_back();
    if (classes_ == 2) {
      maps.push_back(fitted(map, margins_of(region), region.labels));
      continue;
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      std::vector<int> is_class;
      for (const int label : region.labels) is_class.push_back(static_cast<std::size_t>(label) == c ? 1 : 0);
      maps.push_back(fitted(map, scores_of_class(region, c), is_class));
    }
  }
}

ProbabilityMaps::Map ProbabilityMaps::fitted(CalibrationMap map, std::span<const double> scores,
                                             std::span<const int> labels) {
  switch (map) {
    case CalibrationMap::sigmoid:
      return [sigmoid = fit_sigmoid(scores, labels)](double score) { return Value{sigmoid(score), {}}; };
    case CalibrationMap::isotonic:
      return [isotonic = Isotonic(scores, labels)](double score) { return Value{isotonic(score), {}}; };
    case CalibrationMap::venn_abers:
      return [venn_abers = VennAbers(scores, labels)](double score) {
        const ProbabilityInterval interval = venn_abers(score);
        return Value{interval.merged(), interval};
      };
  }
  return {};
}

void ProbabilityMaps::apply(std::span<const double> scores, std::span<double> probability,
                            std::span<ProbabilityInterval> intervals, std::size_t region) const {
  const std::vector<Map>& maps = maps_[region];
  const bool wanted = has_intervals() && !intervals.empty();
  if (classes_ == 2) {
    const Value second = maps.front()(scores[1]);
    probability[0] = 1 - second.probability;
    probability[1] = second.probability;
    if (!wanted) return;
    intervals[0] = {1 - second.interval.upper, 1 - second.interval.lower};
    intervals[1] = second.interval;
    return;
  }
  for (std::size_t c = 0; c < classes_; ++c) {
    const Value value = maps[c](scores[c]);
    probability[c] = value.probability;
    if (wanted) intervals[c] = value.interval;
  }
  divide_by_sum(probability);
}

void agree_with_label(std::span<double> probability, int label) {
  const auto own = static_cast<std::size_t>(label);
  double other = 0;
  for (std::size_t c = 0; c < probability.size(); ++c)
    if (c != own) other = std::max(other, probability[c]);
  const double missing = other + tie_margin - probability[own];
  if (missing <= 0) return;
  // (1 - t) (p_own - p_other) + t = tie_margin
  const double t = missing / (1 + other - probability[own]);
  for (double& p : probability) p *= 1 - t;
  probability[own] += t;
}

void add_probabilities(const Predictor& model, const ProbabilityOptions& options, Prediction& prediction) {
  if (!options.calibration && prediction.probability.columns > 0) return;
  add_probabilities(ProbabilityMaps(model, options.calibration.value_or(CalibrationMap::sigmoid)), prediction);
}

void add_probabilities(const ProbabilityMaps& maps, Prediction& prediction) {
  const std::size_t rows = prediction.label.size();
  const std::size_t classes = maps.classes();
  const bool in_regions = maps.has_regions();
  if (prediction.score.rows != rows || prediction.score.columns != classes ||
      (in_regions && prediction.region_of.size() != rows)) {
    refuse("the model keeps scores of rows left out, but gives new rows no scores to compare with them");
  }
  prediction.moderated = {};
  prediction.probability = data::DenseMatrix(rows, classes);
  prediction.probability_lower = maps.has_intervals() ? prediction.probability : data::DenseMatrix();
  prediction.probability_upper = prediction.probability_lower;
  std::vector<ProbabilityInterval> intervals(classes);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::span<double> probability = prediction.probability.row(i);
    maps.apply(prediction.score.row(i), probability, intervals,
               in_regions ? static_cast<std::size_t>(prediction.region_of[i]) : 0);
    if (maps.agree_with_labels()) agree_with_label(probability, prediction.label[i]);
    for (std::size_t c = 0; maps.has_intervals() && c < classes; ++c) {
      prediction.probability_lower.row(i)[c] = intervals[c].lower;
      prediction.probability_upper.row(i)[c] = intervals[c].upper;
    }
  }
}

}  // namespace credence::model
