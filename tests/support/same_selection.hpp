#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/selection/selector.hpp"

/// Selections that are equal to the last bit, but for times.
namespace credence::test {

inline bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}
inline bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) { return same(x, y); });
}

inline void expect_same(const selection::Setting& a, const selection::Setting& b) {
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.scale, b.scale);
  EXPECT_EQ(a.C, b.C);
  EXPECT_EQ(a.nu, b.nu);
  EXPECT_EQ(a.gamma, b.gamma);
  EXPECT_EQ(a.complete, b.complete);
  EXPECT_EQ(a.infeasible, b.infeasible);
  EXPECT_TRUE(same(a.error, b.error)) << a.error << ' ' << b.error;
  EXPECT_TRUE(same(a.error_std, b.error_std));
  EXPECT_TRUE(same(a.error_se, b.error_se));
  EXPECT_TRUE(same(a.split_scores, b.split_scores));
  EXPECT_EQ(a.n_sv, b.n_sv);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.factorisations, b.factorisations);
  EXPECT_EQ(a.unconverged, b.unconverged);
  EXPECT_EQ(a.added, b.added);
}

inline void expect_same(const selection::Selection& a, const selection::Selection& b) {
  ASSERT_EQ(a.grid.size(), b.grid.size());
  for (std::size_t k = 0; k < a.grid.size(); ++k) expect_same(a.grid[k], b.grid[k]);
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.runner_up, b.runner_up);
  EXPECT_EQ(a.best_on_border, b.best_on_border);
  EXPECT_EQ(a.score, b.score);
  EXPECT_EQ(a.resamples, b.resamples);
  EXPECT_EQ(a.options.estimate, b.options.estimate);
  EXPECT_EQ(a.stopped, b.stopped);
  EXPECT_EQ(a.warnings, b.warnings);
  ASSERT_EQ(a.honest.has_value(), b.honest.has_value());
  if (a.honest) {
    EXPECT_EQ(a.honest->method, b.honest->method);
    EXPECT_TRUE(same(a.honest->error, b.honest->error));
    EXPECT_EQ(a.honest->lower, b.honest->lower);
    EXPECT_EQ(a.honest->upper, b.honest->upper);
    EXPECT_EQ(a.honest->rows, b.honest->rows);
    EXPECT_EQ(a.honest->resamples, b.honest->resamples);
  }
  EXPECT_EQ(a.calibration.source, b.calibration.source);
  EXPECT_EQ(a.calibration.nonconformity_scores, b.calibration.nonconformity_scores);
  EXPECT_EQ(a.calibration.labels, b.calibration.labels);
  EXPECT_TRUE(std::equal(a.calibration.scores.values.begin(), a.calibration.scores.values.end(),
                         b.calibration.scores.values.begin(), b.calibration.scores.values.end()));
}

}  // namespace credence::test
