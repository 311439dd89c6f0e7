#include <gtest/gtest.h>

#include <algorithm>

#include "credence/conformal/fit.hpp"
#include "credence/svm/family.hpp"
#include "rvm/model_random.hpp"
#include "support/context.hpp"

namespace credence::svm {
namespace family_rvm_vs_models_tests {

using kernel::KernelType;

/// Relevance vector machines of two models over the same centres, as one family.
SvmFamily family_of(const rvm::RvmModel& a, const rvm::RvmModel& b) {
  SvmFamily family = dynamic_cast<const SvmFamily&>(*conformal::classifier_of(a).classifier);
  const auto other = conformal::classifier_of(b);
  const auto& second = dynamic_cast<const SvmFamily&>(*other.classifier);
  family.gammas.push_back(second.gammas[0]);
  family.machines.insert(family.machines.end(), second.machines.begin(), second.machines.end());
  for (data::DenseMatrix* table : {&family.bias, &family.norm}) {
    const data::DenseMatrix& more = table == &family.bias ? second.bias : second.norm;
    table->values.insert(table->values.end(), more.values.begin(), more.values.end());
    table->rows = 2;
  }
  return family;
}

TEST(RvmFamily, ScoresAndLabelsAreThoseOfTheModels) {
  test::Surroundings surroundings;
  for (const std::size_t classes : {2U, 3U, 4U, 6U}) {
    SCOPED_TRACE(classes);
    const rvm::RvmModel a = test::random_rvm(KernelType::rbf, classes);
    rvm::RvmModel b = a;
    b.kernel.gamma = 1.3;
    for (rvm::Machine& machine : b.machines) {
      std::ranges::reverse(machine.weights);
      if (machine.has_bias) machine.bias -= 0.4;
    }
    const SvmFamily family = family_of(a, b);
    const data::Features rows = test::rvm_rows(KernelType::rbf, 300);
    const model::Scores scores = family.score_all(rows, surroundings.context);
    std::size_t differ = 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const model::Prediction alone = (k == 0 ? a : b).predict_preprocessed(rows, surroundings.context);
      for (std::size_t i = 0; i < 300; ++i) {
        EXPECT_EQ(scores.label(i, k), alone.label[i]);
        differ += alone.label[i] != alone.label[0] ? 1U : 0U;
        for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(scores.at(i, k)[c], alone.score.row(i)[c], 1e-12);
      }
    }
    EXPECT_GT(differ, 20U) << "labels that are all the same say little";
  }
}

}  // namespace family_rvm_vs_models_tests
}  // namespace credence::svm
