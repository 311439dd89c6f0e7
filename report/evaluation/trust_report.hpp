#pragma once

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "report/json.hpp"

/// How far single predictions can be trusted, on rows whose labels are known: what the page's charts show.
namespace credence::report {

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

/// Whether the rows lie in a plane: two numeric features, dense, and classes.
bool has_decision(const data::Dataset& dataset);
/// The label at each point of a grid of 60 x 60 over the two features, as far as the rows go and a little beyond, and
/// up to 500 rows, evenly taken. Null unless `has_decision`.
Json decision_json(const model::Predictor& predictor, const data::Dataset& dataset, const core::Context& context);

}  // namespace credence::report
