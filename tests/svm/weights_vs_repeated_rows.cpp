#include <gtest/gtest.h>

#include "credence/svm/train.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/repeated_rows.hpp"

namespace weights_vs_repeated_rows_tests {

using namespace credence;

/// Clouds whose columns have scales of their own.
data::Dataset weighted_clouds(int classes, std::uint64_t seed) {
  test::Clouds clouds = test::random_clouds(48, 3, classes, 0.8, seed);
  for (std::size_t i = 0; i < clouds.x.rows; ++i) clouds.x.row(i)[1] = 5 + 2 * clouds.x.row(i)[1];
  data::Dataset dataset = clouds.dataset();
  dataset.weights = test::random_counts(48, 4, seed);
  return dataset;
}

void expect_same_machine(const data::Dataset& dataset, const svm::TrainOptions& options, double tolerance) {
  const test::Surroundings here;
  const svm::SvmModel weighted = svm::train(dataset, options, here.context).model;
  const svm::SvmModel plain = svm::train(test::repeated(dataset), options, here.context).model;
  EXPECT_NEAR(weighted.kernel.gamma / plain.kernel.gamma, 1, 1e-10);
  const data::DenseMatrix one = weighted.predict(dataset, here.context).decision;
  const data::DenseMatrix other = plain.predict(dataset, here.context).decision;
  for (std::size_t k = 0; k < one.values.size(); ++k) ASSERT_NEAR(one.values[k], other.values[k], tolerance) << k;
}

svm::TrainOptions exact_options() {
  svm::TrainOptions options;
  options.C = 2;
  options.solver.tolerance = 1e-9;
  options.gamma = kernel::parse_gamma("scale");
  return options;
}

TEST(WeightsVsRepeatedRows, EveryScalingAndGamma) {
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::minmax, data::Scaling::none}) {
    for (const char* gamma : {"scale", "auto", "median", "0.3"}) {
      SCOPED_TRACE(gamma);
      svm::TrainOptions options = exact_options();
      options.scaling = scaling;
      options.gamma = kernel::parse_gamma(gamma);
      expect_same_machine(weighted_clouds(2, 11), options, 1e-6);
    }
  }
}

TEST(WeightsVsRepeatedRows, BalancedClassesAndMoreThanTwo) {
  for (const int classes : {2, 3, 4}) {
    svm::TrainOptions options = exact_options();
    options.class_weights.balanced = true;
    expect_same_machine(weighted_clouds(classes, 12), options, 1e-6);
    options.class_weights.named["a"] = 3;
    expect_same_machine(weighted_clouds(classes, 13), options, 1e-6);
  }
}

TEST(WeightsVsRepeatedRows, Kernels) {
  for (const char* kernel : {"linear", "polynomial", "laplacian"}) {
    SCOPED_TRACE(kernel);
    svm::TrainOptions options = exact_options();
    options.kernel.type = kernel::parse_kernel_type(kernel);
    options.gamma = kernel::parse_gamma("median");
    if (options.kernel.type == kernel::KernelType::polynomial) options.gamma = kernel::parse_gamma("scale");
    expect_same_machine(weighted_clouds(2, 14), options, 1e-5);
  }
}

TEST(WeightsVsRepeatedRows, NuSvc) {
  for (const int classes : {2, 3}) {
    svm::TrainOptions options = exact_options();
    options.nu = 0.4;
    expect_same_machine(weighted_clouds(classes, 15), options, 1e-3);  // nu is met to a relative 1e-3 at worst
  }
}

}  // namespace weights_vs_repeated_rows_tests
