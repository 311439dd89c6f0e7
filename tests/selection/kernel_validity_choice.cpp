#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/rvm/validity.hpp"
#include "credence/selection/comparison.hpp"
#include "rvm_selection.hpp"
#include "support/expect_error.hpp"

/// Which kernel kernel-validity and evidence choose, and what they make of the choice.
namespace {

using namespace credence;
using test::expect_error;
using test::run_selection;
using test::Surroundings;

selection::Options index_options(const std::string& method, const char* gamma) {
  selection::Options options = test::rvm_options(method, gamma);
  options.learner.reset();
  return options;
}

/// Points of the unit square whose labels are coins.
data::Dataset coins(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 5);
  data::DenseMatrix x(n, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : x.row(i)) value = random.uniform();
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  return data::make_dataset(data::Features(x), labels);
}

/// 60 points of the unit square, labelled by sin(2 pi x1) + x2 - 0.5 and something like noise.
data::Dataset waves(std::size_t n = 60) {
  data::DenseMatrix x(n, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const auto index = static_cast<double>(i);
    x.row(i)[0] = std::fmod(0.61803398875 * index, 1.0);
    x.row(i)[1] = std::fmod(0.7548776662 * index, 1.0);
    const double f =
        std::sin(2 * 3.14159265358979 * x.row(i)[0]) + x.row(i)[1] - 0.5 + 0.8 * std::sin(7919 * (index + 1));
    labels.emplace_back(f > 0 ? "1" : "0");
  }
  return data::make_dataset(data::Features(x), labels);
}

/// gamma = 1 / (2 sigma^2) for the widths 0.05, 0.1, 0.3, 1, 3, 10.
const char* const wave_gammas = "200,50,5.555555555555555,0.5,0.05555555555555555,0.005";

TEST(KernelValidity, ChoosesAWiderKernelThanTheEvidence) {
  selection::Options options = index_options("kernel-validity", wave_gammas);
  options.scaling = data::Scaling::none;
  const selection::Selection by_index = run_selection(waves(), options);
  options.method = "evidence";
  const selection::Selection by_evidence = run_selection(waves(), options);
  EXPECT_EQ(*by_evidence.best, 1U);  // width 0.1, in all its local optima
  EXPECT_TRUE(*by_index.best == 2U || *by_index.best == 3U) << *by_index.best;
  EXPECT_GT(by_evidence.grid[*by_evidence.best].gamma, by_index.grid[*by_index.best].gamma);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_EQ(by_index.grid[k].evidence->log_evidence, by_evidence.grid[k].evidence->log_evidence);
}

TEST(KernelValidity, NullModelMayWinOnlyWithoutGuard) {
  // The widest kernels say next to nothing of these rows, and pay next to no penalty.
  selection::Options options = index_options("kernel-validity", wave_gammas);
  options.scaling = data::Scaling::none;
  const selection::Selection guarded = run_selection(waves(), options);
  const double null = guarded.kernel_validity->null_evidence;
  EXPECT_NEAR(null, -60 * std::log(2.0), 1e-3);
  options.null_margin = 8.5;  // only the widths up to 0.3 are so far above
  const selection::Selection strict = run_selection(waves(), options);
  ASSERT_TRUE(strict.best);
  double best = -1e300;
  std::size_t expected = 99;
  std::size_t below = 0;
  for (std::size_t k = 0; k < 6; ++k) {
    const selection::KernelEvidence& evidence = *strict.grid[k].evidence;
    EXPECT_EQ(evidence.below_null, evidence.log_evidence <= null + 8.5);
    below += evidence.below_null ? 1U : 0U;
    if (!evidence.below_null && *evidence.log_validity > best) {
      best = *evidence.log_validity;
      expected = k;
    }
  }
  EXPECT_GT(below, 0U);
  EXPECT_LT(below, 6U);
  EXPECT_EQ(*strict.best, expected);
  EXPECT_FALSE(strict.kernel_validity->all_below_null);
  EXPECT_TRUE(strict.kernel_validity->guarded);
  options.null_margin = 1000;
  const selection::Selection all_below = run_selection(waves(), options);
  EXPECT_TRUE(all_below.kernel_validity->all_below_null);
  EXPECT_EQ(all_below.best, guarded.best);
  ASSERT_FALSE(all_below.warnings.empty());
  EXPECT_NE(all_below.warnings.front().find("model without kernels"), std::string::npos);
  options.null_margin.reset();
  const selection::Selection unguarded = run_selection(waves(), options);
  EXPECT_FALSE(unguarded.kernel_validity->guarded);
  double smallest = 1e300;
  for (const selection::Cell& cell : unguarded.grid) smallest = std::min(smallest, cell.error);
  EXPECT_EQ(unguarded.grid[*unguarded.best].error, smallest);
}

TEST(KernelValidity, GuardChangesTheChoiceOnWeakData) {
  // Among draws of weak data there are some where a kernel that says nothing has the largest index, but another one is
  // above the null model.
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    data::Dataset dataset = coins(40, seed);
    for (std::size_t i = 0; i < 40; ++i)
      if (dataset.features.dense().row(i)[0] > 0.85) dataset.labels[i] = 1;
    selection::Options options = index_options("kernel-validity", "0.05,5,50,500");
    const selection::Selection guarded = run_selection(dataset, options);
    options.null_margin.reset();
    const selection::Selection free = run_selection(dataset, options);
    const bool any_above =
        std::ranges::any_of(guarded.grid, [](const selection::Cell& cell) { return !cell.evidence->below_null; });
    EXPECT_EQ(guarded.kernel_validity->all_below_null, !any_above);
    EXPECT_EQ(guarded.grid[*guarded.best].evidence->below_null, !any_above);
    changed += guarded.best != free.best ? 1U : 0U;
    if (guarded.best != free.best) EXPECT_LT(free.grid[*free.best].error, guarded.grid[*guarded.best].error);
  }
  EXPECT_GT(changed, 0U);
}

TEST(KernelValidity, TiesGoToTheLargerWidth) {
  // All these matrices are the identity to the last bit, and so are the fits: equal evidence.
  const selection::Selection found = run_selection(coins(30, 3), index_options("evidence", "1e12,1e11,1e13"));
  EXPECT_EQ(found.grid[0].error, found.grid[1].error);
  EXPECT_EQ(found.grid[0].error, found.grid[2].error);
  EXPECT_EQ(*found.best, 1U);
  EXPECT_EQ(*found.runner_up, 0U);
  EXPECT_FALSE(found.best_on_border);
}

TEST(KernelValidity, WordsAndBorders) {
  selection::Options options = index_options("kernel-validity", "median");
  const selection::Selection word = run_selection(waves(), options);
  EXPECT_GT(word.grid[0].gamma, 0);
  EXPECT_FALSE(word.best_on_border);
  const selection::Selection border = run_selection(waves(), index_options("evidence", "0.005,0.05"));
  EXPECT_TRUE(border.best_on_border);
}

TEST(KernelValidity, SvmHasTheKernelThatTheIndexChose) {
  const data::Dataset dataset = waves();
  selection::Options options = index_options("kernel-validity", wave_gammas);
  const selection::Selection by_index = run_selection(dataset, options);
  options.learner = selection::Learner::svm;
  options.grid.C = {10};
  const selection::Selection found = run_selection(dataset, options);
  ASSERT_EQ(found.grid.size(), 6U);
  EXPECT_EQ(found.best, by_index.best);
  EXPECT_EQ(found.grid[*found.best].C, 10);
  EXPECT_EQ(found.grid[*found.best].error, by_index.grid[*by_index.best].error);
  svm::TrainOptions train;
  train.C = 10;
  train.gamma = {kernel::GammaRule::Kind::value, found.grid[*found.best].gamma};
  train.scaling = data::Scaling::minmax;
  Surroundings surroundings;
  const svm::SvmModel expected = svm::train(dataset, train, surroundings.context).model;
  const auto* model = dynamic_cast<const svm::SvmModel*>(found.predictor.get());
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->support_rows, expected.support_rows);
  EXPECT_EQ(model->machines[0].coefficients, expected.machines[0].coefficients);
  EXPECT_EQ(model->record.method, "kernel-validity");
  EXPECT_FALSE(model->record.selected_error);
  EXPECT_EQ(selection::fitted(dataset, options, found, surroundings.context).get(), found.predictor.get());
}

TEST(KernelValidity, SvmCostIsThatOfCrossValidation) {
  const data::Dataset dataset = waves();
  selection::Options options = index_options("kernel-validity", wave_gammas);
  options.learner = selection::Learner::svm;
  options.grid.C = {0.1, 1, 10, 100};
  const selection::Selection found = run_selection(dataset, options);
  selection::Options by_error = options;
  by_error.method = "cv";
  by_error.scaling = data::Scaling::minmax;
  by_error.grid.gamma = {{kernel::GammaRule::Kind::value, found.grid[*found.best].gamma}};
  const selection::Selection cv = run_selection(dataset, by_error);
  EXPECT_EQ(found.grid[*found.best].C, cv.grid[*cv.best].C);
  EXPECT_EQ(found.calibration.strangeness, cv.calibration.strangeness);
  EXPECT_EQ(found.folds, 4);
  EXPECT_FALSE(found.honest);
}

TEST(KernelValidity, NestedEstimateJudgesTheWholeChoice) {
  const data::Dataset dataset = waves();
  selection::Options options = index_options("kernel-validity", "5,0.5");
  options.estimate = selection::Estimate::nested;
  const selection::Selection found = run_selection(dataset, options);
  ASSERT_TRUE(found.honest);
  EXPECT_EQ(found.honest->method, "nested");
  EXPECT_EQ(found.honest->rows, 60U);
  options.estimate = selection::Estimate::none;
  Surroundings surroundings;
  const selection::Comparison by_hand =
      selection::compare(dataset, {{"mv", options}}, {10, options.seed}, surroundings.context);
  EXPECT_NEAR(found.honest->error, by_hand.methods[0].mean_error, 1e-12);  // ten folds of six rows
  EXPECT_FALSE(by_hand.methods[0].mean_selected_score);                    // a log index is no error
  options.estimate = selection::Estimate::bbc;
  EXPECT_FALSE(run_selection(dataset, options).honest);
}

TEST(KernelValidity, KernelsWithoutIndexAreForEvidence) {
  for (const auto type : {kernel::KernelType::linear, kernel::KernelType::sigmoid, kernel::KernelType::precomputed}) {
    selection::Options options = index_options("kernel-validity", "0.5");
    options.kernel.type = type;
    expect_error(ErrorCode::invalid_argument, "evidence and cv", [&] { selection::make_selector(options); });
    if (type == kernel::KernelType::precomputed) continue;
    options.method = "evidence";
    const selection::Selection found = run_selection(test::uneven_rows(40, 2, 1), options);
    EXPECT_FALSE(found.grid[0].evidence->log_validity);
    EXPECT_EQ(found.grid[0].gamma, type == kernel::KernelType::linear ? 0 : 0.5);
    ASSERT_NE(found.predictor, nullptr);
    options.method = "cv";
    options.learner = selection::Learner::rvm;
    EXPECT_TRUE(run_selection(test::uneven_rows(40, 2, 1), options).grid[0].complete);
  }
}

TEST(KernelValidity, GivenKernelValuesHaveTheEvidenceOfTheirKernel) {
  const data::Dataset dataset = waves();
  selection::Options options = index_options("evidence", "5");
  options.scaling = data::Scaling::none;
  const selection::Selection rbf = run_selection(dataset, options);
  kernel::Kernel kernel;
  kernel.gamma = 5;
  const data::DenseMatrix values = kernel::kernel_block(kernel, dataset.features, dataset.features);
  std::vector<std::string> labels;
  for (const int label : dataset.labels) labels.push_back(dataset.schema.classes[static_cast<std::size_t>(label)]);
  options.kernel.type = kernel::KernelType::precomputed;
  const selection::Selection given = run_selection(data::make_dataset(data::Features(values), labels), options);
  ASSERT_EQ(given.grid.size(), 1U);
  EXPECT_NEAR(given.grid[0].error, rbf.grid[0].error, 1e-9);
  EXPECT_FALSE(given.grid[0].evidence->log_validity);
  EXPECT_NE(dynamic_cast<const rvm::RvmModel*>(given.predictor.get()), nullptr);
}

TEST(KernelValidity, RefusesWhatItCannotHave) {
  const auto refused = [](const char* method, const char* part, const auto& change) {
    selection::Options options = test::rvm_options(method, "1");
    change(options);
    expect_error(ErrorCode::invalid_argument, part, [&] { selection::make_selector(options); });
  };
  const auto nothing = [](selection::Options&) {};
  refused("kfold-nested", "kfold-nested trains SVMs", nothing);
  refused("loo", "loo leaves rows out of SVMs", nothing);
  refused("rademacher", "nothing to say of relevance vector machines", nothing);
  refused("maximal-discrepancy", "nothing to say of relevance vector machines", nothing);
  refused("kernel-validity", "nearest neighbours", [](selection::Options& o) { o.learner = selection::Learner::knn; });
  refused("cv", "no nu", [](selection::Options& o) { o.grid.nu = {0.5}; });
  refused("cv", "no class weights", [](selection::Options& o) { o.class_weights.balanced = true; });
  refused("evidence", "candidate centres", [](selection::Options& o) { o.centres = 0; });
  refused("evidence", "margin above the null", [](selection::Options& o) { o.null_margin = std::nan(""); });
  refused("max-margin", "geometric", [](selection::Options& o) { o.margin = selection::Margin::geometric; });
  refused("bootstrap", "train SVMs", [](selection::Options& o) { o.nested_bootstrap = true; });
  refused("bootstrap", "train SVMs",
          [](selection::Options& o) { o.final_classifier = selection::FinalClassifier::random; });
  data::Dataset weighted = waves();
  weighted.weights.assign(60, 1.5);
  for (const char* method : {"kernel-validity", "evidence", "cv", "holdout", "bootstrap"}) {
    expect_error(ErrorCode::invalid_data, "no sample weights",
                 [&] { run_selection(weighted, test::rvm_options(method, "1")); });
  }
}

/// Stopped after so many units, whatever the method does with them.
TEST(KernelValidity, StoppedRunsGivePartialResults) {
  const data::Dataset dataset = waves();
  for (const char* method : {"kernel-validity", "evidence", "cv", "bootstrap", "holdout", "nonconformity"}) {
    for (const std::size_t limit : {0U, 1U, 3U, 7U}) {
      selection::Options options = test::rvm_options(method, wave_gammas);
      options.resamples = 4;
      core::Threads threads(2);
      core::Monitor monitor([&](const core::Monitor::Progress& progress) { return progress.done < limit; });
      if (limit == 0) monitor.cancel();
      const core::Context context{threads, monitor};
      const selection::Selection found = selection::make_selector(options)->select(dataset, context);
      const auto complete =
          std::ranges::count_if(found.grid, [](const selection::Cell& cell) { return cell.complete; });
      EXPECT_EQ(found.best.has_value(), complete > 0 && method != std::string("nonconformity")) << method << limit;
      if (complete < 6) {
        EXPECT_EQ(found.stopped, core::StopReason::cancelled) << method << limit;
        EXPECT_EQ(found.predictor, nullptr) << method << limit;
        EXPECT_TRUE(found.calibration.empty()) << method << limit;
      }
      EXPECT_TRUE(limit > 0 || complete == 0);
      for (const selection::Cell& cell : found.grid) EXPECT_TRUE(cell.complete || !cell.evidence);
    }
  }
}

/// Stopped when all kernels are known, but the machine that they lead to is not.
TEST(KernelValidity, StoppedAtItsEndHasNoPredictor) {
  for (const selection::Learner learner : {selection::Learner::rvm, selection::Learner::svm}) {
    selection::Options options = index_options("kernel-validity", "0.5,5");
    options.learner = learner;
    options.grid.C = {1, 10};
    core::Threads threads(1);
    core::Monitor monitor([&](const core::Monitor::Progress& progress) { return progress.done < 2; });
    const core::Context context{threads, monitor};
    const selection::Selection found = selection::make_selector(options)->select(waves(), context);
    EXPECT_TRUE(found.grid[0].complete && found.grid[1].complete);
    EXPECT_EQ(found.stopped, core::StopReason::cancelled);
    EXPECT_EQ(found.predictor, nullptr);
  }
}

TEST(KernelValidity, ProgressIsCountedByKernel) {
  std::size_t total = 0;
  std::size_t done = 0;
  core::Threads threads(2);
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    total = progress.total;
    done = progress.done;
    return true;
  });
  const core::Context context{threads, monitor};
  selection::make_selector(index_options("kernel-validity", "1,1e12,1e13,5"))->select(waves(), context);
  EXPECT_EQ(done, 4U);
  EXPECT_EQ(total, 4U);
}

}  // namespace
