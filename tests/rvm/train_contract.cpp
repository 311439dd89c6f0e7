#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/core/version.hpp"
#include "credence/rvm/train.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::rvm {
namespace train_contract_tests {

using kernel::KernelType;
using test::expect_error;
using test::Surroundings;

TrainOptions options_with(double gamma = 2, KernelType type = KernelType::rbf) {
  TrainOptions options;
  options.kernel.type = type;
  options.gamma.value = gamma;
  return options;
}

data::Dataset clouds(std::size_t rows, int classes, double distance = 1.5, std::uint64_t seed = 3) {
  return test::random_clouds(rows, 3, classes, distance, seed).dataset();
}

double share_right(const std::vector<int>& labels, const std::vector<int>& truth) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == truth[i] ? 1U : 0U;
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

data::Dataset wave(std::size_t rows, std::uint64_t seed, double noise = 0.1) {
  core::RandomStream random(seed, 55);
  data::DenseMatrix x(rows, 1);
  std::vector<double> targets;
  for (std::size_t i = 0; i < rows; ++i) {
    x.values[i] = 6 * random.uniform();
    targets.push_back(std::sin(x.values[i]) + noise * random.normal());
  }
  return data::make_regression_dataset(data::Features(x), targets);
}

TEST(RvmTrain, LearnsClassesAndKeepsOnlyTheCentresItNeeds) {
  Surroundings surroundings;
  for (const int classes : {2, 3, 5}) {
    const data::Dataset rows = clouds(120, classes);
    const TrainResult result = train(rows, options_with(), surroundings.context);
    const RvmModel& model = result.model;
    ASSERT_EQ(model.machines.size(), classes == 2 ? 1U : static_cast<std::size_t>(classes));
    const auto prediction = model.predict(rows, surroundings.context);
    EXPECT_GT(share_right(prediction.label, rows.labels), classes == 2 ? 0.85 : 0.7) << classes;
    EXPECT_LT(model.centre_count(), 70U);
    std::vector<bool> used(model.centre_count(), false);
    for (const Machine& machine : model.machines) {
      for (const std::uint32_t centre : machine.centres) used.at(centre) = true;
      EXPECT_EQ(machine.weights.size(), machine.centres.size());
      EXPECT_EQ(machine.covariance.rows, machine.weights.size() + (machine.has_bias ? 1U : 0U));
    }
    EXPECT_TRUE(std::ranges::all_of(used, [](bool one) { return one; })) << "a centre that no machine has";
    EXPECT_TRUE(std::ranges::is_sorted(model.centre_rows));
    EXPECT_EQ(std::accumulate(model.class_counts.begin(), model.class_counts.end(), std::size_t{0}), 120U);
    for (std::size_t i = 0; i < 120; ++i) {
      for (const auto* table : {&prediction.probability, &prediction.moderated}) {
        const auto p = table->row(i);
        EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1, 1e-14);
      }
    }
  }
}

/// y of the model is Phi w of the fit: no weight is lost or misplaced on the way.
TEST(RvmTrain, TheModelSaysWhatTheFitSays) {
  Surroundings surroundings;
  const data::Dataset rows = clouds(80, 3);
  const data::Preprocessing preprocessing = data::Preprocessing::fit(rows, data::Scaling::minmax);
  for (const std::size_t centres : {80U, 30U}) {
    const Problem problem = make_problem(rows, preprocessing.apply(rows), KernelType::rbf, centres, 4);
    const kernel::Kernel kernel{.type = KernelType::rbf, .gamma = 5};
    const KernelFit fit = fit_kernel(problem, kernel, {}, {}, true, surroundings.context);
    const RvmModel model = model_of(problem, fit, rows);
    const Basis basis = basis_of(problem, kernel);
    const auto decision = model.predict_preprocessed(problem.rows, surroundings.context).decision;
    for (std::size_t m = 0; m < 3; ++m) {
      ASSERT_FALSE(fit.machines[m].null_model);
      for (std::size_t n = 0; n < 80; ++n) {
        double y = 0;
        for (std::size_t a = 0; a < fit.machines[m].columns.size(); ++a)
          y += fit.machines[m].weights[a] * basis.column(fit.machines[m].columns[a])[n];
        EXPECT_NEAR(decision.row(n)[m], y, 1e-10 * (1 + std::abs(y)));
      }
      EXPECT_EQ(model.machines[m].log_evidence, fit.machines[m].log_evidence);
    }
    double evidence = 0;
    double validity = 0;
    for (std::size_t m = 0; m < 3; ++m) {
      evidence += fit.machines[m].log_evidence;
      validity += fit.validity.at(m).log_validity;
    }
    EXPECT_DOUBLE_EQ(fit.log_evidence, evidence);
    EXPECT_DOUBLE_EQ(fit.log_validity, validity);
    EXPECT_EQ(model.kernel.gamma, 5);
  }
}

TEST(RvmTrain, LearnsARegression) {
  Surroundings surroundings;
  const TrainResult result = train(wave(80, 1), options_with(8), surroundings.context);
  EXPECT_EQ(result.model.schema.task, data::Task::regression);
  EXPECT_TRUE(result.model.class_counts.empty());
  const data::Dataset fresh = wave(400, 2, 0);
  const auto prediction = result.model.predict(fresh, surroundings.context);
  double square = 0;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    const double error = prediction.mean[i] - fresh.targets[i];
    square += error * error;
    inside += std::abs(error) < 2 * prediction.sd[i] ? 1U : 0U;
  }
  EXPECT_LT(std::sqrt(square / 400), 0.05);
  EXPECT_GT(inside, 380U);
  EXPECT_NEAR(std::sqrt(result.model.machines[0].noise_variance), 0.1, 0.03);
}

TEST(RvmTrain, RecordsHowTheModelCameToBe) {
  Surroundings surroundings;
  TrainOptions options = options_with();
  options.seed = 42;
  options.centres = 20;
  options.missing = data::Missing::drop;
  const RvmModel model = train(clouds(60, 2), options, surroundings.context).model;
  EXPECT_EQ(model.record.method, "train");
  EXPECT_EQ(model.record.rows, 60U);
  EXPECT_EQ(model.record.seed, 42U);
  EXPECT_EQ(model.record.version, version());
  EXPECT_EQ(model.missing, data::Missing::drop);
  EXPECT_EQ(model.preprocessing.scaling, data::Scaling::minmax);
  EXPECT_LE(model.centre_count(), 20U);
  EXPECT_EQ(model.schema.classes, (std::vector<std::string>{"a", "b"}));
}

TEST(RvmTrain, DoesNotDependOnThreads) {
  Surroundings one(1);
  Surroundings three(3);
  const data::Dataset rows = clouds(90, 4);
  const data::Dataset fresh = clouds(50, 4, 1.5, 8);
  const RvmModel a = train(rows, options_with(), one.context).model;
  const RvmModel b = train(rows, options_with(), three.context).model;
  EXPECT_EQ(a.centre_rows, b.centre_rows);
  EXPECT_EQ(a.predict(fresh, one.context).moderated.values, b.predict(fresh, three.context).moderated.values);
}

/// Kernel values given, or computed: the same model.
TEST(RvmTrain, TakesAPrecomputedKernel) {
  Surroundings surroundings;
  const data::Dataset rows = clouds(70, 3);
  const data::Dataset fresh = clouds(20, 3, 1.5, 9);
  const kernel::Kernel rbf{.type = KernelType::rbf, .gamma = 0.3};
  TrainOptions options = options_with(0.3);
  options.scaling = data::Scaling::none;
  const RvmModel computed = train(rows, options, surroundings.context).model;
  data::Dataset given = rows;
  given.features = kernel::kernel_block(rbf, rows.features, rows.features);
  given.schema.columns.assign(70, {"k", {}, {}});
  data::Dataset given_fresh = fresh;
  given_fresh.features = kernel::kernel_block(rbf, fresh.features, rows.features);
  options = options_with(1, KernelType::precomputed);  // scaling: not looked at
  const TrainResult result = train(given, options, surroundings.context);
  EXPECT_EQ(result.model.centre_rows, computed.centre_rows);
  EXPECT_TRUE(result.fit.validity.empty());
  EXPECT_EQ(result.model.preprocessing.scaling, data::Scaling::none);
  const auto a = computed.predict(fresh, surroundings.context);
  const auto b = result.model.predict(given_fresh, surroundings.context);
  for (std::size_t k = 0; k < a.moderated.values.size(); ++k)
    EXPECT_NEAR(a.moderated.values[k], b.moderated.values[k], 1e-12);
  data::Dataset narrow = given;
  narrow.features = rows.features;
  narrow.schema = rows.schema;
  expect_error(ErrorCode::invalid_data, "as many columns as rows",
               [&] { train(narrow, options, surroundings.context); });
}

/// A null model is a constant: what else it has says nothing, and its bias alone, or the majority, is left.
TEST(RvmTrain, OfANullModelOnlyTheBiasIsTaken) {
  Surroundings surroundings;
  const data::Dataset rows = clouds(40, 2);
  const Problem problem = make_problem(rows, rows.features, KernelType::rbf, {}, 0);
  for (const bool bias : {true, false}) {
    KernelFit fit;
    Fit& machine = fit.machines.emplace_back();
    machine.columns = {bias ? 0U : 3U, 7U};
    machine.weights = {-0.8, 1e-13};
    machine.covariance = data::DenseMatrix(2, 2);
    machine.covariance.values = {0.3, 0.1, 0.1, 0.2};
    machine.status = Status::plateau;
    machine.null_model = true;
    const RvmModel model = model_of(problem, fit, rows);
    EXPECT_EQ(model.centre_count(), 0U);
    EXPECT_TRUE(model.machines[0].null_model);
    EXPECT_EQ(model.machines[0].has_bias, bias);
    EXPECT_EQ(model.machines[0].bias, bias ? -0.8 : 0);
    EXPECT_EQ(model.machines[0].covariance.values, bias ? std::vector<double>{0.3} : std::vector<double>{});
    const auto prediction = model.predict_preprocessed(rows.features, surroundings.context);
    for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(prediction.decision.row(i)[0], bias ? -0.8 : 0);
  }
}

/// Labels drawn by lot: where the fit says that there is nothing to be learnt, the share of the classes is predicted.
TEST(RvmTrain, NullModelsPredictTheShareOfTheClasses) {
  Surroundings surroundings;
  data::Dataset rows = clouds(60, 2);
  std::ranges::fill(rows.labels, 0);
  for (std::size_t i = 0; i < 60; i += 4) rows.labels[i] = 1;
  std::size_t null_models = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    core::RandomStream(seed, 5).shuffle(rows.labels);
    const TrainResult result = train(rows, options_with(0.5, KernelType::linear), surroundings.context);
    if (!result.fit.machines[0].null_model) continue;
    ++null_models;
    const auto prediction = result.model.predict(rows, surroundings.context);
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_EQ(prediction.label[i], 0);
      EXPECT_EQ(prediction.probability.row(i)[1], prediction.probability.row(0)[1]);
    }
    EXPECT_NEAR(prediction.probability.row(0)[1], 0.25, 0.06);
  }
  EXPECT_GT(null_models, 0U);
}

/// A class of more than two that does not occur. Closed form: the fixed point of the method note's O14 for 60 rows.
TEST(RvmTrain, AnAbsentClassIsImprobableButPossible) {
  Surroundings surroundings;
  data::Dataset rows = clouds(60, 2);
  rows.schema.classes.emplace_back("z");
  const TrainResult result = train(rows, options_with(), surroundings.context);
  ASSERT_EQ(result.model.machines.size(), 3U);
  const Fit& absent = result.fit.machines[2];
  EXPECT_EQ(absent.columns, std::vector<std::uint32_t>{0});
  EXPECT_NEAR(absent.weights[0], -6.0446, 5e-5);
  EXPECT_NEAR(absent.alpha[0], 0.02348, 5e-6);
  EXPECT_NEAR(absent.log_evidence, -1.5461, 5e-5);
  EXPECT_TRUE(result.model.machines[2].null_model);
  EXPECT_EQ(result.model.class_counts, (std::vector<std::size_t>{30, 30, 0}));
  for (const int label : result.model.predict(rows, surroundings.context).label) EXPECT_NE(label, 2);
  const Problem problem = make_problem(rows, rows.features, KernelType::rbf, {}, 0);
  const double two = rvm::null_evidence(problem.targets[0], data::Task::classification, {});
  EXPECT_NEAR(null_evidence(problem, {}), 2 * two + absent.log_evidence, 1e-6);
}

/// The constant is what the fit of a bias comes to: gamma = alpha w^2, gradient 0, and the posterior says the same.
TEST(RvmTrain, TheConstantIsAFixedPointOfTheFit) {
  Surroundings surroundings;
  for (const std::size_t n : {3U, 60U, 5000U}) {
    data::Dataset rows = test::random_clouds(n, 1, 2, 1, 3).dataset();
    rows.schema.classes.emplace_back("z");
    const Problem problem = make_problem(rows, rows.features, KernelType::rbf, 1, 0);
    const KernelFit fit = fit_kernel(problem, {}, {}, {}, true, surroundings.context);
    const Fit& absent = fit.machines[2];
    const std::uint32_t bias[] = {0};
    const Posterior exact = posterior(basis_of(problem, {}), bias, absent.alpha, problem.targets[2],
                                      data::Task::classification, 1, true, surroundings.context, 1e-24);
    EXPECT_NEAR(absent.weights[0], exact.weights[0], 1e-7);
    EXPECT_NEAR(absent.gamma[0], absent.alpha[0] * absent.weights[0] * absent.weights[0], 1e-10);
    EXPECT_NEAR(absent.gamma[0], exact.gamma[0], 1e-8);
    EXPECT_NEAR(absent.log_likelihood, exact.log_likelihood, 1e-8);
    EXPECT_NEAR(absent.log_posterior, exact.log_posterior, 1e-8);
    EXPECT_NEAR(absent.log_hessian, exact.log_hessian, 1e-6);
    EXPECT_NEAR(absent.log_evidence, exact.log_evidence, 1e-6);
    EXPECT_NEAR(absent.covariance.values[0], exact.covariance.values[0], 1e-7 * exact.covariance.values[0]);
  }
}

/// Numbers with gaps and names: as for every other model.
TEST(RvmTrain, TakesCategoriesAndMissingCells) {
  Surroundings surroundings;
  data::Dataset rows = clouds(90, 2);
  rows.schema.columns[1] = {"colour", data::ColumnKind::categorical, {"blue", "green", "red"}};
  for (std::size_t i = 0; i < 90; ++i) {
    rows.features.dense().row(i)[1] = static_cast<double>(rows.labels[i] == 1 ? 2 : i / 2 % 2);
    if (i % 7 == 0) rows.features.dense().row(i)[2] = std::numeric_limits<double>::quiet_NaN();
    if (i % 11 == 0) rows.features.dense().row(i)[1] = std::numeric_limits<double>::quiet_NaN();
  }
  TrainOptions options = options_with(0.5);
  options.missing = data::Missing::impute;
  const RvmModel model = train(rows, options, surroundings.context).model;
  EXPECT_EQ(model.preprocessing.columns(), 5U);
  EXPECT_EQ(model.centres.columns(), 5U);
  const auto prediction = model.predict(rows, surroundings.context);
  EXPECT_GT(share_right(prediction.label, rows.labels), 0.9) << "the colour nearly tells the class";
  for (const double p : prediction.moderated.values) EXPECT_TRUE(std::isfinite(p));
  data::Dataset narrow = rows;
  narrow.features = data::DenseMatrix(90, 2);
  expect_error(ErrorCode::invalid_data, "3 feature columns", [&] { model.predict(narrow, surroundings.context); });
}

TEST(RvmTrain, NamesAllProblemsAtOnce) {
  EXPECT_TRUE(TrainOptions{}.validate().empty());
  TrainOptions options = options_with(-1);
  options.centres = 0;
  options.fit.max_iterations = 0;
  EXPECT_EQ(options.validate().size(), 3U);
  Surroundings surroundings;
  expect_error(ErrorCode::invalid_argument, "gamma", [&] { train(clouds(20, 2), options, surroundings.context); });
}

TEST(RvmTrain, RefusesWhatDoesNotFitIntoMemory) {
  Surroundings surroundings;
  const core::Context small{surroundings.threads, surroundings.monitor, 100000};
  expect_error(ErrorCode::memory, "fewer candidate centres", [&] { train(clouds(200, 2), options_with(), small); });
  TrainOptions options = options_with();
  options.centres = 10;
  EXPECT_NO_THROW(train(clouds(200, 2), options, small));
}

/// All columns, a subset, a regression: the memory that is said is what is asked for, to the byte.
TEST(RvmTrain, NeedsTheMemoryThatIsSaid) {
  Surroundings surroundings;
  for (const auto& rows : {clouds(60, 2), wave(60, 1)}) {
    for (const std::size_t centres : {60U, 20U}) {
      const Problem problem = make_problem(rows, rows.features, KernelType::rbf, centres, 0);
      const std::size_t needed = fit_memory(60, centres, problem.task).least();
      const auto within = [&](std::size_t bytes) {
        return fit_machines(problem, {}, {}, false, {surroundings.threads, surroundings.monitor, bytes});
      };
      EXPECT_EQ(within(needed).machines.size(), 1U);
      expect_error(ErrorCode::memory, "fewer candidate centres", [&] { within(needed - 1); });
    }
  }
  const std::size_t square = 8 * 61 * 61;
  const std::size_t slim = 8 * 60 * 61;
  EXPECT_EQ(fit_memory(60, 60, data::Task::classification).least(), 3 * slim + square + 2 * 8 * 60 * 60);
  EXPECT_EQ(fit_memory(60, 60, data::Task::regression).least(), 2 * slim + 2 * square);
  EXPECT_EQ(fit_memory(60, 20, data::Task::classification).least(), 8U * (2 * 60 * 21 + 21 * 21));
}

TEST(RvmTrain, AModelNeedsNoIndex) {
  Surroundings surroundings;
  const data::Dataset rows = test::random_clouds(40, 3000, 2, 1.0, 6).dataset();
  const core::Context small{surroundings.threads, surroundings.monitor, 2000000};
  TrainOptions options = options_with(0.001);
  expect_error(ErrorCode::memory, "the evidence needs no index", [&] { train(rows, options, small); });
  options.index = false;
  const TrainResult result = train(rows, options, small);
  EXPECT_TRUE(result.fit.validity.empty());
  EXPECT_GT(result.model.centre_count(), 0U);
}

TEST(RvmTrain, OneMachineAtATimeWhereMemoryIsShort) {
  Surroundings surroundings(3);
  const data::Dataset rows = clouds(60, 4);
  const core::Context small{surroundings.threads, surroundings.monitor, 180000};
  const RvmModel a = train(rows, options_with(), small).model;
  const RvmModel b = train(rows, options_with(), surroundings.context).model;
  EXPECT_EQ(a.predict(rows, small).moderated.values, b.predict(rows, small).moderated.values);
}

TEST(RvmTrain, StopsWhenAsked) {
  Surroundings surroundings;
  surroundings.monitor.cancel();
  expect_error(ErrorCode::interrupted, "stopped", [&] { train(clouds(60, 3), options_with(), surroundings.context); });
  const data::Dataset rows = clouds(60, 2);
  const Problem problem = make_problem(rows, rows.features, KernelType::rbf, {}, 0);
  const KernelFit fit = fit_kernel(problem, {}, {}, {}, true, surroundings.context);
  EXPECT_TRUE(fit.stopped());
  EXPECT_TRUE(fit.validity.empty());
  expect_error(ErrorCode::interrupted, "stopped", [&] { model_of(problem, fit, rows); });
}

TEST(RvmTrain, AModelNeedsCovariances) {
  Surroundings surroundings;
  const data::Dataset rows = clouds(40, 2);
  const Problem problem = make_problem(rows, rows.features, KernelType::rbf, {}, 0);
  const KernelFit fit = fit_kernel(problem, {}, {}, {}, false, surroundings.context);
  expect_error(ErrorCode::invalid_argument, "covariances", [&] { model_of(problem, fit, rows); });
}

TEST(RvmTrain, SaysWhichKernelValuesAreNotFinite) {
  Surroundings surroundings;
  data::Dataset rows = clouds(40, 2);
  rows.features.dense().values[3] = 1e200;
  TrainOptions options = options_with(1, KernelType::polynomial);
  options.scaling = data::Scaling::none;
  expect_error(ErrorCode::invalid_data, "finite", [&] { train(rows, options, surroundings.context); });
}

}  // namespace train_contract_tests
}  // namespace credence::rvm
