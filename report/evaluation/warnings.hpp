#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/comparison.hpp"
#include "credence/selection/selector.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/evaluation/regression_report.hpp"
#include "report/rows/familiarity_report.hpp"
#include "report/rows/p_value_words.hpp"

/// The one list of warnings of a result. The terminal prints the list, JSON holds it as "warnings", the page shows it
/// from there, and Python warns with it: nobody else makes a warning of a result.
/// A new warning is a function in warnings.cpp that makes its sentence (empty: nothing to warn of) and its line where
/// the list is made.
namespace credence::report {

/// Of a selection: those of the library, what the error is worth, and Selection::later_warnings.
std::vector<std::string> selection_warnings(const selection::Selection& selection);

/// Of a comparison: what all methods warn of, once, and the first few other warnings of each; at the end, how far a
/// stopped one came.
std::vector<std::string> comparison_warnings(const selection::Comparison& comparison);
/// Of a conformal predictor, and of any p-values by so many rows of each class for comparison.
std::vector<std::string> fit_warnings(const conformal::ConformalPredictor& predictor,
                                      const std::vector<double>& levels);
std::vector<std::string> p_value_warnings(const std::vector<std::string>& classes,
                                          const std::vector<std::size_t>& counts,
                                          const conformal::PValueOptions& options, const std::vector<double>& levels,
                                          const ResolutionWords& words = {});
/// Of intervals by so many rows for comparison.
std::vector<std::string> interval_warnings(std::size_t compared, const std::vector<double>& levels);

/// Of rows that a model is applied to, labelled or not, which may come block by block.
class RowWarnings {
 public:
  /// @param model   which must outlive the object
  /// @param levels  of prediction sets or intervals
  RowWarnings(const model::Predictor& model, const conformal::PValueOptions& p_values, std::vector<double> levels)
      : model_(model), p_values_(p_values), levels_(std::move(levels)), familiarity_(model.known_rows.rows(), &model) {}
  /// The rows of a block with what the model said of them.
  void add(const data::Dataset& rows, const model::Prediction& block);
  std::vector<std::string> sentences() const;
  /// For rows whose classes are known also whether they may depend on each other.
  std::vector<std::string> sentences_of_evaluation() const;
  const FamiliarityTally& familiarity() const { return familiarity_; }

 private:
  const model::Predictor& model_;
  conformal::PValueOptions p_values_;
  std::vector<double> levels_;
  std::size_t unconverged_ = 0;     ///< problems of a predictor that solves one for each row
  std::size_t of_no_category_ = 0;  ///< rows whose category no row compared with has
  FamiliarityTally familiarity_;
};

/// Of an evaluation: those of its rows, and what its figures are worth.
std::vector<std::string> evaluation_warnings(const LabelReport& report, const std::vector<std::string>& of_rows);
std::vector<std::string> evaluation_warnings(const RegressionReport& report, const std::vector<std::string>& of_rows);

}  // namespace credence::report
