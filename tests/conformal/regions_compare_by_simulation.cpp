#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "credence/conformal/confidence.hpp"
#include "credence/conformal/fit.hpp"
#include "credence/core/random.hpp"
#include "credence/model/probability.hpp"
#include "credence/selection/selector.hpp"
#include "credence/svm/region_family.hpp"
#include "support/context.hpp"

namespace regions_compare_by_simulation_tests {

using namespace credence;

constexpr std::size_t rows_of_set = 2000;

/// Two halves of a plane with a gap between them, so that no region lies in both: the left one has no noise, the right
/// one 35 % turned labels.
data::Dataset half_noisy_plane(std::uint64_t seed) {
  core::RandomStream random(seed, 512);
  data::DenseMatrix x(rows_of_set, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (double& value : x.row(i)) value = 2 * random.uniform() - 1;
    const bool above = x.row(i)[1] > 0.3 * std::sin(5 * x.row(i)[0]);
    const bool turned = random.uniform() < 0.35 && x.row(i)[0] > 0;
    x.row(i)[0] += x.row(i)[0] > 0 ? 1 : -1;
    labels.emplace_back(above != turned ? "above" : "below");
  }
  return data::make_dataset(x, labels);
}

std::shared_ptr<const model::Predictor> chosen_in_regions(const data::Dataset& dataset, std::uint64_t seed) {
  const test::Surroundings surroundings;
  selection::Options options;
  options.method = selection::Regions{.region_size = 250, .partitions = 1};
  options.costs.C = {1, 16};
  options.kernels.gamma = kernel::parse_gammas("0.25,2");
  options.estimate = selection::Estimate::none;
  options.seed = seed;
  options.choose_one_svm();
  const selection::Selection selection = selection::Selector(options).select(dataset, surroundings.context);
  return selection::fitted(dataset, selection, surroundings.context);
}

struct HalfRates {
  double rows = 0, missed = 0, log_loss = 0;

  double rate() const { return missed / rows; }
};

/// Regions at 0.1 and log loss in each half, over some draws.
template <class Fit>
std::array<HalfRates, 2> rates_of_halves(int draws, const Fit& fit) {
  const test::Surroundings surroundings;
  std::array<HalfRates, 2> halves;
  for (int draw = 0; draw < draws; ++draw) {
    const auto seed = static_cast<std::uint64_t>(draw);
    const std::shared_ptr<const model::Predictor> predictor = fit(half_noisy_plane(seed), seed);
    const data::Dataset fresh = half_noisy_plane(1000 + seed);
    model::Prediction said = conformal::predict_with_confidence(*predictor, fresh, {}, surroundings.context);
    const bool calibrated = !predictor->calibration.empty();
    if (calibrated) model::add_probabilities(*predictor, {}, said);
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      HalfRates& half = halves[fresh.features.dense().row(i)[0] > 0 ? 1 : 0];
      const auto label = static_cast<std::size_t>(fresh.labels[i]);
      half.rows += 1;
      half.missed += model::in_set(said.p_value.row(i)[label], 0.1) ? 0 : 1;
      if (calibrated) half.log_loss -= std::log(said.probability.row(i)[label]);
    }
  }
  return halves;
}

/// Scores of all regions in one pool miss 0.2 % of the rows of one half, and 21 % of those of the other. The standard
/// deviation of a rate is 0.01, that of a region's rows counted.
TEST(RegionsCompareBySimulation, RegionsMissAlikeWhereTheNoiseDiffers) {
  const auto own = rates_of_halves(4, chosen_in_regions);
  EXPECT_NEAR(own[1].rate(), 0.1, 0.035);
  EXPECT_GT(own[0].rate(), 0.025);
  EXPECT_LT(own[0].rate(), 0.1) << "the machine of all rows of a region does better than those that gave the scores";
  const auto pooled = rates_of_halves(4, [](const data::Dataset& dataset, std::uint64_t seed) {
    auto model = std::make_shared<selection::Ensemble>(
        dynamic_cast<const selection::Ensemble&>(*chosen_in_regions(dataset, seed)));
    model->calibration.region_of.clear();  // as models of versions that did not keep the regions
    return model;
  });
  EXPECT_LT(pooled[0].rate(), 0.02);
  EXPECT_GT(pooled[1].rate(), 0.17);
  EXPECT_LT(own[0].log_loss, pooled[0].log_loss) << "probabilities of the half without noise";
  EXPECT_LT(own[0].log_loss + own[1].log_loss, pooled[0].log_loss + pooled[1].log_loss);
}

/// Around regions, what is held out is compared in the region too, where the promise then holds.
TEST(RegionsCompareBySimulation, RegionsOfHeldOutRowsHoldInEachHalf) {
  const auto halves = rates_of_halves(4, [](const data::Dataset& dataset, std::uint64_t seed) {
    const test::Surroundings surroundings;
    conformal::PValueOptions p_values;
    p_values.seed = seed;
    const conformal::Train train = [&](const data::Dataset& rows, const core::Context&) {
      return conformal::classifier_of(*chosen_in_regions(rows, seed));
    };
    return conformal::fit_inductive(dataset, {}, p_values, train, surroundings.context);
  });
  EXPECT_LT(halves[0].rate(), 0.1 + 0.035);
  EXPECT_LT(halves[1].rate(), 0.1 + 0.035);
  EXPECT_GT(halves[0].rate(), 0.04) << "one half is not paid for with the other";
}

}  // namespace regions_compare_by_simulation_tests
