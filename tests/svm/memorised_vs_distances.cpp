#include <gtest/gtest.h>

#include <cmath>

#include "credence/core/random.hpp"
#include "credence/data/dataset.hpp"
#include "credence/svm/model.hpp"
#include "credence/svm/train.hpp"
#include "support/context.hpp"

namespace credence {
namespace memorised_vs_distances_tests {

/// Points on a line, one step apart, with labels that alternate.
svm::SvmModel trained(double gamma, const core::Context& context) {
  constexpr std::size_t rows = 30;
  data::DenseMatrix x(rows, 1);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    x.row(i)[0] = static_cast<double>(i);
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  svm::TrainOptions options;
  options.gamma = {kernel::GammaRule::Kind::value, gamma};
  options.scaling = data::Scaling::none;
  return svm::train(data::make_dataset(data::Features(x), labels), options, context).model;
}

/// Neighbours at distance 1 have the kernel value exp(-gamma): 1e-9 leaves each row alone, and by hand the sum of all
/// others is below 1e-8 of the row's own term. At 0.9 neighbours of both classes weigh as much as the row itself.
TEST(Memorised, IsAMachineWhoseRowsDoNotReachEachOther) {
  const test::Surroundings surroundings;
  EXPECT_TRUE(svm::memorised(trained(-std::log(1e-9), surroundings.context), surroundings.context));
  EXPECT_FALSE(svm::memorised(trained(-std::log(0.9), surroundings.context), surroundings.context));
}

/// Two classes far apart from each other, whose own rows barely reach each other: small values, but on the right side.
TEST(Memorised, IsNoMachineWhoseRowsSideWithTheirClass) {
  const test::Surroundings surroundings;
  constexpr std::size_t rows = 40;
  data::DenseMatrix x(rows, 1);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i) {
    x.row(i)[0] = static_cast<double>(i % 2 == 0 ? i : 1000 + i);
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  svm::TrainOptions options;
  options.gamma = {kernel::GammaRule::Kind::value, 0.75};  // the next row of a class at distance 2: 0.05
  options.scaling = data::Scaling::none;
  const auto model = svm::train(data::make_dataset(data::Features(x), labels), options, surroundings.context).model;
  EXPECT_FALSE(svm::memorised(model, surroundings.context));
}

}  // namespace memorised_vs_distances_tests
}  // namespace credence
