#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "credence/conformal/evaluation.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace evaluation_vs_naive_tests {

using test::expect_error;

struct Case {
  data::DenseMatrix p;
  std::vector<int> labels;
};

/// p-values are counts out of n, with many ties, often equal to a level.
Case random_case(std::size_t rows, std::size_t classes, std::size_t n, std::uint64_t seed, bool unknown_classes) {
  core::RandomStream random(seed);
  Case result{data::DenseMatrix(rows, classes), {}};
  for (double& value : result.p.values) value = static_cast<double>(random.below(n + 1)) / static_cast<double>(n);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool unknown = unknown_classes && random.below(8) == 0;
    result.labels.push_back(unknown ? -1 : static_cast<int>(random.below(classes)));
  }
  return result;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<double> all_of(const Case& one, std::size_t row) {
  const auto p = one.p.row(row);
  return sorted({p.begin(), p.end()});
}

std::vector<double> false_of(const Case& one, std::size_t row) {
  std::vector<double> values;
  for (std::size_t c = 0; c < one.p.columns; ++c)
    if (static_cast<int>(c) != one.labels[row]) values.push_back(one.p.row(row)[c]);
  return sorted(values);
}

double of_truth(const Case& one, std::size_t row) {
  return one.labels[row] < 0 ? 0 : one.p.row(row)[static_cast<std::size_t>(one.labels[row])];
}

std::set<int> set(const Case& one, std::size_t row, double significance) {
  std::set<int> classes;
  for (std::size_t c = 0; c < one.p.columns; ++c)
    if (one.p.row(row)[c] > significance) classes.insert(static_cast<int>(c));
  return classes;
}

/// The mean of a number of each row.
template <class Of>
double mean(const Case& one, const Of& of) {
  double total = 0;
  for (std::size_t row = 0; row < one.p.rows; ++row) total += static_cast<double>(of(row));
  return total / static_cast<double>(one.p.rows);
}

template <class Of>
std::size_t count(const Case& one, const Of& of) {
  std::size_t total = 0;
  for (std::size_t row = 0; row < one.p.rows; ++row) total += of(row) ? 1U : 0U;
  return total;
}

void expect_level(const Case& one, const LevelCounts& counts, double significance) {
  const auto size = [&](std::size_t row) { return set(one, row, significance).size(); };
  const auto error = [&](std::size_t row) { return set(one, row, significance).count(one.labels[row]) == 0; };
  const auto wrong = [&](std::size_t row) {  // false classes in the prediction set
    std::set<int> classes = set(one, row, significance);
    classes.erase(one.labels[row]);
    return classes.size();
  };
  EXPECT_EQ(counts.significance, significance);
  EXPECT_EQ(counts.rows, one.p.rows);
  EXPECT_EQ(counts.errors, count(one, error));
  EXPECT_EQ(counts.empty, count(one, [&](std::size_t row) { return size(row) == 0; }));
  EXPECT_EQ(counts.single, count(one, [&](std::size_t row) { return size(row) == 1; }));
  EXPECT_EQ(counts.multiple, count(one, [&](std::size_t row) { return size(row) > 1; }));
  EXPECT_EQ(counts.single_errors, count(one, [&](std::size_t row) { return size(row) == 1 && error(row); }));
  EXPECT_NEAR(counts.n, mean(one, size), 1e-14);
  EXPECT_NEAR(counts.m, mean(one, [&](std::size_t row) { return size(row) > 1; }), 1e-14);
  EXPECT_NEAR(counts.e, mean(one, [&](std::size_t row) { return size(row) > 1 ? size(row) - 1 : 0; }), 1e-14);
  EXPECT_NEAR(counts.om, mean(one, [&](std::size_t row) { return wrong(row) > 0; }), 1e-14);
  EXPECT_NEAR(counts.oe, mean(one, wrong), 1e-14);
}

void expect_efficiency(const Case& one, const Efficiency& efficiency) {
  const std::size_t last = one.p.columns - 1;
  const auto largest = [&](std::size_t row) { return all_of(one, row)[last]; };
  const auto second = [&](std::size_t row) { return last > 0 ? all_of(one, row)[last - 1] : 0; };
  EXPECT_NEAR(efficiency.s, mean(one, [&](std::size_t row) { return sum(all_of(one, row)); }), 1e-13);
  EXPECT_NEAR(efficiency.u, mean(one, second), 1e-13);
  EXPECT_NEAR(efficiency.f, mean(one, [&](std::size_t row) { return sum(all_of(one, row)) - largest(row); }), 1e-13);
  EXPECT_NEAR(efficiency.ou,
              mean(one, [&](std::size_t row) { return false_of(one, row).empty() ? 0 : false_of(one, row).back(); }),
              1e-13);
  EXPECT_NEAR(efficiency.of, mean(one, [&](std::size_t row) { return sum(false_of(one, row)); }), 1e-13);
  EXPECT_NEAR(efficiency.mean_confidence, mean(one, [&](std::size_t row) { return 1 - second(row); }), 1e-13);
  EXPECT_NEAR(efficiency.mean_credibility, mean(one, largest), 1e-13);
}

/// The label is the lowest class with the largest p-value.
bool mistaken(const Case& one, std::size_t row) {
  int label = 0;
  for (std::size_t c = 0; c < one.p.columns; ++c)
    if (one.p.row(row)[c] > one.p.row(row)[static_cast<std::size_t>(label)]) label = static_cast<int>(c);
  return label != one.labels[row];
}

TEST(Evaluation, EveryCriterionEqualsItsDirectFormula) {
  const std::vector<double> levels{0, 0.01, 0.1, 0.25, 0.3, 0.95};
  for (const std::size_t classes : {1U, 2U, 3U, 7U}) {
    for (const bool unknown : {false, true}) {
      const Case one = random_case(157, classes, 20, classes, unknown);
      const Evaluation result = evaluate(one.p, one.labels, levels, false);
      EXPECT_EQ(result.rows, 157U);
      EXPECT_EQ(result.errors, count(one, [&](std::size_t row) { return mistaken(one, row); }));
      expect_efficiency(one, result.efficiency);
      ASSERT_EQ(result.levels.size(), levels.size());
      for (std::size_t i = 0; i < levels.size(); ++i) {
        expect_level(one, result.levels[i], levels[i]);
        expect_level(one, count_sets(one.p, one.labels, levels[i]), levels[i]);
      }
    }
  }
}

TEST(Evaluation, CalibrationIsTheErrorAtEachHundredth) {
  const Case one = random_case(203, 3, 200, 5, true);  // p-values that are hundredths to the last bit
  const Evaluation result = evaluate(one.p, one.labels, {}, false);
  ASSERT_EQ(result.calibration.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    const double significance = static_cast<double>(i + 1) / 100;
    EXPECT_EQ(result.calibration[i].significance, significance);
    EXPECT_NEAR(result.calibration[i].error,
                mean(one, [&](std::size_t row) { return of_truth(one, row) <= significance; }), 1e-14);
  }
  EXPECT_EQ(result.calibration.back().error, 1);
}

TEST(Evaluation, TestsTruePValuesForWhatTheyShouldBe) {
  const Case one = random_case(60, 2, 10, 6, true);
  std::vector<double> truths;
  for (std::size_t row = 0; row < one.p.rows; ++row) truths.push_back(of_truth(one, row));
  const UniformityTest plain = evaluate(one.p, one.labels, {}, false).uniformity;
  const UniformityTest smoothed = evaluate(one.p, one.labels, {}, true).uniformity;
  EXPECT_TRUE(plain.one_sided);
  EXPECT_FALSE(smoothed.one_sided);
  EXPECT_EQ(plain.statistic, test_dominates_uniform(truths).statistic);
  EXPECT_EQ(plain.p_value, test_dominates_uniform(truths).p_value);
  EXPECT_EQ(smoothed.statistic, test_uniform(truths).statistic);
  EXPECT_EQ(smoothed.p_value, test_uniform(truths).p_value);
  EXPECT_NE(plain.p_value, smoothed.p_value);
}

// Four rows, three classes, true classes 0, 1, 2, 2. At 0.1 the prediction sets are {0}, {0, 1}, {} and {1}.
TEST(Evaluation, OfFourRowsEqualsTheHandComputed) {
  Case one{data::DenseMatrix(4, 3), {0, 1, 2, 2}};
  one.p.values = {0.9,  0.1, 0.05,   // the second is not above 0.1
                  0.5,  0.5, 0.1,    // a tie: the label is 0, a mistake
                  0.05, 0.1, 0.075,  // the label is 1, a mistake
                  0.1,  0.8, 0.1};   // a mistake
  const Evaluation result = evaluate(one.p, one.labels, std::vector<double>{0.1}, false);
  EXPECT_EQ(result.errors, 3U);
  EXPECT_NEAR(result.efficiency.s, (1.05 + 1.1 + 0.225 + 1.0) / 4, 1e-15);
  EXPECT_NEAR(result.efficiency.u, (0.1 + 0.5 + 0.075 + 0.1) / 4, 1e-15);
  EXPECT_NEAR(result.efficiency.f, (0.15 + 0.6 + 0.125 + 0.2) / 4, 1e-15);
  EXPECT_NEAR(result.efficiency.ou, (0.1 + 0.5 + 0.1 + 0.8) / 4, 1e-15);
  EXPECT_NEAR(result.efficiency.of, (0.15 + 0.6 + 0.15 + 0.9) / 4, 1e-15);
  EXPECT_NEAR(result.efficiency.mean_confidence, (0.9 + 0.5 + 0.925 + 0.9) / 4, 1e-15);
  EXPECT_NEAR(result.efficiency.mean_credibility, (0.9 + 0.5 + 0.1 + 0.8) / 4, 1e-15);
  const LevelCounts& at = result.levels.at(0);
  EXPECT_EQ(at.errors, 2U);
  EXPECT_EQ(at.empty, 1U);
  EXPECT_EQ(at.single, 2U);
  EXPECT_EQ(at.multiple, 1U);
  EXPECT_EQ(at.single_errors, 1U);
  EXPECT_EQ(at.n, 1.0);                           // 1 + 2 + 0 + 1
  EXPECT_EQ(at.m, 0.25);                          // the second row
  EXPECT_EQ(at.e, 0.25);                          // one class too many, in the second row
  EXPECT_EQ(at.om, 0.5);                          // rows 2 and 4
  EXPECT_EQ(at.oe, 0.5);                          // a false class in each of them
  EXPECT_EQ(result.calibration[4].error, 0.0);    // the p-values of the truth are 0.9, 0.5, 0.075, 0.1
  EXPECT_EQ(result.calibration[9].error, 0.5);    // at 0.1
  EXPECT_EQ(result.calibration[49].error, 0.75);  // at 0.5
}

TEST(Evaluation, RefusesWhatDoesNotFit) {
  Case one = random_case(3, 2, 10, 1, false);
  const std::vector<double> levels{0.05};
  const auto refused = [&](const std::string& part, const Case& bad, const std::vector<double>& at) {
    expect_error(ErrorCode::invalid_argument, part, [&] { evaluate(bad.p, bad.labels, at, true); });
    expect_error(ErrorCode::invalid_argument, part, [&] { count_sets(bad.p, bad.labels, at.at(0)); });
  };
  for (const double level : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    refused("significance level", one, {level});
  refused("no p-values", Case{}, levels);
  for (const int label : {-2, 2}) {
    Case bad = one;
    bad.labels[1] = label;
    refused("row 1 (numbered from 0) has class", bad, levels);
  }
  for (const double value : {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    Case bad = one;
    bad.p.values[3] = value;
    refused("row 1 for class 1", bad, levels);
  }
  one.labels.pop_back();
  refused("labels for 2", one, levels);
}

}  // namespace evaluation_vs_naive_tests
}  // namespace credence::conformal
