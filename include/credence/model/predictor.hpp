#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"

namespace credence::model {

/// What a model says about how it came to be.
struct TrainingRecord {
  std::string method = "train";  ///< "train", or the selection method: "cv", "nonconformity", ...
  std::size_t rows = 0;          ///< training rows
  std::uint64_t seed = 0;
  double C = 1;
  std::optional<double> nu;  ///< of a nu-SVC, whose C is the cost that gives the same machine (of the last pair)
  double tolerance = 1e-3;
  std::optional<double> selected_error;  ///< of the chosen cell (optimistic), where a selection was made
  std::optional<int> folds;              ///< resamples of that selection
  std::string version;                   ///< of the library
};

/// Scores that rows got from models which had not seen them, kept with a model so that predictions get p-values
/// (conformal::add_confidence), or those of a regression intervals (conformal::regression_of). Empty: the model has
/// none.
struct Calibration {
  std::string source;               ///< "out-of-fold", "left-one-out", "out-of-bag", "held-out"
  bool exact = false;               ///< the model that predicts is the very one that gave the scores (held-out rows)
  std::vector<double> strangeness;  ///< of each row under its true class: minus the score, see Prediction::score; of a
                                    ///< regression: |target - mean|
  std::vector<int> labels;          ///< of each row; none of a regression

  bool empty() const { return strangeness.empty(); }
};

/// What a predictor took that solves problems anew for the rows it predicts (conformal::TransductiveSvm).
struct SolverCost {
  std::size_t problems = 0;   ///< (row, class, machine) problems
  std::size_t unchanged = 0;  ///< of which the new row was no support vector, so nothing had to be solved
  std::uint64_t steps = 0;    ///< SMO steps
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< solves that met the step limit
};

/// A prediction for each row. What a predictor does not have stays empty.
struct Prediction {
  std::vector<int> label;             ///< indexes Schema::classes; empty for regression
  data::DenseMatrix decision;         ///< rows x machines of a single SVM
  data::DenseMatrix score;            ///< rows x classes of a single SVM: how well a class fits (svm::class_scores)
  data::DenseMatrix probability;      ///< rows x classes of a relevance vector machine: sums to 1 (rvm/model.hpp)
  data::DenseMatrix moderated;        ///< the same, allowing for the uncertainty of the weights
  std::vector<double> mean;           ///< regression
  std::vector<double> sd;             ///< regression: of a new observation, noise included
  data::DenseMatrix p_value;          ///< rows x classes; nonconformity: of the model chosen for the row
  std::vector<double> confidence;     ///< 1 - the largest p-value of a class other than the label
  std::vector<double> credibility;    ///< the p-value of the label
  std::vector<std::uint32_t> chosen;  ///< the model chosen for the row, an index into the predictor's list
  std::vector<double> eps_crit;       ///< nonconformity: see selection/nonconformity.hpp
  /// Nonconformity: upper limit of the share of new rows that are as strange under their true class in the eyes of the
  /// model chosen, no limit of this row's error (selection/nonconformity.hpp). eps_crit + deviation of Prop. 4.2;
  /// vacuous from 1 on.
  std::vector<double> bound_vc;
  std::vector<double> bound_dkw;  ///< the same by DKW with a union over models

  std::optional<SolverCost> solver_cost;  ///< of all rows

  /// The prediction region at significance eps: classes with p-value > eps, ascending; possibly none or all.
  std::vector<int> region(std::size_t row, double eps) const;
};

/// Where the p-values of a predictor come from.
enum class PValueSource {
  none,
  calibration,    ///< Predictor::calibration, through conformal::predict_with_confidence
  conformal,      ///< a conformal machine
  nonconformity,  ///< the validation margins of the model that is chosen for the row
};

/// What a predictor can do, for callers that do not know its class.
struct Capabilities {
  PValueSource p_values = PValueSource::none;
  bool intervals = false;      ///< it is a regression whose calibration makes intervals (conformal::regression_of)
  bool numbers = false;        ///< its kind can predict numbers
  bool probabilities = false;  ///< its kind gives probabilities to classes
  bool precomputed = false;    ///< rows are kernel values instead of features
  bool chosen = false;         ///< its parameters were chosen on the rows of its calibration
  std::optional<std::size_t> models;          ///< that it keeps; none if it is a single model
  std::optional<std::size_t> voting;          ///< of these, how many vote on every row
  std::optional<std::uint64_t> drawing_seed;  ///< by which one of these is drawn for each row
};

/// A value of each model that Prediction::chosen can name: "C", "gamma", "k", ...
struct ModelParameter {
  std::string name;
  std::vector<double> values;
};

/// Anything that predicts from raw rows: the way rows are read and preprocessed, and a method behind it.
struct Predictor {
  data::Schema schema;
  data::Missing missing = data::Missing::error;  ///< what training did with missing cells; predict does the same
  data::Preprocessing preprocessing;
  TrainingRecord record;
  Calibration calibration;

  Predictor() = default;
  Predictor(const Predictor&) = default;
  Predictor(Predictor&&) = default;
  Predictor& operator=(const Predictor&) = default;
  Predictor& operator=(Predictor&&) = default;
  virtual ~Predictor() = default;

  /// Rows are taken in blocks, so memory beside the result does not grow with them.
  /// @param rows  raw rows with this model's schema (read with ReadOptions::schema)
  /// @throws Error invalid_data, e.g. for a column count that differs; interrupted if the monitor says stop
  virtual Prediction predict(const data::Dataset& rows, const core::Context& context) const;
  /// The same for rows that are preprocessed already.
  virtual Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const = 0;

  virtual Capabilities capabilities() const;
  /// What it is made of: "38 support vectors, trained on 398 rows".
  virtual std::string description() const;
  /// A name for each column of Prediction::decision: "decision"; "decision_a_vs_b" and "decision_a_vs_rest" for more
  /// than two classes.
  virtual std::vector<std::string> decision_names() const { return {}; }
  /// What tells its models apart, each parameter with a value for each of them; none if it is a single model.
  virtual std::vector<ModelParameter> parameters() const { return {}; }
};

}  // namespace credence::model
