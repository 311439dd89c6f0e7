#pragma once

#include <optional>
#include <string>
#include <vector>

#include "credence/selection/as_strange.hpp"
#include "credence/selection/bound_curve.hpp"
#include "report/decisions/limit_report.hpp"
#include "report/decisions/parts_report.hpp"
#include "report/decisions/place_report.hpp"
#include "report/evaluation/evaluation_report.hpp"
#include "report/rows/familiarity_report.hpp"

/// What a model came to on labelled rows, as text and as a document.
namespace credence::report {

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

}  // namespace credence::report
