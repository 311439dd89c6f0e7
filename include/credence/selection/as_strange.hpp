#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "credence/core/context.hpp"
#include "credence/data/dataset.hpp"
#include "credence/model/predictor.hpp"
#include "credence/selection/ensemble.hpp"

namespace credence::selection {

/// Bounds of a nonconformity model, beside the frequency of the same event among labelled rows.
///
/// A new row (X, Y) is as strange as the level c / n under model k if p_k(X, Y) <= c / n, with p_k the paper's
/// p-value (nonconformity.hpp). With probability >= 1 - delta over the n validation rows, for every k and c at once,
///
///     P(p_k(X, Y) <= c / n) <= c / n + deviation,
///
/// since p_k(X, Y) <= c / n if and only if s_k(X, Y) lies below the (c + 1)-th smallest validation margin, as at most c
/// of the n validation margins do. If model k decides a row at eps_crit = c / n, a class that it rejects has p_k <=
/// eps_crit, so that rows as strange as that are counted here.
struct AsStrange {
  double eps_crit = 0;     ///< c / n, or (c + 1) / (n + 1) with PValue::conformal
  double at_most_vc = 0;   ///< c / n + vc_deviation(n, 1, delta / K), Prop. 4.2
  double at_most_dkw = 0;  ///< c / n + dkw_deviation(n, delta / K)
  std::size_t rows = 0;    ///< labelled rows that are as strange as c / n, the most of any model
};

struct PredictedAndCounted {
  model::Prediction prediction;       ///< as the predictor's `predict`
  std::vector<AsStrange> as_strange;  ///< one for each eps_crit that occurs in the prediction, ascending
};

/// @param ensemble  one with a NonconformityRule
/// @param labelled  raw rows of its schema with known classes
/// Cost: one scoring of every row, with models x classes searches, and models x n counts.
/// @throws Error invalid_argument without this rule, or for a row without a known class; as the predictor's `predict`
PredictedAndCounted predict_and_count(const Ensemble& ensemble, const data::Dataset& labelled,
                                      const core::Context& context);

/// One point of the error-versus-bound curve: the rows whose bound is at most this one. Their error may be above the
/// bound, because the bound is on another event: see nonconformity.hpp.
struct BoundPoint {
  double eps_crit = 0;
  double bound_vc = 0;   ///< model::Prediction::bound_vc
  double bound_dkw = 0;  ///< model::Prediction::bound_dkw
  std::size_t rows = 0;
  std::size_t errors = 0;  ///< the misclassified among them
  double error() const { return static_cast<double>(errors) / static_cast<double>(rows); }
};

/// The error-versus-bound curve (Figure 2 of Hardoon, Hussain, Shawe-Taylor, 2009): a point for each distinct bound
/// value, ascending. The last point has all rows. The bounds are eps_crit plus constants, so eps_crit orders them all.
/// @param labels  true class of each row; -1 for a class that the predictor does not know counts as an error
/// @throws Error invalid_argument if the prediction has no bounds, or sizes differ
/// Cost: one sort.
std::vector<BoundPoint> bound_curve(const model::Prediction& prediction, std::span<const int> labels);

}  // namespace credence::selection
