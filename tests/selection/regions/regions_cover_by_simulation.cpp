#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"

namespace regions_cover_by_simulation_tests {

using namespace credence;

/// Features that know nothing of the labels, so that every model errs in half of the rows.
data::Dataset coins_of_the_plane(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 511);
  data::DenseMatrix x(n, 3);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : x.row(i)) value = random.normal();
    labels.emplace_back(random.uniform() < 0.5 ? "heads" : "tails");
  }
  return data::make_dataset(x, labels);
}

/// Of 30 sets the interval of the default holds the truth in 29, as 95 % promises; the correction inside each of the 25
/// regions holds the truth in 16.
TEST(RegionsCoverBySimulation, TheDefaultIntervalHoldsTheErrorOnCoins) {
  constexpr int sets = 30;
  const test::Surroundings surroundings;
  int covered = 0;
  double mean = 0;
  for (int set = 0; set < sets; ++set) {
    selection::Options options;
    options.method = selection::Regions{.region_size = 100, .partitions = 1};
    options.costs.C = {0.125, 2, 32};
    options.kernels.gamma = kernel::parse_gammas("0.03125,0.25,2");
    options.estimate_samples = 200;
    options.seed = static_cast<std::uint64_t>(set);
    const data::Dataset dataset = coins_of_the_plane(2000, options.seed);
    const selection::Selection found = selection::Selector(options).select(dataset, surroundings.context);
    ASSERT_TRUE(found.honest && found.honest->lower);
    covered += *found.honest->lower <= 0.5 && 0.5 <= *found.honest->upper ? 1 : 0;
    mean += found.honest->error / sets;
  }
  EXPECT_GE(covered, 27);
  EXPECT_NEAR(mean, 0.5, 0.02) << "three standard errors of 30 x 200 rows";
}

}  // namespace regions_cover_by_simulation_tests
