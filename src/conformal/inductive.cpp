#include "credence/conformal/inductive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "core/refuse.hpp"
#include "credence/conformal/measures/margin.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

void check_numbers(const data::DenseMatrix& scores) {
  if (scores.values.size() != scores.rows * scores.columns) refuse("the scores are not rows x classes numbers");
  const auto nan = std::find_if(scores.values.begin(), scores.values.end(), [](double s) { return std::isnan(s); });
  if (nan == scores.values.end()) return;
  const auto index = static_cast<std::size_t>(nan - scores.values.begin());
  refuse(fmt::format("the score of row {} for class {} (both numbered from 0) is not a number", index / scores.columns,
                     index % scores.columns));
}

/// Of each row for its true class.
std::vector<double> own_strangeness(const data::DenseMatrix& scores, std::span<const int> labels) {
  check_numbers(scores);
  if (labels.size() != scores.rows)
    refuse(fmt::format("{} examples have scores, but {} have labels", scores.rows, labels.size()));
  std::vector<double> strangeness(scores.rows);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= scores.columns) {
      refuse(fmt::format("example {} (numbered from 0) has class {}, but there are scores for {} classes", i, labels[i],
                         scores.columns));
    }
    strangeness[i] = margin_strangeness(scores.row(i)[static_cast<std::size_t>(labels[i])]);
  }
  return strangeness;
}

/// The table, if it is not empty.
StrangenessTable filled(StrangenessTable table) {
  if (table.size() == 0)
    throw Error(ErrorCode::invalid_data, "there is no held-out example with which to compare new examples");
  return table;
}

/// Of each part that fits together.
std::vector<ScoreCalibration> calibrations_of(const std::vector<CalibratedClassifier>& parts) {
  if (parts.empty()) refuse("inductive prediction needs at least one calibrated classifier");
  std::vector<ScoreCalibration> calibrations;
  for (const CalibratedClassifier& part : parts) {
    if (part.classifier == nullptr || part.classifier->models() != 1)
      refuse("a part of an inductive predictor has no classifier, or more than one");
    calibrations.emplace_back(part.strangeness, part.labels, part.classifier->classes());
  }
  return calibrations;
}

model::Scores scored_by_one(const model::ClassifierFamily& classifier, const data::Features& rows,
                            const core::Context& context) {
  if (classifier.models() != 1)
    refuse(fmt::format("strangeness needs the scores of one classifier, but the family has {}", classifier.models()));
  return classifier.score_all(rows, context);
}

/// The held-out examples of each region of the feature space. With several classifiers, whose regions differ, all are
/// compared with all: what is proved of summed counts holds for folds of fixed sizes.
std::map<int, ScoreCalibration> calibrations_by_region(const std::vector<CalibratedClassifier>& classifiers) {
  const CalibratedClassifier& only = classifiers.front();
  if (classifiers.size() > 1 || only.region_of.empty()) return {};
  if (!only.classifier->has_regions() || only.region_of.size() != only.labels.size())
    refuse("the regions of the feature space are not those of the held-out examples");
  model::Calibration all;
  all.strangeness = only.strangeness;
  all.labels = only.labels;
  all.region_of = only.region_of;
  const std::vector<model::Calibration> regions = model::by_region(all);
  std::map<int, ScoreCalibration> calibrations;
  for (std::size_t p = 0; p < regions.size(); ++p) {
    if (regions[p].empty()) continue;
    calibrations.emplace(static_cast<int>(p),
                         ScoreCalibration(regions[p].strangeness, regions[p].labels, only.classifier->classes()));
  }
  return calibrations;
}

}  // namespace

ScoreCalibration::ScoreCalibration(const data::DenseMatrix& scores, std::span<const int> labels)
    : ScoreCalibration(own_strangeness(scores, labels), labels, scores.columns) {}

ScoreCalibration::ScoreCalibration(std::span<const double> strangeness, std::span<const int> labels,
                                   std::size_t classes)
    : table_(filled(StrangenessTable(strangeness, labels, classes))) {}

std::vector<std::size_t> ScoreCalibration::class_counts() const {
  std::vector<std::size_t> counts(table_.classes());
  for (std::size_t c = 0; c < counts.size(); ++c) counts[c] = table_.size_of(static_cast<int>(c));
  return counts;
}

Rank ScoreCalibration::rank(double score, int label, bool label_conditional) const {
  const double strangeness = margin_strangeness(score);
  return label_conditional ? table_.rank(strangeness, label) : table_.rank(strangeness);
}

Ranks ScoreCalibration::ranks(const data::DenseMatrix& scores, bool label_conditional) const {
  if (scores.columns != table_.classes())
    refuse(fmt::format("the calibration has {} classes, but the scores have {}", table_.classes(), scores.columns));
  check_numbers(scores);
  Ranks ranks(scores.rows, scores.columns);
  for (std::size_t row = 0; row < scores.rows; ++row)
    for (std::size_t c = 0; c < scores.columns; ++c)
      ranks.at(row, c) = rank(scores.row(row)[c], static_cast<int>(c), label_conditional);
  return ranks;
}

CrossCalibration::CrossCalibration(std::vector<ScoreCalibration> folds) : folds_(std::move(folds)) {
  if (folds_.empty()) refuse("cross-conformal prediction needs at least one fold");
  for (const ScoreCalibration& fold : folds_) {
    if (fold.table().classes() == classes()) continue;
    refuse(fmt::format("the folds of a cross-conformal prediction differ in classes: {} and {}", classes(),
                       fold.table().classes()));
  }
}

std::vector<std::size_t> CrossCalibration::class_counts() const {
  std::vector<std::size_t> counts(classes(), 0);
  for (const ScoreCalibration& fold : folds_) {
    const std::vector<std::size_t> own = fold.class_counts();
    std::transform(counts.begin(), counts.end(), own.begin(), counts.begin(), std::plus<>());
  }
  return counts;
}

Ranks CrossCalibration::ranks(std::span<const data::DenseMatrix> scores, bool label_conditional) const {
  if (scores.size() != folds_.size())
    refuse(fmt::format("there are scores of {} classifiers, but {} folds", scores.size(), folds_.size()));
  Ranks sum(scores.front().rows, classes());
  for (std::size_t k = 0; k < folds_.size(); ++k) {
    if (scores[k].rows != sum.rows)
      refuse(fmt::format("the classifiers scored different numbers of rows: {} and {}", sum.rows, scores[k].rows));
    const Ranks part = folds_[k].ranks(scores[k], label_conditional);
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += part.values[i];
  }
  return sum;
}

data::DenseMatrix scores_of(const model::ClassifierFamily& classifier, const data::Features& rows,
                            const core::Context& context) {
  data::DenseMatrix scores(rows.rows(), classifier.classes());
  scores.values = scored_by_one(classifier, rows, context).values;
  return scores;
}

CalibratedClassifier calibrate(std::shared_ptr<const model::ClassifierFamily> classifier, const data::Features& kept,
                               std::span<const int> labels, const core::Context& context) {
  if (classifier == nullptr) refuse("there is no classifier to calibrate");
  if (labels.size() != kept.rows())
    refuse(fmt::format("{} rows were kept from training, but {} have labels", kept.rows(), labels.size()));
  CalibratedClassifier calibrated;
  data::DenseMatrix scores(kept.rows(), classifier->classes());
  model::Scores said = scored_by_one(*classifier, kept, context);
  scores.values = std::move(said.values);
  calibrated.strangeness = own_strangeness(scores, labels);
  calibrated.region_of = std::move(said.region_of);
  calibrated.labels.assign(labels.begin(), labels.end());
  calibrated.classifier = std::move(classifier);
  return calibrated;
}

double cross_conformal_bound(double eps, std::size_t n, std::size_t folds) {
  const auto k = static_cast<double>(folds);
  return 2 * eps + 2 * (1 - eps) * (k - 1) / (static_cast<double>(n) + k);
}

Inductive::Inductive(std::vector<CalibratedClassifier> parts)
    : parts_(std::move(parts)), calibration_(calibrations_of(parts_)), by_region_(calibrations_by_region(parts_)) {}

std::vector<std::size_t> Inductive::class_counts() const {
  return calibration_.class_counts();
}

Ranks Inductive::ranks(const data::Features& rows, bool label_conditional, const core::Context& context) const {
  Ranks sum(rows.rows(), calibration_.classes());
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    // Blocks come from several threads, each with rows of its own.
    parts_[k].classifier->score(rows, context, [&](std::size_t first, const model::Scores& block) {
      for (std::size_t row = 0; row < block.rows; ++row) {
        const ScoreCalibration* kept = &calibration_.folds()[k];
        if (!by_region_.empty()) {
          const auto own = by_region_.find(block.region_of[row]);
          if (own == by_region_.end()) continue;  // with no example, every class has the p-value 1
          kept = &own->second;
        }
        for (std::size_t c = 0; c < sum.classes; ++c) {
          const double score = block.at(row, 0)[c];
          sum.at(first + row, c) += kept->rank(score, static_cast<int>(c), label_conditional);
        }
      }
    });
  }
  return sum;
}

}  // namespace credence::conformal
