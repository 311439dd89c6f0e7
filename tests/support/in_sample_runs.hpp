#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "credence/selection/selector.hpp"
#include "support/random_data.hpp"
#include "support/run_selection.hpp"

namespace credence::test {

/// Linear kernel, nothing fitted, no estimate beside the bound.
inline selection::Options in_sample_options(const std::string& method, std::vector<double> rhos) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.kernels.types = {kernel::KernelType::linear};
  options.preparation.scalings = {data::Scaling::none};
  options.estimate = selection::Estimate::none;
  options.costs.rho = std::move(rhos);
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5,5");
  options.seed = 11;
  return options;
}

/// The six points of the note on in-sample bounds, classes - and +, alternating from +.
inline data::Dataset six_rows() {
  data::DenseMatrix x(6, 2);
  x.values = {0, 0, 1, 0, 0, 2, 3, 1, 2, 3, -1, 1};
  const std::vector<std::string> labels{"b", "a", "b", "a", "b", "a"};
  return data::make_dataset(data::Features(std::move(x)), labels);
}

/// Signs of the classes of a two-class data set.
inline std::vector<int> signs_of(const data::Dataset& dataset, int positive = 1) {
  std::vector<int> signs;
  for (const int label : dataset.labels) signs.push_back(label == positive ? 1 : -1);
  return signs;
}

inline void expect_same_settings(std::span<const selection::InSampleSetting> a,
                                 std::span<const selection::InSampleSetting> b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].complete, b[k].complete) << what << ", setting " << k;
    EXPECT_EQ(a[k].training_loss, b[k].training_loss) << what << ", setting " << k;
    EXPECT_EQ(a[k].trials, b[k].trials) << what << ", setting " << k;
    EXPECT_EQ(a[k].trials_upper, b[k].trials_upper) << what << ", setting " << k;
  }
}

}  // namespace credence::test
