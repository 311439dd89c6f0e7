#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/conformal/review.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/model/sigmoid.hpp"
#include "credence/selection/as_strange.hpp"
#include "credence/selection/importance.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/decisions/parts_report.hpp"
#include "report/decisions/place_report.hpp"
#include "report/evaluation/paper_numbers.hpp"
#include "report/json.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/story.hpp"
#include "report/text.hpp"

/// What a model came to on labelled rows, as text and as a document.
/// How far single predictions can be trusted, on rows whose labels are known: what the page's charts show.
namespace credence::report {

/// Labels predicted and true, counted.
struct LabelReport {
  std::size_t rows = 0;
  std::size_t errors = 0;
  std::size_t unknown = 0;    ///< rows of classes that the model does not know, which are errors
  bounds::Interval interval;  ///< of the error rate, see interval_delta
  Confusion confusion;        ///< of the other rows
  PaperNumbers numbers;       ///< of the same
  std::string trained_on;     ///< says that these rows trained the model (seen_rows_sentence); empty if not

  static constexpr double interval_delta = 0.05;
};

/// A row of a class that the model does not know is an error.
/// @param classes   names, as many as the model knows
/// @param positive  the class that the numbers of a paper call positive, of two; empty: the second
LabelReport compare_labels(const std::vector<std::string>& classes, const data::Dataset& dataset,
                           const model::Prediction& prediction, const std::string& positive = {});

/// The same fields at the top of a document.
Json label_json(const LabelReport& report);

/// How good probabilities of classes are on labelled rows.
struct ProbabilityScore {
  double log_loss = 0;  ///< mean of -log p of the true class (model::log_loss)
  /// Mean of (p - t)^2 of one of two classes, t = 1 if it is the true one, else 0; with more, summed over the classes.
  double brier = 0;
  std::optional<model::CalibrationLine> line{};  ///< of the positive one of two classes
};
/// Rows whose probabilities lie between two tenths.
struct ReliabilityBin {
  std::size_t rows = 0;
  std::size_t hits = 0;  ///< rows of the class
  double sum = 0;        ///< of their probabilities
};
/// The score of each kind of probabilities that a prediction has, by name: "plain" and "moderated", or "sigmoid".
struct ProbabilityReport {
  std::vector<std::pair<std::string, ProbabilityScore>> scores;
  std::string of_class{};  ///< the positive one of two; empty: the reliability is that of each row's own label
  std::vector<ReliabilityBin> reliability{};  ///< of the first of `scores`, ten tenths
};
/// Nothing for models without probabilities, and without a row of a known class.
/// @param labels    of each row; -1 for an unknown class, whose rows are left out
/// @param name      of Prediction::probability
/// @param report    of the same rows, whose numbers name the positive class
std::optional<ProbabilityReport> judge_probabilities(const std::vector<int>& labels,
                                                     const model::Prediction& prediction, const std::string& name,
                                                     const LabelReport& report);
void add_probability(const ProbabilityReport& report, Section& section);
Json probability_json(const ProbabilityReport& report);

/// Misses and sizes of prediction sets, a line for each level.
Table sets_table(const std::vector<conformal::LevelCounts>& levels);
Json sets_json(const std::vector<conformal::LevelCounts>& levels);

/// For --verbose: mean confidence and credibility, criteria, a few points of the calibration, the test of uniformity.
void add_criteria(const conformal::Evaluation& evaluation, Section& section);
/// All of it, with all points of the calibration; without the prediction sets.
Json validity_json(const conformal::Evaluation& evaluation);

/// Adds to the document of an evaluation how its p-values were made, and what they and their prediction sets came to.
/// @param guarantee  a sentence; empty where none is known
void add_p_values(const conformal::Evaluation& evaluation, const conformal::PValueOptions& made,
                  const std::string& guarantee, Json& document);

/// How many of the errors are among the rows that a review marks.
struct ReviewReport {
  std::size_t rows = 0;
  std::size_t marked = 0;
  std::size_t errors = 0;
  std::size_t found = 0;  ///< errors among the marked rows

  /// @param predicted  of each row, as labels; none without a review
  static std::optional<ReviewReport> of(const std::optional<conformal::Review>& review, const std::vector<int>& labels,
                                        const std::vector<int>& predicted);
};
/// Nothing where no row is wrong.
void add_review(const ReviewReport& report, Section& section);
Json review_json(const ReviewReport& report);

/// Which columns matter to a model, and how its answer changes with a column, where that was asked for.
struct ColumnEffects {
  std::optional<selection::Importance> importance{};
  std::vector<selection::Dependence> dependence{};
};
void add_columns(const ColumnEffects& effects, Story& story);
void add_columns(const ColumnEffects& effects, Json& document);

struct Evaluated {
  LabelReport labels;
  std::vector<conformal::LevelCounts> sets{};       ///< of models with p-values
  std::optional<conformal::Evaluation> p_values{};  ///< the rest, of those whose p-values claim to be valid
  conformal::PValueOptions made{};                  ///< how the p-values were made
  std::vector<std::size_t> compared_with{};         ///< rows of each class, or of all together; empty: not known
  std::string guarantee{};                          ///< what prediction sets promise; empty: not known
  MissLimits may_miss{};                            ///< of scores from outside
  std::vector<selection::BoundPoint> curve{};       ///< of nonconformity models
  std::vector<selection::AsStrange> as_strange{};   ///< of nonconformity models
  std::optional<ProbabilityReport> probability{};   ///< of predictions that have them
  std::optional<FamiliarityReport> familiarity{};   ///< of models that keep training rows
  std::optional<ReviewReport> review{};             ///< of models with probabilities
  std::optional<LimitReport> limits{};              ///< where limits are asked for
  std::optional<PartsReport> parts{};               ///< where rows are divided
  std::optional<PlaceReport> place{};               ///< where class shares of another data set are given
  ColumnEffects columns{};                          ///< where these are asked for
  std::vector<std::string> warnings{};
  std::string model{};   ///< its file or class; empty: scores of another tool
  std::string source{};  ///< the file of the rows
  Cost cost{};
};

/// @param rule     of nonconformity models; nullptr for others
/// @param of_rows  pictures of single rows, as add_trust_charts and decision_chart make them
Story evaluation_story(const Evaluated& findings, const selection::NonconformityRule* rule,
                       std::vector<Block> of_rows = {});
/// Error rate with its interval, what it is worth, and the confusion.
void add_labels(const Evaluated& findings, Section& section);
/// The figures, without the story and without where the rows came from.
Json evaluated_json(const Evaluated& findings, const selection::NonconformityRule* rule);

/// Rows that were tested, and what they were compared with.
struct Promise {
  std::size_t rows = 0;
  std::vector<std::size_t> compared_with{};  ///< rows of each class, or of all together; empty: not known
  std::vector<std::size_t> of_class{};       ///< tested rows of each class, for label-conditional p-values
  bool smoothed = false;

  static Promise of(const Evaluated& findings);
};
/// The share of misses against the allowed error, with its binomial band.
/// @param claim, missed  what promises, and what is missed: "A prediction set", "the true class"
Chart level_error_chart(const std::vector<conformal::CalibrationPoint>& points, const Promise& promise,
                        std::string_view claim, std::string_view missed);
struct IntervalCoverage;
/// The share of targets inside their intervals, at each level.
Chart coverage_chart(const std::vector<IntervalCoverage>& coverage);

/// Fits a predictor on the rows that it is given.
using FitOnRows = std::function<std::shared_ptr<const conformal::ConformalPredictor>(const data::Dataset&)>;

/// How good a conformal predictor is that is fitted on four fifths of the rows, counted on the other fifth. The fifth
/// is drawn by the seed without a look at labels, in whole groups; for label-conditional p-values class by class.
struct FitCheck {
  Evaluated found;
  std::size_t fitted_rows = 0;
  std::vector<Block> of_rows{};  ///< what the charts of an evaluation show
};
/// None where so few rows cannot be split. Cost: a fit on four fifths of the rows, and the predictions of a fifth.
/// @param levels  of prediction sets  @throws Error as the fit, but for data that are too few
std::optional<FitCheck> fit_check(const data::Dataset& dataset, const conformal::PValueOptions& options,
                                  const std::vector<double>& levels, const FitOnRows& fit,
                                  const core::Context& context);
Json fit_check_json(const FitCheck& check);

/// How many rows get a clear answer, what is gained by asking a person, and which rows are doubtful: up to 1000 rows,
/// evenly spaced, and up to 20 that a review marks, without one those of the least credibility. Nothing without
/// confidence.
void add_trust_charts(const model::Prediction& prediction, const data::Dataset& dataset, Section& section,
                      const std::optional<conformal::Review>& review = {});
/// The predictions of the rows of a selection by the scores that they got from models which had not seen them. The
/// p-value of a row ranks its score among those of all other rows, or of the other rows of its prediction set
/// (Calibration::region_of). None if the calibration is not one of scores of all rows.
std::optional<model::Prediction> prediction_of(const model::Calibration& calibration, const data::Dataset& dataset);
/// The label at each point of a grid of 60 x 60 over the two features, as far as the rows go and a little beyond, and
/// up to 500 rows, evenly spaced. None unless `has_decision`.
std::optional<Chart> decision_chart(const model::Predictor& predictor, const data::Dataset& dataset,
                                    const core::Context& context);

/// Whether the rows lie in a plane: two numeric features, dense, and classes.
bool has_decision(const data::Dataset& dataset);

}  // namespace credence::report
