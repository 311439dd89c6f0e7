#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/selection/comparison.hpp"
#include "selection/methods/rvm_selection.hpp"
#include "support/expect_error.hpp"

/// Widths beyond the ends of a grid, against the grid that lists them all.
namespace further_widths_tests {

using namespace credence;
using test::run_selection;

selection::Options options_of(const std::string& method, const char* gammas, int further) {
  selection::Options options = test::rvm_options(method, gammas);
  options.rvms.further = further;
  return options;
}

selection::Options regression_options(const std::string& method, const char* gammas, int further) {
  selection::Options options = options_of(method, gammas, further);
  options.task = data::Task::regression;
  return options;
}

std::vector<double> gammas_of(const selection::Selection& found) {
  std::vector<double> gammas;
  for (const selection::Setting& setting : found.grid) gammas.push_back(setting.gamma);
  return gammas;
}

/// The same options with exactly these gammas.
selection::Options listing(selection::Options options, const std::vector<double>& gammas) {
  options.rvms.further = 0;
  options.kernels.gamma.clear();
  for (const double gamma : gammas) options.kernels.gamma.push_back({kernel::GammaRule::Kind::value, gamma});
  return options;
}

void expect_same_scores(const selection::Selection& walked, const selection::Selection& listed) {
  ASSERT_EQ(walked.grid.size(), listed.grid.size());
  for (std::size_t k = 0; k < walked.grid.size(); ++k) {
    EXPECT_EQ(walked.grid[k].error, listed.grid[k].error) << k;
    EXPECT_EQ(walked.grid[k].error_std, listed.grid[k].error_std) << k;
    EXPECT_EQ(walked.grid[k].n_sv, listed.grid[k].n_sv) << k;
  }
  EXPECT_EQ(walked.best, listed.best);
  EXPECT_EQ(walked.runner_up, listed.runner_up);
  EXPECT_EQ(walked.calibration.nonconformity_scores, listed.calibration.nonconformity_scores);
}

/// A sine of three periods, which needs gammas of about 50.
data::Dataset ripples() {
  data::Dataset dataset = test::noisy_surface(60, 0.1, 1);
  core::RandomStream random(3, 1);
  for (std::size_t i = 0; i < 60; ++i)
    dataset.targets[i] = std::sin(19 * dataset.features.dense().row(i)[0]) + 0.1 * random.normal();
  return dataset;
}

/// Both ends of the axis are walked from, that at which the best of the two given values lies.
TEST(FurtherWidths, AreTheGridThatListsThem) {
  int fronts = 0;
  int backs = 0;
  for (const char* method : {"cv", "kernel-validity", "evidence"}) {
    for (const bool wide : {true, false}) {
      const data::Dataset dataset = wide ? test::noisy_surface(60, 0.1, 1) : ripples();
      const char* gammas = wide ? "50,200" : "3,12";
      const selection::Options options = regression_options(method, gammas, 6);
      const selection::Selection walked = run_selection(dataset, options);
      ASSERT_GT(walked.grid.size(), 2U) << method << ' ' << gammas;
      const std::vector<double> found = gammas_of(walked);
      for (std::size_t k = 1; k < found.size(); ++k) EXPECT_NEAR(found[k] / found[k - 1], 4, 1e-12);
      const bool front = run_selection(dataset, regression_options(method, gammas, 0)).best == 0U;
      (front ? fronts : backs) += 1;
      EXPECT_EQ(walked.grid.front().added, front);
      EXPECT_EQ(walked.grid.back().added, !front);
      expect_same_scores(walked, run_selection(dataset, listing(options, found)));
      EXPECT_EQ(
          std::count_if(walked.grid.begin(), walked.grid.end(), [](const auto& setting) { return setting.added; }),
          static_cast<long>(found.size() - 2));
    }
  }
  EXPECT_GT(fronts, 0);
  EXPECT_GT(backs, 0);
}

/// The walk ends with the best inside, with the last value no better, or at its limit, and takes no step more.
TEST(FurtherWidths, EndWhereTheBestIsInsideOrTheLimit) {
  const data::Dataset dataset = test::noisy_surface(60, 0.1, 2);
  for (const char* method : {"cv", "kernel-validity", "evidence"}) {
    for (const int further : {1, 3, 6}) {
      const selection::Selection walked = run_selection(dataset, regression_options(method, "30,120", further));
      const std::size_t added = walked.grid.size() - 2;
      EXPECT_LE(added, static_cast<std::size_t>(further));
      if (walked.best_on_border)
        EXPECT_EQ(added, static_cast<std::size_t>(further)) << method;
      else if (added > 0)
        EXPECT_EQ(*walked.best, 1U) << method << ": one step too many";
      // No width that was passed by is better.
      for (const selection::Setting& setting : walked.grid)
        if (!setting.evidence || !(setting.evidence->memorised || setting.evidence->below_null))
          EXPECT_GE(setting.error, walked.grid[*walked.best].error);
    }
  }
}

TEST(FurtherWidths, AreNotAddedWhereTheGridStands) {
  const data::Dataset dataset = test::noisy_surface(60, 0.1, 1);
  for (const char* method : {"cv", "kernel-validity", "evidence"}) {
    const selection::Selection stands = run_selection(dataset, regression_options(method, "50,200", 0));
    EXPECT_EQ(stands.grid.size(), 2U);
    EXPECT_TRUE(stands.best_on_border);
    const selection::Selection inside = run_selection(dataset, regression_options(method, "0.00005,1,3,500", 6));
    ASSERT_FALSE(inside.best_on_border) << method;
    EXPECT_EQ(inside.grid.size(), 4U);
    EXPECT_EQ(run_selection(dataset, regression_options(method, "50", 6)).grid.size(), 1U);
  }
  selection::Options svm = test::rvm_options("cv", "0.001,0.002");
  svm.choose_from(selection::Learner::svm);
  svm.kernels.gamma = kernel::parse_gammas("0.001,0.002");
  svm.costs.C = {1};
  svm.choose_one_svm();
  test::expect_error(ErrorCode::invalid_argument, "further: cv with svm models does not use it", [&] {
    selection::Options goes_on = svm;
    goes_on.rvms.further = 6;
    selection::Selector{goes_on};
  });
  EXPECT_EQ(run_selection(test::uneven_rows(60, 2, 1), svm).grid.size(), 2U);
}

/// What nothing explains: the widths are not walked along.
TEST(FurtherWidths, AreNotAddedWhereNoKernelIsAboveTheNullModel) {
  data::Dataset dataset = test::noisy_surface(60, 0.1, 1);
  core::RandomStream random(5, 1);
  for (double& target : dataset.targets) target = random.normal();
  const selection::Selection found = run_selection(dataset, regression_options("evidence", "0.001,0.01", 6));
  ASSERT_TRUE(found.evidence()->all_below_null);
  EXPECT_EQ(found.grid.size(), 2U);
}

TEST(FurtherWidths, DoNotDependOnThreads) {
  const data::Dataset dataset = test::noisy_surface(60, 0.1, 1);
  for (const char* method : {"cv", "kernel-validity"}) {
    const selection::Options options = regression_options(method, "50,200", 6);
    const selection::Selection one = run_selection(dataset, options, 1);
    const selection::Selection four = run_selection(dataset, options, 4);
    EXPECT_EQ(gammas_of(one), gammas_of(four));
    expect_same_scores(one, four);
  }
}

/// The bootstrap correction chooses anew among all widths, those that were added too; a nested estimate starts from the
/// given grid in every outer fold, and adds widths of its own.
TEST(FurtherWidths, TakePartInHonestEstimates) {
  const data::Dataset surface = test::noisy_surface(60, 0.1, 1);
  selection::Options options = regression_options("cv", "50,200", 6);
  options.estimate = selection::Estimate::bbc;
  options.estimate_samples = 100;
  const selection::Selection walked = run_selection(surface, options);
  const selection::Selection listed = run_selection(surface, listing(options, gammas_of(walked)));
  ASSERT_TRUE(walked.honest && listed.honest);
  EXPECT_EQ(walked.honest->error, listed.honest->error);

  const data::Dataset classes = test::uneven_rows(60, 2, 1);
  selection::Options nested = options_of("cv", "50,200", 6);
  nested.estimate = selection::Estimate::nested;
  const selection::Selection found = run_selection(classes, nested);
  ASSERT_GT(found.grid.size(), 2U);
  ASSERT_TRUE(found.honest);
  test::Surroundings surroundings;
  EXPECT_EQ(found.honest->error, selection::nested_estimate(classes, nested, surroundings.context).error);
}

}  // namespace further_widths_tests
