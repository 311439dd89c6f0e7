#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/bounds/registry.hpp"
#include "credence/bounds/uniform.hpp"
#include "support/expect_error.hpp"

namespace credence {
namespace registry_vs_functions_tests {

using bounds::Findings;
using bounds::Sample;

bounds::Limits limits_of(const Findings& found, std::string_view name) {
  for (const bounds::Finding& one : found.bounds)
    if (one.bound->name == name) return one.limits;
  ADD_FAILURE() << "no bound " << name;
  return {};
}

TEST(BoundRegistry, HeldOutRowsVsFunctions) {
  const Findings found = bounds::evaluate({{"errors", 3}, {"n", 100}, {"delta", 0.02}});
  EXPECT_FALSE(found.training);
  EXPECT_EQ(found.sample.at("loss"), 0.03);
  EXPECT_EQ(found.bounds.size(), 6U);
  EXPECT_EQ(found.bounds[found.best].bound->name, "clopper_pearson");
  EXPECT_EQ(limits_of(found, "clopper_pearson").upper, bounds::binomial_upper_limit(3, 100, 0.02));
  EXPECT_EQ(limits_of(found, "clopper_pearson_two_sided").lower, bounds::clopper_pearson(3, 100, 0.02).lower);
  EXPECT_EQ(limits_of(found, "clopper_pearson_two_sided").upper, bounds::clopper_pearson(3, 100, 0.02).upper);
  EXPECT_EQ(limits_of(found, "hoeffding").upper, bounds::hoeffding_upper_limit(0.03, 100, 0.02));
  EXPECT_EQ(limits_of(found, "hoeffding_deviation").upper, 0.03 + bounds::hoeffding_deviation(100, 0.02));
  EXPECT_EQ(limits_of(found, "empirical_chernoff").upper, bounds::empirical_chernoff_upper_limit(0.03, 100, 0.02));
  EXPECT_EQ(limits_of(found, "empirical_bernstein").upper, bounds::empirical_bernstein_upper_limit(0.03, 100, 0.02));
}

TEST(BoundRegistry, TrainingRowsVsFunctions) {
  Sample sample{{"loss", 0.1}, {"n", 400}, {"complexity", 0.2}};
  const Findings exact = bounds::evaluate(sample);
  EXPECT_TRUE(exact.training);
  ASSERT_EQ(exact.bounds.size(), 1U);
  EXPECT_EQ(exact.bounds[0].limits.upper, 0.1 + 0.2 + bounds::complexity_deviation(400, 0.05));
  sample["trials"] = 100;
  const Findings sampled = bounds::evaluate(sample);
  ASSERT_EQ(sampled.bounds.size(), 2U);
  EXPECT_EQ(sampled.bounds[sampled.best].bound->name, "complexity_of_trials");
  EXPECT_EQ(limits_of(sampled, "complexity_of_trials").upper,
            0.1 + 0.2 + bounds::complexity_deviation_of_trials(400, 100, 0.05));
}

TEST(BoundRegistry, OnlyBoundsWithAllTheyNeed) {
  const Findings loss = bounds::evaluate({{"loss", 0.03}, {"n", 100}});
  EXPECT_EQ(loss.sample.at("delta"), 0.05);
  EXPECT_EQ(loss.bounds[loss.best].bound->name, "hoeffding");
  for (const bounds::Finding& one : loss.bounds) EXPECT_FALSE(one.bound->needs_one("errors")) << one.bound->name;
  const Findings one_row = bounds::evaluate({{"errors", 0}, {"n", 1}});
  EXPECT_FALSE(limits_of(one_row, "empirical_bernstein").upper);
  EXPECT_TRUE(limits_of(one_row, "empirical_bernstein").vacuous());
  test::expect_error(ErrorCode::invalid_argument, "no bound", [] { bounds::evaluate({{"n", 100}}); });
  test::expect_error(ErrorCode::invalid_argument, "'m'", [] { bounds::evaluate({{"n", 100}, {"m", 1}}); });
  EXPECT_EQ(bounds::missing_for("trials", {{"loss", 0.1}, {"n", 9}, {"trials", 5}}), "complexity");
  EXPECT_EQ(bounds::missing_for("trials", {{"trials", 5}, {"complexity", 0.1}}), "");
  EXPECT_EQ(bounds::missing_for("loss", {}), "");
}

TEST(BoundRegistry, ProblemsOfValues) {
  const auto problem = [](std::string_view name, double value) {
    for (const bounds::Quantity& one : bounds::quantities())
      if (one.name == name) return one.problem(value);
    return std::string("unknown");
  };
  EXPECT_EQ(problem("delta", 1), "1 does not lie between 0 and 1, both excluded");
  EXPECT_EQ(problem("delta", 0.5), "");
  EXPECT_EQ(problem("loss", 1), "");
  EXPECT_EQ(problem("loss", 1.5), "1.5 does not lie between 0 and 1");
  EXPECT_EQ(problem("loss", std::nan("")), "nan does not lie between 0 and 1");
  EXPECT_EQ(problem("n", 0), "0 is not at least 1");
  EXPECT_EQ(problem("n", 1e15), "");
  EXPECT_EQ(problem("n", 2e15), "more than 1000000000000000 rows are not told apart");
}

/// What a new row must keep to.
TEST(BoundRegistry, RowsAreConsistent) {
  std::set<std::string_view> names;
  for (const bounds::Bound& bound : bounds::bounds()) {
    EXPECT_TRUE(names.insert(bound.name).second) << bound.name;
    EXPECT_LE(bound.title.size(), 27U) << bound.name;
    Sample sample;
    for (const bounds::Quantity& one : bounds::quantities())
      if (bound.needs_one(one.name)) sample[std::string(one.name)] = one.whole ? 20 : 0.25;
    bool found = false;  // with what it says that it needs, and no more
    for (const bounds::Finding& one : bounds::evaluate(sample).bounds) found = found || one.bound->name == bound.name;
    EXPECT_TRUE(found) << bound.name;
  }
}

}  // namespace registry_vs_functions_tests
}  // namespace credence
