#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "conformal/classifiers.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/data/row_key.hpp"

// Every trial draws its kept examples and its one new example afresh, so that trials are independent. `credence
// selfcheck` holds three folds against the same bound on many problems.
namespace credence::conformal {
namespace cross_conformal_by_simulation_tests {

using test::gridded_sample;
using test::Sample;
using test::Surroundings;

constexpr double rare = 0.2;  ///< share of class 1
constexpr std::size_t trials = 1000;
constexpr std::size_t kept_rows = 19;

const core::Context& context() {
  static const Surroundings surroundings;
  return surroundings.context;
}

/// Ranks of the new row of a trial, given the examples kept from training.
using Ranking = std::function<Ranks(const Sample& kept, const data::DenseMatrix& row, bool label_conditional)>;

/// p-values of the true class of each trial's new row.
struct TrueValues {
  std::vector<double> smoothed;
  std::vector<double> plain;
};

TrueValues simulate(const Ranking& ranking, bool label_conditional, std::uint64_t seed) {
  core::RandomStream random(seed);
  TrueValues values;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const Sample kept = gridded_sample(kept_rows, rare, random);
    const Sample fresh = gridded_sample(1, rare, random);
    const auto truth = static_cast<std::size_t>(fresh.labels[0]);
    const Ranks ranks = ranking(kept, fresh.x, label_conditional);
    values.smoothed.push_back(
        p_values(ranks, {.smoothed = true, .seed = seed + trial}, data::row_keys(fresh.x)).row(0)[truth]);
    values.plain.push_back(p_values(ranks, {}).row(0)[truth]);
  }
  return values;
}

/// Every fold's classifier is trained on the other folds.
Ranking cross_ranking(std::size_t folds) {
  return [folds](const Sample& sample, const data::DenseMatrix& row, bool label_conditional) {
    std::vector<CalibratedClassifier> parts;
    for (std::size_t fold = 0; fold < folds; ++fold) {
      std::vector<std::size_t> inside;
      std::vector<std::size_t> outside;
      for (std::size_t i = 0; i < sample.labels.size(); ++i) (i % folds == fold ? inside : outside).push_back(i);
      const Sample training = sample.rows(outside);
      const Sample kept = sample.rows(inside);
      parts.push_back(calibrate(test::neighbours_of(training.x, training.labels, 2), kept.x, kept.labels, context()));
    }
    return Inductive(std::move(parts)).ranks(row, label_conditional, context());
  };
}

double share_at_most(const std::vector<double>& p_values, double eps) {
  const auto count = std::count_if(p_values.begin(), p_values.end(), [&](double p) { return p <= eps; });
  return static_cast<double>(count) / static_cast<double>(p_values.size());
}

TEST(CrossConformal, ErrorIsNeverAboveItsBound) {
  for (const std::size_t folds : {2U, 5U, 19U}) {
    const TrueValues values = simulate(cross_ranking(folds), false, 4);
    for (const double eps : {0.02, 0.05, 0.1, 0.2, 0.3, 0.4}) {
      const std::string where = std::to_string(folds) + " folds at " + std::to_string(eps);
      const auto k = static_cast<double>(folds);
      EXPECT_LE(share_at_most(values.plain, eps), 2 * eps + 2 * (1 - eps) * (k - 1) / (kept_rows + k)) << where;
      // Not proved, but so it is in practice: the error hardly exceeds eps itself, even smoothed.
      EXPECT_LE(share_at_most(values.smoothed, eps), eps + 0.03) << where;
    }
  }
}

}  // namespace cross_conformal_by_simulation_tests
}  // namespace credence::conformal
