#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "credence/bounds/binomial.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/bound_curve.hpp"
#include "output.hpp"

namespace credence::cli {

/// Labels predicted and true, counted.
struct LabelReport {
  std::size_t rows = 0;
  std::size_t errors = 0;
  bounds::Interval interval;                        ///< of the error rate, see interval_delta
  std::vector<std::string> classes;                 ///< names
  std::vector<std::vector<std::size_t>> confusion;  ///< truth x prediction

  static constexpr double interval_delta = 0.05;
};

/// @param classes  names, as many as the model knows
/// @throws Error invalid_data with the source as place for a class that the model does not know
LabelReport compare_labels(const std::vector<std::string>& classes, const data::Dataset& dataset,
                           const model::Prediction& prediction, const std::string& source);

/// Error rate with its interval, confusion matrix, recall and precision.
std::string label_table(const LabelReport& report);
/// The same fields at the top of a document.
Json label_json(const LabelReport& report);

/// The error-versus-bound curve of models with bounds: at most eight points, the last among them.
std::string curve_table(const std::vector<selection::BoundPoint>& curve);
Json curve_json(const std::vector<selection::BoundPoint>& curve);

}  // namespace credence::cli
