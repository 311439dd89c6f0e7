#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "credence/conformal/predictor.hpp"
#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "report/json.hpp"

namespace credence::report {

/// Fits a predictor on the rows that it is given.
using FitOnRows = std::function<std::shared_ptr<const conformal::ConformalPredictor>(const data::Dataset&)>;

/// How good a conformal predictor is that is fitted on four fifths of the rows, counted on the other fifth: errors with
/// their interval, regions, and what the charts of an evaluation show. The fifth is drawn by the seed without a look at
/// labels, in whole groups; for label-conditional p-values class by class. Null where so few rows cannot be split.
/// Cost: a fit on four fifths of the rows, and the predictions of a fifth.
/// @param levels  of regions  @throws Error as the fit, but for data that are too few
Json fit_check_json(const data::Dataset& dataset, const conformal::PValueOptions& options,
                    const std::vector<double>& levels, const FitOnRows& fit, const core::Context& context);

}  // namespace credence::report
