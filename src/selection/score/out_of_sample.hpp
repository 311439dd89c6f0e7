#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/model/costs.hpp"
#include "credence/selection/selector.hpp"
#include "selection/score/clipped_scores.hpp"
#include "selection/score/pooled.hpp"

namespace credence::selection {

/// What is kept of the predictions of rows that models had not seen: as little as score and rule need.
enum class Kept {
  nothing,  ///< the sums over rows of JudgedGrid are enough
  labels,
  margins,  ///< of the second of two classes
  losses,
};

/// Out-of-sample predictions of every cell. A place is a row that a resample held out; the places of a resample follow
/// each other. A row that is held out several times has several places, which together count as one row.
struct OutOfSample {
  Score score = Score::accuracy;
  Kept kept = Kept::nothing;
  std::size_t classes = 0;
  std::size_t cells = 0;
  std::vector<std::uint32_t> rows;  ///< of each place
  std::vector<int> truth;           ///< class of each place; empty for a regression
  /// Sample weight of each place's row; empty: all 1, or the losses of an accuracy, which are weighted already
  /// (ErrorWeights).
  std::vector<double> weights;
  std::vector<std::size_t> starts;    ///< first place of each resample, and the end
  std::vector<std::uint16_t> labels;  ///< (cell, place), place fastest
  std::vector<double> values;         ///< (cell, place): margins or losses
  ClippedScores clipped;              ///< what averages of cells are made of; empty unless the rule wants them
  bool by_rows = false;               ///< standard errors of means are taken over rows, not over resamples
  bool soft = false;                  ///< with Score::accuracy: the soft loss counts, not the error
  std::vector<double> costs;          ///< with Score::accuracy and clipped scores: of each place; empty: all 1

  model::DecisionCosts label_costs{};  ///< with Score::cost, whose losses are the costs of labels

  bool empty() const { return kept == Kept::nothing; }
  /// Whether set_label says all that is kept of a prediction.
  bool takes_labels() const { return kept == Kept::labels || score == Score::cost; }
  /// Keeps the label of a place, or its cost.
  void set_label(std::size_t cell, std::size_t place, std::size_t label);
  std::size_t places() const { return rows.size(); }
  std::size_t resamples() const { return starts.size() - 1; }
  std::span<const double> values_of(std::size_t cell) const { return {values.data() + cell * places(), places()}; }
  std::span<const std::uint16_t> labels_of(std::size_t cell) const {
    return {labels.data() + cell * places(), places()};
  }
  /// How often each of n rows is held out.
  std::vector<std::uint32_t> times(std::size_t n) const;
  /// What makes the score of a cell on the places of one resample.
  /// @param other  weights of the places of all resamples; empty: their own
  ScoreSums sums_in(std::size_t cell, std::size_t resample, std::span<const double> other = {}) const;
  /// What is to be small (loss_of) of them; NaN where the score is undefined.
  double loss_in(std::size_t cell, std::size_t resample, std::span<const double> other = {}) const;
};

/// What the score and the rule of the options need.
Kept kept_of(const Options& options);

/// Whether cells are compared by the scores of rows, not by their labels alone.
bool compares_scores(const Options& options);

/// Room for the predictions; clipped scores have none yet. @param held_out  rows of each resample, ascending
/// @param labels  of all rows  @param weights  likewise; empty: all 1
/// @throws Error as label_costs
OutOfSample room_for(const Options& options, std::span<const std::vector<std::size_t>> held_out,
                     std::span<const int> labels, std::span<const double> weights,
                     const std::vector<std::string>& classes, std::size_t cells);

/// The cells of `first`, then those of `second`, judged on the same resamples.
OutOfSample joined(const OutOfSample& first, const OutOfSample& second);

/// Turns the margins of SVMs into log losses, by sigmoids that are cross-fitted: the sigmoid that judges a resample is
/// fitted to the margins of rows that other resamples hold out and this one does not. Where resamples hold out one row
/// each, where there is one resample, or where no other rows are left, the rows are dealt to ten stratified folds (or
/// as many as there are rows), which take the resamples' place.
/// Cost: about ten passes over the margins for each fold and cell.
void judge_by_sigmoids(std::uint64_t seed, const core::Context& context, OutOfSample& said);

/// Score and spread of a cell. The score is that of the predictions of all resamples together, for one that lacks a
/// class says little of a balanced accuracy or an F1, and the mean over such resamples is biased. Pairs of an AUC are
/// of one resample each. The spread is over the resamples in which the score is defined.
void set_score(const OutOfSample& said, std::size_t which, Cell& cell);

/// A mean over rows, each of which counts by the mean of its places.
struct RowsLoss {
  double mean = 0;            ///< NaN without rows
  double standard_error = 0;  ///< deviation over the root of the number of rows; 0 for one row
};
/// Of the losses of a cell (Kept::losses). @param weights  of the places; empty: each row counts once
RowsLoss loss_over_rows(const OutOfSample& said, std::size_t cell, std::span<const double> weights = {});

/// The standard error of a cell's score over rows: that of loss_over_rows where losses are kept, else that of the
/// jackknife, which leaves out the places in ten parts (or as many as there are places): each tenth place is in one
/// part. A part without which the score is undefined does not count. Unlike in pooled_loss, pairs of an AUC cross the
/// parts.
/// @param weights  of the places; empty: their own
double error_over_rows(const OutOfSample& said, std::size_t cell, std::span<const double> weights = {});

/// The spread of a cell whose losses in the resamples are known; NaN where a resample does not count.
void set_spread(std::span<const double> losses, Cell& cell);

/// Bootstrap bias correction of a choice by the pooled score: the drawn rows choose a cell by the score of all their
/// places, and the places of the rows that were not drawn judge the cell. Rule::one_se and Rule::average take their
/// standard error from the losses of the drawn rows in each resample, or from the drawn rows (error_over_rows); with
/// the latter rule the average of the cells within reach is judged. A row counts once, however often it was held out.
/// Cost: resamples x places x cells.
/// @param groups  of all rows, as in bootstrap_bias_corrected
HonestEstimate bbc_of_scores(const OutOfSample& said, std::size_t row_count, std::span<const std::size_t> preference,
                             Rule rule, std::span<const int> groups, const BbcOptions& options,
                             const core::Context& context);

}  // namespace credence::selection
