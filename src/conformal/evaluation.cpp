#include "credence/conformal/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "credence/conformal/p_value.hpp"
#include "credence/core/error.hpp"

namespace credence::conformal {
namespace {

void check_p_values(const data::DenseMatrix& p) {
  if (p.rows == 0 || p.columns == 0) refuse("there are no p-values to evaluate");
  if (p.values.size() != p.rows * p.columns) refuse("the p-values are not rows x classes numbers");
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    if (p.values[i] >= 0 && p.values[i] <= 1) continue;
    refuse(fmt::format("the p-value of row {} for class {} (both numbered from 0) is {}, but must lie in [0, 1]",
                       i / p.columns, i % p.columns, p.values[i]));
  }
}

void check_labels(std::span<const int> labels, const data::DenseMatrix& p) {
  if (labels.size() != p.rows)
    refuse(fmt::format("there are p-values for {} rows, but labels for {}", p.rows, labels.size()));
  const auto classes = static_cast<int>(p.columns);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] >= -1 && labels[i] < classes) continue;
    refuse(fmt::format("row {} (numbered from 0) has class {}, but there are p-values for classes 0 to {}", i,
                       labels[i], classes - 1));
  }
}

/// What the p-values of one row come to.
struct RowSums {
  std::size_t label = 0;  ///< with the largest, ties to the lowest class
  double of_truth = 0;    ///< 0 for a class that is not among them
  Efficiency parts;       ///< what the row adds; u is 0 with one class
};

RowSums sums_of(std::span<const double> p, int truth) {
  RowSums sums;
  sums.label = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
  sums.parts.mean_credibility = p[sums.label];
  for (std::size_t c = 0; c < p.size(); ++c) {
    sums.parts.s += p[c];
    if (c != sums.label) {
      sums.parts.f += p[c];
      sums.parts.u = std::max(sums.parts.u, p[c]);
    }
    if (static_cast<int>(c) == truth) {
      sums.of_truth = p[c];
    } else {
      sums.parts.of += p[c];
      sums.parts.ou = std::max(sums.parts.ou, p[c]);
    }
  }
  return sums;
}

/// The means over rows. That of the confidence follows from u.
constexpr std::array mean_fields{&Efficiency::s,  &Efficiency::u,  &Efficiency::f,
                                 &Efficiency::ou, &Efficiency::of, &Efficiency::mean_credibility};

LevelCounts count_at(const data::DenseMatrix& p, std::span<const int> labels, double significance) {
  LevelCounts counts;
  counts.significance = significance;
  counts.rows = p.rows;
  std::size_t classes_in_regions = 0;
  std::size_t rows_with_false = 0;
  for (std::size_t i = 0; i < p.rows; ++i) {
    const auto row = p.row(i);
    const auto size =
        static_cast<std::size_t>(std::ranges::count_if(row, [&](double v) { return in_set(v, significance); }));
    const bool covers = labels[i] >= 0 && in_set(row[static_cast<std::size_t>(labels[i])], significance);
    classes_in_regions += size;
    rows_with_false += size > (covers ? 1U : 0U) ? 1U : 0U;
    counts.errors += covers ? 0U : 1U;
    counts.empty += size == 0 ? 1U : 0U;
    counts.single += size == 1 ? 1U : 0U;
    counts.multiple += size > 1 ? 1U : 0U;
    counts.single_errors += size == 1 && !covers ? 1U : 0U;
  }
  const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(p.rows); };
  counts.n = share(classes_in_regions);
  counts.m = share(counts.multiple);
  counts.e = share(classes_in_regions - (p.rows - counts.empty));
  counts.om = share(rows_with_false);
  counts.oe = share(classes_in_regions - (p.rows - counts.errors));
  return counts;
}

/// @param of_truth  ascending p-values of true classes
std::vector<CalibrationPoint> calibration_points(const std::vector<double>& of_truth) {
  constexpr int points = 100;
  std::vector<CalibrationPoint> curve;
  for (int i = 1; i <= points; ++i) {
    const double significance = static_cast<double>(i) / points;
    const auto outside = [significance](double p) { return !in_set(p, significance); };
    const auto at_most = std::partition_point(of_truth.begin(), of_truth.end(), outside) - of_truth.begin();
    curve.push_back({significance, static_cast<double>(at_most) / static_cast<double>(of_truth.size())});
  }
  return curve;
}

}  // namespace

LevelCounts count_sets(const data::DenseMatrix& p_values, std::span<const int> labels, double significance) {
  check_p_values(p_values);
  check_labels(labels, p_values);
  check_level(significance);
  return count_at(p_values, labels, significance);
}

Evaluation evaluate(const data::DenseMatrix& p_values, std::span<const int> labels, std::span<const double> levels,
                    bool smoothed) {
  check_p_values(p_values);
  check_labels(labels, p_values);
  std::ranges::for_each(levels, check_level);
  Evaluation result;
  result.rows = p_values.rows;
  std::vector<double> of_truth;
  of_truth.reserve(p_values.rows);
  for (std::size_t i = 0; i < p_values.rows; ++i) {
    const RowSums sums = sums_of(p_values.row(i), labels[i]);
    for (const auto field : mean_fields) result.efficiency.*field += sums.parts.*field;
    result.errors += static_cast<int>(sums.label) != labels[i] ? 1U : 0U;
    of_truth.push_back(sums.of_truth);
  }
  for (const auto field : mean_fields) result.efficiency.*field /= static_cast<double>(result.rows);
  result.efficiency.mean_confidence = 1 - result.efficiency.u;
  for (const double significance : levels) result.levels.push_back(count_at(p_values, labels, significance));
  std::ranges::sort(of_truth);
  result.calibration = calibration_points(of_truth);
  result.uniformity = smoothed ? test_uniform(of_truth) : test_dominates_uniform(of_truth);
  return result;
}

}  // namespace credence::conformal
