#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/costs.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/score.hpp"
#include "credence/selection/selector.hpp"

/// Which columns matter to a model, and how its prediction changes with a column.
namespace credence::selection {

struct ImportanceOptions {
  /// Columns that are linked by a chain of correlations of at least this value are shuffled together (correlations of
  /// normal scores of the ranks, in absolute value; text stays alone). 0: each column alone.
  double correlated = 0;
  std::size_t repeats = 5;
  std::uint64_t seed = 0;
  /// The rows are those of the training, in their order: each is judged by the fold model that had not seen it, and
  /// shuffled among the rows that this model left out.
  bool left_out = false;
  /// The score of a classifier; a regression has the mean squared error.
  Score score = Score::accuracy;
  model::DecisionCosts costs{};   ///< of Score::cost
  std::vector<double> weights{};  ///< how much each row counts; empty: all the same
  /// Row numbers in another order, for each repeat: row i gets the value of row permutations[r][i]. Empty: drawn by the
  /// seed, the same for all columns.
  std::vector<std::vector<std::size_t>> permutations{};
  /// Called after the first columns, with a forecast of the seconds that all columns take.
  std::function<void(double seconds)> begins{};

  /// If there are many columns, each is first shuffled once, and those with the largest rises then `repeats` times.
  bool screen = true;

  static constexpr std::size_t screened_from = 200;
  static constexpr std::size_t most_leading = 50;  ///< columns that are shuffled again
};

/// How much the loss rises when some columns are shuffled.
struct ColumnImportance {
  std::string name;                  ///< "age", "age + weight"
  std::vector<std::size_t> columns;  ///< of the schema, shuffled together
  std::vector<double> rises;         ///< of each repeat; a column that was not shuffled again has only one
  double rise = 0;                   ///< their mean
  /// Of `rise`, over rows and repeats. A row adds to the rise as one that gets a value, and as one that gives its own;
  /// the sum of both varies from row to row, or from cluster to cluster (data::Dataset::clusters).
  double standard_error = 0;
};

struct Importance {
  std::string score;  ///< what rises: "error", "log loss", "1 - AUC", "mean squared error"
  double loss = 0;    ///< with all columns as they are
  std::size_t rows = 0;
  std::size_t repeats = 0;
  bool left_out = false;
  bool screened = false;
  std::size_t asked = 0;                    ///< columns, or groups of columns, that were to be shuffled
  std::vector<ColumnImportance> columns{};  ///< as the schema has them; fewer than asked after a stop
};

/// How much a raw column matters: the rise of the loss when its values are shuffled among the rows. Raw values are
/// shuffled, before scaling, one-hot encoding and imputation, so that the levels of a column move together. On rows
/// that the model had not seen, a column that is independent of all others and of the label has the mean rise 0. Of two
/// columns that say the same each may rise little: shuffle them together (ImportanceOptions::correlated).
/// Cost: as many predictions of all rows as columns times repeats, a block of rows at a time. Sources: Breiman, Random
/// forests, Machine Learning 45 (2001), section 10; Fisher, Rudin, Dominici, All models are wrong, but many are useful,
/// Journal of Machine Learning Research 20 (2019), section 3.
/// @param rows  raw labelled rows with the schema of the model; every label is of a known class
/// @throws Error invalid_argument for kernel values in place of columns, and if the
///         model keeps no fold models for rows left out; invalid_data for fewer than two rows, or a score that these
///         rows do not have; interrupted if the monitor says stop before the first column is done
Importance permutation_importance(const model::Predictor& model, const data::Dataset& rows,
                                  const ImportanceOptions& options, const core::Context& context);

/// The same on the rows that a selection left out, by the score that chose. The fold models of the chosen model judge
/// them; rows that were set aside (model::PValues::split) are judged by the model itself.
/// @param dataset  of the selection  @param options  whose score, costs and weights are replaced
/// @throws Error as permutation_importance
Importance importance_left_out(const model::Predictor& chosen, const data::Dataset& dataset, const Selection& selection,
                               ImportanceOptions options, const core::Context& context);

/// The score by which a model was chosen, if it is recorded and can be counted on new rows; else the accuracy.
Score score_of_choice(const model::Predictor& model);

/// The mean prediction of a model if a column has the same value in all rows, for several values.
struct Dependence {
  std::string name;                    ///< of the column
  std::vector<double> values;          ///< ascending
  std::vector<std::string> levels{};   ///< of a column of text: what the values stand for
  std::string response{};              ///< "probability", "decision value", "score", "prediction"
  std::vector<std::string> classes{};  ///< of each curve: the second of two, or all; none for a regression
  data::DenseMatrix average{};         ///< values x curves
};

/// The values are the distinct ones of the column or, if there are 100 numbers or more, 100 evenly spaced ones between
/// the quantiles 0.05 and 0.95 (those of scikit-learn); missing ones are left out. Predictions are probabilities where
/// the model has them. Cost: as many predictions of all rows as there are values, a block of rows at a time. Source:
/// Friedman, Greedy function approximation: a gradient boosting machine, Annals of Statistics 29 (2001), 8.2.
/// @throws Error invalid_argument for a model without numbers to average, or kernel values in place of columns;
///         invalid_data for a column without a value; interrupted if the monitor says stop
Dependence partial_dependence(const model::Predictor& model, const data::Dataset& rows, std::size_t column,
                              const core::Context& context);

/// The column of this name, or, if columns have no names, of this position, from 1 on. @throws Error invalid_argument
std::size_t column_named(const data::Schema& schema, std::string_view name);

}  // namespace credence::selection
