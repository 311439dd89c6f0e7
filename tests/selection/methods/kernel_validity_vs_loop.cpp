#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "credence/rvm/validity.hpp"
#include "rvm_selection.hpp"
#include "support/selection_oracle.hpp"

/// kernel-validity and evidence against a loop over the kernels with rvm::train.
namespace kernel_validity_vs_loop_tests {

using namespace credence;
using test::rvm_train_options;
using test::Surroundings;

selection::Options index_options(const std::string& method, const char* gamma = "0.5,5,50,500") {
  return test::rvm_options(method, gamma);
}

struct Row {
  double log_evidence = 0;
  double log_validity = 0;
  rvm::KernelFit fit;
  rvm::RvmModel model;
};

std::vector<Row> loop(const data::Dataset& dataset, const selection::Options& options) {
  std::vector<Row> rows;
  for (const kernel::GammaRule& gamma : options.kernels.gamma) {
    Surroundings surroundings;
    rvm::TrainResult trained = rvm::train(dataset, rvm_train_options(options, gamma.value), surroundings.context);
    rows.push_back({trained.fit.log_evidence, trained.fit.log_validity, trained.fit, std::move(trained.model)});
  }
  return rows;
}

double null_of(const data::Dataset& dataset, const selection::Options& options) {
  const auto features = data::Preprocessing::fit(dataset, options.resolved().preparation.scaling()).apply(dataset);
  return rvm::null_evidence(
      rvm::make_problem(dataset, features, options.kernels.shape().type, options.rvms.centres, options.seed),
      options.rvms.fit);
}

constexpr double null_margin = 0.5;  ///< the default

/// The choice by its definition: among kernels above the null model (all, if there are none), the largest criterion;
/// ties to the smaller gamma.
std::size_t expected_choice(const std::vector<Row>& rows, const selection::Options& options, double null,
                            bool by_index) {
  std::vector<std::size_t> eligible;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k].log_evidence > null + null_margin) eligible.push_back(k);
  if (eligible.empty())
    for (std::size_t k = 0; k < rows.size(); ++k) eligible.push_back(k);
  std::size_t best = eligible.front();
  for (const std::size_t k : eligible) {
    const double value = by_index ? rows[k].log_validity : rows[k].log_evidence;
    const double so_far = by_index ? rows[best].log_validity : rows[best].log_evidence;
    if (value > so_far || (value == so_far && options.kernels.gamma[k].value < options.kernels.gamma[best].value))
      best = k;
  }
  return best;
}

void expect_loop(const data::Dataset& dataset, const selection::Options& options) {
  const bool by_index = options.is<selection::KernelValidity>();
  const selection::Selection found = test::run_selection(dataset, options);
  const std::vector<Row> rows = loop(dataset, options);
  const double null = null_of(dataset, options);
  ASSERT_EQ(found.grid.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const selection::Setting& setting = found.grid[k];
    ASSERT_TRUE(setting.evidence);
    EXPECT_TRUE(setting.complete);
    EXPECT_EQ(setting.C, 0);
    EXPECT_EQ(setting.gamma, options.kernels.gamma[k].value);
    EXPECT_NEAR(setting.evidence->log_evidence, rows[k].log_evidence, 1e-9);
    EXPECT_NEAR(*setting.evidence->log_validity, rows[k].log_validity, 1e-8);
    EXPECT_NEAR(setting.error, by_index ? -rows[k].log_validity : -rows[k].log_evidence, 1e-8);
    EXPECT_EQ(setting.evidence->below_null, !(rows[k].log_evidence > null + 0.5));
    std::size_t relevant = 0;
    double effective = 0;
    double stability = 0;
    for (const rvm::Validity& validity : rows[k].fit.validity) {
      relevant += validity.relevant;
      effective += validity.effective;
      stability += validity.stability;
    }
    EXPECT_EQ(setting.evidence->relevant, relevant);
    EXPECT_NEAR(setting.evidence->effective, effective, 1e-9);
    EXPECT_NEAR(setting.evidence->stability, stability, 1e-8);
  }
  ASSERT_TRUE(found.evidence());
  EXPECT_NEAR(found.evidence()->null_evidence, null, 1e-12);
  ASSERT_TRUE(found.best);
  EXPECT_EQ(*found.best, expected_choice(rows, options, null, by_index));
  EXPECT_EQ(found.score, by_index ? "minus log validity" : "minus log evidence");
  const auto* model = dynamic_cast<const rvm::RvmModel*>(found.predictor.get());
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->record.method, options.name());
  EXPECT_EQ(model->record.rows, dataset.rows());
  EXPECT_FALSE(model->record.selected_error);
  Surroundings surroundings;
  const model::Prediction said = model->predict(dataset, surroundings.context);
  const model::Prediction expected = rows[*found.best].model.predict(dataset, surroundings.context);
  EXPECT_EQ(said.decision.values, expected.decision.values);
  EXPECT_EQ(said.mean, expected.mean);
  ASSERT_EQ(said.moderated.values.size(), expected.moderated.values.size());
  for (std::size_t i = 0; i < said.moderated.values.size(); ++i)
    EXPECT_NEAR(said.moderated.values[i], expected.moderated.values[i], 1e-6);
  for (std::size_t i = 0; i < said.sd.size(); ++i) EXPECT_NEAR(said.sd[i], expected.sd[i], 1e-6 * expected.sd[i]);
}

TEST(KernelValidity, GridEqualsLoopOfTrainings) {
  for (const char* method : {"kernel-validity", "evidence"})
    for (const int classes : {2, 3}) expect_loop(test::uneven_rows(60, classes, 1), index_options(method));
}

TEST(KernelValidity, RegressionEqualsLoopOfTrainings) {
  selection::Options options = index_options("kernel-validity");
  options.task = data::Task::regression;
  const data::Dataset dataset = test::noisy_surface(60, 0.1, 2);
  expect_loop(dataset, options);
  const selection::Selection found = test::run_selection(dataset, options);
  EXPECT_NEAR(found.grid[*found.best].evidence->noise_sd, 0.1, 0.05);
}

TEST(KernelValidity, OptionsReachTheFits) {
  selection::Options options = index_options("kernel-validity", "2,20");
  options.preparation.scalings = {data::Scaling::standard};
  options.rvms.centres = 20;
  options.as<selection::KernelValidity>().index.literal = true;
  options.as<selection::KernelValidity>().index.cap = false;
  options.rvms.fit.starts = 2;
  const data::Dataset dataset = test::uneven_rows(60, 2, 3);
  expect_loop(dataset, options);
  const selection::Selection found = test::run_selection(dataset, options);
  EXPECT_TRUE(found.evidence()->literal);
  EXPECT_FALSE(found.evidence()->cap);
  EXPECT_EQ(found.evidence()->candidates, 20U);
}

TEST(KernelValidity, OtherKernelsEqualLoopOfTrainings) {
  selection::Options options = index_options("kernel-validity", "0.5,2");
  options.kernels.types = {kernel::KernelType::laplacian};
  expect_loop(test::uneven_rows(40, 2, 4), options);
}

TEST(KernelValidity, OneThreadEqualsFourToTheLastBit) {
  for (const char* method : {"kernel-validity", "cv"}) {
    const data::Dataset dataset = test::uneven_rows(70, 3, 5);
    selection::Options options = test::rvm_options(method, "0.1,1,10,100,1000");
    options.estimate = selection::Estimate::bbc;
    const selection::Selection one = test::run_selection(dataset, options, 1);
    for (const int threads : {2, 4, 16}) {
      const selection::Selection more = test::run_selection(dataset, options, threads);
      ASSERT_EQ(one.grid.size(), more.grid.size());
      for (std::size_t k = 0; k < one.grid.size(); ++k) {
        EXPECT_EQ(one.grid[k].error, more.grid[k].error);
        EXPECT_EQ(one.grid[k].steps, more.grid[k].steps);
        EXPECT_EQ(one.grid[k].n_sv, more.grid[k].n_sv);
        if (!one.grid[k].evidence) continue;
        EXPECT_EQ(one.grid[k].evidence->log_evidence, more.grid[k].evidence->log_evidence);
        EXPECT_EQ(*one.grid[k].evidence->log_validity, *more.grid[k].evidence->log_validity);
      }
      EXPECT_EQ(one.best, more.best);
      EXPECT_EQ(one.honest.has_value(), more.honest.has_value());
      EXPECT_EQ(one.calibration.nonconformity_scores, more.calibration.nonconformity_scores);
    }
  }
}

/// With little memory fits go one after the other, with the same result.
TEST(KernelValidity, LittleMemoryChangesNothing) {
  const data::Dataset dataset = test::uneven_rows(60, 2, 6);
  const selection::Options options = index_options("kernel-validity");
  const selection::Selection much = test::run_selection(dataset, options, 4);
  Surroundings surroundings(4);
  surroundings.context.memory_budget = 180'000;  // one fit needs 175,208
  const selection::Selection little = selection::Selector(options).select(dataset, surroundings.context);
  for (std::size_t k = 0; k < much.grid.size(); ++k) EXPECT_EQ(much.grid[k].error, little.grid[k].error);
}

/// At widths where no row sees another, all kernel matrices are the identity: one fit serves them, each has an index.
TEST(KernelValidity, TinyWidthsShareAFit) {
  const data::Dataset dataset = test::uneven_rows(40, 2, 7);
  const selection::Options options = index_options("kernel-validity", "1,1e7,1e8,1e9");
  const selection::Selection found = test::run_selection(dataset, options);
  const std::vector<Row> rows = loop(dataset, options);
  EXPECT_FALSE(found.grid[0].evidence->reused);
  EXPECT_FALSE(found.grid[1].evidence->reused);
  for (const std::size_t k : {2U, 3U}) {
    const selection::Setting& setting = found.grid[k];
    EXPECT_TRUE(setting.evidence->reused);
    EXPECT_EQ(setting.steps, 0U);
    EXPECT_EQ(setting.evidence->log_evidence, found.grid[1].evidence->log_evidence);
    EXPECT_NEAR(setting.evidence->log_evidence, rows[k].log_evidence, 1e-9);
    EXPECT_NEAR(*setting.evidence->log_validity, rows[k].log_validity, 1e-6);
    EXPECT_LT(*setting.evidence->log_validity, *found.grid[k - 1].evidence->log_validity);
  }
}

}  // namespace kernel_validity_vs_loop_tests
