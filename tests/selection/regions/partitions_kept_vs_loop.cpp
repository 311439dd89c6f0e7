#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/selection/partition.hpp"
#include "credence/selection/selector.hpp"
#include "selection/regions/merged_regions.hpp"
#include "support/context.hpp"
#include "support/random_data.hpp"

/// Which of the first partitions, one of each kernel and scaling, the average keeps, beside loops over their scores.
namespace partitions_kept_vs_loop_tests {

using namespace credence;
using Scores = std::vector<std::vector<double>>;  ///< of each partition, for the true class of each row

double naive_loss(const Scores& scores, const std::vector<bool>& kept, const std::vector<double>& weights) {
  double loss = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    double sum = 0;
    double count = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (!kept[k]) continue;
      sum += scores[k][i];
      count += 1;
    }
    const double score = sum / count;
    loss += weights[i] * (score >= 1 ? 0 : score <= -1 ? 1 : (1 - score) / 2);
  }
  return loss;
}

/// Begins with the best partition, and adds the one with which the loss is least while it falls.
std::vector<std::size_t> naive_kept(const Scores& scores, const std::vector<double>& weights, std::size_t most) {
  std::vector<bool> kept(scores.size(), false);
  std::optional<double> before;
  for (std::size_t round = 0; round < most; ++round) {
    std::vector<std::pair<double, std::size_t>> tried;
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (kept[k]) continue;
      kept[k] = true;
      tried.emplace_back(naive_loss(scores, kept, weights), k);
      kept[k] = false;
    }
    if (tried.empty()) break;
    const auto [loss, best] = *std::min_element(tried.begin(), tried.end());
    if (before && loss >= *before) break;
    kept[best] = true;
    before = loss;
  }
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k]) numbers.push_back(k);
  return numbers;
}

selection::Options four_kernels_and_scalings(int partitions) {
  selection::Options options;
  options.method = selection::Regions{.region_size = 60, .partitions = partitions, .folds = 3};
  options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  options.kernels.gamma = kernel::parse_gammas("0.1,0.5");
  options.costs.C = {1};
  options.estimate = selection::Estimate::none;
  options.seed = 5;
  return options;
}

/// What the regions of the first four partitions found, and the scores of each partition by row.
struct Found {
  std::vector<std::vector<selection::RegionResult>> results;
  std::vector<std::vector<std::vector<std::size_t>>> rows;  ///< of each region of each partition
};

class PartitionsKept : public testing::Test {
 protected:
  PartitionsKept() {
    for (std::size_t i = 0; i < dataset_.rows(); ++i) dataset_.weights.push_back(0.5 + static_cast<double>(i % 3));
    options_ = selection::Selector(four_kernels_and_scalings(8)).options().resolved_for(dataset_);
    selection::RegionCourse course(dataset_, options_, surroundings_.context);
    for (std::size_t k = 0; k < 4; ++k) {
      found_.results.push_back(selection::run_regions(course, true, surroundings_.context));
      std::vector<std::vector<std::size_t>>& rows = found_.rows.emplace_back();
      for (std::size_t p = 0; p < course.regions(); ++p) rows.push_back(course.rows_of(p));
      course.take(found_.results.back(), surroundings_.context);
    }
  }

  /// The found results with other scores, through a course of its own.
  void expect_kept(const Scores& scores, int partitions) {
    auto& method = options_.as<selection::Regions>();
    method.partitions = partitions;
    selection::RegionCourse course(dataset_, options_, surroundings_.context);
    for (std::size_t k = 0; k < 4; ++k) {
      std::vector<selection::RegionResult> results = found_.results[k];
      for (std::size_t p = 0; p < results.size(); ++p)
        for (std::size_t a = 0; a < found_.rows[k][p].size(); ++a)
          results[p].calibration.nonconformity_scores[a] = -scores[k][found_.rows[k][p][a]];
      course.take(std::move(results), surroundings_.context);
    }
    const selection::Selection chosen = std::move(course).merged(surroundings_.context);
    const std::vector<std::size_t> expected =
        naive_kept(scores, dataset_.weights, static_cast<std::size_t>(partitions));
    EXPECT_EQ(chosen.partition()->judged_as, expected);
    most_ = std::max(most_, expected.size());
    least_ = std::min(least_, expected.size());
    const std::string note = "4 partitions judged, " + std::to_string(4 - expected.size()) + " dropped: ";
    EXPECT_EQ(std::ranges::any_of(chosen.notes, [&](const auto& own) { return own.starts_with(note); }),
              expected.size() < 4);
    for (const selection::RegionReport& region : chosen.partition()->of_region) {
      const std::size_t space = expected.at(region.partition);
      EXPECT_EQ(std::tuple(region.scale, region.kernel),
                std::tuple(options_.preparation.scalings[space / 2], options_.kernels.types[space % 2]));
    }
    EXPECT_EQ(chosen.partition()->of_region.back().partition + 1, expected.size());
  }

  const test::Surroundings surroundings_{2};
  data::Dataset dataset_ = test::random_clouds(150, 3, 2, 0.9, 16).dataset();
  selection::Options options_;
  Found found_;
  std::size_t most_ = 0;
  std::size_t least_ = 4;
};

TEST_F(PartitionsKept, AreThoseOfALoopOverRandomScores) {
  core::RandomStream random(7, 1);
  for (int draw = 0; draw < 60; ++draw) {
    const double apart = draw % 2 == 0 ? 0.8 : 0.02;
    Scores scores(4, std::vector<double>(dataset_.rows()));
    for (std::vector<double>& own : scores) {
      const double quality = 0.2 + apart * random.uniform();
      const double spread = 0.4 + 2 * apart * random.uniform();
      for (double& score : own) score = quality + spread * random.normal();
    }
    for (const int partitions : {2, 3, 8}) expect_kept(scores, partitions);
    if (HasFailure()) return;
  }
  EXPECT_EQ(least_, 1U);
  EXPECT_EQ(most_, 4U);
}

}  // namespace partitions_kept_vs_loop_tests
