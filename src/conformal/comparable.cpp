#include "credence/conformal/comparable.hpp"

#include <cmath>

namespace credence::conformal {

bool keeps_scores_of_others(const model::Predictor& model) {
  return model.capabilities().p_values == model::PValueSource::calibration && !model.calibration.exact;
}

double relative_spread(const model::Calibration& calibration, const data::DenseMatrix& scores) {
  const std::size_t kept = calibration.strangeness.size();
  const bool whole = calibration.scores.columns == scores.columns;
  if (kept == 0 || scores.rows == 0 || (!whole && scores.columns != 2)) return 1;
  double spread = 0;
  double distance = 0;
  for (std::size_t c = 0; c < scores.columns; ++c) {
    double mean = 0;
    for (std::size_t i = 0; i < scores.rows; ++i) mean += scores.row(i)[c] / static_cast<double>(scores.rows);
    for (std::size_t i = 0; i < scores.rows; ++i)
      spread += (scores.row(i)[c] - mean) * (scores.row(i)[c] - mean) / static_cast<double>(scores.rows);
    for (std::size_t k = 0; k < kept; ++k) {
      const double of_true = -calibration.strangeness[k];
      const bool is_true = static_cast<std::size_t>(calibration.labels[k]) == c;
      const double score = whole ? calibration.scores.row(k)[c] : is_true ? of_true : -of_true;
      distance += (score - mean) * (score - mean) / static_cast<double>(kept);
    }
  }
  const double ratio = std::sqrt(spread / distance);
  return std::isfinite(ratio) ? ratio : 1;
}

void CredibilityAlarm::add(std::span<const double> credibilities) {
  for (const double credibility : credibilities) sum_ += credibility;
  rows_ += credibilities.size();
}

}  // namespace credence::conformal
