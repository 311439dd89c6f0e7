#include "credence/conformal/comparable.hpp"

namespace credence::conformal {

bool keeps_scores_of_others(const model::Predictor& model) {
  return model.capabilities().p_values == model::PValueSource::calibration && !model.calibration.exact;
}

void CredibilityAlarm::add(std::span<const double> credibilities) {
  for (const double credibility : credibilities) sum_ += credibility;
  rows_ += credibilities.size();
}

}  // namespace credence::conformal
