#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/reference_kernel.hpp"
#include "support/svm_vs_libsvm.hpp"
#include "support/train_options.hpp"

namespace training_contract_tests {

using namespace credence;
using test::expect_error;
using test::random_clouds;
using test::Surroundings;
using test::train_options;

/// Decision values by the definition: sum_i beta_i K(x_i, x) + bias, over the model's own support vectors.
data::DenseMatrix explicit_decisions(const svm::SvmModel& model, const data::DenseMatrix& rows) {
  const data::DenseMatrix block = test::reference_block(model.kernel, rows, model.support_vectors.to_dense());
  data::DenseMatrix result(rows.rows, model.machines.size());
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t m = 0; m < model.machines.size(); ++m) {
      const svm::BinaryMachine& machine = model.machines[m];
      result.row(i)[m] = machine.bias;
      for (std::size_t s = 0; s < machine.support.size(); ++s)
        result.row(i)[m] += machine.coefficients[s] * block.row(i)[machine.support[s]];
    }
  }
  return result;
}

TEST(Prediction, EqualsTheFormulaForAnyNumberOfRows) {
  for (const int classes : {2, 4}) {
    const test::Clouds clouds = random_clouds(90, 5, classes, 0.8, 3);
    Surroundings surroundings;
    const svm::TrainResult trained =
        svm::train(clouds.dataset(), train_options({.gamma = 0.2}, 4), surroundings.context);
    for (const std::size_t rows : {1U, 2U, 63U, 64U, 65U, 1000U, 5000U}) {
      const data::DenseMatrix x = test::random_matrix(rows, 5, rows, 2.0);
      const model::Prediction prediction = trained.model.predict_preprocessed(x, surroundings.context);
      const data::DenseMatrix expected = explicit_decisions(trained.model, x);
      ASSERT_EQ(prediction.label.size(), rows);
      ASSERT_EQ(prediction.decision.rows, rows);
      ASSERT_EQ(prediction.decision.columns, trained.model.machines.size());
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t m = 0; m < expected.columns; ++m)
          ASSERT_NEAR(prediction.decision.row(i)[m], expected.row(i)[m], 1e-9) << i;
        ASSERT_EQ(prediction.label[i],
                  svm::vote(prediction.decision.row(i), trained.model.machines, static_cast<std::size_t>(classes)));
      }
      const model::Prediction sparse = trained.model.predict_preprocessed(test::sparse_of(x), surroundings.context);
      ASSERT_EQ(sparse.label, prediction.label);
    }
  }
}

TEST(Prediction, DoesNotDependOnTheNumberOfThreads) {
  const test::Clouds clouds = random_clouds(90, 5, 3, 0.8, 3);
  Surroundings one(1);
  Surroundings two(2);
  const svm::TrainResult trained = svm::train(clouds.dataset(), train_options({.gamma = 0.2}, 4), one.context);
  const data::DenseMatrix x = test::random_matrix(3000, 5, 4);
  EXPECT_EQ(trained.model.predict_preprocessed(x, one.context).decision.values,
            trained.model.predict_preprocessed(x, two.context).decision.values);
}

TEST(Prediction, RefusesAnotherNumberOfColumns) {
  const test::Clouds clouds = random_clouds(20, 5, 2, 0.8, 3);
  Surroundings surroundings;
  const svm::TrainResult trained = svm::train(clouds.dataset(), train_options({}, 1), surroundings.context);
  const test::Clouds narrow = random_clouds(20, 4, 2, 0.8, 3);
  expect_error(ErrorCode::invalid_data, "5", [&] { trained.model.predict(narrow.dataset(), surroundings.context); });
}

TEST(Training, PreprocessesAndRecordsWhatItDid) {
  test::Clouds clouds = random_clouds(60, 3, 2, 0.8, 3);
  for (std::size_t i = 0; i < 60; ++i) clouds.x.row(i)[1] = 1000 * clouds.x.row(i)[1] + 5;
  const data::Dataset dataset = clouds.dataset();
  svm::TrainOptions options = train_options({.gamma = 0.3}, 2, 1e-6);
  options.scaling = data::Scaling::standard;
  options.seed = 77;
  Surroundings surroundings;
  const svm::TrainResult raw = svm::train(dataset, options, surroundings.context);
  const auto preprocessing = data::Preprocessing::fit(dataset, data::Scaling::standard);
  const data::Dataset scaled = data::make_dataset(preprocessing.apply(dataset), clouds.labels);
  options.scaling = data::Scaling::none;
  const svm::TrainResult by_hand = svm::train(scaled, options, surroundings.context);
  const model::Prediction a = raw.model.predict(dataset, surroundings.context);
  const model::Prediction b = by_hand.model.predict(scaled, surroundings.context);
  for (std::size_t i = 0; i < 60; ++i) ASSERT_NEAR(a.decision.row(i)[0], b.decision.row(i)[0], 1e-9);
  EXPECT_EQ(raw.model.record.rows, 60U);
  EXPECT_EQ(raw.model.record.seed, 77U);
  EXPECT_EQ(raw.model.record.C, 2);
  EXPECT_EQ(raw.model.record.tolerance, 1e-6);
  EXPECT_FALSE(raw.model.record.version.empty());
  EXPECT_FALSE(raw.model.record.selected_error.has_value());
  EXPECT_EQ(raw.model.schema.classes, (std::vector<std::string>{"a", "b"}));
}

TEST(Training, GammaRulesAreResolvedOnThePreprocessedRows) {
  const test::Clouds clouds = random_clouds(50, 4, 2, 0.8, 3);
  const data::Dataset dataset = clouds.dataset();
  const data::Features scaled = data::Preprocessing::fit(dataset, data::Scaling::minmax).apply(dataset);
  for (const char* rule : {"scale", "auto", "median"}) {
    svm::TrainOptions options = train_options({}, 1);
    options.scaling = data::Scaling::minmax;
    options.gamma = kernel::parse_gamma(rule);
    Surroundings surroundings;
    const svm::TrainResult trained = svm::train(dataset, options, surroundings.context);
    EXPECT_NEAR(trained.model.kernel.gamma / kernel::resolve_gamma(options.gamma, kernel::KernelType::rbf, scaled), 1,
                1e-12)
        << rule;
  }
}

TEST(Training, SupportIsAscendingAndComplete) {
  const test::Clouds clouds = random_clouds(70, 4, 3, 0.8, 3);
  Surroundings surroundings;
  const svm::TrainResult trained = svm::train(clouds.dataset(), train_options({.gamma = 0.2}, 4), surroundings.context);
  const svm::SvmModel& model = trained.model;
  EXPECT_TRUE(std::is_sorted(model.support_rows.begin(), model.support_rows.end()));
  EXPECT_EQ(model.support_vectors.rows(), model.support_count());
  std::vector<bool> used(model.support_count(), false);
  for (const svm::BinaryMachine& machine : model.machines) {
    ASSERT_EQ(machine.support.size(), machine.coefficients.size());
    EXPECT_TRUE(std::is_sorted(machine.support.begin(), machine.support.end()));
    for (std::size_t s = 0; s < machine.support.size(); ++s) {
      used[machine.support[s]] = true;
      const int c = clouds.classes[model.support_rows[machine.support[s]]];
      EXPECT_EQ(machine.coefficients[s] > 0 ? machine.positive : machine.negative, c);
      EXPECT_NE(machine.coefficients[s], 0);
    }
  }
  EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
  const data::DenseMatrix vectors = model.support_vectors.to_dense();
  for (std::size_t s = 0; s < model.support_count(); ++s)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(vectors.row(s)[j], clouds.x.row(model.support_rows[s])[j]);
}

TEST(Training, BalancedWeightsAreTheNamedOnes) {
  test::Clouds clouds = random_clouds(60, 3, 2, 0.8, 3);
  for (std::size_t i = 0; i < 60; ++i) clouds.labels[i] = i % 4 == 0 ? "b" : "a";
  svm::TrainOptions balanced = train_options({.gamma = 0.3}, 2);
  svm::TrainOptions named = balanced;
  balanced.class_weights.balanced = true;
  named.class_weights.named = {{"a", 60.0 / (2 * 45)}, {"b", 60.0 / (2 * 15)}};
  Surroundings surroundings;
  const svm::TrainResult one = svm::train(clouds.dataset(), balanced, surroundings.context);
  const svm::TrainResult two = svm::train(clouds.dataset(), named, surroundings.context);
  EXPECT_NEAR(one.objective, two.objective, 1e-9 * std::abs(one.objective));
  EXPECT_NE(one.objective,
            svm::train(clouds.dataset(), train_options({.gamma = 0.3}, 2), surroundings.context).objective);
}

TEST(Training, TinyMemoryBudgetGivesTheSameModel) {
  const test::Clouds clouds = random_clouds(300, 5, 2, 0.6, 3);
  const svm::TrainOptions options = train_options({.gamma = 0.1}, 8, 1e-5);
  Surroundings surroundings;
  const svm::TrainResult ample = svm::train(clouds.dataset(), options, surroundings.context);
  const core::Context tight{surroundings.threads, surroundings.monitor, 40 * kernel::padded(300) * sizeof(float)};
  const svm::TrainResult cached = svm::train(clouds.dataset(), options, tight);
  EXPECT_EQ(cached.statistics.status, qp::Status::converged);
  EXPECT_NEAR(cached.objective, ample.objective, 1e-6 * std::abs(ample.objective));
  const auto a = ample.model.predict(clouds.dataset(), surroundings.context);
  const auto b = cached.model.predict(clouds.dataset(), surroundings.context);
  for (std::size_t i = 0; i < 300; ++i) ASSERT_NEAR(a.decision.row(i)[0], b.decision.row(i)[0], 2e-3);
  const core::Context none{surroundings.threads, surroundings.monitor, 16};
  expect_error(ErrorCode::memory, "", [&] { svm::train(clouds.dataset(), options, none); });
}

TEST(Training, TwoRowsAreEnough) {
  test::Clouds clouds{data::DenseMatrix(2, 1), {}, {"no", "yes"}};
  clouds.x.values = {0, 2};
  Surroundings surroundings;
  const svm::TrainResult trained =
      svm::train(clouds.dataset(), train_options({.type = kernel::KernelType::linear}, 10, 1e-6), surroundings.context);
  data::DenseMatrix rows(3, 1);
  rows.values = {0, 1, 2};
  const model::Prediction prediction = trained.model.predict_preprocessed(rows, surroundings.context);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(prediction.decision.row(i)[0], static_cast<double>(i) - 1, 1e-5);
  EXPECT_EQ(prediction.label.front(), 0);
  EXPECT_EQ(prediction.label.back(), 1);
}

TEST(Training, RefusesDataThatCannotBeLearnt) {
  Surroundings surroundings;
  const test::Clouds clouds = random_clouds(20, 3, 2, 0.8, 3);
  const auto train = [&](const data::Dataset& dataset) {
    svm::train(dataset, train_options({}, 1), surroundings.context);
  };
  test::Clouds single = clouds;
  single.labels.assign(single.labels.size(), "a");
  expect_error(ErrorCode::invalid_data, "class", [&] { train(single.dataset()); });
  data::Dataset one_occurs = clouds.dataset();
  std::fill(one_occurs.labels.begin(), one_occurs.labels.end(), 1);
  expect_error(ErrorCode::invalid_data, "class", [&] { train(one_occurs); });
  data::Dataset unlabelled = clouds.dataset();
  unlabelled.labels.clear();
  expect_error(ErrorCode::invalid_data, "label", [&] { train(unlabelled); });
  data::Dataset unknown = clouds.dataset();
  unknown.labels[3] = -1;
  expect_error(ErrorCode::invalid_data, "", [&] { train(unknown); });
  for (const double weight : {-1.0, 0.0, std::nan(""), test::infinity}) {
    data::Dataset weighted = clouds.dataset();
    weighted.weights.assign(20, 1);
    weighted.weights[7] = weight;
    expect_error(ErrorCode::invalid_data, "weight", [&] { train(weighted); });
  }
  test::Clouds infinite = clouds;
  infinite.x.row(3)[1] = test::infinity;
  expect_error(ErrorCode::invalid_data, "", [&] { train(infinite.dataset()); });
  data::Dataset altered = clouds.dataset();
  altered.features.dense().row(3)[1] = test::infinity;
  expect_error(ErrorCode::invalid_data, "", [&] { train(altered); });
}

TEST(Training, RefusesOptionsOutOfRange) {
  Surroundings surroundings;
  const data::Dataset dataset = random_clouds(20, 3, 2, 0.8, 3).dataset();
  const auto refuse = [&](const std::string& part, auto&& change) {
    svm::TrainOptions options = train_options({}, 1);
    change(options);
    EXPECT_FALSE(options.validate().empty() && part != "z") << part;
    expect_error(ErrorCode::invalid_argument, part, [&] { svm::train(dataset, options, surroundings.context); });
  };
  for (const double C : {0.0, -1.0, std::nan(""), test::infinity}) refuse("C", [&](auto& o) { o.C = C; });
  refuse("gamma", [](auto& o) { o.gamma.value = 0; });
  refuse("tolerance", [](auto& o) { o.solver.tolerance = 0; });
  refuse("weight", [](auto& o) { o.class_weights.named["a"] = -1; });
  refuse("z", [](auto& o) { o.class_weights.named["z"] = 1; });
  svm::TrainOptions many = train_options({.type = kernel::KernelType::polynomial, .degree = 0}, -1);
  many.solver.tolerance = -1;
  EXPECT_GE(many.validate().size(), 3U);
  EXPECT_TRUE(train_options({}, 1).validate().empty());
}

TEST(Training, LimitsEndWithAClearStatus) {
  const test::Clouds clouds = random_clouds(400, 8, 2, 0.2, 3);
  svm::TrainOptions options = train_options({.gamma = 0.001}, 32768);
  options.solver.max_steps = 5;
  Surroundings surroundings;
  const svm::TrainResult limited = svm::train(clouds.dataset(), options, surroundings.context);
  EXPECT_EQ(limited.statistics.status, qp::Status::step_limit);
  core::Monitor spent({}, 0.0);
  const core::Context late{surroundings.threads, spent};
  try {  // either a status that says so, or the error for "no usable result"; never silence
    EXPECT_EQ(svm::train(clouds.dataset(), options, late).statistics.status, qp::Status::time_budget);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

}  // namespace training_contract_tests
