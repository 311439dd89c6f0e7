#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "credence/rvm/validity.hpp"
#include "rvm_selection.hpp"
#include "selection/choose/choose.hpp"
#include "selection/fit/fit_task.hpp"
#include "selection/fit/grid_run.hpp"
#include "selection/methods/kernel_evidence.hpp"
#include "support/expect_error.hpp"
#include "support/selection_fields.hpp"

/// What selection among relevance vector machines does where memory is short, a run is stopped, or numbers are none.
namespace rvm_limits_tests {

using namespace credence;
using test::expect_error;
using test::run_selection;
using test::Surroundings;

selection::Selection select_within(std::size_t bytes, int threads, const data::Dataset& dataset,
                                   const selection::Options& options) {
  Surroundings surroundings(threads);
  surroundings.context.memory_budget = bytes;
  return selection::Selector(options).select(dataset, surroundings.context);
}

TEST(RvmMemory, ThreadsWithoutMemoryForAFitEachShareOne) {
  const data::Dataset dataset = test::uneven_rows(90, 2, 21);
  for (const char* method : {"cv", "kernel-validity", "holdout"}) {
    selection::Options options = test::rvm_options(method);
    if (auto* cv = std::get_if<selection::CrossValidation>(&options.method)) cv->folds = 3;
    const std::size_t largest = method == std::string("cv") ? 60 : 90;
    const std::size_t one = rvm::fit_memory(largest, largest, data::Task::classification).least();
    const selection::Selection much = run_selection(dataset, options, 2);
    const selection::Selection little = select_within(one + one / 2, 2, dataset, options);
    for (std::size_t k = 0; k < much.grid.size(); ++k) EXPECT_EQ(much.grid[k].error, little.grid[k].error) << method;
  }
}

/// Fewer rows may need more: from 4 M >= 3 N on the first search is another one.
TEST(RvmMemory, BytesOfAFitAreThoseOfTheLargestPart) {
  for (const std::size_t centres : {20U, 60U, 100U}) {
    std::size_t most = 0;
    for (std::size_t n = 2; n <= 100; ++n)
      most = std::max(most, rvm::fit_memory(n, std::min(n, centres), data::Task::classification).least());
    EXPECT_GE(selection::fit_bytes(100, centres, data::Task::classification), most) << centres;
    EXPECT_LE(selection::fit_bytes(100, centres, data::Task::classification), most + most / 10) << centres;
  }
}

/// 2,010 rows have 1,000 candidates, and so have 1,200 of them.
TEST(RvmMemory, PartsHaveAsManyCandidatesAsAllRows) {
  const data::Dataset dataset = test::random_clouds(2010, 2, 2, 1.0, 5).dataset();
  selection::Options options = test::rvm_options("cv", "1");
  options.rvms.fit.algorithm = rvm::Algorithm::sequential;
  options.rvms.fit.max_iterations = 2;
  std::vector<std::size_t> rows(1200);
  std::iota(rows.begin(), rows.end(), std::size_t{400});
  selection::Resample resample{.drawn = std::vector<std::uint32_t>(dataset.rows(), 0)};
  for (const std::size_t row : rows) resample.drawn[row] = 1;
  kernel::Kernel kernel;
  kernel.gamma = 1;
  Surroundings surroundings;
  const selection::FittedTask found = selection::fit_rvms(dataset, dataset.features, kernel, options, resample,
                                                          {.machines = {true}}, surroundings.context);
  const rvm::Problem problem = rvm::make_problem(dataset.select_rows(rows), dataset.features.select_rows(rows),
                                                 kernel::KernelType::rbf, 1000, options.seed);
  const rvm::KernelFit fit = rvm::fit_machines(problem, kernel, options.rvms.fit, false, surroundings.context);
  std::vector<std::uint32_t> expected;
  for (const std::uint32_t column : fit.machines[0].columns)
    if (column > 0) expected.push_back(static_cast<std::uint32_t>(rows[problem.centre_rows[column - 1]]));
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(found.machines.front()[0].rows, expected);
}

/// So many features that an index is too large, though a fit is small.
TEST(RvmMemory, OnlyTheIndexItselfNeedsTheMemoryOfAnIndex) {
  const data::Dataset dataset = test::random_clouds(40, 3000, 2, 1.0, 6).dataset();
  const std::size_t budget = 2'000'000;
  for (const char* method : {"cv", "bootstrap", "holdout", "evidence"}) {
    selection::Options options = test::rvm_options(method, "0.001,0.01");
    test::set_resamples(options, 3);
    const selection::Selection found = select_within(budget, 1, dataset, options);
    ASSERT_TRUE(found.best) << method;
    EXPECT_FALSE(found.grid[0].evidence && found.grid[0].evidence->log_validity) << method;
    Surroundings surroundings;
    surroundings.context.memory_budget = budget;
    EXPECT_NE(selection::fitted(dataset, found, surroundings.context), nullptr);
  }
  expect_error(ErrorCode::memory, "index of",
               [&] { select_within(budget, 1, dataset, test::rvm_options("kernel-validity", "0.001,0.01")); });
}

TEST(RvmStopped, CovariancesAreLeftOut) {
  const data::Dataset dataset = test::uneven_rows(40, 2, 7);
  const data::Features rows = data::Preprocessing::fit(dataset, data::Scaling::minmax).apply(dataset);
  const rvm::Problem problem = rvm::make_problem(dataset, rows, kernel::KernelType::rbf, {}, 0);
  Surroundings surroundings;
  rvm::KernelFit fit = rvm::fit_machines(problem, {}, {}, false, surroundings.context);
  EXPECT_TRUE(selection::add_covariances(problem, fit, surroundings.context));
  surroundings.monitor.cancel();
  EXPECT_FALSE(selection::add_covariances(problem, fit, surroundings.context));
}

TEST(Choice, IsOfFiniteScores) {
  selection::Options options = test::rvm_options("cv", "1,2,3,4");
  selection::Selection found;
  found.grid = selection::named_settings(std::vector<double>{1, 2, 3, 4}, options);
  const double infinity = std::numeric_limits<double>::infinity();
  const double errors[] = {-infinity, std::nan(""), 3, 2};
  for (std::size_t k = 0; k < 4; ++k) {
    found.grid[k].complete = true;
    found.grid[k].error = errors[k];
  }
  selection::choose(options, found);
  EXPECT_EQ(found.best, 3U);
  EXPECT_EQ(found.runner_up, 2U);
}

}  // namespace rvm_limits_tests
