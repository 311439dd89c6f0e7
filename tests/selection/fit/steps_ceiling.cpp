#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>

#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/real_data.hpp"

namespace steps_ceiling_tests {

using namespace credence;

/// Solver work on the default grid with ten folds, generously above what was measured: it does not depend on the
/// machine, so that a slower solver shows here whatever the load.
struct Ceiling {
  std::string name;
  std::uint64_t steps;
  std::uint64_t factorisations;
  double lowest_error;
  double highest_error;
};

void PrintTo(const Ceiling& ceiling, std::ostream* out) {
  *out << ceiling.name;
}

class Steps : public testing::TestWithParam<Ceiling> {};

TEST_P(Steps, StayBelowTheCeiling) {
  CREDENCE_NEEDS_SHARED_DATA(GetParam().name + ".csv.gz");
  const data::Dataset dataset = test::raw_real_data(GetParam().name);
  test::Surroundings surroundings(2);
  selection::Options options;
  options.choose_one_svm();
  const selection::Selection result = selection::Selector(options).select(dataset, surroundings.context);
  std::uint64_t steps = 0;
  std::uint64_t factorisations = 0;
  ASSERT_EQ(result.grid.size(), 110U);
  for (const selection::Setting& setting : result.grid) {
    steps += setting.steps;
    factorisations += setting.factorisations;
    EXPECT_EQ(setting.unconverged, 0U) << "C " << setting.C << ", gamma " << setting.gamma;
  }
  RecordProperty("steps", std::to_string(steps));
  RecordProperty("factorisations", std::to_string(factorisations));
  EXPECT_LT(steps, GetParam().steps);
  EXPECT_LT(factorisations, GetParam().factorisations);
  ASSERT_TRUE(result.best.has_value());
  EXPECT_GE(result.grid[*result.best].error, GetParam().lowest_error);
  EXPECT_LE(result.grid[*result.best].error, GetParam().highest_error);
}

INSTANTIATE_TEST_SUITE_P(Sets, Steps,
                         testing::Values(Ceiling{"pima", 4'000'000, 3'000, 0.21, 0.235},
                                         Ceiling{"bupa", 4'000'000, 3'000, 0.24, 0.33},
                                         Ceiling{"ionosphere", 2'000'000, 3'000, 0.03, 0.08}),
                         [](const auto& set) { return set.param.name; });

}  // namespace steps_ceiling_tests
