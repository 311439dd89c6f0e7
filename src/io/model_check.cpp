#include "io/model_check.hpp"

#include "credence/rvm/model.hpp"
#include "credence/selection/error_estimation.hpp"
#include "credence/selection/family_predictor.hpp"
#include "credence/svm/model.hpp"
#include "io/check_parts.hpp"
#include "io/family_check.hpp"
#include "io/random_check.hpp"
#include "io/rvm_check.hpp"
#include "io/svm_check.hpp"

namespace credence::io {

std::string inconsistency(const model::Predictor& predictor) {
  std::string problem = check_predictor(predictor);
  if (!problem.empty()) return problem;
  if (const auto* model = dynamic_cast<const svm::SvmModel*>(&predictor)) return check_svm(*model);
  if (const auto* machines = dynamic_cast<const rvm::RvmModel*>(&predictor)) return check_rvm(*machines);
  if (const auto* family = dynamic_cast<const selection::FamilyPredictor*>(&predictor)) return check_family(*family);
  if (const auto* random = dynamic_cast<const selection::RandomPredictor*>(&predictor)) return check_random(*random);
  return {};
}

}  // namespace credence::io
