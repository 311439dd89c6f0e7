#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/svm/loss.hpp"
#include "credence/svm/model.hpp"
#include "support/expect_error.hpp"
#include "support/in_sample_runs.hpp"
#include "support/selection_fields.hpp"

namespace in_sample_hint_tests {

using namespace credence;
using test::expect_error;
using test::in_sample_options;
using test::run_selection;

const svm::SvmModel& model_of(const selection::Selection& selection) {
  return dynamic_cast<const svm::SvmModel&>(*selection.predictor);
}

std::vector<std::size_t> rows_where(const std::vector<bool>& mask, bool value) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < mask.size(); ++i)
    if (mask[i] == value) rows.push_back(i);
  return rows;
}

selection::Options hint_options(const std::string& method) {
  selection::Options options = in_sample_options(method, {1e-3, 0.1, 2});
  options.in_sample.hint = 0.3;
  options.in_sample.trials = 20;
  options.in_sample.all_rhos = true;
  return options;
}

/// The rows of the bound alone, with the values of f0 given, are the same problem: hint rows act through f0 only.
TEST(InSampleHint, EqualsTheSameHintGiven) {
  for (const std::string method : {"rademacher", "maximal-discrepancy"}) {
    const data::Dataset dataset = test::random_clouds(50, 3, 2, 0.8, 3).dataset();
    selection::Options options = hint_options(method);
    const selection::Selection trained = run_selection(dataset, options);
    const auto held_out = data::hold_out(dataset.labels, 0.3, options.seed);
    EXPECT_EQ(trained.in_sample()->hint_rows, 15U);
    EXPECT_EQ(trained.in_sample()->n, 35U);
    EXPECT_FALSE(trained.in_sample()->given_hint);

    data::Dataset rest = dataset.select_rows(rows_where(held_out, false));
    test::Surroundings surroundings;
    ASSERT_TRUE(model_of(trained).hint);
    const svm::SvmModel& hint = *model_of(trained).hint;
    EXPECT_EQ(hint.kernel.type, kernel::KernelType::linear);
    EXPECT_EQ(hint.record.rows, 15U);
    const model::Prediction f0 = hint.predict(rest, surroundings.context);
    for (std::size_t i = 0; i < rest.rows(); ++i) rest.hint.push_back(f0.decision.row(i)[0]);
    options.in_sample.hint.reset();
    const selection::Selection given = run_selection(rest, options);
    EXPECT_TRUE(given.in_sample()->given_hint);
    EXPECT_EQ(given.in_sample()->hint_rows, 0U);
    test::expect_same_settings(trained.in_sample()->settings, given.in_sample()->settings, method);
    const auto of_trained = trained.predictor->predict(rest, surroundings.context).decision.values;
    const auto of_given = given.predictor->predict(rest, surroundings.context).decision.values;
    for (std::size_t i = 0; i < of_trained.size(); ++i) EXPECT_NEAR(of_trained[i], of_given[i], 1e-10);
  }
}

/// Rows of the bound have no say in the hint, nor in the preprocessing and gamma.
TEST(InSampleHint, IsFixedBeforeTheOtherRowsAreSeen) {
  selection::Options options = hint_options("rademacher");
  options.kernels.types = {kernel::KernelType::rbf};
  options.kernels.gamma = kernel::parse_gammas("scale,median");
  options.preparation.scalings = {data::Scaling::standard};
  data::Dataset dataset = test::random_clouds(40, 3, 2, 0.8, 4).dataset();
  const auto held_out = data::hold_out(dataset.labels, 0.3, options.seed);
  const selection::Selection before = run_selection(dataset, options);
  for (const std::size_t i : rows_where(held_out, false))
    for (double& value : dataset.features.dense().row(i)) value = 3 * value * value - 1;
  const selection::Selection after = run_selection(dataset, options);
  EXPECT_NE(before.in_sample()->bound, after.in_sample()->bound);
  EXPECT_EQ(before.in_sample()->gammas, after.in_sample()->gammas);
  EXPECT_EQ(model_of(before).preprocessing.shift, model_of(after).preprocessing.shift);
  EXPECT_EQ(model_of(before).preprocessing.scale, model_of(after).preprocessing.scale);
  EXPECT_EQ(model_of(before).hint->linear_weights().values, model_of(after).hint->linear_weights().values);
  EXPECT_EQ(model_of(before).hint->machines[0].bias, model_of(after).hint->machines[0].bias);
  EXPECT_TRUE(before.in_sample()->fixed_in_advance);
  EXPECT_EQ(before.scale_scope, selection::ScaleScope::fold);

  options.in_sample.hint.reset();
  const selection::Selection fitted = run_selection(dataset, options);
  EXPECT_FALSE(fitted.in_sample()->fixed_in_advance);
  const std::vector<std::string>& gaps = fitted.in_sample()->gaps;
  EXPECT_TRUE(std::ranges::any_of(gaps, [](const std::string& gap) { return gap.starts_with("scaling"); }));
}

TEST(InSampleHint, OfOneClassIsAConstant) {
  data::Dataset dataset = test::random_clouds(30, 2, 2, 0.8, 5).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.labels[i] = i == 7 ? 0 : 1;
  selection::Options options = hint_options("maximal-discrepancy");
  options.in_sample.hint = 0.1;
  const selection::Selection found = run_selection(dataset, options);
  const svm::SvmModel& hint = *model_of(found).hint;
  EXPECT_EQ(hint.support_count(), 0U);
  EXPECT_EQ(hint.machines[0].bias, 1);
  EXPECT_NE(found.warnings.at(0).find("one class only"), std::string::npos);
}

TEST(InSampleHint, GivenIsAddedWhenPredicting) {
  data::Dataset dataset = test::random_clouds(30, 2, 2, 0.8, 6).dataset();
  for (std::size_t i = 0; i < dataset.rows(); ++i) dataset.hint.push_back(std::sin(static_cast<double>(i)));
  dataset.schema.hint_name = "prior";
  selection::Options options = hint_options("rademacher");
  options.in_sample.hint.reset();
  const selection::Selection found = run_selection(dataset, options);
  EXPECT_EQ(model_of(found).schema.hint_name, "prior");
  test::Surroundings surroundings;
  data::Dataset other = dataset;
  for (double& value : other.hint) value += 0.25;
  const auto a = found.predictor->predict(dataset, surroundings.context).decision.values;
  const auto b = found.predictor->predict(other, surroundings.context).decision.values;
  double loss = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(b[i] - a[i], 0.25, 1e-12);
    loss += svm::soft_loss(a[i] * (dataset.labels[i] == 1 ? 1 : -1)) / 30;
  }
  EXPECT_NEAR(loss, found.in_sample()->settings[found.in_sample()->chosen[0]].training_loss, 1e-5);
  other.hint.clear();
  expect_error(ErrorCode::invalid_data, "hint", [&] { found.predictor->predict(other, surroundings.context); });
}

TEST(InSampleHint, BadOnesAreRefused) {
  const data::Dataset dataset = test::random_clouds(30, 2, 2, 0.8, 6).dataset();
  selection::Options options = hint_options("rademacher");
  data::Dataset both = dataset;
  both.hint.assign(30, 1.0);
  expect_error(ErrorCode::invalid_data, "hint of their own", [&] { run_selection(both, options); });
  options.in_sample.hint.reset();
  both.hint.pop_back();
  expect_error(ErrorCode::invalid_data, "29 values", [&] { run_selection(both, options); });
  both.hint.push_back(std::numeric_limits<double>::quiet_NaN());
  expect_error(ErrorCode::invalid_data, "not a finite", [&] { run_selection(both, options); });
  data::Dataset three = test::random_clouds(30, 2, 3, 0.8, 6).dataset();
  three.hint.assign(30, 1.0);
  expect_error(ErrorCode::invalid_data, "two classes", [&] { run_selection(three, options); });
  options.in_sample.hint = 1.0;
  expect_error(ErrorCode::invalid_argument, "hint: 1 is not between 0 and 1", [&] { run_selection(dataset, options); });
  options.in_sample.hint = 0.3;
  options.in_sample.hint_C = 0;
  expect_error(ErrorCode::invalid_argument, "C of the hint", [&] { run_selection(dataset, options); });
  options.in_sample.hint_C = 1;
  options.kernels.types = {kernel::KernelType::precomputed};
  expect_error(ErrorCode::invalid_argument, "precomputed", [&] { run_selection(dataset, options); });
}

}  // namespace in_sample_hint_tests
