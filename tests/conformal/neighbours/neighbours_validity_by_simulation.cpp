#include <gtest/gtest.h>

#include <cmath>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/online.hpp"
#include "credence/data/row_key.hpp"
#include "support/context.hpp"
#include "support/tcm_problems.hpp"

namespace credence::conformal {
namespace neighbours_validity_by_simulation_tests {

using credence::test::all_measures;
using credence::test::measured_metrics;
using credence::test::Surroundings;
using credence::test::told;
using data::DenseMatrix;
using neighbours::Metric;

/// Every check is at this level; seeds are fixed.
constexpr double level = 1e-3;
constexpr double deviations = 3.29;  ///< two-sided, normal

/// How examples are drawn, each independently: class 1 with probability `share`, features on a grid (with ties
/// everywhere) or continuous, and then none.
struct Source {
  bool grid = true;
  double share = 0.5;
  std::size_t d = 3;
};

const Source sources[] = {{true, 0.5}, {true, 0.1}, {false, 0.5}, {false, 0.1}};

struct Sample {
  DenseMatrix x;
  std::vector<int> labels;
};

Sample draw(const Source& source, std::size_t n, core::RandomStream& random) {
  Sample sample{DenseMatrix(n, source.d), {}};
  for (std::size_t i = 0; i < n; ++i) {
    const int label = random.uniform() < source.share ? 1 : 0;
    for (double& value : sample.x.row(i)) {
      value = source.grid ? static_cast<double>(1 + random.below(3)) : 2 + random.normal();
      if (label == 1) value += source.grid ? static_cast<double>(random.below(2)) : 0.7;
    }
    sample.labels.push_back(label);
  }
  return sample;
}

std::string told_source(const Source& source) {
  return std::string(source.grid ? "grid" : "continuous") + ", share " + std::to_string(source.share);
}

/// p-values of the true label of a fresh example, each trial with training examples of its own.
struct Trials {
  std::vector<double> smoothed;
  std::vector<double> plain;
  std::vector<int> labels;
};

Trials run_trials(const Source& source, const NeighbourOptions& options, bool conditional, std::size_t count) {
  Surroundings one;
  core::RandomStream random(2002, 905);
  Trials trials;
  for (std::size_t trial = 0; trial < count; ++trial) {
    // Few examples: a new one that were treated unlike the others would stand out.
    const Sample sample = draw(source, 12, random);
    const Sample fresh = draw(source, 1, random);
    const TransductiveNeighbours machine(sample.x, sample.labels, 2, options, one.context);
    const Ranks ranks = machine.ranks(fresh.x, conditional, one.context);
    const auto truth = static_cast<std::size_t>(fresh.labels[0]);
    trials.smoothed.push_back(
        p_values(ranks, {.smoothed = true, .seed = trial}, data::row_keys(fresh.x)).row(0)[truth]);
    trials.plain.push_back(p_values(ranks, {}).row(0)[truth]);
    trials.labels.push_back(fresh.labels[0]);
  }
  return trials;
}

std::vector<double> of_class(const std::vector<double>& values, const std::vector<int>& labels, int label) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (labels[i] == label) result.push_back(values[i]);
  return result;
}

void expect_uniform(const std::vector<double>& values) {
  const UniformityTest test = test_uniform(values);
  EXPECT_GT(test.p_value, level) << "D = " << test.statistic << " over " << values.size();
}

void expect_not_below_uniform(const std::vector<double>& values) {
  const UniformityTest test = test_dominates_uniform(values);
  EXPECT_GT(test.p_value, level) << "D+ = " << test.statistic << " over " << values.size();
}

TEST(NeighboursValidity, SmoothedPValuesOfTrueLabelsAreUniform) {
  for (const Source& source : sources) {
    for (const Metric metric : measured_metrics) {
      for (const NeighbourMeasure measure : all_measures) {
        for (const int k : {1, 3}) {
          const NeighbourOptions options{measure, k, metric};
          SCOPED_TRACE(told_source(source) + ", " + told(options));
          const Trials trials = run_trials(source, options, false, 2500);
          expect_uniform(trials.smoothed);
          expect_not_below_uniform(trials.plain);
          for (std::size_t i = 0; i < trials.plain.size(); ++i) ASSERT_GE(trials.plain[i], trials.smoothed[i]);
        }
      }
    }
  }
}

TEST(NeighboursValidity, LabelConditionalOnesAreUniformWithinEachClass) {
  for (const Source& source : sources) {
    for (const NeighbourMeasure measure : all_measures) {
      const NeighbourOptions options{.measure = measure, .k = 2};
      SCOPED_TRACE(told_source(source) + ", " + told(options));
      const Trials trials = run_trials(source, options, true, 6000);
      for (const int label : {0, 1}) {
        expect_uniform(of_class(trials.smoothed, trials.labels, label));
        expect_not_below_uniform(of_class(trials.plain, trials.labels, label));
      }
    }
  }
}

/// With one class in ten the plain ones are not uniform within the classes: the check above could fail.
TEST(NeighboursValidity, WithoutTheConditionTheRareClassPaysForTheOther) {
  const Trials trials = run_trials({false, 0.1}, {.k = 2}, false, 6000);
  expect_uniform(trials.smoothed);
  EXPECT_LT(test_uniform(of_class(trials.smoothed, trials.labels, 1)).p_value, 1e-9);
}

/// p-values of the true labels of a stream, in order.
std::vector<double> true_p_values(const Sample& stream, const NeighbourOptions& neighbours,
                                  const PValueOptions& options) {
  Surroundings two(2);
  std::vector<double> result;
  run_online(stream.x, stream.labels, 2, neighbours, options, two.context, [&](const OnlineStep& step) {
    result.push_back(step.p_value[static_cast<std::size_t>(step.truth)]);
    return true;
  });
  return result;
}

std::vector<double> errors_at(double significance, const std::vector<double>& p_values_in_order) {
  std::vector<double> errors;
  for (const double p : p_values_in_order) errors.push_back(p <= significance ? 1 : 0);
  return errors;
}

double total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// Standard normal if the errors come with this rate.
double rate_deviation(const std::vector<double>& errors, double significance) {
  const double n = static_cast<double>(errors.size());
  return (total(errors) - n * significance) / std::sqrt(n * significance * (1 - significance));
}

/// Correlation of each number with the one `lag` later, times sqrt(n): about standard normal without any.
double lagged_deviation(const std::vector<double>& values, std::size_t lag) {
  const double n = static_cast<double>(values.size());
  const double mean = total(values) / n;
  double together = 0;
  double alone = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    alone += (values[i] - mean) * (values[i] - mean);
    if (i + lag < values.size()) together += (values[i] - mean) * (values[i + lag] - mean);
  }
  return together / alone * std::sqrt(n);
}

/// Runs of errors and of their absence: Wald and Wolfowitz, about standard normal if the order does not matter.
double runs_deviation(const std::vector<double>& errors) {
  const double n = static_cast<double>(errors.size());
  const double ones = total(errors);
  const double product = 2 * ones * (n - ones);
  double runs = 1;
  for (std::size_t i = 1; i < errors.size(); ++i) runs += errors[i] != errors[i - 1] ? 1 : 0;
  return (runs - product / n - 1) / std::sqrt(product * (product - n) / (n * n * (n - 1)));
}

void expect_independent_with_rate(double significance, const std::vector<double>& p_values_in_order) {
  const std::vector<double> errors = errors_at(significance, p_values_in_order);
  EXPECT_LT(std::abs(rate_deviation(errors, significance)), deviations)
      << "eps " << significance << ": " << total(errors);
  EXPECT_LT(std::abs(runs_deviation(errors)), deviations) << "eps " << significance;
  for (std::size_t lag = 1; lag <= 5; ++lag)
    EXPECT_LT(std::abs(lagged_deviation(errors, lag)), deviations) << "eps " << significance << ", lag " << lag;
}

TEST(NeighboursValidity, OnlineErrorsAreIndependentWithRateEps) {
  for (const Source& source : sources) {
    for (const Metric metric : measured_metrics) {
      for (const NeighbourMeasure measure : all_measures) {
        const NeighbourOptions options{.measure = measure, .metric = metric};
        SCOPED_TRACE(told_source(source) + ", " + told(options));
        core::RandomStream random(1905 + static_cast<std::uint64_t>(metric), 906);
        const Sample stream = draw(source, 2000, random);
        const std::vector<double> smoothed = true_p_values(stream, options, {.smoothed = true, .seed = 5});
        ASSERT_EQ(smoothed.size(), 2000U);
        expect_uniform(smoothed);
        for (const double significance : {0.05, 0.2}) expect_independent_with_rate(significance, smoothed);
        for (std::size_t lag = 1; lag <= 5; ++lag) EXPECT_LT(std::abs(lagged_deviation(smoothed, lag)), deviations);
      }
    }
  }
}

TEST(NeighboursValidity, OnlinePlainPValuesErrNoMore) {
  for (const Source& source : sources) {
    for (const NeighbourMeasure measure : all_measures) {
      SCOPED_TRACE(told_source(source));
      core::RandomStream random(1906, 906);
      const Sample stream = draw(source, 2000, random);
      const std::vector<double> plain = true_p_values(stream, {.measure = measure, .k = 3}, {});
      const std::vector<double> smoothed = true_p_values(stream, {.measure = measure, .k = 3}, {.smoothed = true});
      expect_not_below_uniform(plain);
      for (const double significance : {0.05, 0.2})
        EXPECT_LT(rate_deviation(errors_at(significance, plain), significance), deviations);
      for (std::size_t t = 0; t < plain.size(); ++t) ASSERT_GE(plain[t], smoothed[t]);
    }
  }
}

TEST(NeighboursValidity, OnlineLabelConditionalErrorsHaveRateEpsInEachClass) {
  for (const Source& source : sources) {
    SCOPED_TRACE(told_source(source));
    core::RandomStream random(1907, 906);
    const Sample stream = draw(source, 2000, random);
    const std::vector<double> smoothed =
        true_p_values(stream, {.k = 2}, {.smoothed = true, .label_conditional = true, .seed = 6});
    for (const int label : {0, 1}) {
      const std::vector<double> own = of_class(smoothed, stream.labels, label);
      expect_uniform(own);
      for (const double significance : {0.05, 0.2}) expect_independent_with_rate(significance, own);
    }
  }
}

}  // namespace neighbours_validity_by_simulation_tests
}  // namespace credence::conformal
