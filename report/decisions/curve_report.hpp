#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "credence/conformal/decision.hpp"
#include "report/json.hpp"

/// What each choice of limits comes to on rows whose classes are known.
namespace credence::report {

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
/// @param p_values  label-conditional  @param costs  null: none  @throws Error as conformal::decision_points
DecisionCurve decision_curve(const model::Predictor& model, const data::DenseMatrix& p_values,
                             const std::vector<int>& labels, const std::vector<double>& limits,
                             const model::DecisionCosts* costs, const std::vector<double>& shares);

std::string curve_table(const DecisionCurve& curve);
Json curve_json(const DecisionCurve& curve);

}  // namespace credence::report
