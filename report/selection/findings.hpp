#pragma once

#include <string>

#include "credence/selection/selector.hpp"
#include "report/json.hpp"

/// What a report says because of what one family of methods finds (selection::Findings).
namespace credence::report {

/// The parts of a report that depend on the findings. Empty texts leave the report as it is for a method without.
struct FindingsReport {
  std::string basis;            ///< how the rows were used
  std::string candidates;       ///< more about what was chosen from
  std::string head;             ///< lines above the choice
  std::string after_choice;     ///< a paragraph below the choice
  std::string table;            ///< below the estimates
  std::string best_score;       ///< of the chosen cell, beside its parameters
  std::string runner_up_score;  ///< of the second best
  std::string work;             ///< what solving took
  bool estimates = true;        ///< the scores of the cells estimate the error
  bool silent_without = false;  ///< nothing is said where there is no honest estimate
};
FindingsReport findings_report(const selection::Selection& selection);

/// Adds in_sample, estimation and kernel_validity to the document of a selection, null where there are none.
void add_findings(const selection::Selection& selection, Json& document);

}  // namespace credence::report
