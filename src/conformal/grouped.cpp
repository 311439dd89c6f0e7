#include "credence/conformal/grouped.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "credence/core/error.hpp"
#include "credence/core/list.hpp"

namespace credence::conformal {
namespace {

using RowsOfGroup = std::map<int, std::vector<std::size_t>>;

RowsOfGroup rows_of_groups(std::span<const int> groups, std::size_t rows) {
  if (groups.size() != rows) refuse(fmt::format("there are {} rows, but {} groups", rows, groups.size()));
  RowsOfGroup result;
  for (std::size_t i = 0; i < rows; ++i) result[groups[i]].push_back(i);
  return result;
}

}  // namespace

GroupedCalibration::GroupedCalibration(std::span<const double> nonconformity, std::span<const int> labels,
                                       std::size_t classes, std::span<const int> groups, const RowWeights& weights) {
  // Errors about sizes, numbers and labels name rows of the whole table.
  const ScoreCalibration all(nonconformity, labels, classes, weights);
  for (const auto& [group, rows] : rows_of_groups(groups, nonconformity.size())) {
    const std::vector<double> own = core::picked(weights.values, rows);
    groups_.emplace(group, ScoreCalibration(core::picked(nonconformity, rows), core::picked(labels, rows), classes,
                                            RowWeights{own, weights.of_groups}));
  }
}

Ranks GroupedCalibration::ranks(const data::DenseMatrix& scores, std::span<const int> groups, bool label_conditional,
                                std::span<const double> own) const {
  // The first group's calibration checks all rows at once.
  Ranks ranks = groups_.begin()->second.ranks(scores, label_conditional, own);
  for (const auto& [group, rows] : rows_of_groups(groups, scores.rows)) {
    const auto found = groups_.find(group);
    const Ranks part = found == groups_.end()
                           ? Ranks(rows.size(), ranks.classes)
                           : found->second.ranks(scores.select_rows(rows), label_conditional, core::picked(own, rows));
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t c = 0; c < ranks.classes; ++c) ranks.at(rows[i], c) = part.at(i, c);
  }
  return ranks;
}

GroupedRegression::GroupedRegression(std::span<const double> targets, std::span<const double> predictions,
                                     std::span<const int> groups, std::span<const double> difficulties,
                                     const RegressionOptions& options, const RowWeights& weights) {
  const InductiveRegression all(targets, predictions, difficulties, options, weights);
  for (const auto& [group, rows] : rows_of_groups(groups, targets.size())) {
    const std::vector<double> own = core::picked(weights.values, rows);
    groups_.emplace(group,
                    InductiveRegression(core::picked(targets, rows), core::picked(predictions, rows),
                                        core::picked(difficulties, rows), options, RowWeights{own, weights.of_groups}));
  }
}

std::vector<PredictionInterval> GroupedRegression::intervals(std::span<const double> predictions,
                                                             std::span<const int> groups,
                                                             std::span<const double> difficulties, double significance,
                                                             std::span<const double> own) const {
  // The first group's regression checks all rows at once.
  std::vector<PredictionInterval> result =
      groups_.begin()->second.intervals(predictions, difficulties, significance, own);
  for (const auto& [group, rows] : rows_of_groups(groups, predictions.size())) {
    const auto found = groups_.find(group);
    const std::vector<PredictionInterval> part =
        found == groups_.end()
            ? std::vector<PredictionInterval>(rows.size(), whole_line)
            : found->second.intervals(core::picked(predictions, rows), core::picked(difficulties, rows), significance,
                                      core::picked(own, rows));
    for (std::size_t i = 0; i < rows.size(); ++i) result[rows[i]] = part[i];
  }
  return result;
}

Ranks GroupedRegression::ranks(std::span<const double> targets, std::span<const double> predictions,
                               std::span<const int> groups, std::span<const double> difficulties,
                               std::span<const double> own) const {
  Ranks result = groups_.begin()->second.ranks(targets, predictions, difficulties, own);
  for (const auto& [group, rows] : rows_of_groups(groups, predictions.size())) {
    const auto found = groups_.find(group);
    const Ranks part = found == groups_.end()
                           ? Ranks(rows.size(), 1)
                           : found->second.ranks(core::picked(targets, rows), core::picked(predictions, rows),
                                                 core::picked(difficulties, rows), core::picked(own, rows));
    for (std::size_t i = 0; i < rows.size(); ++i) result.values[rows[i]] = part.values[i];
  }
  return result;
}

}  // namespace credence::conformal
