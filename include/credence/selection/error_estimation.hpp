#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "credence/model/predictor.hpp"
#include "credence/selection/method_parts.hpp"

namespace credence::selection {

/// The classifier of one resample on the rows that judge it.
struct Judgement {
  std::size_t rows = 0;  ///< m
  std::size_t errors = 0;
  double soft = 0;                     ///< mean soft loss
  std::optional<std::size_t> setting;  ///< chosen without these rows
};

/// An upper limit of an expected loss: mean over resamples of the limit of each at confidence 1 - delta.
struct ErrorBound {
  std::string name;  ///< "Hoeffding", "Clopper-Pearson", "empirical Bernstein", "empirical Chernoff"
  Loss loss = Loss::hard;
  double estimate = 0;  ///< mean loss
  double bound = 0;     ///< as the formula gives it, perhaps above 1
  bool vacuous() const { return !(bound < 1); }
};

/// Out-of-sample error estimation (Anguita et al., 2012, section III).
struct ErrorEstimation {
  std::string procedure{};              ///< "nested 10-fold cross-validation", "bootstrap, out of bag", ...
  std::vector<Judgement> judgements{};  ///< resamples that hold rows out
  double hard = 0;                      ///< mean over judgements of the error rate
  double soft = 0;
  std::vector<ErrorBound> bounds{};
  double delta = 0.05;       ///< asked for
  double delta_each = 0.05;  ///< of each judgement's limit: divided by their number if `united`
  bool united = false;
  bool independent = true;  ///< the rows that judge took no part in the choice
  FinalClassifier final_classifier = FinalClassifier::retrained;
  /// What separates the bounds from the theorem in this run, one clause for each gap. Empty: each bound holds with
  /// probability 1 - delta over independent rows, for the classifier that is returned.
  std::vector<std::string> gaps{};
};

/// Fills the means and the bounds from the judgements: Hoeffding and empirical Bernstein for the soft loss,
/// Clopper-Pearson, Hoeffding, empirical Bernstein and empirical Chernoff for the hard one, each the mean over
/// judgements (equations 23 and 24). Bernstein needs two rows; the limit of a judgement of one row is 1 there.
/// @throws Error invalid_argument if there are no judgements, one without rows, or delta is not in (0, 1)
void add_bounds(ErrorEstimation& estimation);

}  // namespace credence::selection
