#pragma once

#include <cstddef>
#include <span>

#include "credence/model/predictor.hpp"

/// Whether a model's own scores can be compared with the scores that it keeps. The kept scores are of machines that had
/// not seen a row; the machine that predicts was trained on all rows. If its values have another scale or place (a
/// machine that answers nearly the same for every row, with another bias than its siblings), p-values mean nothing.
///
/// Sign without labels: credibilities near 1. The p-value of a true class is uniform, and where labels are noise, the
/// label's p-value is the largest of L uniform ones, with the mean L / (L + 1). A mean far above that value does not
/// come from scores that can be compared.
namespace credence::conformal {

/// Whether the kept scores are those of other machines than the one that predicts.
bool keeps_scores_of_others(const model::Predictor& model);

/// How much the scores of the machine that predicts vary from row to row, beside their distance from the kept scores:
///   sqrt(sum_c mean_i (F_ic - F_c)^2 / sum_c mean_k (K_kc - F_c)^2),  F_c = mean_i F_ic,
/// F its scores of rows i and K the kept ones. Near 1 or above for a machine that tells rows apart; near 0 for one that
/// is nearly constant, with another bias than its siblings. 1 where scores are not finite or there are none.
/// @param calibration  of one region (by_region)  @param scores  rows x classes (model::Prediction::score)
double relative_spread(const model::Calibration& calibration, const data::DenseMatrix& scores);

/// Collects credibilities of new rows.
class CredibilityAlarm {
 public:
  /// @param classes  L, at least 2
  explicit CredibilityAlarm(std::size_t classes) : classes_(classes) {}
  void add(std::span<const double> credibilities);
  double mean() const { return rows_ == 0 ? 0 : sum_ / static_cast<double>(rows_); }
  /// The largest mean that is no alarm: 1 - 0.3 / (L + 1), three times as near to 1 as that of noise; 0.9 of two
  /// classes.
  double limit() const { return 1 - 0.3 / static_cast<double>(classes_ + 1); }
  /// Nothing is said of fewer rows than 10, whose mean may be large by chance.
  bool rings() const { return rows_ >= 10 && mean() > limit(); }

 private:
  std::size_t classes_;
  std::size_t rows_ = 0;
  double sum_ = 0;
};

}  // namespace credence::conformal
