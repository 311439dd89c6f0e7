#include <gtest/gtest.h>

#include "credence/core/error.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

namespace next_best_vs_retraining_tests {

using namespace credence;
using selection::Selection;

/// 40 rows of one class and 20 of the other: no nu above 2/3 can be had.
data::Dataset unequal_clouds() {
  test::Clouds clouds = test::random_clouds(60, 3, 3, 1.0, 3);
  for (std::string& label : clouds.labels) label = label == "c" ? "a" : label;
  return clouds.dataset();
}

/// Three nu of one gamma, the middle one chosen.
Selection chosen_among_three_nu(const data::Dataset& dataset, const core::Context& context) {
  selection::Options options;
  options.estimate = selection::Estimate::none;
  options.costs.nu = {0.1, 0.2, 0.4};
  options.kernels.gamma = kernel::parse_gammas("0.1");
  options.as<selection::CrossValidation>().folds = 3;
  options.choose_one_svm();
  Selection selection = selection::Selector(options).select(dataset, context);
  selection.best = 1;
  return selection;
}

TEST(NextBest, IsTrainedWhereTheChosenSettingCannotBe) {
  test::Surroundings around;
  const core::Context& context = around.context;
  const data::Dataset dataset = unequal_clouds();
  Selection selection = chosen_among_three_nu(dataset, context);
  const std::size_t next = selection.grid[0].error <= selection.grid[2].error ? 0 : 2;
  const auto whole = selection::fitted(dataset, selection, context);
  EXPECT_TRUE(whole->record.next_best.empty());
  selection.grid[1].nu = 0.999;  // above the largest nu that unequal classes allow
  const auto model = selection::fitted(dataset, selection, context);
  EXPECT_EQ(model->record.nu, selection.grid[next].nu);
  EXPECT_NE(model->record.next_best.find("nu = 0.999, gamma = 0.1, cannot be trained on all rows"), std::string::npos)
      << model->record.next_best;
  EXPECT_NE(model->record.next_best.find("is too large for the classes"), std::string::npos);
  selection.best = next;
  const auto retrained = selection::fitted(dataset, selection, context);
  EXPECT_EQ(model->predict(dataset, context).decision.values, retrained->predict(dataset, context).decision.values);
  EXPECT_EQ(model->calibration.nonconformity_scores, retrained->calibration.nonconformity_scores);
}

TEST(NextBest, OfNoneIsTheErrorOfTheChosenSetting) {
  test::Surroundings around;
  const core::Context& context = around.context;
  const data::Dataset dataset = unequal_clouds();
  Selection selection = chosen_among_three_nu(dataset, context);
  for (selection::Setting& setting : selection.grid) setting.nu = 0.999;
  EXPECT_THROW(selection::fitted(dataset, selection, context), Error);
}

}  // namespace next_best_vs_retraining_tests
