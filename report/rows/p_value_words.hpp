#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/model/predictor.hpp"
#include "credence/model/probability.hpp"
#include "report/json.hpp"
#include "report/story.hpp"

namespace credence::report {

/// What the prediction sets of one split conformal predictor may miss (bounds::split_miss_limit), at each level.
struct MissLimits {
  static constexpr double delta = 0.05;
  struct Rows {
    std::string name;            ///< of the class; empty for all classes together
    std::size_t compared = 0;    ///< rows held out
    std::vector<double> shares;  ///< the limit at each level
  };
  std::vector<double> levels;
  std::vector<Rows> rows;
};

/// @param counts  of each class, the rows held out
MissLimits miss_limits(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                       const conformal::PValueOptions& options, const std::vector<double>& levels);
/// Those of a predictor that compares with rows held out from its training; no rows for another.
MissLimits miss_limits(const conformal::ConformalPredictor& predictor, const std::vector<double>& levels);
/// One line of text for all classes together, or for each class: "up to 8.92 % of new rows at 0.95, 15.10 % at 0.9 (114
/// rows, with certainty 95 %)". Levels at which nothing can be missed come last.
std::vector<std::string> miss_limit_lines(const MissLimits& limits);
/// What the lines say, in one sentence; empty without rows.
/// @param claim  what misses: "prediction sets"
std::string miss_limit_note(const MissLimits& limits, const std::string& claim);
/// What the model of these rows may miss, as a table; nothing where no limit is known.
void add_may_miss(const MissLimits& limits, Section& section);
/// An entry for each level and class; null without rows.
Json miss_limits_json(const MissLimits& limits);

/// What the prediction sets of a model guarantee with p-values made in this way, in one sentence; for models without
/// p-values, that they have none and how to get them.
std::string validity_sentence(const model::Predictor& model, const conformal::PValueOptions& options);
/// The same in the model's own way.
std::string validity_sentence(const model::Predictor& model);
/// Whether rows are compared with those of the assumed class alone, or of their category; whether what is promised is
/// of rows of new groups.
struct Apart {
  bool classes = false;
  bool categories = false;
  bool new_groups = false;
};
/// What prediction sets around scores from outside guarantee, in one sentence.
/// @param condition  "if new rows and ... are exchangeable"
std::string set_guarantee(Apart apart, std::string_view condition);
/// The same of intervals.
std::string interval_guarantee(Apart apart, std::string_view condition);
/// Of prediction sets around scores that several classifiers gave, each trained without one fold.
/// @param stratified  whether folds were drawn class by class
/// @param rows        of each class, all of them held out once; or groups, where what is promised is of new groups
/// @param chosen      whether what they have in common was chosen by the same rows
std::string cross_guarantee(const std::vector<std::size_t>& rows, std::size_t folds, bool label_conditional,
                            bool stratified, bool new_groups = false, bool chosen = false);
/// The same where rows have known weights. @param share  the largest that one row has of the weight of those which it
/// is compared together with
std::string weighted_cross_guarantee(double share, std::size_t folds, bool label_conditional, bool stratified);
/// A grade of trust and the sentence of what it promises (model::sentence_of).
std::string promise_of(model::PValues trust);
/// The same in figures; none of `cross`.
/// @param rows  that are compared with, or would be  @param folds  of the fold models, or of those that would be made
std::string promised_figures(model::PValues trust, std::size_t rows, std::size_t folds);
/// " (87 more groups are needed at 0.99, 7 more at 0.95)"; one level is not named. Empty if no number is enough.
std::string more_needed(std::size_t rows, const std::vector<double>& levels, std::string_view unit);
/// Those below the smallest p-value that can occur.
std::vector<double> levels_below(double smallest, std::vector<double> levels);
/// What the numbers of a resolution_warning count.
struct ResolutionWords {
  std::string_view unit = "row";  ///< or "group"
  bool in_category = false;       ///< whether they are of the smallest category
};
/// Which levels lie below the smallest p-value that can occur, so that prediction sets cannot leave classes out, and
/// how many rows are missing; empty if none.
/// @param counts  examples of each class that rows are compared with (conformal::compared_with)
std::string resolution_warning(const std::vector<std::string>& classes, const std::vector<std::size_t>& counts,
                               const conformal::PValueOptions& options, const std::vector<double>& levels,
                               const ResolutionWords& words = {});
std::string resolution_warning(const conformal::ConformalPredictor& model, const conformal::PValueOptions& options,
                               const std::vector<double>& levels);

/// What Prediction::probability is called: "sigmoid", or "plain" for a model's own.
std::string probability_name(const model::ProbabilityOptions& options, const model::Prediction& prediction);

/// What probabilities that were fitted to the scores of a model rest on, in one sentence; empty for a model's own.
/// @param moved  to the class shares of another data set, where the label need not be the most probable class
std::string probability_sentence(const model::Predictor& model, const model::ProbabilityOptions& options,
                                 const model::Prediction& prediction, bool moved = false);

}  // namespace credence::report
