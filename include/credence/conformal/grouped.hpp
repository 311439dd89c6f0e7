#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "credence/conformal/inductive.hpp"
#include "credence/conformal/regression.hpp"

/// Mondrian conformal prediction with any grouping: a new row is compared with the examples of its own group alone. The
/// group of a row may depend on its features (a column, a range of a column). If examples are exchangeable within each
/// group, prediction sets and intervals at significance eps miss with probability at most eps in each group, not only
/// on average over all groups. The price is resolution: the smallest p-value of a group of m examples is 1 / (m + 1). A
/// row of a group without examples has the p-value 1 for every class and target (rank 0 of 0). Source: Vovk, Gammerman,
/// Shafer, Algorithmic Learning in a Random World (2005), section 4.5.
namespace credence::conformal {

/// ScoreCalibration for each group.
class GroupedCalibration {
 public:
  /// @param scores  examples x classes  @param labels  label of each example  @param groups  any code of each example
  /// @throws Error as ScoreCalibration; invalid_argument for another number of groups than of examples
  /// @param weights  of the examples; group_shares are those over all examples, not within each code of `groups`
  GroupedCalibration(const data::DenseMatrix& scores, std::span<const int> labels, std::span<const int> groups,
                     const RowWeights& weights = {});
  /// Takes the nonconformity score of each example under its own class.
  GroupedCalibration(std::span<const double> nonconformity, std::span<const int> labels, std::size_t classes,
                     std::span<const int> groups, const RowWeights& weights = {});

  /// The calibration of each group that has examples, by its code.
  const std::map<int, ScoreCalibration>& groups() const { return groups_; }
  /// Ranks new rows among the examples of their groups, and with `label_conditional` among those of the assumed class
  /// in their groups.
  /// @param scores  rows x classes  @param groups  code of each row  @param own  weight of each row; empty: 1
  /// @throws Error as ScoreCalibration::ranks;
  /// invalid_argument for another number of groups than of rows
  Ranks ranks(const data::DenseMatrix& scores, std::span<const int> groups, bool label_conditional,
              std::span<const double> own = {}) const;

 private:
  std::map<int, ScoreCalibration> groups_;
};

/// InductiveRegression for each group, of absolute or normalised residuals. The interval of a row whose group has no
/// examples is the whole line.
class GroupedRegression {
 public:
  /// @param groups  any code of each example; the other parameters are those of InductiveRegression
  /// @throws Error as InductiveRegression; invalid_argument for another number of groups than of examples
  GroupedRegression(std::span<const double> targets, std::span<const double> predictions, std::span<const int> groups,
                    std::span<const double> difficulties = {}, const RegressionOptions& options = {},
                    const RowWeights& weights = {});

  /// The regression of each group that has examples, by its code.
  const std::map<int, InductiveRegression>& groups() const { return groups_; }
  /// @param groups  code of each row  @throws Error as InductiveRegression::intervals; invalid_argument for another
  /// number of groups than of rows
  std::vector<PredictionInterval> intervals(std::span<const double> predictions, std::span<const int> groups,
                                            std::span<const double> difficulties, double significance,
                                            std::span<const double> own = {}) const;
  /// Ranks the targets of new rows; see InductiveRegression::ranks.
  Ranks ranks(std::span<const double> targets, std::span<const double> predictions, std::span<const int> groups,
              std::span<const double> difficulties = {}, std::span<const double> own = {}) const;

 private:
  std::map<int, InductiveRegression> groups_;
};

}  // namespace credence::conformal
