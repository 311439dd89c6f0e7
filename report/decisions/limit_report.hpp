#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "credence/conformal/decision.hpp"
#include "report/json.hpp"
#include "report/rows/p_value_words.hpp"
#include "report/rows/prediction_columns.hpp"
#include "report/story.hpp"

/// Decisions with a limit for each class, as columns, text and JSON.
/// What each choice of limits comes to on rows whose classes are known.
namespace credence::report {

/// What limits hold rows against: the rows of each class, or the groups.
struct ComparedRows {
  std::vector<std::string> classes;
  std::vector<std::size_t> rows;
  ResolutionWords words{};

  static ComparedRows of(const model::Predictor& model);
};

/// The limits that were asked for, and the levels at which a model strikes classes out so that they hold.
struct LimitsAsked {
  std::vector<double> limits;          ///< of each class
  std::optional<double> certainty;     ///< over the rows compared with
  std::vector<double> levels;          ///< at which a class is ruled out; the limits themselves without a certainty
  std::vector<std::string> unnamed{};  ///< classes that were given no limit, and have the smallest of the others

  bool any() const { return !limits.empty(); }
  /// No limits where none are asked for. @throws Error invalid_argument as conformal::limits_of_classes and
  /// conformal::levels_of_limits; for a certainty without limits
  static LimitsAsked of(const model::Predictor& model, const conformal::LimitOptions& options);
  /// Of scores from outside, all of them of rows that were set aside. @param alike  whether these rows count alike,
  /// which a certainty needs
  static LimitsAsked of(const ComparedRows& compared, bool alike, const conformal::LimitOptions& options);
};

/// Decisions with limits, on rows whose classes are known.
struct LimitReport {
  static constexpr double delta = 0.05;  ///< of the interval of each share missed

  std::vector<std::string> classes;
  LimitsAsked asked;
  std::vector<std::size_t> compared;  ///< rows of each class that the model compares with
  conformal::DecisionCounts counts;
};
LimitReport limit_report(const ComparedRows& compared, const LimitsAsked& asked, const model::Prediction& prediction,
                         const std::vector<int>& labels);

/// The column `decision`: a class, or ask.
void add_decisions(Columns& columns, const std::vector<std::string>& classes, const model::Prediction& prediction,
                   const LimitsAsked& asked);

void add_limits(const LimitReport& report, Section& section);
Json limit_json(const LimitReport& report);
/// What was decided, without a look at true classes: "37 of 50 rows are decided, 13 go to a person".
std::string decided_sentence(std::size_t decided, std::size_t rows);
/// Which limits no row can be decided against, as the model compares with too few rows of the class, and how many rows
/// are missing; one sentence for each class.
std::vector<std::string> limit_warnings(const ComparedRows& compared, const LimitsAsked& asked);
/// Before a training: how small a limit can be with the rows of the smallest class, where one of 2 % is too small.
std::string smallest_limit_note(const std::vector<std::string>& classes, const std::vector<std::size_t>& compared);
/// What stands behind the limits, in one sentence. @param guarantee  of prediction sets at one level for all classes
std::string limit_promise(const LimitsAsked& asked, const std::string& guarantee);

struct DecisionCurve {
  std::vector<std::string> classes;
  std::vector<std::size_t> compared;  ///< rows of each class that the model compares with
  std::size_t rows = 0;
  std::vector<double> limits;  ///< of which every pair is a point for two classes, and every single one for more
  std::vector<conformal::DecisionPoint> points;
  /// Of two classes: pairs at which nobody is asked, as conformal::limits_without_asking.
  std::vector<std::pair<double, double>> without_asking;
  std::string costs;           ///< as they were given; empty: none
  std::vector<double> shares;  ///< of the classes, at which costs are means; empty: those of the rows

  /// The point with the least cost, without costs, the one with the fewest rows asked or decided wrongly; of equal ones
  /// the first, whose limits are smallest.
  const conformal::DecisionPoint& best() const;
  /// The pair without asking whose larger limit is smallest; none where there are no pairs.
  std::optional<std::pair<double, double>> smallest_without_asking() const;
};
/// Limits that are tried where none are named.
inline constexpr const char* usual_limits = "0.005,0.01,0.02,0.05,0.1,0.2,0.3,0.5";
/// @throws Error invalid_argument for limits that do not lie in [0, 1), and for more than a hundred
void check_limits(const std::vector<double>& limits);
/// @param p_values  label-conditional  @param costs  empty: none; else as model::DecisionCosts::parse takes them
/// @throws Error as conformal::decision_points and model::DecisionCosts::parse
DecisionCurve decision_curve(const ComparedRows& compared, const data::DenseMatrix& p_values,
                             const std::vector<int>& labels, const std::vector<double>& limits,
                             const std::string& costs, const std::vector<double>& shares);

/// @param guarantee  of the limits  @param rows  "m.credence on test.csv"
Story limits_story(const DecisionCurve& curve, const std::string& guarantee, const std::string& rows);
/// The document of `limits`, without what the run cost. @param model, source  as they are named
Json curve_json(const DecisionCurve& curve, const std::string& guarantee, const std::string& model,
                const std::string& source);

}  // namespace credence::report
