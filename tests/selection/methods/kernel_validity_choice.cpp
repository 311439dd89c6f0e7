#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "credence/rvm/validity.hpp"
#include "credence/selection/comparison.hpp"
#include "rvm_selection.hpp"
#include "support/expect_error.hpp"
#include "support/selection_fields.hpp"

/// Which kernel kernel-validity and evidence choose, and what they make of the choice.
namespace kernel_validity_choice_tests {

using namespace credence;
using test::expect_error;
using test::run_selection;
using test::Surroundings;

selection::Options index_options(const std::string& method, const char* gamma) {
  return test::rvm_options(method, gamma);
}

/// The kernel of an SVM, whose C is chosen in four folds.
selection::Options svm_options(const char* gamma, const std::vector<double>& C) {
  selection::Options options = index_options("kernel-validity", gamma);
  options.choose_from(selection::Learner::svm);
  options.kernels.gamma = kernel::parse_gammas(gamma);
  options.costs.C = C;
  test::set_folds(options, 4);
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
  options.preparation.scalings = {data::Scaling::none};
  const selection::Selection by_index = run_selection(waves(), options);
  options.method = selection::Evidence{};
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
  options.preparation.scalings = {data::Scaling::none};
  const selection::Selection guarded = run_selection(waves(), options);
  const double null = guarded.evidence()->null_evidence;
  EXPECT_NEAR(null, -60 * std::log(2.0), 1e-3);
  options.as<selection::KernelValidity>().null_margin = 8.5;  // only the widths up to 0.3 are so far above
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
  EXPECT_FALSE(strict.evidence()->all_below_null);
  EXPECT_TRUE(strict.evidence()->guarded);
  options.as<selection::KernelValidity>().null_margin = 1000;
  const selection::Selection all_below = run_selection(waves(), options);
  EXPECT_TRUE(all_below.evidence()->all_below_null);
  EXPECT_EQ(all_below.best, guarded.best);
  ASSERT_FALSE(all_below.warnings.empty());
  EXPECT_NE(all_below.warnings.front().find("model without kernels"), std::string::npos);
  options.as<selection::KernelValidity>().guard = false;
  const selection::Selection unguarded = run_selection(waves(), options);
  EXPECT_FALSE(unguarded.evidence()->guarded);
  double smallest = 1e300;
  for (const selection::Setting& setting : unguarded.grid) smallest = std::min(smallest, setting.error);
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
    options.as<selection::KernelValidity>().guard = false;
    const selection::Selection free = run_selection(dataset, options);
    const bool any_above = std::ranges::any_of(
        guarded.grid, [](const selection::Setting& setting) { return !setting.evidence->below_null; });
    EXPECT_EQ(guarded.evidence()->all_below_null, !any_above);
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
  const selection::Selection by_index = run_selection(dataset, index_options("kernel-validity", wave_gammas));
  const selection::Selection found = run_selection(dataset, svm_options(wave_gammas, {10}));
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
  EXPECT_EQ(selection::fitted(dataset, found, surroundings.context).get(), found.predictor.get());
}

TEST(KernelValidity, SvmCostIsThatOfCrossValidation) {
  const data::Dataset dataset = waves();
  const std::vector<double> C{0.1, 1, 10, 100};
  const selection::Selection found = run_selection(dataset, svm_options(wave_gammas, C));
  selection::Options by_error;
  by_error.method = selection::CrossValidation{.folds = 4};
  by_error.estimate = selection::Estimate::none;
  by_error.seed = found.options.seed;
  by_error.costs.C = C;
  by_error.preparation.scalings = {data::Scaling::minmax};
  by_error.kernels.gamma = {{kernel::GammaRule::Kind::value, found.grid[*found.best].gamma}};
  const selection::Selection cv = run_selection(dataset, by_error);
  EXPECT_EQ(found.grid[*found.best].C, cv.grid[*cv.best].C);
  Surroundings surroundings;
  EXPECT_EQ(found.calibration.nonconformity_scores,
            selection::fitted(dataset, cv, surroundings.context)->calibration.nonconformity_scores);
  EXPECT_EQ(found.resamples, 4);
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
    options.kernels.types = {type};
    if (type == kernel::KernelType::precomputed) options.kernels.gamma = kernel::parse_gammas("scale");
    expect_error(ErrorCode::invalid_argument, "evidence and cv", [&] { selection::Selector{options}; });
    if (type == kernel::KernelType::precomputed) continue;
    options.method = selection::Evidence{};
    const selection::Selection found = run_selection(test::uneven_rows(40, 2, 1), options);
    EXPECT_FALSE(found.grid[0].evidence->log_validity);
    EXPECT_EQ(found.grid[0].gamma, type == kernel::KernelType::linear ? 0 : 0.5);
    ASSERT_NE(found.predictor, nullptr);
    options.method = selection::CrossValidation{.folds = 4};
    EXPECT_TRUE(run_selection(test::uneven_rows(40, 2, 1), options).grid[0].complete);
  }
}

TEST(KernelValidity, GivenKernelValuesHaveTheEvidenceOfTheirKernel) {
  const data::Dataset dataset = waves();
  selection::Options options = index_options("evidence", "5");
  options.preparation.scalings = {data::Scaling::none};
  const selection::Selection rbf = run_selection(dataset, options);
  kernel::Kernel kernel;
  kernel.gamma = 5;
  const data::DenseMatrix values = kernel::kernel_block(kernel, dataset.features, dataset.features);
  std::vector<std::string> labels;
  for (const int label : dataset.labels) labels.push_back(dataset.schema.classes[static_cast<std::size_t>(label)]);
  options.kernels.types = {kernel::KernelType::precomputed};
  options.kernels.gamma = kernel::parse_gammas("scale");
  const selection::Selection given = run_selection(data::make_dataset(data::Features(values), labels), options);
  ASSERT_EQ(given.grid.size(), 1U);
  EXPECT_NEAR(given.grid[0].error, rbf.grid[0].error, 1e-9);
  EXPECT_FALSE(given.grid[0].evidence->log_validity);
  EXPECT_NE(dynamic_cast<const rvm::RvmModel*>(given.predictor.get()), nullptr);
}

TEST(KernelValidity, RefusesWhatItCannotHave) {
  const auto refused = [](const char* method, const char* part, const auto& change) {
    expect_error(ErrorCode::invalid_argument, part, [&] {
      selection::Options options = test::rvm_options(method, "1");
      change(options);
      selection::Selector{options};
    });
  };
  const auto nothing = [](selection::Options&) {};
  for (const char* method : {"loo", "rademacher", "maximal-discrepancy"}) {
    const std::string sentence = "relevance vector machines are chosen by cv";
    refused(method, sentence.c_str(), nothing);
    selection::Options options;
    options.method = selection::method_named(method);
    options.model = selection::Learner::rvm;
    expect_error(ErrorCode::invalid_argument, sentence, [&] { selection::Selector{options}; });
    expect_error(ErrorCode::invalid_argument, std::string("not by ") + method, [&] { selection::Selector{options}; });
  }
  refused("kernel-validity", "nearest neighbours",
          [](selection::Options& o) { o.choose_from(selection::Learner::knn); });
  refused("cv", "nu: cv with rvm models does not use it", [](selection::Options& o) { o.costs.nu = {0.5}; });
  refused("cv", "class_weight: cv with rvm models",
          [](selection::Options& o) { o.costs.class_weights.balanced = true; });
  refused("evidence", "candidate centres", [](selection::Options& o) { o.rvms.centres = 0; });
  refused("kernel-validity", "margin above the null",
          [](selection::Options& o) { o.as<selection::KernelValidity>().null_margin = std::nan(""); });
  refused("max-margin", "geometric",
          [](selection::Options& o) { o.as<selection::MaxMargin>().margin = selection::Margin::geometric; });
  refused("bootstrap", "train SVMs", [](selection::Options& o) { o.as<selection::Bootstrap>().two_samples = true; });
  refused("bootstrap", "train SVMs",
          [](selection::Options& o) { test::set_final(o, selection::FinalClassifier::random); });
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
      test::set_resamples(options, 4);
      core::Threads threads(2);
      core::Monitor monitor([&](const core::Monitor::Progress& progress) { return progress.done < limit; });
      if (limit == 0) monitor.cancel();
      const core::Context context{threads, monitor};
      const selection::Selection found = selection::Selector(options).select(dataset, context);
      const auto complete =
          std::ranges::count_if(found.grid, [](const selection::Setting& setting) { return setting.complete; });
      EXPECT_EQ(found.best.has_value(), complete > 0 && method != std::string("nonconformity")) << method << limit;
      if (complete < 6) {
        EXPECT_EQ(found.stopped, core::StopReason::cancelled) << method << limit;
        EXPECT_EQ(found.predictor, nullptr) << method << limit;
        EXPECT_TRUE(found.calibration.empty()) << method << limit;
      }
      EXPECT_TRUE(limit > 0 || complete == 0);
      for (const selection::Setting& setting : found.grid) EXPECT_TRUE(setting.complete || !setting.evidence);
    }
  }
}

/// Stopped when all kernels are known, but the machine that they lead to is not.
TEST(KernelValidity, StoppedAtItsEndHasNoPredictor) {
  for (const selection::Learner learner : {selection::Learner::rvm, selection::Learner::svm}) {
    const selection::Options options =
        learner == selection::Learner::svm ? svm_options("0.5,5", {1, 10}) : index_options("kernel-validity", "0.5,5");
    core::Threads threads(1);
    core::Monitor monitor([&](const core::Monitor::Progress& progress) { return progress.done < 2; });
    const core::Context context{threads, monitor};
    const selection::Selection found = selection::Selector(options).select(waves(), context);
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
  selection::Selector(index_options("kernel-validity", "1,1e12,1e13,5")).select(waves(), context);
  EXPECT_EQ(done, 4U);
  EXPECT_EQ(total, 4U);
}

}  // namespace kernel_validity_choice_tests
