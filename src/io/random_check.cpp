#include "io/random_check.hpp"

#include "credence/svm/model.hpp"
#include "io/check_parts.hpp"
#include "io/svm_check.hpp"

namespace credence::io {

std::string check_random(const selection::RandomPredictor& predictor) {
  if (predictor.members.empty()) return "there is no classifier to draw";
  for (const auto& member : predictor.members) {
    std::string problem = check_predictor(*member);
    const auto* model = dynamic_cast<const svm::SvmModel*>(member.get());
    if (problem.empty()) problem = model == nullptr ? "a classifier to draw is no SVM" : check_svm(*model);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace credence::io
