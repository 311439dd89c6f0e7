#pragma once

#include "credence/bounds/binomial.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "report/evaluation/confusion_report.hpp"
#include "report/json.hpp"
#include "report/text.hpp"

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

}  // namespace credence::report
