#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace cross_validation_vs_refits_tests {

using namespace credence;
using test::expect_refits;
using test::random_clouds;
using test::Surroundings;

selection::Options small_grid(const char* C = "2^-3:2^7:x8", const char* gamma = "0.01,0.1,1") {
  selection::Options options;
  options.costs.C = core::parse_list(C);
  options.kernels.gamma = kernel::parse_gammas(gamma);
  test::set_folds(options, 5);
  options.costs.solver.tolerance = 1e-5;
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

/// Columns of very different sizes and offsets, so that scaling matters, and fixed folds.
data::Dataset uneven(std::size_t n, int classes, int folds, std::uint64_t seed) {
  test::Clouds clouds = random_clouds(n, 4, classes, 0.6, seed);
  for (std::size_t i = 0; i < n; ++i) {
    clouds.x.row(i)[1] = 50 * clouds.x.row(i)[1] + 1000;
    clouds.x.row(i)[2] = std::exp(2 * clouds.x.row(i)[2]);
  }
  data::Dataset dataset = clouds.dataset();
  if (folds > 0) dataset.folds = data::stratified_k_fold(dataset.labels, folds, seed);
  return dataset;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

TEST(CrossValidation, FoldScalingEqualsRefits) {
  for (const data::Scaling scaling : {data::Scaling::standard, data::Scaling::minmax}) {
    selection::Options options = small_grid();
    options.preparation.scalings = {scaling};
    const data::Dataset dataset = uneven(80, 2, 4, 1);
    expect_refits(select(dataset, options), options, dataset, dataset.folds, "fold scaling");
  }
}

TEST(CrossValidation, UnscaledEqualsRefits) {
  selection::Options options = small_grid();
  options.preparation.scalings = {data::Scaling::none};
  data::Dataset dataset = random_clouds(90, 5, 2, 0.6, 2).dataset();
  dataset.folds = data::stratified_k_fold(dataset.labels, 6, 1);
  for (const selection::ScaleScope scope : {selection::ScaleScope::fold, selection::ScaleScope::all}) {
    options.preparation.scope = scope;
    expect_refits(select(dataset, options), options, dataset, dataset.folds, "unscaled");
  }
}

TEST(CrossValidation, GammaWordsSeeTrainingRowsOnly) {
  selection::Options options = small_grid("2^-1:2^5:x8", "median,median*2^-1.5,scale");
  for (const auto& [scaling, type] : {std::pair{data::Scaling::none, kernel::KernelType::rbf},
                                      {data::Scaling::standard, kernel::KernelType::laplacian},
                                      {data::Scaling::quantile, kernel::KernelType::rbf},
                                      {data::Scaling::quantile, kernel::KernelType::laplacian}}) {
    options.preparation.scalings = {scaling};
    options.kernels.types = {type};
    data::Dataset dataset = random_clouds(90, 5, 2, 0.6, 2).dataset();
    dataset.folds = data::stratified_k_fold(dataset.labels, 3, 1);
    for (std::size_t i = 0; i < dataset.rows(); ++i) {
      // One fold far out: its rows would change every gamma that they had a say in.
      for (double& value : dataset.features.dense().row(i)) value *= dataset.folds[i] == 0 ? 100 : 1;
    }
    expect_refits(select(dataset, options), options, dataset, dataset.folds, "gamma by words");
  }
}

TEST(CrossValidation, ScalingOfAllRowsEqualsRefitsOnScaledRows) {
  selection::Options options = small_grid();
  options.preparation.scope = selection::ScaleScope::all;
  const data::Dataset dataset = uneven(80, 2, 4, 3);
  const selection::Selection selection = select(dataset, options);
  data::Dataset scaled = dataset;
  scaled.features = data::Preprocessing::fit(dataset, options.resolved().preparation.scaling()).apply(dataset);
  options.preparation.scalings = {data::Scaling::none};
  expect_refits(selection, options, scaled, dataset.folds, "all rows scaled");
}

TEST(CrossValidation, ManyClassesEqualRefits) {
  selection::Options options = small_grid("2^-3:2^5:x16", "0.05,0.5");
  const data::Dataset dataset = uneven(120, 4, 4, 4);
  for (const selection::ScaleScope scope : {selection::ScaleScope::fold, selection::ScaleScope::all}) {
    options.preparation.scope = scope;
    const selection::Selection selection = select(dataset, options);
    if (scope == selection::ScaleScope::fold) {
      expect_refits(selection, options, dataset, dataset.folds, "four classes");
    } else {
      data::Dataset scaled = dataset;
      scaled.features = data::Preprocessing::fit(dataset, options.resolved().preparation.scaling()).apply(dataset);
      selection::Options unscaled = options;
      unscaled.preparation.scalings = {data::Scaling::none};
      expect_refits(selection, unscaled, scaled, dataset.folds, "four classes, all rows scaled");
    }
  }
}

TEST(CrossValidation, OtherKernelsEqualRefits) {
  for (const kernel::Kernel& kernel : test::formula_kernels(4)) {
    if (kernel.type == kernel::KernelType::sigmoid) continue;  // indefinite: more than one stationary point
    selection::Options options = small_grid("0.1,1", "0.02,0.2");
    options.kernels.types = {kernel.type};
    options.kernels.coef0 = kernel.coef0;
    options.kernels.degree = kernel.degree;
    const data::Dataset dataset = uneven(60, 2, 3, 5);
    const selection::Selection selection = select(dataset, options);
    expect_refits(selection, options, dataset, dataset.folds, std::string(kernel::name(kernel.type)));
    for (const selection::Setting& setting : selection.grid) EXPECT_EQ(setting.gamma > 0, kernel.uses_gamma());
  }
}

TEST(CrossValidation, WeightsEqualRefits) {
  selection::Options options = small_grid();
  data::Dataset dataset = uneven(90, 3, 4, 6);
  for (std::size_t i = 0; i < 90; ++i) dataset.weights.push_back(0.5 + static_cast<double>(i % 5));
  options.costs.class_weights.balanced = true;
  expect_refits(select(dataset, options), options, dataset, dataset.folds, "balanced and sample weights");
  options.costs.class_weights = {};
  options.costs.class_weights.named["b"] = 6;
  expect_refits(select(dataset, options), options, dataset, dataset.folds, "named weights");
}

TEST(CrossValidation, DuplicatesAndMissingCellsEqualRefits) {
  selection::Options options = small_grid();
  options.preparation.missing = data::Missing::impute;
  data::Dataset dataset = uneven(60, 2, 4, 7);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 90; ++i) rows.push_back(i % 60);
  dataset = dataset.select_rows(rows);
  for (std::size_t i = 0; i < 90; i += 7) dataset.features.dense().row(i)[i % 4] = std::nan("");
  expect_refits(select(dataset, options), options, dataset, dataset.folds, "duplicates, missing values", 0.3);
}

TEST(CrossValidation, DefaultFoldsAreStratifiedFromTheSeed) {
  selection::Options options = small_grid();
  const data::Dataset dataset = uneven(75, 3, 0, 8);
  const std::vector<int> folds = data::stratified_k_fold(dataset.labels, test::folds_of(options), options.seed);
  expect_refits(select(dataset, options), options, dataset, folds, "stratified folds");
}

TEST(CrossValidation, GroupsStayTogether) {
  // Groups of three equal rows with a coin's label: a split group gives its label away, a whole one does not.
  core::RandomStream random(4, 4);
  const data::DenseMatrix points = test::random_matrix(60, 3, 9);
  test::Clouds clouds{data::DenseMatrix(180, 3), {}, {}};
  std::vector<int> groups;
  for (std::size_t i = 0; i < 180; ++i) {
    for (std::size_t j = 0; j < 3; ++j) clouds.x.row(i)[j] = points.row(i / 3)[j];
    if (i % 3 == 0)
      clouds.labels.push_back(random.below(2) == 0 ? "a" : "b");
    else
      clouds.labels.push_back(clouds.labels.back());
    groups.push_back(static_cast<int>(i / 3));
  }
  selection::Options options = small_grid("1000", "10");
  options.copies = data::Copies::keep;
  data::Dataset dataset = clouds.dataset();
  EXPECT_LT(select(dataset, options).grid.front().error, 0.05);
  dataset.groups = groups;
  const selection::Selection grouped = select(dataset, options);
  EXPECT_GT(grouped.grid.front().error, 0.3);
  expect_refits(grouped, options, dataset, data::grouped_k_fold(groups, test::folds_of(options), options.seed),
                "groups");
}

TEST(CrossValidation, EverySettingAgreesWithLibsvm) {
  selection::Options options = small_grid("2^-5:2^9:x16", "2^-9:2^3:x16");
  options.costs.solver.tolerance = 1e-3;
  options.preparation.scalings = {data::Scaling::none};
  for (const int classes : {2, 3}) {
    const test::Clouds clouds = random_clouds(200, 5, classes, 0.6, 10);
    data::Dataset dataset = clouds.dataset();
    dataset.folds = data::stratified_k_fold(dataset.labels, 5, 1);
    const selection::Selection selection = select(dataset, options);
    for (const selection::Setting& setting : selection.grid) {
      const kernel::Kernel kernel{.gamma = setting.gamma};
      double errors = 0;
      for (int fold = 0; fold < 5; ++fold) {
        const std::vector<std::size_t> training = test::fold_rows(dataset.folds, fold, false);
        const std::vector<std::size_t> held_out = test::fold_rows(dataset.folds, fold, true);
        std::vector<int> labels;
        for (const std::size_t i : training) labels.push_back(clouds.classes[i]);
        const test::LibsvmModel model(test::rows_of_matrix(clouds.x, training), labels, kernel, setting.C, 1e-3);
        const std::vector<int> predicted = model.labels(test::rows_of_matrix(clouds.x, held_out));
        for (std::size_t i = 0; i < held_out.size(); ++i) errors += predicted[i] != clouds.classes[held_out[i]] ? 1 : 0;
      }
      EXPECT_NEAR(setting.error * 200, errors, 2.01) << "C " << setting.C << ", gamma " << setting.gamma;
    }
  }
}

TEST(CrossValidation, TinyMemoryBudgetAgrees) {
  selection::Options options = small_grid();
  const data::Dataset dataset = uneven(200, 2, 4, 11);
  Surroundings surroundings;
  const core::Context tight{surroundings.threads, surroundings.monitor, 60 * kernel::padded(200) * sizeof(float)};
  const selection::Selection cached = selection::Selector(options).select(dataset, tight);
  expect_refits(cached, options, dataset, dataset.folds, "tiny memory budget");
}

}  // namespace cross_validation_vs_refits_tests
