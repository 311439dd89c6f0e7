#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace model_linear_weights_tests {

using namespace credence;

svm::SvmModel trained(int classes, bool sparse, kernel::KernelType type = kernel::KernelType::linear) {
  const test::Clouds clouds = test::random_clouds(60, 5, classes, 0.6, 3);
  data::Features features(clouds.x);
  if (sparse) features = data::Features(test::sparse_of(clouds.x));
  svm::TrainOptions options;
  options.kernel.type = type;
  options.gamma = {kernel::GammaRule::Kind::value, 0.2};
  test::Surroundings surroundings;
  return svm::train(data::make_dataset(std::move(features), clouds.labels), options, surroundings.context).model;
}

/// The decision function by its definition.
double naive_decision(const svm::SvmModel& model, const svm::BinaryMachine& machine, std::span<const double> x) {
  const data::DenseMatrix vectors = model.support_vectors.to_dense();
  double sum = machine.bias;
  for (std::size_t k = 0; k < machine.support.size(); ++k) {
    const auto vector = vectors.row(machine.support[k]);
    sum += machine.coefficients[k] * std::inner_product(x.begin(), x.end(), vector.begin(), 0.0);
  }
  return sum;
}

TEST(LinearWeights, EqualSumsOverSupportVectors) {
  for (const int classes : {2, 4}) {
    for (const bool sparse : {false, true}) {
      const svm::SvmModel model = trained(classes, sparse);
      ASSERT_GT(model.support_count(), model.machines.size());
      const data::DenseMatrix weights = model.linear_weights();
      EXPECT_EQ(weights.rows, model.machines.size());
      EXPECT_EQ(weights.columns, 5U);
      const data::DenseMatrix x = test::random_matrix(300, 5, 8, 2);
      test::Surroundings surroundings(2);
      const auto dense = model.predict_preprocessed(data::Features(x), surroundings.context);
      const auto thin = model.predict_preprocessed(data::Features(test::sparse_of(x)), surroundings.context);
      for (std::size_t i = 0; i < x.rows; ++i) {
        for (std::size_t m = 0; m < model.machines.size(); ++m) {
          const double expected = naive_decision(model, model.machines[m], x.row(i));
          const double of_weights =
              std::inner_product(x.row(i).begin(), x.row(i).end(), weights.row(m).begin(), model.machines[m].bias);
          EXPECT_NEAR(of_weights, expected, 1e-11);
          EXPECT_NEAR(dense.decision.row(i)[m], expected, 1e-11);
          EXPECT_NEAR(thin.decision.row(i)[m], expected, 1e-11);
        }
      }
    }
  }
}

TEST(LinearWeights, ARowsDecisionDoesNotDependOnItsCompany) {
  const svm::SvmModel model = trained(3, false);
  const data::Features rows(test::random_matrix(70, 5, 9));
  test::Surroundings surroundings;
  const auto together = model.predict_preprocessed(rows, surroundings.context);
  for (std::size_t i = 0; i < 70; i += 23) {
    const std::vector<std::size_t> one{i};
    const auto alone = model.predict_preprocessed(rows.select_rows(one), surroundings.context);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(alone.decision.row(0)[m], together.decision.row(i)[m]);
  }
}

TEST(LinearWeights, HintIsAddedAndNotPartOfThem) {
  svm::SvmModel model = trained(2, false);
  const data::DenseMatrix weights = model.linear_weights();
  const data::Features rows(test::random_matrix(20, 5, 9));
  test::Surroundings surroundings;
  const auto before = model.predict_preprocessed(rows, surroundings.context);
  const svm::SvmModel hint = trained(2, true);
  const auto of_hint = hint.predict_preprocessed(rows, surroundings.context);
  model.hint = std::make_shared<const svm::SvmModel>(hint);
  const auto after = model.predict_preprocessed(rows, surroundings.context);
  EXPECT_EQ(model.linear_weights().values, weights.values);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(after.decision.row(i)[0], before.decision.row(i)[0] + of_hint.decision.row(i)[0]);
    EXPECT_EQ(after.label[i], after.decision.row(i)[0] > 0 ? 1 : 0);
  }
}

TEST(LinearWeights, OtherKernelsHaveNone) {
  const svm::SvmModel model = trained(2, false, kernel::KernelType::rbf);
  test::expect_error(ErrorCode::invalid_argument, "rbf", [&] { model.linear_weights(); });
}

TEST(LinearWeights, RowsOfOtherWidthAreRefused) {
  test::Surroundings surroundings;
  test::expect_error(ErrorCode::invalid_data, "rows of 5 numbers, but they have 4", [&] {
    trained(2, false).predict_preprocessed(data::Features(test::random_matrix(3, 4, 1)), surroundings.context);
  });
}

}  // namespace model_linear_weights_tests
