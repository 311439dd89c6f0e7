#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "credence/conformal/fit.hpp"
#include "credence/conformal/measures.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/on_target.hpp"
#include "support/random_data.hpp"

// Whole selections, predictions and conformal fits on each SIMD target that this processor has, against the best one:
// docs/robustness.md states what these tests print, and they assert its bounds.
namespace credence {
namespace simd_targets_end_to_end_tests {

using test::OnTarget;
using test::Surroundings;

data::Dataset overlapping_rows() {
  return test::random_clouds(150, 4, 3, 0.9, 12).dataset();
}

/// What a user reads: a score of each setting, the choice, and labels, decisions and p-values of each row.
struct Seen {
  std::vector<double> errors;
  std::size_t best = 0;
  std::vector<int> labels;
  std::vector<double> decisions;
  std::vector<double> p_values;
};

void add_prediction(const model::Predictor& predictor, const data::Dataset& dataset, const core::Context& context,
                    Seen& seen) {
  const model::Prediction prediction = predictor.predict(dataset, context);
  seen.labels = prediction.label;
  seen.decisions.assign(prediction.decision.values.begin(), prediction.decision.values.end());
  seen.p_values.assign(prediction.p_value.values.begin(), prediction.p_value.values.end());
}

Seen selected(const std::string& method, selection::Learner learner) {
  const data::Dataset dataset = overlapping_rows();
  selection::Options options;
  options.method = selection::method_named(method);
  options.choose_from(learner);
  options.kernels.gamma = kernel::parse_gammas("0.02,0.2,2");
  if (options.has_costs()) options.costs.C = core::parse_list("0.1,10,1000");
  options.seed = 3;
  options.choose_one_svm();
  const Surroundings surroundings;
  const selection::Selection selection = selection::Selector(options).select(dataset, surroundings.context);
  Seen seen;
  for (const selection::Setting& setting : selection.grid) seen.errors.push_back(setting.error);
  seen.best = selection.best.value_or(selection.grid.size());
  add_prediction(*selection::fitted(dataset, selection, surroundings.context), dataset, surroundings.context, seen);
  return seen;
}

Seen conformal(const conformal::Measure& measure, const conformal::Mode& mode) {
  const data::Dataset dataset = overlapping_rows();
  const Surroundings surroundings;
  Seen seen;
  add_prediction(*conformal::fit(dataset, {.measure = measure, .mode = mode}, surroundings.context), dataset,
                 surroundings.context, seen);
  return seen;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] != b[i]) largest = std::max(largest, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  return largest;
}

template <class Run>
void expect_agreement(const std::string& what, double of_decisions, double of_p_values, const Run& run) {
  const Seen best = run();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const OnTarget on(target);
    const Seen seen = run();
    const std::string where = what + ", " + hwy::TargetName(target);
    const double decisions = largest_difference(seen.decisions, best.decisions);
    const double p_values = largest_difference(seen.p_values, best.p_values);
    std::printf("| %s | %.1e | %.1e | %.1e |\n", where.c_str(), largest_difference(seen.errors, best.errors), decisions,
                p_values);
    EXPECT_LE(largest_difference(seen.errors, best.errors), 1e-3) << where;  // a row or two of all resamples
    EXPECT_EQ(seen.best, best.best) << where;
    EXPECT_EQ(seen.labels, best.labels) << where;
    EXPECT_LE(decisions, of_decisions) << where;
    EXPECT_LE(p_values, of_p_values) << where;
  }
}

TEST(SimdTargetsEndToEnd, SelectionsChooseAndPredictAlike) {
  for (const char* method : {"cv", "loo", "holdout", "bootstrap", "nonconformity", "max-margin", "kfold-nested"})
    expect_agreement(method, 5e-3, 2e-2, [&] { return selected(method, selection::Learner::svm); });
  for (const char* method : {"cv", "evidence", "kernel-validity"})
    expect_agreement(method + std::string(" of RVMs"), 1e-6, 0,
                     [&] { return selected(method, selection::Learner::rvm); });
}

TEST(SimdTargetsEndToEnd, ConformalPredictorsAgree) {
  expect_agreement("nn-ratio", 0, 0,
                   [] { return conformal(conformal::NeighbourRatio{}, conformal::mode::Transductive{}); });
  expect_agreement("margin, transductive", 1e-3, 2e-2,
                   [] { return conformal(conformal::SvmMargin{}, conformal::mode::Transductive{}); });
  expect_agreement("margin, inductive", 1e-3, 2e-2,
                   [] { return conformal(conformal::SvmMargin{}, conformal::mode::Inductive{}); });
  expect_agreement("margin, cross", 1e-3, 2e-2,
                   [] { return conformal(conformal::SvmMargin{}, conformal::mode::Cross{}); });
}

}  // namespace simd_targets_end_to_end_tests
}  // namespace credence
