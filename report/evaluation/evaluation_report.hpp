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
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/as_strange.hpp"
#include "credence/selection/bound_curve.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/decisions/parts_report.hpp"
#include "report/decisions/place_report.hpp"
#include "report/evaluation/confusion_report.hpp"
#include "report/json.hpp"
#include "report/rows/familiarity_report.hpp"
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
  std::string trained_on;     ///< says that these rows trained the model (seen_rows_sentence); empty if not

  static constexpr double interval_delta = 0.05;
};

enum class UnknownClasses { refused, are_errors };

/// @param classes  names, as many as the model knows
/// @throws Error invalid_data with the source as place for a class that the model does not know, if these are refused
LabelReport compare_labels(const std::vector<std::string>& classes, const data::Dataset& dataset,
                           const model::Prediction& prediction, const std::string& source,
                           UnknownClasses unknown = UnknownClasses::refused);

/// Error rate with its interval, and the confusion.
std::string label_table(const LabelReport& report);
/// The same fields at the top of a document.
Json label_json(const LabelReport& report);

/// How good probabilities of classes are on labelled rows.
struct ProbabilityScore {
  double log_loss = 0;  ///< mean of -log p of the true class (model::log_loss)
  /// Mean of (p - t)^2 of one of two classes, t = 1 if it is the true one, else 0; with more, summed over the classes.
  double brier = 0;
};
/// The score of each kind of probabilities that a prediction has, by name: "plain" and "moderated", or "sigmoid".
struct ProbabilityReport {
  std::vector<std::pair<std::string, ProbabilityScore>> scores;
};
/// Nothing for models without probabilities, and without a row of a known class.
/// @param labels  of each row; -1 for an unknown class, whose rows are left out
/// @param name    of Prediction::probability
std::optional<ProbabilityReport> judge_probabilities(const std::vector<int>& labels,
                                                     const model::Prediction& prediction, const std::string& name);
std::string probability_table(const ProbabilityReport& report);
Json probability_json(const ProbabilityReport& report);

/// Errors and sizes of regions, a line for each level.
std::string regions_table(const std::vector<conformal::LevelCounts>& levels);
Json regions_json(const std::vector<conformal::LevelCounts>& levels);

/// Mean confidence and credibility: what is said of an evaluation beside its regions.
std::string confidence_line(const conformal::Evaluation& evaluation);
/// What is left for --verbose: criteria, a few points of the calibration, the test of uniformity.
std::string criteria_table(const conformal::Evaluation& evaluation);
/// The points of the calibration: eps and error.
Json calibration_json(const conformal::Evaluation& evaluation);
/// All of it, with all points of the calibration; without the regions.
Json validity_json(const conformal::Evaluation& evaluation);

/// Adds to the document of an evaluation how its p-values were made, and what they and their regions came to.
/// @param guarantee  a sentence; empty where none is known
void add_p_values(const conformal::Evaluation& evaluation, const conformal::PValueOptions& made,
                  const std::string& guarantee, Json& document);

struct Evaluated {
  LabelReport labels;
  std::vector<conformal::LevelCounts> regions;    ///< of models with p-values
  std::optional<conformal::Evaluation> p_values;  ///< the rest, of those whose p-values claim to be valid
  std::vector<selection::BoundPoint> curve;       ///< of nonconformity models
  std::vector<selection::AsStrange> as_strange;   ///< of nonconformity models
  std::optional<ProbabilityReport> probability;   ///< of predictions that have them
  std::optional<FamiliarityReport> familiarity;   ///< of models that keep training rows
  std::optional<LimitReport> limits;              ///< where limits are asked for
  std::optional<PartsReport> parts;               ///< where rows are divided
  std::optional<PlaceReport> place;               ///< where class shares of another place are given
  std::vector<std::string> warnings;
};

/// @param verbose  also criteria of efficiency, calibration and uniformity
std::string evaluated_table(const Evaluated& findings, const model::Predictor& model, bool verbose);
/// Without the decision regions, and without where the rows came from.
/// @param made  how the p-values were made
Json evaluated_json(const Evaluated& findings, const model::Predictor& model, const conformal::PValueOptions& made);

/// Fits a predictor on the rows that it is given.
using FitOnRows = std::function<std::shared_ptr<const conformal::ConformalPredictor>(const data::Dataset&)>;

/// How good a conformal predictor is that is fitted on four fifths of the rows, counted on the other fifth: errors with
/// their interval, regions, and what the charts of an evaluation show. The fifth is drawn by the seed without a look at
/// labels, in whole groups; for label-conditional p-values class by class. Null where so few rows cannot be split.
/// Cost: a fit on four fifths of the rows, and the predictions of a fifth.
/// @param levels  of regions  @throws Error as the fit, but for data that are too few
Json fit_check_json(const data::Dataset& dataset, const conformal::PValueOptions& options,
                    const std::vector<double>& levels, const FitOnRows& fit, const core::Context& context);

/// "sizes": empty, single and multiple regions at the levels 0.01, 0.02, ..., 0.99 of predictions with p-values;
/// "rejection": errors among the rows that are kept when the least confident ones are turned away, with the
/// Clopper-Pearson interval, at about each per cent of rows;
/// "trust": confidence and credibility of up to 1000 rows, evenly taken, and the 20 rows of the least credibility.
/// Empty without confidence.
Json trust_json(const model::Prediction& prediction, const data::Dataset& dataset);

/// The same of the scores that the rows of a selection got from models which had not seen them. The p-value of a row
/// ranks its score among those of all other rows, or of the other rows of its region (Calibration::region_of). Empty if
/// the calibration is not one of scores of all rows.
Json trust_json(const model::Calibration& calibration, const data::Dataset& dataset);

/// How many rows get a clear answer, what is gained by asking a person, and which rows are doubtful: up to 1000 rows,
/// evenly taken, and the 20 of the least credibility. Nothing without confidence.
void add_trust_charts(const model::Prediction& prediction, const data::Dataset& dataset, Section& section);
/// The predictions of the rows of a selection by the scores that they got from models which had not seen them. The
/// p-value of a row ranks its score among those of all other rows, or of the other rows of its region
/// (Calibration::region_of). None if the calibration is not one of scores of all rows.
std::optional<model::Prediction> prediction_of(const model::Calibration& calibration, const data::Dataset& dataset);
/// The label at each point of a grid of 60 x 60 over the two features, as far as the rows go and a little beyond, and
/// up to 500 rows, evenly taken. None unless `has_decision`.
std::optional<Chart> decision_chart(const model::Predictor& predictor, const data::Dataset& dataset,
                                    const core::Context& context);

/// Whether the rows lie in a plane: two numeric features, dense, and classes.
bool has_decision(const data::Dataset& dataset);
/// The label at each point of a grid of 60 x 60 over the two features, as far as the rows go and a little beyond, and
/// up to 500 rows, evenly taken. Null unless `has_decision`.
Json decision_json(const model::Predictor& predictor, const data::Dataset& dataset, const core::Context& context);

}  // namespace credence::report
