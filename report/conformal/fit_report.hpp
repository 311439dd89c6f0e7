#pragma once

#include <string>

#include "credence/conformal/fit.hpp"
#include "credence/data/dataset.hpp"
#include "report/json.hpp"
#include "report/rows/miss_limits.hpp"

/// What `conformal fit` fitted, and what the predictor promises.
namespace credence::report {

struct FittedConformal {
  const data::Dataset& dataset;
  const std::string& source;
  const conformal::FitOptions& options;
  const conformal::ConformalPredictor& predictor;
  bool selected = false;  ///< the model of the measure was chosen on the rows that were not held out
  const MissLimits& limits;
  double seconds = 0;
  const std::string& output;  ///< the file of the predictor
};

std::string fit_table(const FittedConformal& run);
Json fit_json(const FittedConformal& run);

}  // namespace credence::report
