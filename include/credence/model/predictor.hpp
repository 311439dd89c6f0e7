#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/core/describe.hpp"
#include "credence/data/dataset.hpp"
#include "credence/data/preprocessing.hpp"
#include "credence/model/members.hpp"

namespace credence::model {

/// An estimate of the error of what a selection chose. In nested cross-validation and hold-outs, the judges are rows
/// that took no part in training or choice. In bbc the choice of the setting is repeated on drawn rows and judged on
/// the other rows; no training is repeated.
struct HonestEstimate {
  std::string method{};  ///< "bbc" (bootstrap bias-corrected), "nested" (cross-validation) or "hold-out"
  /// What `error` is: "error", "soft loss", "mean squared error", or the loss of the score of the selection.
  std::string score = "error";
  double error = 0;               ///< the smaller the better
  std::optional<double> lower{};  ///< ends of an interval at confidence 1 - delta
  std::optional<double> upper{};
  /// What the ends are; empty if there are none. "Clopper-Pearson" is proved for independent rows; "binomial" is not
  /// proved, and neither is "Korn-Graubard", where whole groups or folds are drawn. "percentile" is for losses without
  /// an upper limit, and for scores other than the accuracy. "Student t" is for nested estimates of these scores.
  std::string interval{};
  double trials = 0;  ///< number of independent trials that the interval assumes; 0 for percentiles
  double delta = 0.05;
  std::size_t resamples = 0;  ///< bootstrap samples, or outer folds
  std::size_t rows = 0;       ///< rows judged
  double seconds = 0;
};

/// The record of a model's training.
struct TrainingRecord {
  std::string method = "train";  ///< "train", or the selection method: "cv", "nonconformity", ...
  /// The name of the file of the training rows, without its folder; "-": standard input, "": rows from memory.
  std::optional<std::string> data{};
  std::size_t rows = 0;  ///< training rows
  /// Hashes that identify training rows (data::smallest_keys of the raw features); empty if unknown.
  std::vector<std::uint64_t> row_keys{};
  std::uint64_t seed = 0;
  double C = 1;
  std::optional<double> nu;  ///< of a nu-SVC; C is then that of the equal C-SVC (for the last pair of classes)
  double tolerance = 1e-3;
  /// The remaining violation of the KKT conditions (qp::Statistics::gap, the largest of all binary SVMs) where a solve
  /// ended before the tolerance: the decision values are then approximate.
  std::optional<double> violation{};
  /// A sentence where the chosen setting could not be trained on all rows: the model is that of the next best one.
  std::string next_best{};
  /// Errors of some classes cost more in the training (svm::ClassWeights): labels then need not be the likeliest ones.
  bool weighs_classes = false;
  std::optional<double> selected_error;     ///< error of the chosen setting (optimistic), if a selection was made
  std::optional<int> resamples;             ///< of that selection
  std::optional<HonestEstimate> honest{};   ///< of that selection, without the seconds that it took
  std::string honest_kind{};                ///< the kind of its score, as result files name it
  std::vector<std::size_t> class_counts{};  ///< training rows of each class; empty if not recorded
  /// The smallest and the largest value of each raw column, NaN where it has no value; empty for sparse rows, and for
  /// more than most_ranges columns.
  std::vector<double> least{};
  std::vector<double> largest{};
  std::string version;  ///< version of the library

  static constexpr std::size_t most_ranges = 10'000;

  /// Stores the name of the file, the number of training rows, their hashes, the number of rows of each class, and the
  /// ranges of columns.
  void note_rows(const data::Dataset& dataset);
};

/// Which models or rows give the p-values and intervals of a chosen model (sentence_of).
enum class PValues {
  cross,   ///< fold models have the setting that was chosen on all rows
  nested,  ///< each fold model has the setting that was chosen without its fold
  split,   ///< rows are set aside from choice and training
};
constexpr auto words_of(PValues) {
  return std::array{core::Word{"cross", PValues::cross}, core::Word{"nested", PValues::nested},
                    core::Word{"split", PValues::split}};
}

/// How far p-values are proved; shown wherever the word is shown.
constexpr const char* grade_of(PValues p_values) {
  return p_values == PValues::cross    ? "measured"
         : p_values == PValues::nested ? "proved at twice the error"
                                       : "proved on average over calibration rows";
}

/// What p-values promise, in the one sentence that terminal, page, Python and docs share.
constexpr const char* sentence_of(PValues p_values) {
  switch (p_values) {
    case PValues::cross:
      return "in simulations, prediction sets and intervals miss about as often as allowed; this is not proved, "
             "because the setting was chosen on all rows";
    case PValues::nested:
      return "for exchangeable rows, prediction sets and intervals miss with probability at most about twice the "
             "allowed error, because fold models were chosen without their fold";
    case PValues::split:
      break;
  }
  return "if rows are exchangeable, prediction sets and intervals miss with probability at most the allowed error, on "
         "average over the rows set aside";
}

/// The sentence of the option: each word with its grade and its promise.
inline const char* p_value_sentences() {
  static const std::string text = [] {
    std::string all = "what p-values and intervals rest on and promise; the allowed error is 1 - confidence level";
    const auto add = [&](PValues p_values, const char* rows) {
      all.append(". ").append(core::word(p_values)).append(" (").append(rows).append(grade_of(p_values));
      all.append("): ").append(sentence_of(p_values));
    };
    add(PValues::cross, "");
    add(PValues::nested, "method kfold-nested, ");
    add(PValues::split, "sets three tenths of the rows aside for calibration, ");
    return all;
  }();
  return text.c_str();
}

/// Scores that rows got from models which had not seen them. A model keeps these scores, so that predictions get
/// p-values (conformal::add_confidence), or a regression gets intervals (conformal::regression_of). The model has none
/// if `nonconformity_scores` is empty. Probabilities are fitted to the same scores (model/probability.hpp).
struct Calibration {
  std::string source{};                        ///< "out-of-fold", "left-one-out", "out-of-bag", "held-out"
  PValues p_values = PValues::cross;           ///< split: the model that predicts also gave the scores
  std::vector<double> nonconformity_scores{};  ///< nonconformity score of each row under its true class: minus
                                               ///< Prediction::score; for a regression |target - mean|
  std::vector<int> labels{};                   ///< label of each row; empty for a regression
  /// Rows x classes: the score of every class. Empty for two classes, whose scores follow from the nonconformity score,
  /// for a regression, and for models of versions that did not keep these scores.
  data::DenseMatrix scores{};
  /// Region of the feature space of each row, where the model has an SVM for each region (svm::RegionFamily): a
  /// row is compared with the rows of its own region alone. Empty for other models, and for models of versions that did
  /// not keep the regions: all rows are then compared with all.
  std::vector<int> region_of{};
  /// Index of the fold model (Predictor::fold_models) that judged each row; empty without fold models.
  std::vector<int> fold_model_of{};

  bool empty() const { return nonconformity_scores.empty(); }
  bool exact() const { return p_values == PValues::split; }
};

/// The rows of each region, by Calibration::region_of; one list of all rows where there are no regions.
std::vector<Calibration> by_region(const Calibration& calibration);

/// The work of a predictor that solves a problem anew for each row (conformal::TransductiveSvm).
struct SolverCost {
  std::size_t problems = 0;   ///< one for each row, class and binary SVM
  std::size_t unchanged = 0;  ///< problems that needed no solve, because the new row is no support vector
  std::uint64_t steps = 0;    ///< SMO steps
  std::uint64_t factorisations = 0;
  std::size_t unconverged = 0;  ///< solves that ended before the tolerance
};

/// Whether a class with the p-value p belongs to the prediction set at a significance level: p > significance, where
/// the two are equal if they differ by rounding alone. The level 0.05 may come as 0.05 or as 1 - 0.95 =
/// 0.050000000000000044, and p = 1 / 20 is outside in both cases. Different numbers are distinguished if they differ by
/// more than 1e-12, as p-values among fewer than 10^9 examples and levels of at most three decimals do.
inline bool in_set(double p, double significance) {
  constexpr double rounding = 1e-12;
  return p - significance > rounding;
}

/// A prediction for each row. Fields that a predictor does not give stay empty.
struct Prediction {
  std::vector<int> label;         ///< index into Schema::classes; empty for regression
  std::vector<int> region_of;     ///< region of the feature space, for models that have an SVM for each region
  std::vector<int> category_of;   ///< category of the row, for models that compare rows within categories; -1: one
                                  ///< that no row for comparison has
  data::DenseMatrix decision;     ///< rows x binary SVMs, for a single SVM
  data::DenseMatrix score;        ///< rows x classes, for a single SVM: how well a class fits (svm::class_scores)
  data::DenseMatrix probability;  ///< rows x classes, for an RVM, or by add_probabilities: each row sums to 1
  data::DenseMatrix probability_lower;  ///< rows x classes: ends of the intervals of Venn-Abers (model/probability.hpp)
  data::DenseMatrix probability_upper;
  data::DenseMatrix moderated;        ///< `probability` with the uncertainty of the weights taken into account
  std::vector<double> mean;           ///< regression
  std::vector<double> sd;             ///< regression: sd of a new observation, noise included
  data::DenseMatrix fold_model_mean;  ///< rows x fold models: what each predicts of a regression, for intervals
  data::DenseMatrix p_value;          ///< rows x classes; nonconformity: p-values of the model chosen for the row
  std::vector<double> confidence;     ///< 1 - the largest p-value of a class other than the label
  std::vector<double> credibility;    ///< the p-value of the label
  std::vector<double> familiarity;    ///< p-value of "the row is like the training rows" (conformal::FamiliarityOf)
  std::vector<std::uint32_t> chosen;  ///< index of the model chosen for the row in the predictor's list
  std::vector<double> eps_crit;       ///< nonconformity: see selection/nonconformity.hpp
  /// Nonconformity: upper limit of the share of new rows that are as strange under their true class as this row, as
  /// judged by the chosen model. The number does not limit the error of this row (selection/nonconformity.hpp). It is
  /// eps_crit + deviation of Prop. 4.2, and is vacuous from 1 on.
  std::vector<double> bound_vc;
  std::vector<double> bound_dkw;  ///< the limit of `bound_vc`, computed by DKW with a union over models

  std::optional<SolverCost> solver_cost;  ///< sum over all rows

  /// Returns the prediction set at significance eps: the classes with p-value > significance (in_set), ascending;
  /// perhaps none or all.
  std::vector<int> prediction_set(std::size_t row, double significance) const;
};

/// Where the p-values of a predictor come from.
enum class PValueSource {
  none,
  calibration,    ///< Predictor::calibration, through conformal::predict_with_confidence
  conformal,      ///< a conformal model
  nonconformity,  ///< the validation margins of the model that is chosen for the row
};

/// What a predictor can do, for callers that do not know its class.
struct Capabilities {
  PValueSource p_values = PValueSource::none;
  bool intervals = false;      ///< it is a regression whose calibration makes intervals (conformal::regression_of)
  bool numbers = false;        ///< its kind can predict numbers
  bool probabilities = false;  ///< its kind gives probabilities to classes
  bool precomputed = false;    ///< rows are kernel values instead of features
  bool chosen = false;         ///< its hyper-parameters were chosen on the rows of its calibration
  std::optional<std::size_t> models;          ///< number that it keeps; none if it is a single model
  std::optional<std::size_t> voting;          ///< number of these that vote on every row
  std::optional<std::uint64_t> drawing_seed;  ///< seed by which one of these is drawn for each row
};

/// A value of each model that Prediction::chosen can name: "C", "gamma", "k", ...
struct ModelParameter {
  std::string name;
  std::vector<double> values;
};

/// Returns which of n training rows a model keeps (Predictor::known_rows): all, or a random sample drawn by the seed,
/// ascending. @param numbers_of_a_row  mean number of stored values of a row
std::vector<std::size_t> known_row_numbers(std::size_t rows, double numbers_of_a_row, std::uint64_t seed);

/// A method that predicts, together with the way in which raw rows are read and preprocessed for it.
struct Predictor {
  data::Schema schema;
  data::Missing missing = data::Missing::error;  ///< what training and predict do with missing values
  data::Preprocessing preprocessing;
  TrainingRecord record;
  Calibration calibration;
  Members fold_models;  ///< each trained without one fold; it compares new rows with those of this fold
  /// Training rows as `compared` makes them, with which conformal::FamiliarityOf compares new rows. None where rows are
  /// kernel values or distances, or only their direction counts, and in models of other programs.
  data::Features known_rows;

  static constexpr std::size_t most_known_rows = 1000;  ///< that a model keeps; see docs/confidence.md for the size
  static constexpr std::size_t most_known_numbers = 1'000'000;  ///< in these rows: of wide rows fewer are kept
  static constexpr std::size_t least_known_rows = 200;          ///< but at least these: the smallest p-value is 1 / 201

  Predictor() = default;
  Predictor(const Predictor&) = default;
  Predictor(Predictor&&) noexcept = default;
  Predictor& operator=(const Predictor&) = default;
  Predictor& operator=(Predictor&&) noexcept = default;
  virtual ~Predictor() = default;

  /// Keeps all rows of the training as `known_rows`, or a random sample of many rows, drawn by the seed of the record.
  /// The sample is as exchangeable with new rows as all rows are. The preprocessing must be fitted before.
  void keep_known_rows(const data::Dataset& dataset);

  /// Predicts raw rows in blocks, so that memory beside the result does not grow with the number of rows.
  /// @param rows  raw rows with this model's schema (read with ReadOptions::schema)
  /// @throws Error invalid_data, e.g. for a column count that differs; interrupted if the monitor says stop
  virtual Prediction predict(const data::Dataset& rows, const core::Context& context) const;
  /// Predicts as `predict`, and scores the rows by the fold models, as Members::score. Kinds whose fold models share
  /// kernel values with the model do both at once; the numbers are the same to the last bit.
  virtual Prediction predict_with_fold_models(const data::Dataset& rows, const core::Context& context,
                                              const Members::Visit& visit) const;
  /// @throws Error invalid_data for rows that lack feature columns of the model, or have more
  void check_columns(const data::Dataset& rows) const;
  /// Returns raw rows as predict_preprocessed takes them. @throws Error invalid_data as `predict`
  data::Features preprocessed(const data::Dataset& rows) const;
  /// Returns raw rows in the scaling of the known rows: by the standard scaling, where the model's is quantile. The
  /// quantile scaling would map a number in a wrong unit to the largest value of the training.
  data::Features compared(const data::Dataset& rows) const;
  /// Predicts rows that are already preprocessed.
  virtual Prediction predict_preprocessed(const data::Features& rows, const core::Context& context) const = 0;

  /// The predictor as a family of one model over preprocessed rows; nullptr where it is no single classifier.
  virtual std::shared_ptr<const ClassifierFamily> classifiers() const;
  virtual Capabilities capabilities() const;
  /// For people: "38 support vectors, trained on 398 rows".
  virtual std::string description() const;
  /// A name for each column of Prediction::decision: "decision_value"; "decision_value_a_vs_b" and
  /// "decision_value_a_vs_rest" for more than two classes.
  virtual std::vector<std::string> decision_names() const;
  /// The parameters by which its models differ, with a value for each model; none if it is a single model.
  virtual std::vector<ModelParameter> parameters() const;
};

}  // namespace credence::model
