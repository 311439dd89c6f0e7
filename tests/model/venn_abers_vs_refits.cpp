#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "credence/model/sigmoid.hpp"
#include "support/naive_calibration.hpp"

namespace credence {
namespace venn_abers_vs_refits_tests {

using model::ProbabilityInterval;
using model::VennAbers;
using test::Labelled;
using test::random_margins;

/// The definition: the isotonic regression is fitted again with the new margin, once with each label.
ProbabilityInterval by_refits(Labelled rows, double margin) {
  rows.add(margin, 0);
  const double lower = test::isotonic_at(rows, margin);
  rows.labels.back() = 1;
  return {lower, test::isotonic_at(rows, margin)};
}

/// Each margin, points between, and points outside.
std::vector<double> queries(const Labelled& rows) {
  std::vector<double> sorted = rows.margins;
  std::ranges::sort(sorted);
  std::vector<double> list{sorted.front() - 1, sorted.back() + 1};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    list.push_back(sorted[i]);
    if (i > 0) list.push_back((sorted[i - 1] + sorted[i]) / 2);
  }
  return list;
}

TEST(VennAbersVsRefits, EqualTheDefinition) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 7U, 25U, 40U}) {
    for (const double steps : {1.0, 3.0, 1000.0}) {
      for (const double slope : {1.5, 0.0, -2.0, 30.0}) {
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
          const Labelled rows = random_margins(n, seed, steps, slope);
          const VennAbers venn_abers(rows.margins, rows.labels);
          for (const double margin : queries(rows)) {
            const ProbabilityInterval expected = by_refits(rows, margin);
            const ProbabilityInterval found = venn_abers(margin);
            ASSERT_NEAR(found.lower, expected.lower, 1e-14) << n << ' ' << steps << ' ' << slope << ' ' << seed;
            ASSERT_NEAR(found.upper, expected.upper, 1e-14) << n << ' ' << steps << ' ' << slope << ' ' << seed;
          }
        }
      }
    }
  }
}

TEST(VennAbersVsRefits, OneClassAlone) {
  for (const int label : {0, 1}) {
    Labelled rows;
    for (const double margin : {-1.0, 0.0, 0.0, 2.0}) rows.add(margin, label);
    const VennAbers venn_abers(rows.margins, rows.labels);
    for (const double margin : queries(rows)) {
      const ProbabilityInterval expected = by_refits(rows, margin);
      EXPECT_NEAR(venn_abers(margin).lower, expected.lower, 1e-15);
      EXPECT_NEAR(venn_abers(margin).upper, expected.upper, 1e-15);
    }
  }
}

TEST(VennAbers, InfiniteMarginsAreBeyondAllOthers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Labelled rows = random_margins(30, 5, 1000);
  const VennAbers venn_abers(rows.margins, rows.labels);
  EXPECT_EQ(venn_abers(infinity).upper, 1);
  EXPECT_EQ(venn_abers(infinity).lower, venn_abers(100).lower);
  EXPECT_EQ(venn_abers(-infinity).lower, 0);
}

TEST(VennAbers, MergedProbabilityHasTheSmallestLargestRegret) {
  for (const auto& [lower, upper] : std::array<std::pair<double, double>, 3>{{{0.2, 0.3}, {0, 0.1}, {0.6, 1}}}) {
    const double p = ProbabilityInterval{lower, upper}.merged();
    EXPECT_NEAR(std::log((1 - lower) / (1 - p)), std::log(upper / p), 1e-12);  // equal regrets, whichever class is true
    EXPECT_GT(p, lower);
    EXPECT_LT(p, upper);
  }
}

/// Perfect calibration of the probability that goes with the true label: E[label | p] = p. Twelve rows calibrate, so
/// that the two probabilities lie far apart, and the other of the two is far from calibrated.
TEST(VennAbers, ValidityBySimulation) {
  constexpr std::size_t bins = 5;
  struct Sums {
    std::array<double, bins> excess{}, squares{};
    void add(double p, int label) {
      const std::size_t bin = std::min(bins - 1, static_cast<std::size_t>(p * bins + 1e-9));
      excess[bin] += label - p;
      squares[bin] += (label - p) * (label - p);
    }
    double largest_deviation() const {
      double largest = 0;
      for (std::size_t b = 0; b < bins; ++b)
        if (squares[b] > 0) largest = std::max(largest, std::abs(excess[b]) / std::sqrt(squares[b]));
      return largest;
    }
  };
  Sums of_true_label;
  Sums of_other_label;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Labelled rows = random_margins(13, 1000 + round, 4, 1);
    const double margin = rows.margins.back();
    const int label = rows.labels.back();
    rows.margins.pop_back();
    rows.labels.pop_back();
    const ProbabilityInterval found = VennAbers(rows.margins, rows.labels)(margin);
    of_true_label.add(label == 1 ? found.upper : found.lower, label);
    of_other_label.add(label == 1 ? found.lower : found.upper, label);
  }
  EXPECT_LT(of_true_label.largest_deviation(), 4);
  EXPECT_GT(of_other_label.largest_deviation(), 20);
}

}  // namespace venn_abers_vs_refits_tests
}  // namespace credence
