#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "credence/conformal/transductive_svm.hpp"
#include "credence/kernel/gram.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace transductive_svm_contract_tests {

using test::Clouds;
using test::expect_error;
using test::Surroundings;

TransductiveSvmOptions some_options() {
  TransductiveSvmOptions options;
  options.kernel.gamma = 0.3;
  options.C = 2;
  return options;
}

struct Sets {
  Clouds known = test::random_clouds(70, 4, 3, 1, 21);
  data::DenseMatrix fresh = test::random_matrix(13, 4, 22, 1.5);
  TransductiveSvmOptions options = some_options();

  TransductiveSvm machine(const Surroundings& surroundings) const {
    return {known.x, known.classes, 3, options, surroundings.context};
  }
};

TEST(TransductiveSvm, ThreadsDoNotMatter) {
  const Sets sets;
  const Surroundings one(1);
  const Surroundings two(2);
  TransductiveCost cost_one;
  TransductiveCost cost_two;
  const Ranks ranks_one = sets.machine(one).ranks(sets.fresh, false, one.context, cost_one);
  const Ranks ranks_two = sets.machine(two).ranks(sets.fresh, false, two.context, cost_two);
  EXPECT_EQ(ranks_one.values, ranks_two.values);
  EXPECT_EQ(cost_one.problems, cost_two.problems);
  EXPECT_EQ(cost_one.unchanged, cost_two.unchanged);
  EXPECT_EQ(cost_one.steps, cost_two.steps);
  EXPECT_EQ(cost_one.problems, 13U * 3 * 2);
}

TEST(TransductiveSvm, RanksOfARowDependOnThatRowAlone) {
  const Sets sets;
  const Surroundings surroundings;
  const TransductiveSvm machine = sets.machine(surroundings);
  const Ranks all = machine.ranks(sets.fresh, true, surroundings.context);
  for (const std::size_t r : {0U, 5U, 12U}) {
    const Ranks one = machine.ranks(test::rows_of_matrix(sets.fresh, {r}), true, surroundings.context);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(one.at(0, c), all.at(r, c));
  }
  EXPECT_TRUE(machine.ranks(data::DenseMatrix(0, 4), false, surroundings.context).values.empty());
}

TEST(TransductiveSvm, LittleMemoryGivesTheSameRanks) {
  const Sets sets;
  const Surroundings surroundings(2);
  Surroundings little(2);
  little.context.memory_budget = kernel::gram_bytes(70) / 2;
  for (const bool conditional : {false, true}) {
    EXPECT_EQ(sets.machine(surroundings).ranks(sets.fresh, conditional, surroundings.context).values,
              sets.machine(little).ranks(sets.fresh, conditional, little.context).values);
  }
  little.context.memory_budget = 1000;
  expect_error(ErrorCode::memory, "budget", [&] { sets.machine(little); });
}

TEST(TransductiveSvm, StateGivesTheSameRanks) {
  const Sets sets;
  const Surroundings surroundings;
  const TransductiveSvm machine = sets.machine(surroundings);
  const TransductiveSvm::State state = machine.state();
  EXPECT_EQ(state.rows.dense().values, sets.known.x.values);
  EXPECT_EQ(state.labels, sets.known.classes);
  const TransductiveSvm again(state, 3, sets.options, surroundings.context);
  EXPECT_EQ(machine.ranks(sets.fresh, false, surroundings.context).values,
            again.ranks(sets.fresh, false, surroundings.context).values);
  EXPECT_EQ(again.state().beta, state.beta);
  EXPECT_EQ(again.class_counts(), (std::vector<std::size_t>{24, 23, 23}));
  EXPECT_EQ(again.validity(), Validity::exact);
}

TEST(TransductiveSvm, StatesThatDoNotFitAreRefused) {
  const Sets sets;
  const Surroundings surroundings;
  const TransductiveSvm::State good = sets.machine(surroundings).state();
  const auto refused = [&](const std::string& part, const auto& spoil) {
    TransductiveSvm::State state = good;
    spoil(state);
    expect_error(ErrorCode::invalid_argument, part,
                 [&] { TransductiveSvm(state, 3, sets.options, surroundings.context); });
  };
  refused("binary SVM", [](auto& state) { state.beta.pop_back(); });
  refused("coefficients of binary SVM 1", [](auto& state) { state.beta[1].pop_back(); });
  refused("coefficients of binary SVM 0", [](auto& state) { state.beta[0][0] = 2.1; });   // above C
  refused("coefficients of binary SVM 0", [](auto& state) { state.beta[0][1] = 0.1; });   // of the other sign
  refused("coefficients of binary SVM 0", [](auto& state) { state.beta[0][2] = 1e-9; });  // of another class
  refused("coefficients of binary SVM 2", [](auto& state) { state.beta[2][1] = std::nan(""); });
  refused("coefficients of binary SVM 2", [](auto& state) { state.beta[2][0] = std::nan(""); });
  refused("coefficients of binary SVM 0", [](auto& state) {  // does not sum to 0
    auto& beta = state.beta[0];
    beta[0] = beta[0] > 1 ? 0 : 2;
  });
  refused("69 labels", [](auto& state) { state.labels.pop_back(); });
  refused("label 3", [](auto& state) { state.labels[5] = 3; });
}

TEST(TransductiveSvm, BadInputIsRefused) {
  const Clouds clouds = test::random_clouds(20, 3, 2, 1, 4);
  const Surroundings surroundings;
  const auto train = [&](const data::DenseMatrix& x, const std::vector<int>& labels, TransductiveSvmOptions options) {
    TransductiveSvm(x, labels, 2, options, surroundings.context);
  };
  const auto refused = [&](ErrorCode code, const std::string& part, const auto& spoil) {
    data::DenseMatrix x = clouds.x;
    std::vector<int> labels = clouds.classes;
    TransductiveSvmOptions options = some_options();
    spoil(x, labels, options);
    expect_error(code, part, [&] { train(x, labels, options); });
  };
  const ErrorCode argument = ErrorCode::invalid_argument;
  refused(argument, "C must be", [](auto&, auto&, auto& options) { options.C = 0; });
  refused(argument, "C must be", [](auto&, auto&, auto& options) { options.C = std::nan(""); });
  refused(argument, "gamma", [](auto&, auto&, auto& options) { options.kernel.gamma = -1; });
  refused(argument, "tolerance", [](auto&, auto&, auto& options) { options.solver.tolerance = 0; });
  refused(argument, "kernel function",
          [](auto&, auto&, auto& options) { options.kernel.type = kernel::KernelType::precomputed; });
  refused(argument, "19 labels", [](auto&, auto& labels, auto&) { labels.pop_back(); });
  refused(argument, "label 2", [](auto&, auto& labels, auto&) { labels[3] = 2; });
  refused(argument, "label -1", [](auto&, auto& labels, auto&) { labels[3] = -1; });
  refused(ErrorCode::invalid_data, "two classes",
          [](auto&, auto& labels, auto&) { std::fill(labels.begin(), labels.end(), 1); });
  refused(ErrorCode::invalid_data, "row 7", [](auto& x, auto&, auto&) { x.row(6)[1] = std::nan(""); });
  TransductiveSvmOptions both = some_options();
  both.C = -1;
  both.kernel.gamma = 0;
  EXPECT_EQ(both.validate().size(), 2U);

  const TransductiveSvm machine(clouds.x, clouds.classes, 2, some_options(), surroundings.context);
  data::DenseMatrix fresh = test::random_matrix(4, 3, 9);
  const auto rank = [&] { machine.ranks(fresh, false, surroundings.context); };
  fresh.row(2)[0] = std::numeric_limits<double>::infinity();
  expect_error(ErrorCode::invalid_data, "row 3", rank);
  fresh = test::random_matrix(4, 2, 9);
  expect_error(ErrorCode::invalid_data, "2 columns", rank);

  TransductiveSvmOptions linear = some_options();
  linear.kernel.type = kernel::KernelType::linear;
  const TransductiveSvm lines(clouds.x, clouds.classes, 2, linear, surroundings.context);
  fresh = test::random_matrix(4, 3, 9, 1e25);
  expect_error(ErrorCode::invalid_data, "too large", [&] { lines.ranks(fresh, false, surroundings.context); });
}

TEST(TransductiveSvm, StopsWhenTold) {
  const Sets sets;
  Surroundings surroundings;
  const TransductiveSvm machine = sets.machine(surroundings);
  std::size_t seen = 0;
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    seen = progress.done;
    return progress.done < 5;
  });
  const core::Context context{surroundings.threads, monitor};
  expect_error(ErrorCode::interrupted, "stopped", [&] { machine.ranks(sets.fresh, false, context); });
  EXPECT_EQ(seen, 5U);
  expect_error(ErrorCode::interrupted, "stopped",
               [&] { TransductiveSvm(sets.known.x, sets.known.classes, 3, sets.options, context); });
}

TEST(TransductiveSvm, ProgressAndStepLimitAreReported) {
  Sets sets;
  Surroundings surroundings;
  core::Monitor::Progress last;
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    last = progress;
    return true;
  });
  sets.options.solver.tolerance = 1e-6;
  sets.options.solver.max_steps = 20;
  const TransductiveSvm machine = sets.machine(surroundings);
  TransductiveCost cost;
  machine.ranks(sets.fresh, false, {surroundings.threads, monitor}, cost);
  EXPECT_EQ(last.done, 13U);
  EXPECT_EQ(last.total, 13U);
  EXPECT_GT(cost.unconverged, 0U);
  EXPECT_LE(cost.steps, 20 * cost.problems);
}

/// Whoever predicts with the machine hears what it took.
TEST(TransductiveSvm, PredictionsCarryTheCost) {
  const Sets sets;
  const Surroundings surroundings;
  const auto machine =
      std::make_shared<TransductiveSvm>(sets.known.x, sets.known.classes, 3, sets.options, surroundings.context);
  TransductiveCost cost;
  const Ranks ranks = machine->ranks(sets.fresh, false, surroundings.context, cost);
  ConformalPredictor predictor;
  predictor.machine = machine;
  const model::Prediction prediction = predictor.predict_preprocessed(sets.fresh, surroundings.context);
  ASSERT_TRUE(prediction.solver_cost);
  EXPECT_EQ(prediction.solver_cost->problems, cost.problems);
  EXPECT_EQ(prediction.solver_cost->unchanged, cost.unchanged);
  EXPECT_EQ(prediction.solver_cost->steps, cost.steps);
  EXPECT_EQ(prediction.p_value.values, p_values(ranks, {}).values);
}

/// Nothing is exact without a positive definite kernel, but every rank is one.
TEST(TransductiveSvm, IndefiniteKernelsGiveRanks) {
  Sets sets;
  sets.options.kernel.type = kernel::KernelType::sigmoid;
  sets.options.kernel.coef0 = -1;
  const Surroundings surroundings;
  const Ranks ranks = sets.machine(surroundings).ranks(sets.fresh, true, surroundings.context);
  for (std::size_t i = 0; i < ranks.values.size(); ++i) {
    EXPECT_EQ(ranks.values[i].of, i % 3 == 0 ? 24U : 23U);
    EXPECT_LE(ranks.values[i].greater + ranks.values[i].equal, ranks.values[i].of);
  }
}

/// The new example is as strange as the known one that it equals.
TEST(TransductiveSvm, DuplicatesTie) {
  const Sets sets;
  const Surroundings surroundings;
  const TransductiveSvm machine = sets.machine(surroundings);
  const Ranks ranks = machine.ranks(sets.known.x, false, surroundings.context);
  for (std::size_t i = 0; i < ranks.rows; ++i)
    EXPECT_GE(ranks.at(i, static_cast<std::size_t>(sets.known.classes[i])).equal, 1U) << i;
}

}  // namespace transductive_svm_contract_tests
}  // namespace credence::conformal
