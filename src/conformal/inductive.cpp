#include "credence/conformal/inductive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "core/numbers.hpp"
#include "credence/conformal/grouped.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::conformal {
namespace {

void check_numbers(const data::DenseMatrix& scores) {
  if (scores.values.size() != scores.rows * scores.columns) refuse("the scores are not rows x classes numbers");
  const auto nan = std::ranges::find_if(scores.values, [](double s) { return std::isnan(s); });
  if (nan == scores.values.end()) return;
  const auto index = static_cast<std::size_t>(nan - scores.values.begin());
  refuse(fmt::format("the score of row {} for class {} (both numbered from 0) is not a number", index / scores.columns,
                     index % scores.columns));
}

/// Of each row for its true class.
std::vector<double> own_nonconformity(const data::DenseMatrix& scores, std::span<const int> labels) {
  check_numbers(scores);
  if (labels.size() != scores.rows)
    refuse(fmt::format("{} examples have scores, but {} have labels", scores.rows, labels.size()));
  return core::made(scores.rows, [&](std::size_t i) {
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= scores.columns) {
      refuse(fmt::format("example {} (numbered from 0) has class {}, but there are scores for {} classes", i, labels[i],
                         scores.columns));
    }
    return margin_nonconformity(scores.row(i)[static_cast<std::size_t>(labels[i])]);
  });
}

/// The table, if it is not empty.
NonconformityTable filled(NonconformityTable table) {
  if (table.size() == 0) refuse_data("there is no held-out example with which to compare new examples");
  return table;
}

/// The codes by which the examples of a part are compared among their own; empty where all are compared with all. With
/// several classifiers, whose regions differ, regions do not part them: what is proved of summed counts holds for folds
/// of fixed sizes.
std::span<const int> codes_of(const CalibratedClassifier& part, bool only) {
  if (!part.category_of.empty()) {
    if (!part.region_of.empty())
      refuse("examples are compared within categories or within regions of the feature space, not both");
    return part.category_of;
  }
  if (part.region_of.empty() || !only) return {};
  if (part.classifier->region_count() == 0 || part.region_of.size() != part.labels.size())
    refuse("the regions of the feature space are not those of the held-out examples");
  return part.region_of;
}

/// Of a part that fits together, by region or category.
std::map<int, ScoreCalibration> kept_of(const CalibratedClassifier& part, bool only) {
  if (part.classifier == nullptr || part.classifier->models() != 1)
    refuse("a part of an inductive predictor has no classifier, or more than one");
  const std::span<const int> codes = codes_of(part, only);
  const std::vector<int> same(codes.empty() ? part.labels.size() : 0, 0);
  if (!part.groups.empty() && !part.weights.empty()) refuse("rows are weighed by groups or by known weights, not both");
  if (!part.groups.empty() && part.groups.size() != part.labels.size())
    refuse(fmt::format("{} examples have labels, but {} have a group", part.labels.size(), part.groups.size()));
  const std::vector<double> shares = group_shares(part.groups);
  return GroupedCalibration(part.nonconformity_scores, part.labels, part.classifier->classes(),
                            codes.empty() ? same : codes,
                            {part.groups.empty() ? part.weights : shares, !part.groups.empty()})
      .groups();
}

std::vector<std::map<int, ScoreCalibration>> kept_of(const std::vector<CalibratedClassifier>& parts) {
  if (parts.empty()) refuse("inductive prediction needs at least one calibrated classifier");
  std::vector<std::map<int, ScoreCalibration>> kept =
      core::mapped(parts, [&](const CalibratedClassifier& part) { return kept_of(part, parts.size() == 1); });
  const CalibratedClassifier& first = parts.front();
  for (const CalibratedClassifier& part : parts) {
    if (part.classifier->classes() != first.classifier->classes()) {
      refuse(fmt::format("the folds of a cross-conformal prediction differ in classes: {} and {}",
                         first.classifier->classes(), part.classifier->classes()));
    }
    if (part.category_of.empty() != first.category_of.empty() || part.weights.empty() != first.weights.empty() ||
        part.groups.empty() != first.groups.empty())
      refuse("some folds of a cross-conformal prediction have categories, weights or groups, and others have none");
  }
  return kept;
}

void check_own(std::span<const double> own, std::size_t rows) {
  if (!own.empty() && own.size() != rows)
    refuse(fmt::format("there are {} rows, but weights for {}", rows, own.size()));
  check_own_weights(own);
}

model::Scores scored_by_one(const model::ClassifierFamily& classifier, const data::Features& rows,
                            const core::Context& context) {
  if (classifier.models() != 1)
    refuse(fmt::format("a nonconformity score needs the scores of one classifier, but the family has {}",
                       classifier.models()));
  return classifier.score_all(rows, context);
}

}  // namespace

ScoreCalibration::ScoreCalibration(const data::DenseMatrix& scores, std::span<const int> labels,
                                   const RowWeights& weights)
    : ScoreCalibration(own_nonconformity(scores, labels), labels, scores.columns, weights) {}

ScoreCalibration::ScoreCalibration(std::span<const double> nonconformity, std::span<const int> labels,
                                   std::size_t classes, const RowWeights& weights)
    : table_(filled(NonconformityTable(nonconformity, labels, classes, weights))) {}

GroupedCalibration::GroupedCalibration(const data::DenseMatrix& scores, std::span<const int> labels,
                                       std::span<const int> groups, const RowWeights& weights)
    : GroupedCalibration(own_nonconformity(scores, labels), labels, scores.columns, groups, weights) {}

std::vector<std::size_t> ScoreCalibration::class_counts() const {
  return core::made(table_.classes(), [&](std::size_t c) { return table_.size_of(static_cast<int>(c)); });
}

Rank ScoreCalibration::rank(double score, int label, bool label_conditional, double own) const {
  Rank rank =
      label_conditional ? table_.rank(margin_nonconformity(score), label) : table_.rank(margin_nonconformity(score));
  rank.own = own;
  return rank;
}

void ScoreCalibration::add_ranks(std::span<const double> scores, int label, bool label_conditional, Rank* sums,
                                 std::size_t stride) const {
  const NonconformityScores& list = label_conditional ? table_.of(label) : table_.all();
  std::array<double, 64> nonconformity;
  for (std::size_t first = 0; first < scores.size(); first += nonconformity.size()) {
    const auto some = scores.subspan(first, std::min(nonconformity.size(), scores.size() - first));
    std::ranges::transform(some, nonconformity.begin(), margin_nonconformity);
    list.add_ranks({nonconformity.data(), some.size()}, sums + first * stride, stride);
  }
}

Ranks ScoreCalibration::ranks(const data::DenseMatrix& scores, bool label_conditional,
                              std::span<const double> own) const {
  if (scores.columns != table_.classes())
    refuse(fmt::format("the calibration has {} classes, but the scores have {}", table_.classes(), scores.columns));
  check_numbers(scores);
  check_own(own, scores.rows);
  Ranks ranks(scores.rows, scores.columns);
  for (std::size_t row = 0; row < scores.rows; ++row)
    for (std::size_t c = 0; c < scores.columns; ++c)
      ranks.at(row, c) = rank(scores.row(row)[c], static_cast<int>(c), label_conditional, own.empty() ? 1 : own[row]);
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
    std::ranges::transform(counts, own, counts.begin(), std::plus<>());
  }
  return counts;
}

Ranks CrossCalibration::ranks(std::span<const data::DenseMatrix> scores, bool label_conditional,
                              std::span<const double> own) const {
  if (scores.size() != folds_.size())
    refuse(fmt::format("there are scores of {} classifiers, but {} folds", scores.size(), folds_.size()));
  Ranks sum = folds_.front().ranks(scores.front(), label_conditional, own);
  for (std::size_t k = 1; k < folds_.size(); ++k) {
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
  calibrated.nonconformity_scores = own_nonconformity(scores, labels);
  calibrated.region_of = std::move(said.region_of);
  calibrated.labels.assign(labels.begin(), labels.end());
  calibrated.classifier = std::move(classifier);
  return calibrated;
}

double cross_conformal_bound(double significance, std::size_t n, std::size_t folds) {
  const auto k = static_cast<double>(folds);
  return 2 * significance + 2 * (1 - significance) * (k - 1) / (static_cast<double>(n) + k);
}

double weighted_cross_bound(double significance, double share, std::size_t folds) {
  const double others = static_cast<double>(folds - 1) * share;
  return 2 * (significance + others) * (1 + others);
}

Inductive::Inductive(std::vector<CalibratedClassifier> parts) : parts_(std::move(parts)), kept_(kept_of(parts_)) {}

std::vector<std::size_t> Inductive::class_counts() const {
  std::vector<std::size_t> counts(parts_.front().classifier->classes(), 0);
  for (const CalibratedClassifier& part : parts_)
    for (const int label : part.labels) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

std::vector<std::size_t> Inductive::units(bool label_conditional) const {
  if (!has_groups() && parts_.front().category_of.empty()) return class_counts();
  const std::size_t lists = label_conditional ? parts_.front().classifier->classes() : 1;
  std::map<int, std::vector<double>> of_category;
  for (const std::map<int, ScoreCalibration>& part : kept_) {
    for (const auto& [category, calibration] : part) {
      std::vector<double>& units = of_category.try_emplace(category, lists, 0.0).first->second;
      for (std::size_t l = 0; l < lists; ++l) {
        const NonconformityTable& table = calibration.table();
        const NonconformityScores& list = label_conditional ? table.of(static_cast<int>(l)) : table.all();
        units[l] += has_groups() ? list.weight() : static_cast<double>(list.size());
      }
    }
  }
  std::vector<std::size_t> fewest(lists, std::numeric_limits<std::size_t>::max());
  for (const auto& [category, units] : of_category)
    for (std::size_t l = 0; l < lists; ++l)
      fewest[l] = std::min(fewest[l], static_cast<std::size_t>(std::ceil(units[l] - 1e-9)));
  return fewest;
}

std::optional<double> Inductive::effective_rows() const {
  if (!has_weights()) return std::nullopt;
  double sum = 0;
  double squares = 0;
  for (const CalibratedClassifier& part : parts_) {
    for (const double weight : part.weights) {
      sum += weight;
      squares += weight * weight;
    }
  }
  return sum * sum / squares;
}

double Inductive::heaviest_share(bool label_conditional) const {
  struct Weights {
    double largest = 0;
    double sum = 0;
  };
  std::map<std::pair<int, int>, Weights> lists;
  for (const CalibratedClassifier& part : parts_) {
    for (std::size_t i = 0; i < part.weights.size(); ++i) {
      Weights& own =
          lists[{part.category_of.empty() ? 0 : part.category_of[i], label_conditional ? part.labels[i] : 0}];
      own.largest = std::max(own.largest, part.weights[i]);
      own.sum += part.weights[i];
    }
  }
  double share = 0;
  for (const auto& [list, weights] : lists) share = std::max(share, weights.largest / weights.sum);
  return share;
}

const ScoreCalibration* Inductive::calibration_of(std::size_t part, int region, int category) const {
  const CalibratedClassifier& own = parts_[part];
  const bool in_regions = !own.region_of.empty() && parts_.size() == 1;
  const auto found = kept_[part].find(!own.category_of.empty() ? category : in_regions ? region : 0);
  return found == kept_[part].end() ? nullptr : &found->second;
}

Ranks Inductive::ranks(std::span<const data::Features> rows, bool label_conditional, const core::Context& context,
                       const AskedRows& known) const {
  if (rows.size() != 1 && rows.size() != parts_.size())
    refuse(fmt::format("rows were preprocessed {} times for {} classifiers", rows.size(), parts_.size()));
  const std::size_t n = rows.front().rows();
  if (parts_.front().category_of.empty() ? !known.categories.empty() : known.categories.size() != n)
    refuse(fmt::format("there are {} rows, but categories of {}", n, known.categories.size()));
  if (has_weights() ? known.weights.size() != n : !known.weights.empty())
    refuse(fmt::format("there are {} rows, but weights for {}", n, known.weights.size()));
  check_own(known.weights, n);
  Ranks sum(n, parts_.front().classifier->classes());
  for (std::size_t row = 0; row < known.weights.size(); ++row)
    for (std::size_t c = 0; c < sum.classes; ++c) sum.at(row, c).own = known.weights[row];
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    // Blocks come from several threads, each with rows of its own.
    parts_[k].classifier->score(
        rows[rows.size() == 1 ? 0 : k], context, [&](std::size_t first, const model::Scores& block) {
          for (std::size_t row = 0; row < block.rows; ++row) {
            const ScoreCalibration* const kept =
                calibration_of(k, block.region_of.empty() ? 0 : block.region_of[row],
                               known.categories.empty() ? 0 : known.categories[first + row]);
            if (kept == nullptr) continue;  // with no example, every class has the p-value 1
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
