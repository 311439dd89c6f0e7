#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "credence/rvm/train.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"

/// Default candidates, and candidates that are refused.
namespace candidates_contract_tests {

using namespace credence;
using test::expect_error;

TEST(Candidates, DefaultGridOfOneSvmIsLibsvms) {
  selection::Options options;
  options.choose_one_svm();
  const std::vector<double>& C = options.costs.C;
  const auto& gamma = options.kernels.gamma;
  EXPECT_EQ(C.size(), 11U);
  EXPECT_EQ(gamma.size(), 10U);
  EXPECT_EQ(C.front(), 0.03125);
  EXPECT_EQ(C.back(), 32768);
  EXPECT_EQ(gamma.front().value, std::ldexp(1.0, -15));
  EXPECT_EQ(gamma.back().value, 8);
  EXPECT_TRUE(options.validate().empty());
}

TEST(Candidates, DefaultWidthsOfRelevanceVectorMachinesAreThePapers) {
  for (const char* method : {"cv", "kernel-validity", "evidence", "holdout"}) {
    selection::Options options;
    options.method = selection::method_named(method);
    options.choose_from(selection::Learner::rvm);
    const selection::Options resolved = options.resolved();
    const auto& sigmas = selection::KernelGrid::paper_sigmas;
    ASSERT_EQ(resolved.kernels.gamma.size(), sigmas.size()) << method;
    for (std::size_t k = 0; k < sigmas.size(); ++k) {
      const double sigma = sigmas[sigmas.size() - 1 - k];  // gamma ascends
      EXPECT_NEAR(resolved.kernels.gamma[k].value * 2 * sigma * sigma, 1, 1e-12);
    }
    EXPECT_TRUE(resolved.kernels.by_sigma);
    EXPECT_EQ(resolved.rvms.further, std::string(method) == "holdout" ? 0 : 6) << method;
    EXPECT_EQ(resolved.preparation.scaling(), data::Scaling::minmax);
    options.kernels.gamma = kernel::parse_gammas("1,2");
    EXPECT_EQ(options.resolved().rvms.further, 0) << method;
  }
}

TEST(Candidates, OfSvmsNameAllProblems) {
  selection::SvmCosts costs;
  EXPECT_TRUE(costs.validate().empty());
  for (const std::vector<double>& C : {std::vector<double>{0}, {1, -2}, {2, 1}, {1, std::nan("")}}) {
    costs.C = C;
    EXPECT_FALSE(costs.validate().empty());
  }
  selection::KernelGrid kernels;
  kernels.gamma = selection::KernelGrid::default_gammas();
  EXPECT_TRUE(kernels.validate().empty());
  kernels.gamma[3].value = 0;
  EXPECT_EQ(kernels.validate().size(), 1U);
  selection::Options options;
  options.costs.C = {0};
  options.kernels.gamma = kernels.gamma;
  EXPECT_EQ(options.validate().size(), 2U);
}

TEST(Candidates, SigmasAreWidths) {
  expect_error(ErrorCode::invalid_argument, "0 is not a width",
               [] { selection::KernelGrid::of_sigmas(std::vector<double>{1, 0}); });
  const auto rules = selection::KernelGrid::of_sigmas(std::vector<double>{0.5, 2, 0.5});
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].value, rvm::gamma_of_sigma(2));
  EXPECT_EQ(rules[1].value, rvm::gamma_of_sigma(0.5));
  selection::KernelGrid laplacian{.types = {kernel::KernelType::laplacian}, .gamma = rules, .by_sigma = true};
  EXPECT_EQ(laplacian.validate().size(), 1U);
}

TEST(Candidates, ThatTheMethodHasNotAreRefused) {
  const auto refused = [](const char* method, const std::string& part, const auto& change) {
    selection::Options options;
    options.method = selection::method_named(method);
    change(options);
    expect_error(ErrorCode::invalid_argument, part, [&] { selection::Selector{options}; });
    EXPECT_EQ(options.with(selection::Evidence{}).k, selection::Options{}.k);
  };
  refused("cv", "rho: cv with svm models does not use it; rademacher and maximal-discrepancy do",
          [](selection::Options& o) { o.costs.rho = {1}; });
  refused("cv", "starts: cv with svm models does not use it", [](selection::Options& o) { o.rvms.fit.starts = 2; });
  refused("cv", "k: cv with svm models does not use it; knn models do", [](selection::Options& o) { o.k = {3}; });
  refused("evidence", "C: evidence with rvm models", [](selection::Options& o) { o.costs.C = {1}; });
  refused("holdout", "gamma: holdout with knn models", [](selection::Options& o) {
    o.model = selection::Learner::knn;
    o.kernels.gamma = kernel::parse_gammas("1");
  });
  refused("max-margin", "give_up: max-margin with svm models", [](selection::Options& o) { o.costs.give_up = 3; });
}

}  // namespace candidates_contract_tests
