#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"
#include "support/run_selection.hpp"
#include "support/same_selection.hpp"
#include "support/score_oracle.hpp"

/// A grid over several kernels and scalings, beside the grids of each kernel and scaling by itself.
namespace several_kernels_vs_grids_apart_tests {

using namespace credence;
using kernel::KernelType;
using selection::Options;
using selection::Selection;

/// Columns with long tails, which quantiles and standard deviations see differently.
data::Dataset long_tails(int classes, std::uint64_t seed = 4) {
  test::Clouds clouds = test::random_clouds(90, 3, classes, 0.8, seed);
  for (double& value : clouds.x.values) value = std::exp(value);
  return clouds.dataset();
}

Options several() {
  Options options;
  options.method = selection::CrossValidation{.folds = 4};
  options.kernels.types = {KernelType::rbf, KernelType::laplacian};
  options.kernels.gamma = kernel::parse_gammas("0.2,median,median*0.25,scale");
  options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  options.costs.C = {0.5, 8, 100};
  options.rule = selection::Rule::best;
  options.estimate = selection::Estimate::none;
  options.seed = 3;
  return options;
}

/// Smallest error, then most regularised, then first in the grid, where the gammas of a kernel ascend.
std::size_t naive_best(const std::vector<selection::Cell>& grid, std::size_t costs) {
  const auto key = [&](std::size_t k) {
    return std::tuple(!grid[k].complete, grid[k].error, k % costs, k / costs / 4, grid[k].gamma);
  };
  std::size_t best = 0;
  for (std::size_t k = 1; k < grid.size(); ++k)
    if (key(k) < key(best)) best = k;
  return best;
}

/// Every setting of the whole grid to the last bit, on one and two threads, with much memory and with little.
void expect_grids_apart(const data::Dataset& dataset, const Options& options, const std::string& what) {
  SCOPED_TRACE(what);
  std::vector<selection::Cell> cells;
  std::vector<Selection> apart;
  for (const data::Scaling scaling : options.preparation.scalings) {
    for (const KernelType type : options.kernels.types) {
      Options own = options;
      own.preparation.scalings = {scaling};
      own.kernels.types = {type};
      apart.push_back(test::run_selection(dataset, own));
      cells.insert(cells.end(), apart.back().grid.begin(), apart.back().grid.end());
    }
  }
  for (const int threads : {1, 2}) {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{200'000}}) {
      test::Surroundings surroundings(threads);
      if (memory > 0) surroundings.context.memory_budget = memory;
      const Selection whole = selection::Selector(options).select(dataset, surroundings.context);
      ASSERT_EQ(whole.grid.size(), cells.size());
      for (std::size_t k = 0; k < cells.size(); ++k) test::expect_same(whole.grid[k], cells[k]);
      ASSERT_TRUE(whole.best);
      EXPECT_EQ(*whole.best, naive_best(cells, options.costs.axis().size()));
      const Selection& of_best = apart[*whole.best * apart.size() / cells.size()];
      EXPECT_EQ(whole.calibration.strangeness, of_best.calibration.strangeness);
      EXPECT_EQ(whole.calibration.scores.values, of_best.calibration.scores.values);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(SeveralKernels, AreTheGridsOfEachKernelAndScaling) {
  expect_grids_apart(long_tails(2), several(), "two classes");
  expect_grids_apart(long_tails(3), several(), "three classes");
  data::Dataset weighted = long_tails(3);
  for (std::size_t i = 0; i < weighted.rows(); ++i) weighted.weights.push_back(0.25 + static_cast<double>(i % 5));
  expect_grids_apart(weighted, several(), "weights");
  data::Dataset grouped = long_tails(2);
  for (std::size_t i = 0; i < grouped.rows(); ++i) grouped.groups.push_back(static_cast<int>(i / 5));
  expect_grids_apart(grouped, several(), "groups");
}

TEST(SeveralKernels, AreTheGridsOfEachWithOptionsOfAllKinds) {
  using Change = std::function<void(Options&)>;
  const data::Dataset dataset = long_tails(2, 6);
  const std::vector<std::pair<std::string, Change>> changes{
      {"scaled once", [](Options& o) { o.preparation.scope = selection::ScaleScope::all; }},
      {"soft loss", [](Options& o) { o.loss = selection::Loss::soft; }},
      {"AUC", [](Options& o) { o.score = selection::Score::roc_auc; }},
      {"F1", [](Options& o) { o.score = selection::Score::f1; }},
      {"log loss", [](Options& o) { o.score = selection::Score::log_loss; }},
      {"balanced", [](Options& o) { o.costs.class_weights.balanced = true; }},
      {"large C given up", [](Options& o) { o.costs.give_up = 1; }},
      {"nu",
       [](Options& o) {
         o.costs.C = {};
         o.costs.nu = {0.5, 0.2};
       }},
      {"minmax", [](Options& o) { o.preparation.scalings = {data::Scaling::minmax, data::Scaling::quantile}; }},
  };
  for (const auto& [name, change] : changes) {
    Options options = several();
    change(options);
    expect_grids_apart(dataset, options, name);
  }
}

/// A kernel without gamma has one column of settings between those with several.
TEST(SeveralKernels, OfWhichOneHasNoGammaHaveItsSettingsOnce) {
  Options options = several();
  options.kernels.types = {KernelType::rbf, KernelType::linear, KernelType::laplacian};
  const data::Dataset dataset = long_tails(2, 8);
  const Selection whole = test::run_selection(dataset, options, 2);
  std::size_t at = 0;
  for (const data::Scaling scaling : options.preparation.scalings) {
    for (const KernelType type : options.kernels.types) {
      Options own = options;
      own.preparation.scalings = {scaling};
      own.kernels.types = {type};
      const Selection apart = test::run_selection(dataset, own);
      EXPECT_EQ(apart.grid.size(), type == KernelType::linear ? 3U : 12U);
      for (const selection::Cell& cell : apart.grid) test::expect_same(whole.grid.at(at++), cell);
    }
  }
  EXPECT_EQ(at, whole.grid.size());
}

/// Folds resolve words on their own rows; a setting is named, and trained in the end, by those of all rows.
TEST(SeveralKernels, AreNamedByWidthsOfAllRows) {
  const Options options = several();
  const data::Dataset dataset = long_tails(2);
  std::size_t at = 0;
  const Selection whole = test::run_selection(dataset, options);
  for (const data::Scaling scaling : options.preparation.scalings) {
    const data::Features rows = data::Preprocessing::fit(dataset, scaling).apply(dataset);
    for (const KernelType type : options.kernels.types) {
      for (const kernel::GammaRule& rule : options.kernels.gamma) {
        for (const double C : options.costs.C) {
          const selection::Cell& cell = whole.grid.at(at++);
          EXPECT_EQ(cell.gamma, kernel::resolve_gamma(rule, type, rows));
          EXPECT_EQ(std::tuple(cell.scale, cell.kernel, cell.C), std::tuple(scaling, type, C));
        }
      }
    }
  }
}

}  // namespace several_kernels_vs_grids_apart_tests
