#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/kernel/gram.hpp"
#include "credence/selection/selector.hpp"
#include "selection/fit/fit_grid.hpp"
#include "support/counting_rows.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace many_classes_vs_libsvm_tests {

using namespace credence;
using test::random_clouds;
using test::Surroundings;

constexpr int folds = 4;

selection::Options small_grid() {
  selection::Options options;
  options.costs.C = core::parse_list("2^-3:2^9:x16");
  options.kernels.gamma = kernel::parse_gammas("0.05,0.4");
  options.preparation.scalings = {data::Scaling::none};
  options.estimate = selection::Estimate::none;
  options.costs.solver.tolerance = 1e-5;
  options.choose_one_svm();
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1,
                            std::size_t memory = 0) {
  Surroundings surroundings(threads);
  if (memory > 0) surroundings.context.memory_budget = memory;
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// Misclassified rows of LIBSVM's models of the folds. Classes that a fold's training rows lack are unknown to it.
double cost_of(int label, const std::map<int, double>& factors) {
  return factors.contains(label) ? factors.at(label) : 1;
}

/// Summed costs of the rows that LIBSVM misclassifies.
double libsvm_errors(const test::Clouds& clouds, const std::vector<int>& fold_of, const kernel::Kernel& kernel,
                     double C, const std::map<int, double>& factors) {
  double errors = 0;
  for (int fold = 0; fold < folds; ++fold) {
    const std::vector<std::size_t> training = test::fold_rows(fold_of, fold, false);
    const std::vector<std::size_t> held_out = test::fold_rows(fold_of, fold, true);
    std::vector<int> known;
    for (const std::size_t i : training) known.push_back(clouds.classes[i]);
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    std::vector<int> labels;
    for (const std::size_t i : training) {
      labels.push_back(
          static_cast<int>(std::lower_bound(known.begin(), known.end(), clouds.classes[i]) - known.begin()));
    }
    std::vector<double> of_known;
    for (const int c : known) of_known.push_back(cost_of(c, factors));
    const test::LibsvmModel model(test::rows_of_matrix(clouds.x, training), labels, kernel, C, 1e-5, of_known);
    const std::vector<int> predicted = model.labels(test::rows_of_matrix(clouds.x, held_out));
    for (std::size_t i = 0; i < held_out.size(); ++i)
      if (known[static_cast<std::size_t>(predicted[i])] != clouds.classes[held_out[i]])
        errors += cost_of(clouds.classes[held_out[i]], factors);
  }
  return errors;
}

void expect_libsvm(const selection::Selection& selection, const test::Clouds& clouds, const std::vector<int>& fold_of,
                   const kernel::Kernel& kernel, const std::map<int, double>& factors, const std::string& what) {
  double n = 0;
  double row = 1.01;
  for (std::size_t i = 0; i < fold_of.size(); ++i) {
    n += cost_of(clouds.classes[i], factors);
    row = std::max(row, 1.01 * cost_of(clouds.classes[i], factors));
  }
  double all = 0;
  for (const selection::Setting& setting : selection.grid) {
    kernel::Kernel own = kernel;
    own.gamma = setting.gamma;
    const double errors = libsvm_errors(clouds, fold_of, own, setting.C, factors);
    EXPECT_NEAR(setting.error * n, errors, row) << what << ", C " << setting.C << ", gamma " << setting.gamma;
    all += errors;
  }
  EXPECT_GT(all, 0.02 * n) << what << ": too easy to tell anything";
}

TEST(ManyClasses, EverySettingAgreesWithLibsvm) {
  for (const int classes : {6, 13}) {
    const test::Clouds clouds = random_clouds(260, 5, classes, 1.2, 21);
    data::Dataset dataset = clouds.dataset();
    dataset.folds = data::stratified_k_fold(dataset.labels, folds, 1);
    for (const kernel::KernelType type : {kernel::KernelType::rbf, kernel::KernelType::polynomial}) {
      selection::Options options = small_grid();
      options.kernels.types = {type};
      options.kernels.coef0 = 1;
      options.kernels.degree = 2;
      const std::string what = std::to_string(classes) + " classes, " + std::string(kernel::name(type));
      expect_libsvm(select(dataset, options), clouds, dataset.folds, options.kernels.shape().with(), {}, what);
    }
  }
}

TEST(ManyClasses, WeightsAndFoldsThatLackAClassAgreeWithLibsvm) {
  const test::Clouds clouds = random_clouds(210, 5, 7, 1.2, 22);
  data::Dataset dataset = clouds.dataset();
  dataset.folds = data::stratified_k_fold(dataset.labels, folds, 1);
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    if (dataset.labels[i] == 2) dataset.folds[i] = 1;  // no training row of it where fold 1 is left out
    if (dataset.labels[i] == 5) dataset.folds[i] = 1;
  }
  selection::Options options = small_grid();
  expect_libsvm(select(dataset, options), clouds, dataset.folds, options.kernels.shape().with(), {},
                "folds that lack a class");
  options.costs.class_weights.named = {{"b", 5}, {"g", 0.3}};
  expect_libsvm(select(dataset, options), clouds, dataset.folds, options.kernels.shape().with(), {{1, 5}, {6, 0.3}},
                "weights");
}

TEST(ManyClasses, PrecomputedKernelsAndLittleMemorySayTheSame) {
  const test::Clouds clouds = random_clouds(180, 5, 6, 1.2, 23);
  data::Dataset dataset = clouds.dataset();
  dataset.folds = data::stratified_k_fold(dataset.labels, folds, 1);
  selection::Options options = small_grid();
  options.kernels.gamma = kernel::parse_gammas("0.4");
  const selection::Selection all = select(dataset, options);
  const selection::Selection few = select(dataset, options, 1, 60 * kernel::padded(180) * sizeof(float));
  data::Dataset given = data::make_dataset(test::reference_block({.gamma = 0.4}, clouds.x, clouds.x), clouds.labels);
  given.folds = dataset.folds;
  options.kernels.types = {kernel::KernelType::precomputed};
  options.kernels.gamma = kernel::parse_gammas("scale");
  const selection::Selection precomputed = select(given, options);
  for (std::size_t k = 0; k < all.grid.size(); ++k) {
    EXPECT_NEAR(few.grid[k].error * 180, all.grid[k].error * 180, 1.01) << "little memory, setting " << k;
    EXPECT_NEAR(precomputed.grid[k].error * 180, all.grid[k].error * 180, 1.01) << "precomputed, setting " << k;
  }
}

TEST(ManyClasses, LeaveOneOutEqualsRefits) {
  const data::Dataset dataset = random_clouds(96, 5, 8, 1.2, 24).dataset();
  selection::Options options = small_grid();
  options.method = selection::LeaveOneOut{};
  data::Dataset each = dataset;
  each.folds.resize(each.rows());
  std::iota(each.folds.begin(), each.folds.end(), 0);
  selection::Options refits = small_grid();
  for (const selection::Loss loss : {selection::Loss::hard, selection::Loss::soft}) {
    test::set_loss(options, loss);
    test::set_loss(refits, loss);
    const selection::Selection fast = select(dataset, options);
    const selection::Selection slow = select(each, refits);
    for (std::size_t k = 0; k < fast.grid.size(); ++k) {
      const double allowed = loss == selection::Loss::hard ? 1.01 : 1e-2;
      EXPECT_NEAR(fast.grid[k].error * 96, slow.grid[k].error * 96, allowed) << "setting " << k;
    }
  }
}

TEST(ManyClasses, ThreadsDoNotMatter) {
  data::Dataset dataset = random_clouds(150, 5, 9, 1.0, 25).dataset();
  for (const char* method : {"cv", "loo", "bootstrap"}) {
    selection::Options options = small_grid();
    options.method = selection::method_named(method);
    test::set_resamples(options, 5);
    const selection::Selection one = select(dataset, options, 1);
    const selection::Selection three = select(dataset, options, 3);
    for (std::size_t k = 0; k < one.grid.size(); ++k) {
      EXPECT_EQ(one.grid[k].error, three.grid[k].error) << method;
      EXPECT_EQ(one.grid[k].n_sv, three.grid[k].n_sv) << method;
      EXPECT_EQ(one.grid[k].steps, three.grid[k].steps) << method;
    }
    EXPECT_EQ(one.calibration.nonconformity_scores, three.calibration.nonconformity_scores) << method;
  }
}

TEST(ManyClasses, ATaskReadsEachTrainingRowOnce) {
  const test::Clouds clouds = random_clouds(240, 5, 8, 1.0, 26);
  const data::Dataset dataset = clouds.dataset();
  const std::vector<int> fold_of = data::stratified_k_fold(dataset.labels, 10, 1);
  const std::vector<selection::Resample> resamples = selection::resamples_of_folds(fold_of);
  const selection::Options options = small_grid();
  const kernel::Kernel kernel{.gamma = 0.4};
  const kernel::Gram gram(kernel, kernel::Base(kernel.type, dataset.features));
  const auto rows = kernel::rows_of(gram);
  test::CountingRows counting(*rows);
  const core::Monitor monitor;
  selection::fit_paths(counting, dataset, options, resamples[0], {.judged = resamples[0].held_out()}, monitor);
  // Of 28 machines at four costs, whose support rows are among the training rows of all classes.
  EXPECT_LE(counting.count(), resamples[0].training_rows().size());
}

}  // namespace many_classes_vs_libsvm_tests
