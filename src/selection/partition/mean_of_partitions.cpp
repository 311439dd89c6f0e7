#include <algorithm>
#include <utility>

#include "credence/core/error.hpp"
#include "credence/selection/partition.hpp"
#include "credence/svm/loss.hpp"

namespace credence::selection {

MeanOfPartitions::MeanOfPartitions(std::vector<double> weights) : weights_(std::move(weights)) {}

void MeanOfPartitions::add(JudgedPartition& judged, const data::Dataset& dataset) {
  const std::size_t rows = dataset.rows();
  const std::size_t classes = dataset.class_count();
  if (partitions_ == 0) {
    sum_.source = "out-of-fold";
    sum_.region_of.assign(judged.fitted.region_of.begin(), judged.fitted.region_of.end());
    sum_.strangeness.resize(rows, 0.0);
    sum_.labels = dataset.labels;
    sum_.sibling_of.resize(rows);
    if (classes > 2) sum_.scores = data::DenseMatrix(rows, classes);
    of_first_.resize(rows);
  }
  ++partitions_;
  const auto rows_of_region = model::rows_by_region(judged.fitted.region_of, judged.fitted.regions());
  for (RegionResult& region : judged.results) {
    const model::Calibration own = std::exchange(region.calibration, {});
    for (std::size_t a = 0; a < own.labels.size(); ++a) {
      const std::size_t row = rows_of_region[region.region][a];
      sum_.sibling_of[row] = own.sibling_of[a];
      if (partitions_ == 1) of_first_[row] = region.labels[a];
      sum_.strangeness[row] += own.strangeness[a];
      for (std::size_t c = 0; c < own.scores.columns; ++c) sum_.scores.row(row)[c] += own.scores.row(a)[c];
    }
  }
}

model::Calibration MeanOfPartitions::calibration() const {
  model::Calibration mean = sum_;
  if (partitions_ < 2) return mean;
  const auto count = static_cast<double>(partitions_);
  for (double& value : mean.strangeness) value /= count;
  for (double& value : mean.scores.values) value /= count;
  return mean;
}

std::vector<int> MeanOfPartitions::labels() const {
  if (partitions_ < 2) return of_first_;
  std::vector<int> labels = sum_.labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (sum_.scores.rows > 0) {
      const auto scores = sum_.scores.row(i);
      labels[i] = static_cast<int>(std::ranges::max_element(scores) - scores.begin());
    } else if (sum_.strangeness[i] > 0 || (sum_.strangeness[i] == 0 && labels[i] == 1)) {
      labels[i] = 1 - labels[i];
    }
  }
  return labels;
}

std::vector<double> MeanOfPartitions::losses(Loss loss) const {
  if (partitions_ == 0) throw Error(ErrorCode::invalid_argument, "no partition has been judged yet");
  std::vector<double> losses;
  losses.reserve(sum_.labels.size());
  for (std::size_t i = 0; i < sum_.labels.size(); ++i) {
    const auto label = static_cast<std::size_t>(sum_.labels[i]);
    const double own = -sum_.strangeness[i] / static_cast<double>(partitions_);
    if (loss == Loss::soft) {
      losses.push_back(svm::soft_loss(own));
    } else if (sum_.scores.rows == 0) {
      losses.push_back(own > 0 || (own == 0 && label == 0) ? 0 : 1);
    } else {
      const auto scores = sum_.scores.row(i);
      losses.push_back(static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin()) == label ? 0 : 1);
    }
  }
  for (std::size_t i = 0; i < weights_.size(); ++i) losses[i] *= weights_[i];
  return losses;
}

}  // namespace credence::selection
