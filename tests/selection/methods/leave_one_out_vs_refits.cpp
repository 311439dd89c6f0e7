#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "credence/data/reader.hpp"
#include "credence/selection/selector.hpp"
#include "support/random_data.hpp"
#include "support/selection_oracle.hpp"
#include "support/shared_data.hpp"

namespace leave_one_out_vs_refits_tests {

using namespace credence;
using test::expect_refits;
using test::random_clouds;
using test::Surroundings;

selection::Options loo_options(const char* C, const char* gamma) {
  selection::Options options;
  options.method = selection::LeaveOneOut{};
  options.costs.C = core::parse_list(C);
  options.kernels.gamma = kernel::parse_gammas(gamma);
  options.preparation.scalings = {data::Scaling::none};
  options.costs.solver.tolerance = 1e-5;
  options.estimate = selection::Estimate::none;
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

std::vector<int> each_row_a_fold(std::size_t n) {
  std::vector<int> folds(n);
  std::iota(folds.begin(), folds.end(), 0);
  return folds;
}

std::uint64_t steps_of(const selection::Selection& selection) {
  std::uint64_t steps = 0;
  for (const selection::Setting& setting : selection.grid) steps += setting.steps;
  return steps;
}

/// Numbers scaled once on all rows, so that the refits need no scaling of their own.
data::Dataset scaled(const data::Dataset& dataset) {
  std::vector<std::string> labels;
  for (const int label : dataset.labels) labels.push_back(dataset.schema.classes[static_cast<std::size_t>(label)]);
  return data::make_dataset(data::Preprocessing::fit(dataset, data::Scaling::standard).apply(dataset), labels);
}

TEST(LeaveOneOut, RandomProblemsEqualRefits) {
  for (const int classes : {2, 3}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const selection::Options options = loo_options("2^-3:2^9:x16", "0.05,0.5");
      const data::Dataset dataset = random_clouds(60, 3, classes, 0.5, seed).dataset();
      expect_refits(select(dataset, options), options, dataset, each_row_a_fold(60),
                    std::to_string(classes) + " classes", 0.05);
    }
  }
}

TEST(LeaveOneOut, WeightsKernelsAndDuplicatesEqualRefits) {
  data::Dataset dataset = random_clouds(50, 3, 2, 0.4, 5).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.weights.push_back(i % 3 == 0 ? 2.5 : 0.5);
  selection::Options options = loo_options("0.1,10,1000", "0.2");
  options.costs.class_weights.named["b"] = 3;
  expect_refits(select(dataset, options), options, dataset, each_row_a_fold(50), "weights", 0.05);
  for (const kernel::KernelType type : {kernel::KernelType::linear, kernel::KernelType::polynomial}) {
    options.kernels.types = {type};
    options.kernels.coef0 = 1;
    options.costs.C = {0.1, 10};
    expect_refits(select(dataset, options), options, dataset, each_row_a_fold(50), "kernels", 0.1);
  }
  std::vector<std::size_t> twice;
  for (std::size_t i = 0; i < 25; ++i) twice.insert(twice.end(), 2, i);
  const data::Dataset pairs = random_clouds(25, 3, 2, 0.4, 6).dataset().select_rows(twice);
  options = loo_options("1,100", "0.3");
  // Equal rows may share their coefficient in many ways, so support vectors are not compared.
  expect_refits(select(pairs, options), options, pairs, each_row_a_fold(50), "duplicates", 1.0);
}

TEST(LeaveOneOut, NoFreeVariableIsLeftByRounding) {
  // Without a row of the larger class the classes balance, and every variable sits at its bound: the bias is the middle
  // of an interval, unless rounding leaves a variable a hair inside.
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const data::Dataset dataset = random_clouds(61, 3, 2, 0, seed).dataset();
    const selection::Options options = loo_options("0.125,0.5", "8");
    expect_refits(select(dataset, options), options, dataset, each_row_a_fold(61), "balanced but for one", 0.05);
  }
}

TEST(LeaveOneOut, FoldScopeBalancedWeightsAndNuAreRefits) {
  data::Dataset dataset = random_clouds(40, 3, 2, 0.6, 7).dataset();
  selection::Options options = loo_options("0.5,50", "0.3");
  options.preparation.scalings = {data::Scaling::standard};
  options.preparation.scope = selection::ScaleScope::fold;
  expect_refits(select(dataset, options), options, dataset, each_row_a_fold(40), "fold scope", 0.02);
  options.preparation.scalings = {data::Scaling::none};
  options.costs.class_weights.balanced = true;
  expect_refits(select(dataset, options), options, dataset, each_row_a_fold(40), "balanced", 0.02);
}

TEST(LeaveOneOut, ThreadsDoNotMatter) {
  const selection::Options options = loo_options("2^-3:2^9:x16", "0.05,0.5");
  const data::Dataset dataset = random_clouds(70, 3, 3, 0.5, 9).dataset();
  const selection::Selection one = select(dataset, options, 1);
  const selection::Selection two = select(dataset, options, 2);
  for (std::size_t k = 0; k < one.grid.size(); ++k) {
    EXPECT_EQ(one.grid[k].error, two.grid[k].error);
    EXPECT_EQ(one.grid[k].steps, two.grid[k].steps);
    EXPECT_EQ(one.grid[k].n_sv, two.grid[k].n_sv);
  }
}

struct RealSet {
  const char* file;
  const char* C;
  const char* gamma;
};

class LeaveOneOutOnRealSets : public testing::TestWithParam<RealSet> {};

TEST_P(LeaveOneOutOnRealSets, EqualsRefitsSettingBySetting) {
  const std::string file = GetParam().file;
  CREDENCE_NEEDS_SHARED_DATA(file);
  const data::Dataset dataset = scaled(data::read(test::shared_data(file)));
  selection::Options options = loo_options(GetParam().C, GetParam().gamma);
  const selection::Selection fast = select(dataset, options);
  expect_refits(fast, options, dataset, each_row_a_fold(dataset.rows()), file, 0.05);

  // The same by n trainings on the shared matrix, each from nothing: what leaving out one by one would cost.
  selection::Options cold = options;
  cold.method = selection::CrossValidation{};
  data::Dataset each_alone = dataset;
  each_alone.folds = each_row_a_fold(dataset.rows());
  const std::uint64_t refit_steps = steps_of(select(each_alone, cold));
  RecordProperty("leave_one_out_steps", std::to_string(steps_of(fast)));
  RecordProperty("refit_steps", std::to_string(refit_steps));
  fmt::print("{}: {} solver steps, {} by n refits\n", file, steps_of(fast), refit_steps);
  EXPECT_LT(3 * steps_of(fast), refit_steps);
}

INSTANTIATE_TEST_SUITE_P(FiveSets, LeaveOneOutOnRealSets,
                         testing::Values(RealSet{"hardoon_glass.csv.gz", "0.5,8,128", "0.03,0.5"},
                                         RealSet{"hardoon_haberman.csv.gz", "0.5,32", "0.1,1"},
                                         RealSet{"hardoon_ionosphere.csv.gz", "1,32", "0.01,0.1"},
                                         RealSet{"hardoon_votes.csv.gz", "0.1,10", "0.01,0.3"},
                                         RealSet{"glass.csv.gz", "1,64", "0.1"}));

}  // namespace leave_one_out_vs_refits_tests
