#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/svm/loss.hpp"
#include "credence/svm/model.hpp"
#include "support/expect_error.hpp"
#include "support/in_sample_runs.hpp"
#include "support/selection_fields.hpp"
#include "support/temporary_folder.hpp"

namespace in_sample_contract_tests {

using namespace credence;
using test::expect_error;
using test::in_sample_options;
using test::run_selection;

const std::vector<std::string> both_methods{"rademacher", "maximal-discrepancy"};

selection::Options quick_options(const std::string& method) {
  selection::Options options = in_sample_options(method, {1e-3, 0.05, 0.5});
  options.in_sample.trials = 12;
  return options;
}

TEST(InSampleContract, SelectionSaysWhatItIs) {
  for (const std::string& method : both_methods) {
    const data::Dataset dataset = test::random_clouds(40, 3, 2, 1, 1).dataset();
    const selection::Selection found = run_selection(dataset, quick_options(method), 2);
    EXPECT_EQ(found.options.name(), method);
    EXPECT_EQ(found.score, "bound on the soft loss");
    EXPECT_EQ(found.in_sample()->complexity, method == "rademacher" ? "Rademacher complexity" : "maximal discrepancy");
    EXPECT_EQ(found.in_sample()->rhos, (std::vector<double>{1e-3, 0.05, 0.5}));
    EXPECT_EQ(found.in_sample()->gammas, std::vector<double>{0});
    EXPECT_EQ(found.n, 40U);
    EXPECT_EQ(found.threads, 2);
    EXPECT_EQ(found.stopped, core::StopReason::none);
    EXPECT_FALSE(found.honest);
    EXPECT_GT(found.grid[0].steps, 0U);
    EXPECT_GT(found.grid[0].n_sv, 0);
    EXPECT_GT(found.in_sample()->work.solves, 0U);
    std::uint64_t steps = 0;
    for (const selection::Setting& setting : found.grid) steps += setting.steps;
    EXPECT_EQ(found.in_sample()->work.steps, steps);
    EXPECT_EQ(selection::fitted(dataset, found, test::Surroundings().context), found.predictor);
  }
}

/// What the classifier loses on the rows of the bound is the training loss that the bound was computed with.
TEST(InSampleContract, PredictorHasTheTrainingLossOfTheBound) {
  for (const auto type : {kernel::KernelType::linear, kernel::KernelType::rbf, kernel::KernelType::polynomial}) {
    selection::Options options = quick_options("maximal-discrepancy");
    options.kernels.types = {type};
    options.preparation.scalings = {data::Scaling::standard};
    options.costs.rho = {2, 5};
    options.in_sample.hint = 0.2;
    const data::Dataset dataset = test::random_clouds(50, 3, 2, 1.5, 2).dataset();
    const selection::Selection found = run_selection(dataset, options);
    const auto& model = dynamic_cast<const svm::SvmModel&>(*found.predictor);
    ASSERT_TRUE(model.hint);
    EXPECT_LT(model.support_count(), 38U);
    EXPECT_EQ(model.support_vectors.rows(), model.support_count());
    const auto of_hint = data::hold_out(dataset.labels, 0.2, options.seed);
    const model::Prediction prediction = found.predictor->predict(dataset, test::Surroundings().context);
    double loss = 0;
    for (std::size_t i = 0; i < 50; ++i) {
      const double margin = prediction.decision.row(i)[0] * (dataset.labels[i] == 1 ? 1 : -1);
      loss += of_hint[i] ? 0 : svm::soft_loss(margin) / 40;
    }
    EXPECT_NEAR(loss, found.in_sample()->settings[found.in_sample()->chosen[0]].training_loss, 1e-5);
  }
}

TEST(InSampleContract, PrecomputedKernelEqualsItsKernel) {
  const test::Clouds clouds = test::random_clouds(30, 3, 2, 1, 3);
  kernel::Kernel linear{kernel::KernelType::linear};
  const data::Dataset dataset = clouds.dataset();
  data::Dataset given =
      data::make_dataset(kernel::kernel_block(linear, dataset.features, dataset.features), clouds.labels);
  given.labels = dataset.labels;
  selection::Options options = quick_options("rademacher");
  const selection::Selection of_features = run_selection(dataset, options);
  options.kernels.types = {kernel::KernelType::precomputed};
  options.preparation.scalings = {data::Scaling::standard};
  expect_error(ErrorCode::invalid_argument, "gamma: a precomputed kernel has none; leave gamma out; scale: ", [&] {
    run_selection(given, options);
  });
  options.preparation.scalings.clear();
  options.kernels.gamma = kernel::parse_gammas("scale");
  const selection::Selection of_values = run_selection(given, options);
  EXPECT_TRUE(of_values.in_sample()->fixed_in_advance);
  EXPECT_EQ(of_features.best, of_values.best);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(of_features.grid[k].error, of_values.grid[k].error, 1e-4);
  test::Surroundings surroundings;
  EXPECT_EQ(of_features.predictor->predict(dataset, surroundings.context).label,
            of_values.predictor->predict(given, surroundings.context).label);
}

TEST(InSampleContract, RowsBeyondMemoryAreComputedAndCached) {
  selection::Options options = quick_options("rademacher");
  options.kernels.types = {kernel::KernelType::rbf};
  const data::Dataset dataset = test::random_clouds(60, 3, 2, 1, 4).dataset();
  const selection::Selection in_memory = run_selection(dataset, options);
  test::Surroundings surroundings(2);
  surroundings.context.memory_budget = kernel::gram_bytes(60) * 3 / 2;
  const selection::Selection cached = selection::Selector(options).select(dataset, surroundings.context);
  EXPECT_EQ(in_memory.best, cached.best);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(in_memory.grid[k].error, cached.grid[k].error, 1e-3);
  surroundings.context.memory_budget = 64;
  expect_error(ErrorCode::memory, "", [&] { selection::Selector(options).select(dataset, surroundings.context); });
}

TEST(InSampleContract, SavedPredictorsPredictTheSame) {
  const test::TemporaryFolder folder;
  test::Surroundings surroundings;
  for (const int classes : {2, 3}) {
    for (const bool given : {false, true}) {
      if (given && classes == 3) continue;
      data::Dataset dataset = test::random_clouds(50, 3, classes, 1.5, 5).dataset();
      selection::Options options = quick_options("maximal-discrepancy");
      options.kernels.types = {kernel::KernelType::rbf};
      options.preparation.scalings = {data::Scaling::minmax};
      if (given) {
        for (std::size_t i = 0; i < 50; ++i) dataset.hint.push_back(std::cos(static_cast<double>(i)));
        dataset.schema.hint_name = "f0";
      } else {
        options.in_sample.hint = 0.4;
      }
      const selection::Selection found = run_selection(dataset, options);
      const std::string path = folder.file("m.credence");
      io::save_model(*found.predictor, path);
      const auto loaded = io::load_model(path);
      const model::Prediction before = found.predictor->predict(dataset, surroundings.context);
      const model::Prediction after = loaded->predict(dataset, surroundings.context);
      EXPECT_EQ(before.decision.values, after.decision.values);
      EXPECT_EQ(before.label, after.label);
    }
  }
}

TEST(InSampleContract, WhatCannotBeMeantIsRefused) {
  const data::Dataset dataset = test::random_clouds(30, 2, 2, 1, 6).dataset();
  const auto refused = [&](const std::string& part, const auto& change) {
    selection::Options options = quick_options("maximal-discrepancy");
    expect_error(ErrorCode::invalid_argument, part, [&] {
      change(options);
      selection::Selector{options};
    });
  };
  refused("nearest", [](auto& options) { options.choose_from(selection::Learner::knn); });
  refused("nearest", [](auto& options) { options.model = selection::Learner::knn; });
  refused("C: maximal-discrepancy with svm models does not use it", [](auto& options) { options.costs.C = {1}; });
  refused("nu: maximal-discrepancy", [](auto& options) { options.costs.nu = {0.5}; });
  refused("class_weight: maximal-discrepancy", [](auto& options) { options.costs.class_weights.balanced = true; });
  refused("trials: 0 is not from 2 to 100000", [](auto& options) { options.in_sample.trials = 0; });
  refused("trials: 1000000 is not", [](auto& options) { options.in_sample.trials = 1'000'000; });
  refused("delta", [](auto& options) { options.delta = 1; });
  refused("rho", [](auto& options) { options.costs.rho = {1, 0.5}; });
  refused("norm", [](auto& options) { options.in_sample.ivanov.norm_tolerance = 0; });
  refused("peeling", [](auto& options) {
    options.in_sample.exact = true;
    options.in_sample.ivanov.peel = true;
  });
  selection::Options without_term;
  without_term.method = selection::MaximalDiscrepancy{};
  EXPECT_EQ(core::find_field(selection::method_fields(without_term), "term"), nullptr);
  selection::Options exact = quick_options("rademacher");
  exact.in_sample.exact = true;
  expect_error(ErrorCode::invalid_data, "at most 14 rows", [&] { run_selection(dataset, exact); });
  data::Dataset weighted = dataset;
  weighted.weights.assign(30, 2.0);
  expect_error(ErrorCode::invalid_data, "sample weights",
               [&] { run_selection(weighted, quick_options("rademacher")); });
  data::Dataset one_class = dataset;
  one_class.labels.assign(30, 1);
  expect_error(ErrorCode::invalid_data, "class", [&] { run_selection(one_class, quick_options("rademacher")); });
}

TEST(InSampleContract, WorkOfASettingIsItsOwn) {
  selection::Options options = quick_options("rademacher");
  options.costs.rho = {0.05, 0.05 * (1 + 1e-9)};
  const selection::Selection found = run_selection(test::random_clouds(40, 3, 2, 1, 1).dataset(), options);
  ASSERT_TRUE(found.grid[1].complete);
  EXPECT_LT(found.grid[1].steps, found.grid[0].steps / 2);  // nothing is left to do there
}

TEST(InSampleContract, GroupsAreAGap) {
  data::Dataset dataset = test::random_clouds(30, 2, 2, 1, 6).dataset();
  for (int i = 0; i < 30; ++i) dataset.groups.push_back(i / 2);
  const selection::Selection found = run_selection(dataset, quick_options("rademacher"));
  const std::vector<std::string>& gaps = found.in_sample()->gaps;
  EXPECT_TRUE(std::ranges::any_of(gaps, [](const std::string& gap) { return gap.starts_with("rows of a group"); }));
}

TEST(InSampleContract, NestedEstimateStandsBeside) {
  selection::Options options = quick_options("maximal-discrepancy");
  options.estimate = selection::Estimate::nested;
  const selection::Selection found = run_selection(test::random_clouds(45, 2, 2, 1.5, 6).dataset(), options);
  ASSERT_TRUE(found.honest);
  EXPECT_EQ(found.honest->rows, 45U);
}

struct Counted {
  std::size_t done = 0;
  std::size_t total = 0;
};

/// Stops after so many units of progress.
selection::Selection run_until(std::size_t units, const selection::Options& options, Counted& counted) {
  const core::Threads threads(2);
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    counted = {progress.done, progress.total};
    return progress.done < units;
  });
  return selection::Selector(options).select(test::random_clouds(40, 3, 2, 0.5, 7).dataset(), {threads, monitor});
}

TEST(InSampleContract, ProgressEndsAtItsTotal) {
  for (const bool all : {false, true}) {
    selection::Options options = quick_options("rademacher");
    options.kernels.types = {kernel::KernelType::rbf};
    options.costs.rho = {1e-3, 0.05, 0.5, 10, 1000, 10000};
    options.in_sample.all_rhos = all;
    Counted counted;
    const selection::Selection found = run_until(1000000, options, counted);
    EXPECT_EQ(counted.done, counted.total);
    EXPECT_EQ(counted.total, 3U * 6 * 13);  // gammas, rhos, label vectors and the classifier
    EXPECT_EQ(found.stopped, core::StopReason::none);
    EXPECT_EQ(found.grid.back().complete, all);
  }
}

TEST(InSampleContract, CancelledRunsKeepWholeSettings) {
  selection::Options options = quick_options("rademacher");
  options.kernels.types = {kernel::KernelType::rbf};
  options.in_sample.all_rhos = true;
  Counted counted;
  const selection::Selection whole = run_until(1000000, options, counted);
  const selection::Selection part = run_until(5 * 13 - 6, options, counted);
  EXPECT_EQ(part.stopped, core::StopReason::cancelled);
  ASSERT_TRUE(part.best);
  ASSERT_TRUE(part.predictor);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(part.grid[k].complete, k < 4) << k;
    EXPECT_EQ(part.in_sample()->settings[k].trials.size(), k < 4 ? 12U : 0U);
    if (k < 4) EXPECT_EQ(part.grid[k].error, whole.grid[k].error);
  }
  const selection::Selection nothing = run_until(1, options, counted);
  EXPECT_EQ(nothing.stopped, core::StopReason::cancelled);
  EXPECT_FALSE(nothing.best);
  EXPECT_FALSE(nothing.predictor);
  EXPECT_EQ(nothing.grid.size(), 9U);
  EXPECT_EQ(nothing.in_sample()->settings.size(), 9U);
}

TEST(InSampleContract, TimeBudgetOfNothing) {
  const core::Threads threads(1);
  for (const bool hinted : {false, true}) {
    core::Monitor monitor({}, 0.0);
    selection::Options options = quick_options("rademacher");
    if (hinted) options.in_sample.hint = 0.3;
    const data::Dataset dataset = test::random_clouds(40, 3, 2, 0.5, 7).dataset();
    const selection::Selection found = selection::Selector(options).select(dataset, {threads, monitor});
    EXPECT_EQ(found.stopped, core::StopReason::time_budget);
    EXPECT_EQ(found.grid.size(), 3U);
    EXPECT_FALSE(found.best);
  }
}

}  // namespace in_sample_contract_tests
