#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/svm_vs_libsvm.hpp"

namespace random_problems_vs_libsvm_tests {

using namespace credence;
using kernel::KernelType;
using test::Clouds;
using test::expect_agreement;
using test::random_clouds;
using test::SvmCase;

SvmCase random_case(std::size_t n, int classes, const kernel::Kernel& kernel, double C, std::uint64_t seed) {
  SvmCase one{.data = random_clouds(n, 4, classes, 0.8, seed), .kernel = kernel, .C = C};
  one.what = std::string(kernel::name(kernel.type)) + ", n " + std::to_string(n) + ", classes " +
             std::to_string(classes) + ", C " + std::to_string(C);
  return one;
}

TEST(RandomProblems, AllKernelsAndSizes) {
  for (const std::size_t n : {2U, 3U, 8U, 33U, 150U, 400U}) {
    for (const kernel::Kernel& kernel : test::formula_kernels(4))
      for (const double C : {0.03125, 1.0, 32.0}) expect_agreement(random_case(n, 2, kernel, C, n), {});
  }
}

TEST(RandomProblems, TightTolerance) {
  for (const std::size_t n : {2U, 20U, 150U}) {
    for (const kernel::Kernel& kernel : test::formula_kernels(4)) {
      SvmCase one = random_case(n, 2, kernel, 1, n);
      one.eps = 1e-6;
      expect_agreement(one, {.objective = 1e-6, .decision = 2e-4});
    }
  }
}

TEST(RandomProblems, LargestC) {
  for (const std::size_t n : {2U, 9U, 60U, 150U})
    for (const double gamma : {0.05, 2.0}) expect_agreement(random_case(n, 2, {.gamma = gamma}, 32768, n), {});
}

TEST(RandomProblems, TwoThousandRows) {
  expect_agreement(random_case(2000, 2, {.gamma = 0.2}, 1, 7), {});
}

TEST(RandomProblems, ManyClasses) {
  for (const int classes : {3, 4, 7})
    for (const double C : {0.03125, 8.0})
      expect_agreement(random_case(150, classes, {.gamma = 0.2}, C, static_cast<std::uint64_t>(classes)), {});
}

TEST(RandomProblems, ClassWeights) {
  SvmCase two = random_case(120, 2, {.gamma = 0.2}, 2, 1);
  two.class_factors = {0.25, 4};
  expect_agreement(two, {});
  SvmCase four = random_case(160, 4, {.gamma = 0.2}, 2, 2);
  four.class_factors = {1, 0.125, 10, 3};
  expect_agreement(four, {});
}

TEST(RandomProblems, DuplicatedRows) {
  for (const double C : {0.5, 32.0}) {
    SvmCase one = random_case(1, 1, {.gamma = 0.3}, C, 1);
    const Clouds few = random_clouds(25, 4, 2, 0.5, 3);
    one.data = Clouds{};
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < 140; ++i) {
      rows.push_back(i * i % 25);
      one.data.labels.push_back(i % 11 == 0 ? "b" : few.labels[rows.back()]);  // equal rows of both classes among them
    }
    one.data.x = test::rows_of_matrix(few.x, rows);
    one.what = "duplicates, C " + std::to_string(C);
    expect_agreement(one, {});
  }
}

TEST(RandomProblems, Precomputed) {
  SvmCase one = random_case(90, 3, {.gamma = 0.3}, 4, 5);
  one.data.x = test::reference_block(one.kernel, one.data.x, one.data.x);
  one.kernel = {.type = KernelType::precomputed};
  one.what = "precomputed";
  expect_agreement(one, {});
}

/// An integer weight is so many copies of the row: LIBSVM's C interface has no sample weights, but it takes copies.
TEST(RandomProblems, SampleWeightsAreCopies) {
  for (const double C : {0.125, 4.0}) {
    const Clouds clouds = random_clouds(80, 4, 2, 0.6, 9);
    data::Dataset weighted = clouds.dataset();
    std::vector<std::size_t> copies;
    for (std::size_t i = 0; i < 80; ++i) {
      weighted.weights.push_back(static_cast<double>(1 + i % 4));
      for (std::size_t copy = 0; copy < 1 + i % 4; ++copy) copies.push_back(i);
    }
    Clouds repeated{test::rows_of_matrix(clouds.x, copies), {}, {}};
    for (const std::size_t i : copies) repeated.classes.push_back(clouds.classes[i]);

    const kernel::Kernel kernel{.gamma = 0.3};
    const svm::TrainOptions options = test::train_options(kernel, C, 1e-5);
    test::Surroundings surroundings;
    const svm::TrainResult ours = svm::train(weighted, options, surroundings.context);
    const test::LibsvmModel theirs(repeated.x, repeated.classes, kernel, C, 1e-5);
    const data::DenseMatrix decisions = theirs.decisions(clouds.x);
    const model::Prediction prediction = ours.model.predict(weighted, surroundings.context);
    for (std::size_t i = 0; i < 80; ++i) ASSERT_NEAR(prediction.decision.row(i)[0], decisions.row(i)[0], 1e-3) << i;
    const data::DenseMatrix k = test::reference_block(kernel, repeated.x, repeated.x);
    std::vector<double> y;
    for (const int c : repeated.classes) y.push_back(c == 1 ? 1 : -1);
    const test::PointReport theirs_point = test::report(k, test::classification_problem(y, C), theirs.beta(0, 1));
    EXPECT_NEAR(ours.objective, theirs_point.objective, 1e-5 * std::abs(theirs_point.objective));
  }
}

TEST(RandomProblems, SparseEqualsDense) {
  const data::DenseMatrix x = test::random_thin_matrix(120, 30, 4);
  Clouds clouds{x, {}, {}};
  for (std::size_t i = 0; i < 120; ++i)
    clouds.labels.push_back(x.row(i)[0] + x.row(i)[1] + x.row(i)[2] > 0.1 ? "b" : "a");
  const data::Dataset dense = clouds.dataset();
  const data::Dataset sparse = data::make_dataset(test::sparse_of(x), clouds.labels);
  const svm::TrainOptions options = test::train_options({.gamma = 0.05}, 4, 1e-5);
  test::Surroundings surroundings;
  const svm::TrainResult one = svm::train(dense, options, surroundings.context);
  const svm::TrainResult two = svm::train(sparse, options, surroundings.context);
  EXPECT_NEAR(one.objective, two.objective, 1e-5 * std::abs(one.objective));
  const model::Prediction a = one.model.predict(dense, surroundings.context);
  const model::Prediction b = two.model.predict(sparse, surroundings.context);
  for (std::size_t i = 0; i < 120; ++i) ASSERT_NEAR(a.decision.row(i)[0], b.decision.row(i)[0], 1e-3);
}

}  // namespace random_problems_vs_libsvm_tests
