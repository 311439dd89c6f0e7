#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "credence/bounds/mean.hpp"
#include "credence/core/random.hpp"
#include "credence/data/reader.hpp"
#include "selection/in_sample/in_sample_problem.hpp"
#include "support/in_sample_runs.hpp"
#include "support/selection_fields.hpp"
#include "support/shared_data.hpp"

namespace in_sample_properties_tests {

using namespace credence;
using test::in_sample_options;
using test::run_selection;

const std::vector<std::string> both_methods{"rademacher", "maximal-discrepancy"};

TEST(InSampleProperties, OneThreadEqualsTwo) {
  for (const std::string& method : both_methods) {
    selection::Options options = in_sample_options(method, {1e-4, 0.01, 0.3, 8});
    options.kernels.types = {kernel::KernelType::rbf};
    options.in_sample.trials = 25;
    options.in_sample.hint = 0.3;
    const data::Dataset dataset = test::random_clouds(60, 3, 3, 1, 6).dataset();
    const selection::Selection one = run_selection(dataset, options, 1);
    const selection::Selection two = run_selection(dataset, options, 2);
    test::expect_same_settings(one.in_sample()->settings, two.in_sample()->settings, method);
    EXPECT_EQ(one.in_sample()->chosen, two.in_sample()->chosen);
    ASSERT_EQ(one.grid.size(), two.grid.size());
    for (std::size_t k = 0; k < one.grid.size(); ++k) {
      EXPECT_EQ(one.grid[k].error, two.grid[k].error);
      EXPECT_EQ(one.grid[k].steps, two.grid[k].steps);
      EXPECT_EQ(one.grid[k].n_sv, two.grid[k].n_sv);
    }
    test::Surroundings surroundings;
    EXPECT_EQ(one.predictor->predict(dataset, surroundings.context).decision.values,
              two.predictor->predict(dataset, surroundings.context).decision.values);
  }
}

/// The same problem with features times `factor` and rho over its square.
void expect_scale_free(const std::string& method, std::size_t n, double factor, double tolerance) {
  selection::Options options = in_sample_options(method, {1e-4, 0.01, 0.3, 8});
  options.in_sample.all_rhos = true;
  options.in_sample.trials = 20;
  test::Clouds clouds = test::random_clouds(n, 3, 2, 0.7, 9);
  const selection::Selection before = run_selection(clouds.dataset(), options);
  for (double& value : clouds.x.values) value *= factor;
  for (double& rho : options.costs.rho) rho /= factor * factor;
  const selection::Selection after = run_selection(clouds.dataset(), options);
  EXPECT_EQ(before.best, after.best);
  for (std::size_t k = 0; k < before.grid.size(); ++k) {
    EXPECT_NEAR(before.in_sample()->settings[k].training_loss, after.in_sample()->settings[k].training_loss, tolerance);
    EXPECT_NEAR(before.in_sample()->settings[k].complexity, after.in_sample()->settings[k].complexity, tolerance);
    EXPECT_NEAR(before.in_sample()->settings[k].complexity_upper, after.in_sample()->settings[k].complexity_upper,
                tolerance);
  }
}

TEST(InSampleProperties, ScalingKernelAndRhoTogetherChangesNothing) {
  for (const std::string& method : both_methods) {
    expect_scale_free(method, 30, 2, 1e-12);
    expect_scale_free(method, 8, std::sqrt(7.0), 1e-6);  // exact minima; others may be other local ones by rounding
  }
}

/// Where a gamma of a single machine ends early, its complexity has reached the smallest sum so far.
void expect_stopped_with_reason(const selection::InSample& bound) {
  const std::size_t rhos = bound.rhos.size();
  double smallest = 2;
  for (std::size_t k = 0; k < bound.settings.size(); ++k) {
    const selection::InSampleSetting& setting = bound.settings[k];
    if (!setting.complete) continue;
    smallest = std::min(smallest, setting.training_loss + setting.complexity);
    if (k % rhos + 1 < rhos && !bound.settings[k + 1].complete) EXPECT_GE(setting.complexity, smallest) << k;
  }
}

TEST(InSampleProperties, StoppingRuleChangesNoChoice) {
  std::size_t left_out = 0;
  std::size_t later_gamma = 0;
  for (const std::string& method : both_methods) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      selection::Options options = in_sample_options(method, core::parse_list("2^-16:2^8:x4"));
      options.kernels.types = {seed % 2 == 0 ? kernel::KernelType::rbf : kernel::KernelType::linear};
      // Neighbouring gammas are nearly as good as each other, and the best is not the first.
      options.kernels.gamma = kernel::parse_gammas("0.32,0.16,0.08,0.04,0.02");
      options.in_sample.trials = 15;
      options.seed = seed;
      const int classes = seed < 4 ? 2 : 3;
      const data::Dataset dataset = test::random_clouds(36, 2, classes, 1.5, seed).dataset();
      const selection::Selection stopping = run_selection(dataset, options);
      if (classes == 2) expect_stopped_with_reason(*stopping.in_sample());
      options.in_sample.all_rhos = true;
      const selection::Selection all = run_selection(dataset, options);
      const std::string where = method + ", seed " + std::to_string(seed);
      EXPECT_EQ(stopping.in_sample()->chosen, all.in_sample()->chosen) << where;
      EXPECT_EQ(stopping.in_sample()->bound, all.in_sample()->bound) << where;
      later_gamma += *all.best >= 13 ? 1U : 0U;
      EXPECT_EQ(stopping.stopped, core::StopReason::none);
      for (std::size_t k = 0; k < all.in_sample()->settings.size(); ++k) {
        EXPECT_TRUE(all.in_sample()->settings[k].complete) << where;
        if (!stopping.in_sample()->settings[k].complete)
          ++left_out;
        else
          EXPECT_EQ(stopping.in_sample()->settings[k].trials, all.in_sample()->settings[k].trials) << where;
      }
    }
  }
  EXPECT_GT(left_out, 10U);
  EXPECT_GT(later_gamma, 1U);
}

TEST(InSampleProperties, ChoiceIsTheSmallestBoundThenRhoThenGamma) {
  selection::Options options = in_sample_options("rademacher", {0, 0.01, 0.1, 1});
  options.kernels.types = {kernel::KernelType::rbf};
  options.in_sample.trials = 20;
  options.in_sample.all_rhos = true;
  const selection::Selection found = run_selection(test::random_clouds(40, 2, 2, 1.5, 2).dataset(), options);
  const auto smallest = std::min_element(found.grid.begin(), found.grid.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.error, a.rho, a.gamma) < std::tuple(b.error, b.rho, b.gamma);
  });
  EXPECT_EQ(*found.best, static_cast<std::size_t>(smallest - found.grid.begin()));
  EXPECT_NE(found.runner_up, found.best);
  // Whatever gamma is, w = 0 is the same function: equal bounds, and the first gamma wins.
  options.costs.rho = {0};
  const selection::Selection tied = run_selection(test::random_clouds(40, 2, 2, 1.5, 2).dataset(), options);
  EXPECT_EQ(tied.grid[0].error, tied.grid[2].error);
  EXPECT_EQ(tied.best, 0U);
  EXPECT_TRUE(tied.best_on_border);
}

TEST(InSampleProperties, FloorsAreTheClosedForms) {
  for (const std::size_t n : {2U, 4U, 6U, 8U}) {
    const data::Dataset dataset = test::random_clouds(n, 3, 2, 0.5, 20 + n).dataset();
    for (const std::string& method : both_methods) {
      selection::Options options = in_sample_options(method, {1e-12});
      const selection::Selection found = run_selection(dataset, options);
      const double floor = method == "rademacher" ? bounds::rademacher_floor(n) : bounds::discrepancy_floor(n);
      EXPECT_TRUE(found.in_sample()->enumerated);
      EXPECT_NEAR(found.in_sample()->floor, floor, 1e-12) << method << n;
      EXPECT_NEAR(found.in_sample()->settings[0].complexity, floor, 1e-5) << method << n;
      EXPECT_GE(found.in_sample()->settings[0].complexity, floor - 1e-12) << method << n;
    }
  }
  const data::Dataset larger = test::random_clouds(41, 3, 2, 0.5, 20).dataset();
  for (const std::string& method : both_methods) {
    selection::Options options = in_sample_options(method, {1e-9, 0.01, 1});
    options.in_sample.all_rhos = true;
    const selection::Selection found = run_selection(larger, options);
    EXPECT_NEAR(found.in_sample()->floor, bounds::rademacher_floor(41), 0.03);
    // The floor of the vectors that were drawn, not of the expectation: with w = 0 the complexity is on it.
    EXPECT_NEAR(found.in_sample()->floor, found.in_sample()->settings[0].complexity, 1e-3) << method;
    if (method == "rademacher") EXPECT_GT(std::abs(found.in_sample()->floor - bounds::rademacher_floor(41)), 2e-3);
    double last = found.in_sample()->floor - 1e-12;
    for (const selection::InSampleSetting& setting : found.in_sample()->settings) {
      EXPECT_GE(setting.complexity, last);  // complexity grows with rho
      EXPECT_LE(setting.complexity, setting.complexity_upper);
      EXPECT_TRUE(
          std::all_of(setting.trials_upper.begin(), setting.trials_upper.end(), [](double v) { return v <= 1; }));
      last = setting.complexity;
    }
  }
}

TEST(InSampleProperties, LabelVectorsDifferAndBelongToTheSeed) {
  for (const std::string& method : both_methods) {
    selection::Options options = in_sample_options(method, {5});
    options.in_sample.trials = 250;  // of 256 (up to the sign), or of 126
    options.in_sample.exact = false;
    if (method == "maximal-discrepancy") options.in_sample.trials = 120;
    const data::Dataset dataset = test::random_clouds(9, 5, 2, 0.1, 31).dataset();
    const selection::Selection found = run_selection(dataset, options);
    EXPECT_FALSE(found.in_sample()->enumerated);
    EXPECT_EQ(found.in_sample()->settings[0].trials.size(), options.in_sample.trials);
    test::expect_same_settings(found.in_sample()->settings, run_selection(dataset, options).in_sample()->settings,
                               method);
    options.seed = 12;
    EXPECT_NE(found.in_sample()->settings[0].trials, run_selection(dataset, options).in_sample()->settings[0].trials);
    // Nearly all there are, without repeats: nearly the enumerated mean.
    options.in_sample.trials = 600;
    const selection::Selection all = run_selection(dataset, options);
    EXPECT_TRUE(all.in_sample()->enumerated);
    EXPECT_NEAR(found.in_sample()->settings[0].complexity, all.in_sample()->settings[0].complexity, 0.03);
  }
}

TEST(InSampleProperties, DrawnLabelVectorsAreDistinct) {
  const auto draw = [](std::size_t count, bool even) {
    const auto vectors = selection::distinct_labels(count, even, 3, 4, [](core::RandomStream& random) {
      selection::Labels labels(7);
      for (int& label : labels) label = random.below(2) == 0 ? 1 : -1;
      return labels;
    });
    std::set<selection::Labels> different;
    for (selection::Labels labels : vectors) {
      if (even && labels[0] < 0)
        for (int& label : labels) label = -label;
      different.insert(labels);
    }
    return different.size();
  };
  EXPECT_EQ(draw(128, false), 128U);
  EXPECT_EQ(draw(64, true), 64U);
}

TEST(InSampleProperties, PeelingAndStartsAreHandedOn) {
  const data::Dataset dataset = test::random_clouds(24, 2, 2, 0.3, 14).dataset();
  selection::Options options = in_sample_options("rademacher", {0.05, 2});
  options.in_sample.trials = 30;
  options.in_sample.hint = 0.3;
  options.in_sample.all_rhos = true;
  const selection::Selection rounds = run_selection(dataset, options);
  options.in_sample.ivanov.peel = true;
  const selection::Selection peeled = run_selection(dataset, options);
  EXPECT_GT(peeled.in_sample()->settings[1].complexity, rounds.in_sample()->settings[1].complexity);
  EXPECT_FALSE(peeled.in_sample()->exact);
}

TEST(InSampleProperties, MnistBoundsEqualThePrototypes) {
  CREDENCE_NEEDS_SHARED_DATA("anguita_mnist01.csv.gz");
  data::Dataset all = data::read(test::shared_data("anguita_mnist01.csv.gz"), {});
  for (double& value : all.features.dense().values) value /= 255;
  double sum = 0;
  constexpr int repeats = 4;
  for (std::uint64_t seed = 0; seed < repeats; ++seed) {
    std::vector<std::size_t> order(all.rows());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    core::RandomStream random(seed, 77);
    random.shuffle(order);
    std::vector<std::size_t> drawn;
    std::size_t counts[2] = {0, 0};
    for (const std::size_t i : order)
      if (counts[all.labels[i]]++ < 50) drawn.push_back(i);
    const selection::Options options = in_sample_options("maximal-discrepancy", selection::SvmCosts::rho_list());
    sum += run_selection(all.select_rows(drawn), options, 2).in_sample()->bound;
  }
  EXPECT_NEAR(100 * sum / repeats, 65.3, 2);  // the paper's Table V, n = 100
}

}  // namespace in_sample_properties_tests
