#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace hold_out_methods_vs_refits_tests {

using namespace credence;
using test::random_clouds;
using test::Surroundings;

selection::Options small_options(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  options.costs.C = {0.25, 4, 64};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  options.costs.solver.tolerance = 1e-6;
  test::set_validation_rows(options, 25);
  options.seed = 5;
  options.choose_one_svm();
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

struct Parts {
  data::Dataset training;
  data::Dataset validation;
};

Parts parts_of(const data::Dataset& dataset, const selection::Options& options) {
  const std::vector<bool> held_out = selection::validation_split(dataset, options);
  std::vector<std::size_t> in;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? out : in).push_back(i);
  return {dataset.select_rows(in), dataset.select_rows(out)};
}

/// One training for each setting on the rows that are not held out, with the library's own train.
std::vector<svm::SvmModel> models_of(const data::Dataset& training, const selection::Options& options,
                                     const std::vector<selection::Setting>& settings) {
  Surroundings surroundings;
  std::vector<svm::SvmModel> models;
  for (const selection::Setting& setting : settings) {
    const auto train = test::train_options_of(options, setting.C, {kernel::GammaRule::Kind::value, setting.gamma});
    models.push_back(svm::train(training, train, surroundings.context).model);
  }
  return models;
}

std::size_t errors_of(const svm::SvmModel& model, const data::Dataset& rows) {
  Surroundings surroundings;
  const model::Prediction prediction = model.predict(rows, surroundings.context);
  std::size_t errors = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) errors += prediction.label[i] != rows.labels[i] ? 1U : 0U;
  return errors;
}

data::Dataset uneven_clouds(int classes, std::uint64_t seed) {
  test::Clouds clouds = random_clouds(150, 3, classes, 0.8, seed);
  for (std::size_t i = 0; i < 150; ++i) clouds.x.row(i)[1] = 100 * clouds.x.row(i)[1] + 7;
  return clouds.dataset();
}

TEST(HoldOutMethods, ValidationErrorsEqualRefits) {
  for (const int classes : {2, 4}) {
    const data::Dataset dataset = uneven_clouds(classes, 1);
    const selection::Options options = small_options("holdout");
    const selection::Selection found = select(dataset, options);
    const Parts parts = parts_of(dataset, options);
    const auto models = models_of(parts.training, options, found.grid);
    ASSERT_EQ(found.grid.size(), 6U);
    EXPECT_EQ(found.validation_rows, 25U);
    for (std::size_t k = 0; k < models.size(); ++k) {
      EXPECT_NEAR(found.grid[k].error * 25, static_cast<double>(errors_of(models[k], parts.validation)), 1e-9);
      EXPECT_EQ(found.grid[k].n_sv, static_cast<double>(models[k].support_count()));
    }
    EXPECT_EQ(found.best, test::expected_best(found.grid, found.grid.size()));
  }
}

TEST(HoldOutMethods, RefitOnTrainingRowsIsTheJudgedModel) {
  const data::Dataset dataset = uneven_clouds(2, 2);
  selection::Options options = small_options("holdout");
  options.refit = selection::Refit::training_rows;
  const selection::Selection found = select(dataset, options);
  const Parts parts = parts_of(dataset, options);
  const auto models = models_of(parts.training, options, found.grid);
  Surroundings surroundings;
  const auto predictor = selection::fitted(dataset, found, surroundings.context);
  const data::Dataset fresh = uneven_clouds(2, 3);
  EXPECT_EQ(predictor->predict(fresh, surroundings.context).label,
            models[*found.best].predict(fresh, surroundings.context).label);
  options.refit = selection::Refit::all_rows;
  const auto whole = selection::fitted(dataset, select(dataset, options), surroundings.context);
  EXPECT_EQ(whole->record.rows, 150U);
}

TEST(HoldOutMethods, VoteIsOfAllThatAttainTheSmallestError) {
  const data::Dataset dataset = uneven_clouds(3, 4);
  const selection::Options options = small_options("holdout-vote");
  const selection::Selection found = select(dataset, options);
  const Parts parts = parts_of(dataset, options);
  const auto models = models_of(parts.training, options, found.grid);
  std::vector<std::size_t> members;
  for (std::size_t k = 0; k < models.size(); ++k)
    if (found.grid[k].error == found.grid[*found.best].error) members.push_back(k);
  const auto* predictor = dynamic_cast<const selection::Ensemble*>(found.predictor.get());
  ASSERT_NE(predictor, nullptr);
  EXPECT_EQ(std::get<selection::VoteRule>(predictor->rule).members.size(), members.size());
  Surroundings surroundings;
  const data::Dataset fresh = uneven_clouds(3, 5);
  const std::vector<int> labels = predictor->predict(fresh, surroundings.context).label;
  std::map<std::size_t, std::vector<int>> said;
  for (const std::size_t k : members) said[k] = models[k].predict(fresh, surroundings.context).label;
  for (std::size_t i = 0; i < fresh.rows(); ++i) {
    std::map<int, int> votes;
    for (const std::size_t k : members) ++votes[said[k][i]];
    int most = 0;
    for (const auto& [label, count] : votes) most = std::max(most, count);
    EXPECT_EQ(votes[labels[i]], most);
  }
}

TEST(HoldOutMethods, MaxMarginFollowsTheLargestDecisionValue) {
  for (const selection::Margin margin : {selection::Margin::functional, selection::Margin::geometric}) {
    const data::Dataset dataset = uneven_clouds(2, 6);
    selection::Options options = small_options("max-margin");
    options.as<selection::MaxMargin>().margin = margin;
    const selection::Selection found = select(dataset, options);
    const Parts parts = parts_of(dataset, options);
    const auto models = models_of(parts.training, options, found.grid);
    Surroundings surroundings;
    const data::Dataset fresh = uneven_clouds(2, 7);
    const model::Prediction prediction = found.predictor->predict(fresh, surroundings.context);
    for (std::size_t i = 0; i < fresh.rows(); ++i) {
      double largest = -1;
      double decision = 0;
      for (const svm::SvmModel& model : models) {
        const std::vector<std::size_t> row{i};
        const data::Dataset one = fresh.select_rows(row);
        const double f = model.predict(one, surroundings.context).decision.row(0)[0];
        double squared = 0;
        const data::DenseMatrix gram = kernel::kernel_block(model.kernel, model.support_vectors, model.support_vectors);
        const auto& machine = model.machines[0];
        for (std::size_t a = 0; a < machine.support.size(); ++a) {
          for (std::size_t b = 0; b < machine.support.size(); ++b) {
            squared +=
                machine.coefficients[a] * machine.coefficients[b] * gram.row(machine.support[a])[machine.support[b]];
          }
        }
        const double size = std::abs(f) / (margin == selection::Margin::geometric ? std::sqrt(squared) : 1.0);
        if (size > largest) {
          largest = size;
          decision = f;
        }
      }
      EXPECT_EQ(prediction.label[i], decision > 0 ? 1 : 0) << i;
    }
  }
}

TEST(HoldOutMethods, NonconformityScoresAreThoseOfTheModels) {
  const data::Dataset dataset = uneven_clouds(2, 8);
  const selection::Options options = small_options("nonconformity");
  const selection::Selection found = select(dataset, options);
  const Parts parts = parts_of(dataset, options);
  const auto models = models_of(parts.training, options, found.grid);
  const auto* predictor = dynamic_cast<const selection::Ensemble*>(found.predictor.get());
  ASSERT_NE(predictor, nullptr);
  const auto& rule = std::get<selection::NonconformityRule>(predictor->rule);
  ASSERT_EQ(rule.models(), models.size());
  ASSERT_EQ(rule.validation_rows(), 25U);
  Surroundings surroundings;
  for (std::size_t k = 0; k < models.size(); ++k) {
    const model::Prediction validation = models[k].predict(parts.validation, surroundings.context);
    std::vector<double> margins;
    for (std::size_t i = 0; i < 25; ++i)
      margins.push_back((parts.validation.labels[i] == 1 ? 1 : -1) * validation.decision.row(i)[0]);
    std::sort(margins.begin(), margins.end());
    for (std::size_t j = 0; j < 25; ++j)
      EXPECT_NEAR(rule.margins().row(k)[j], margins[j], 1e-4 * (1 + std::abs(margins[j])));
    EXPECT_EQ(rule.validation_errors()[k], errors_of(models[k], parts.validation));
  }
  EXPECT_FALSE(found.best.has_value());
  ASSERT_TRUE(found.honest.has_value());
  EXPECT_EQ(found.honest->method, "bbc");
}

TEST(HoldOutMethods, ValidationRowsNeverInfluenceTheModels) {
  const data::Dataset dataset = uneven_clouds(2, 9);
  selection::Options options = small_options("max-margin");
  options.copies = data::Copies::keep;  // the changed rows are equal
  const std::vector<bool> held_out = selection::validation_split(dataset, options);
  data::Dataset changed = dataset;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    if (!held_out[i]) continue;
    changed.labels[i] = 1 - changed.labels[i];
    for (double& value : changed.features.dense().row(i)) value = 1e4 + static_cast<double>(i);
  }
  Surroundings surroundings;
  const data::Dataset fresh = uneven_clouds(2, 10);
  EXPECT_EQ(select(dataset, options).predictor->predict(fresh, surroundings.context).label,
            select(changed, options).predictor->predict(fresh, surroundings.context).label);
}

TEST(HoldOutMethods, HaveNoChoiceOfTheScope) {
  // Validation rows have no say in scaling or gamma.
  const data::Dataset dataset = uneven_clouds(2, 16);
  selection::Options options = small_options("nonconformity");
  options.kernels.gamma = kernel::parse_gammas("scale,median");
  EXPECT_EQ(select(dataset, options).scale_scope, selection::ScaleScope::fold);
  options.preparation.scope = selection::ScaleScope::all;
  test::expect_error(ErrorCode::invalid_argument, "scale_scope", [&] { selection::Selector selector(options); });
}

TEST(HoldOutMethods, StoppedRunsJudgeNothing) {
  const data::Dataset dataset = uneven_clouds(2, 18);
  for (const std::string method : {"nonconformity", "max-margin", "holdout", "holdout-vote"}) {
    std::size_t calls = 0;
    core::Threads threads(1);
    core::Monitor monitor([&](const core::Monitor::Progress&) { return ++calls < 2; });
    const selection::Selection found = selection::Selector(small_options(method)).select(dataset, {threads, monitor});
    EXPECT_EQ(found.stopped, core::StopReason::cancelled) << method;
    EXPECT_FALSE(found.best.has_value()) << method;
    EXPECT_EQ(found.predictor, nullptr) << method;
    for (const selection::Setting& setting : found.grid) EXPECT_FALSE(setting.complete) << method;
  }
}

TEST(HoldOutMethods, RowsWithoutAFiniteKernelAreRefused) {
  selection::Options options = small_options("nonconformity");
  options.kernels.types = {kernel::KernelType::linear};
  const data::Dataset dataset = uneven_clouds(2, 19);
  const selection::Selection found = select(dataset, options);
  data::Dataset far = dataset;
  for (double& value : far.features.dense().row(3)) value = 1e308;
  Surroundings surroundings;
  test::expect_error(ErrorCode::invalid_data, "finite", [&] { found.predictor->predict(far, surroundings.context); });
}

TEST(HoldOutMethods, NoFeasibleCostIsSaid) {
  for (const std::string method : {"cv", "loo", "bootstrap", "nonconformity", "max-margin", "holdout"}) {
    selection::Options options = small_options(method);
    options.costs.nu = {1.0};
    test::expect_error(ErrorCode::invalid_data, "nu", [&] {
      test::Clouds clouds = random_clouds(150, 3, 2, 0.8, 14);
      for (std::size_t i = 0; i < 150; ++i) clouds.labels[i] = i < 40 ? "a" : "b";
      select(clouds.dataset(), options);
    });
  }
}

TEST(HoldOutMethods, NearestNeighboursAreTheSecondLearner) {
  const data::Dataset dataset = uneven_clouds(3, 11);
  for (const std::string method : {"nonconformity", "max-margin", "holdout", "holdout-vote"}) {
    selection::Options options = small_options(method);
    options.choose_from(selection::Learner::knn);
    options.k = {1, 3, 7};
    const selection::Selection found = select(dataset, options);
    ASSERT_EQ(found.grid.size(), 3U);
    EXPECT_EQ(found.grid[1].k, 3);
    ASSERT_NE(found.predictor, nullptr) << method;
    Surroundings surroundings;
    const data::Dataset fresh = uneven_clouds(3, 11);
    const model::Prediction prediction = found.predictor->predict(fresh, surroundings.context);
    std::size_t errors = 0;
    for (std::size_t i = 0; i < fresh.rows(); ++i) errors += prediction.label[i] != fresh.labels[i] ? 1U : 0U;
    EXPECT_LT(errors, 60U) << method;
  }
  selection::Options options = small_options("cv");
  test::expect_error(ErrorCode::invalid_argument, "nearest neighbours",
                     [&] { options.choose_from(selection::Learner::knn); });
  options.model = selection::Learner::knn;
  test::expect_error(ErrorCode::invalid_argument, "nearest neighbours", [&] { selection::Selector{options}; });
}

TEST(HoldOutMethods, ThreadsDoNotMatter) {
  const data::Dataset dataset = uneven_clouds(3, 12);
  for (const std::string method : {"nonconformity", "max-margin", "holdout", "holdout-vote"}) {
    const selection::Options options = small_options(method);
    const selection::Selection one = select(dataset, options, 1);
    const selection::Selection two = select(dataset, options, 2);
    for (std::size_t k = 0; k < one.grid.size(); ++k) EXPECT_EQ(one.grid[k].error, two.grid[k].error);
    ASSERT_TRUE(one.honest && two.honest) << method;
    EXPECT_EQ(one.honest->error, two.honest->error) << method;
  }
}

TEST(HoldOutMethods, SplitsThatCannotBeMadeAreRefused) {
  const data::Dataset dataset = uneven_clouds(2, 13);
  selection::Options options = small_options("nonconformity");
  test::set_validation_rows(options, 149);
  test::expect_error(ErrorCode::invalid_data, "held out", [&] { select(dataset, options); });
  test::set_validation_rows(options, 0);
  test::expect_error(ErrorCode::invalid_argument, "validation: 0 is not at least 1",
                     [&] { selection::Selector{options}; });
}

TEST(HoldOutMethods, OneValidationRowOrGroupLeavesNoEstimate) {
  data::Dataset dataset = uneven_clouds(2, 15);
  for (const std::string method : {"nonconformity", "holdout", "holdout-vote"}) {
    selection::Options options = small_options(method);
    test::set_validation_rows(options, 1);
    const selection::Selection one = select(dataset, options);
    EXPECT_FALSE(one.honest.has_value()) << method;
    EXPECT_EQ(one.warnings.size(), 1U) << method;
    data::Dataset grouped = dataset;
    for (std::size_t i = 0; i < grouped.rows(); ++i) grouped.groups.push_back(static_cast<int>(i % 3));
    const selection::Selection group = select(grouped, options);
    EXPECT_EQ(group.validation_rows, 50U);
    EXPECT_FALSE(group.honest.has_value()) << method;
  }
}

TEST(HoldOutMethods, PaperSizesOfTheValidationSet) {
  selection::Options options;
  const auto count = [&](std::size_t n) {
    const data::Dataset dataset = random_clouds(n, 2, 2, 1, 1).dataset();
    const std::vector<bool> rows = selection::validation_split(dataset, options);
    return std::count(rows.begin(), rows.end(), true);
  };
  EXPECT_EQ(count(49), 9);
  EXPECT_EQ(count(240), 48);
  EXPECT_EQ(count(260), 50);
}

TEST(HoldOutMethods, SettingsWithoutAMachineAreLeftOut) {
  // 40 of a, 110 of b: nu cannot exceed 80/150.
  test::Clouds clouds = random_clouds(150, 3, 2, 0.8, 14);
  for (std::size_t i = 0; i < 150; ++i) clouds.labels[i] = i < 40 ? "a" : "b";
  selection::Options options = small_options("nonconformity");
  options.costs.nu = {0.9, 0.5, 0.4};
  const selection::Selection found = select(clouds.dataset(), options);
  ASSERT_EQ(found.grid.size(), 6U);
  for (const selection::Setting& setting : found.grid) {
    EXPECT_EQ(setting.infeasible, setting.nu == 0.9);
    EXPECT_EQ(setting.complete, setting.nu != 0.9);
  }
  const auto* predictor = dynamic_cast<const selection::Ensemble*>(found.predictor.get());
  ASSERT_NE(predictor, nullptr);
  EXPECT_EQ(predictor->names.size(), 4U);
  EXPECT_EQ(found.stopped, core::StopReason::none);
  EXPECT_FALSE(found.warnings.empty());
}

}  // namespace hold_out_methods_vs_refits_tests
