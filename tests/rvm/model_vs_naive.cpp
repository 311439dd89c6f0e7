#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "credence/rvm/model.hpp"
#include "rvm/model_random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/reference_kernel.hpp"

namespace credence::rvm {
namespace model_vs_naive_tests {

using kernel::KernelType;
using test::expect_error;
using test::random_rvm;
using test::rvm_rows;
using test::Surroundings;

constexpr std::array all_types{KernelType::rbf,     KernelType::linear,    KernelType::polynomial,
                               KernelType::sigmoid, KernelType::laplacian, KernelType::precomputed};

/// What a machine says about a row by the formulas, one term after the other.
struct Naive {
  double y = 0;
  double variance = 0;
};

Naive naive_of(const RvmModel& model, const Machine& machine, std::span<const double> row) {
  const data::DenseMatrix centres = model.centres.to_dense();
  std::vector<double> phi;
  std::vector<double> weights;
  if (machine.has_bias) {
    phi.push_back(1);
    weights.push_back(machine.bias);
  }
  for (std::size_t k = 0; k < machine.centres.size(); ++k) {
    const std::size_t centre = machine.centres[k];
    phi.push_back(model.kernel.type == KernelType::precomputed
                      ? row[model.centre_rows[centre]]
                      : test::reference_kernel(model.kernel, centres.row(centre), row));
    weights.push_back(machine.weights[k]);
  }
  Naive naive;
  for (std::size_t i = 0; i < phi.size(); ++i) {
    naive.y += weights[i] * phi[i];
    for (std::size_t j = 0; j < phi.size(); ++j) naive.variance += phi[i] * machine.covariance.row(i)[j] * phi[j];
  }
  return naive;
}

double naive_expit(double y) {
  return 1 / (1 + std::exp(-y));
}

/// Probabilities of all classes from the decision values of all machines.
std::vector<double> naive_probabilities(const std::vector<double>& y) {
  if (y.size() == 1) return {1 - naive_expit(y[0]), naive_expit(y[0])};
  std::vector<double> result;
  double sum = 0;
  for (const double value : y) sum += naive_expit(value);
  for (const double value : y) result.push_back(naive_expit(value) / sum);
  return result;
}

void expect_row(const RvmModel& model, std::span<const double> row, const model::Prediction& prediction,
                std::size_t i) {
  std::vector<double> y;
  std::vector<double> moderated;
  for (const Machine& machine : model.machines) {
    const Naive naive = naive_of(model, machine, row);
    y.push_back(naive.y);
    moderated.push_back(naive.y / std::sqrt(1 + std::numbers::pi * naive.variance / 8));
    EXPECT_NEAR(prediction.decision.row(i)[y.size() - 1], naive.y, 1e-12 * (1 + std::abs(naive.y)));
  }
  const std::vector<double> plain = naive_probabilities(y);
  const std::vector<double> careful = naive_probabilities(moderated);
  for (std::size_t c = 0; c < plain.size(); ++c) {
    EXPECT_NEAR(prediction.probability.row(i)[c], plain[c], 1e-12);
    EXPECT_NEAR(prediction.moderated.row(i)[c], careful[c], 1e-12);
    const double score = y.size() > 1 ? y[c] : c == 1 ? y[0] : -y[0];
    EXPECT_NEAR(prediction.score.row(i)[c], score, 1e-12 * (1 + std::abs(score)));
  }
  const auto best = static_cast<int>(std::ranges::max_element(plain) - plain.begin());
  EXPECT_EQ(prediction.label[i], best);
}

TEST(RvmModel, ClassifiersAgreeWithADoubleLoop) {
  Surroundings surroundings;
  for (const KernelType type : all_types) {
    for (const std::size_t classes : {2U, 3U, 5U}) {
      for (const bool sparse : {false, true}) {
        SCOPED_TRACE(testing::Message() << kernel::name(type) << ", " << classes << " classes, sparse " << sparse);
        const RvmModel model = random_rvm(type, classes, sparse);
        const data::DenseMatrix rows = rvm_rows(type, 40);
        const auto prediction = model.predict_preprocessed(
            sparse ? data::Features(test::sparse_of(rows)) : data::Features(rows), surroundings.context);
        ASSERT_EQ(prediction.label.size(), 40U);
        EXPECT_TRUE(prediction.mean.empty());
        for (std::size_t i = 0; i < rows.rows; ++i) expect_row(model, rows.row(i), prediction, i);
        const auto first = std::ranges::count(prediction.label, prediction.label.front());
        EXPECT_LT(first, 40) << "all labels are the same";
      }
    }
  }
}

TEST(RvmModel, RegressionsAgreeWithADoubleLoop) {
  Surroundings surroundings;
  for (const KernelType type : all_types) {
    const RvmModel model = random_rvm(type, 0);
    const data::DenseMatrix rows = rvm_rows(type, 40);
    const auto prediction = model.predict_preprocessed(rows, surroundings.context);
    EXPECT_TRUE(prediction.label.empty());
    EXPECT_TRUE(prediction.probability.values.empty());
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const Naive naive = naive_of(model, model.machines[0], rows.row(i));
      EXPECT_NEAR(prediction.mean[i], naive.y, 1e-12 * (1 + std::abs(naive.y)));
      const double variance = model.machines[0].noise_variance + naive.variance;
      EXPECT_NEAR(prediction.sd[i] * prediction.sd[i], variance, 1e-12 * variance);
    }
  }
}

/// All numbers of a row of a prediction.
std::vector<double> numbers_of(const model::Prediction& prediction, std::size_t i) {
  std::vector<double> numbers;
  for (const auto* table : {&prediction.decision, &prediction.score, &prediction.probability, &prediction.moderated})
    if (table->rows > 0) numbers.insert(numbers.end(), table->row(i).begin(), table->row(i).end());
  if (!prediction.label.empty()) numbers.push_back(prediction.label[i]);
  if (!prediction.mean.empty()) numbers.insert(numbers.end(), {prediction.mean[i], prediction.sd[i]});
  return numbers;
}

TEST(RvmModel, ARowIsPredictedTheSameWhateverItsBlockAndTheThreads) {
  Surroundings one(1);
  Surroundings three(3);
  for (const KernelType type : {KernelType::rbf, KernelType::polynomial, KernelType::precomputed}) {
    for (const std::size_t classes : {0U, 2U, 4U}) {
      const RvmModel model = random_rvm(type, classes);
      const data::Features rows = rvm_rows(type, 700);
      const auto whole = model.predict_preprocessed(rows, one.context);
      const auto again = model.predict_preprocessed(rows, three.context);
      for (std::size_t i = 0; i < 700; ++i) {
        ASSERT_EQ(numbers_of(whole, i), numbers_of(again, i));
        if (i % 31 != 0 && i != 255 && i != 256) continue;
        const std::size_t alone[] = {i};
        const auto single = model.predict_preprocessed(rows.select_rows(alone), one.context);
        ASSERT_EQ(numbers_of(whole, i), numbers_of(single, 0)) << "row " << i;
      }
    }
  }
}

/// Machines that are nothing but biases.
RvmModel constants(const std::vector<double>& biases, const std::vector<std::size_t>& counts) {
  RvmModel model = random_rvm(KernelType::rbf, counts.size());
  model.centres = data::DenseMatrix(0, test::rvm_columns);
  model.centre_rows.clear();
  for (std::size_t m = 0; m < biases.size(); ++m) {
    Machine& machine = model.machines[m];
    machine.centres.clear();
    machine.weights.clear();
    machine.has_bias = biases[m] != 0;
    machine.bias = biases[m];
    machine.covariance = data::DenseMatrix(machine.has_bias ? 1 : 0, machine.has_bias ? 1 : 0);
    machine.null_model = true;
  }
  model.class_counts = counts;
  return model;
}

model::Prediction predict_one(const RvmModel& model) {
  Surroundings surroundings;
  return model.predict_preprocessed(rvm_rows(KernelType::rbf, 1), surroundings.context);
}

TEST(RvmModel, ProbabilitiesOfManyClassesNeverVanish) {
  const std::vector<std::vector<double>> cases{
      {-1000, -1001, -1002}, {-1e5, -2e5, -1e5}, {-1e308, -1e300, -1e308}, {800, 900, 1e308}, {-745, -3, -1e4}};
  for (const auto& y : cases) {
    const auto prediction = predict_one(constants(y, {5, 5, 5}));
    double sum = 0;
    double moderated = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_TRUE(prediction.probability.row(0)[c] >= 0) << y[c];
      sum += prediction.probability.row(0)[c];
      moderated += prediction.moderated.row(0)[c];
    }
    EXPECT_NEAR(sum, 1, 1e-15);
    EXPECT_NEAR(moderated, 1, 1e-15);
  }
  // For y far below 0 expit(y) is exp(y): a softmax.
  const auto far = predict_one(constants({-1000, -1001, -1002}, {5, 5, 5})).probability;
  const double sum = 1 + std::exp(-1.0) + std::exp(-2.0);
  EXPECT_NEAR(far.row(0)[0], 1 / sum, 1e-13);
  EXPECT_NEAR(far.row(0)[1], std::exp(-1.0) / sum, 1e-13);
}

TEST(RvmModel, NullModelsFollowTheMajority) {
  EXPECT_EQ(predict_one(constants({0}, {3, 8})).label[0], 1);
  EXPECT_EQ(predict_one(constants({0}, {8, 3})).label[0], 0);
  EXPECT_EQ(predict_one(constants({0}, {4, 4})).label[0], 0);
  EXPECT_EQ(predict_one(constants({0.1}, {8, 3})).label[0], 1) << "its bias speaks";
  EXPECT_EQ(predict_one(constants({-0.1}, {3, 8})).label[0], 0);
  EXPECT_EQ(predict_one(constants({0, 0, 0}, {3, 5, 4})).label[0], 1);
  EXPECT_EQ(predict_one(constants({-1, 2, 2}, {9, 3, 4})).label[0], 2) << "a tie goes to the more frequent one";
  EXPECT_EQ(predict_one(constants({-1, 2, 2}, {9, 4, 4})).label[0], 1);
  EXPECT_EQ(predict_one(constants({0}, {3, 8})).probability.row(0)[1], 0.5);
}

/// Simpson's rule: the mean of expit under the normal distribution of y.
double integrated(double mean, double sd) {
  constexpr int steps = 4000;
  const double step = 20 * sd / steps;
  double sum = 0;
  for (int k = 0; k <= steps; ++k) {
    const double u = -10 * sd + k * step;
    const double density = std::exp(-0.5 * u * u / (sd * sd)) / (sd * std::sqrt(2 * std::numbers::pi));
    sum += (k == 0 || k == steps ? 1 : k % 2 == 1 ? 4 : 2) * naive_expit(mean + u) * density;
  }
  return sum * step / 3;
}

/// MacKay's approximation of that mean is never off by more than 0.02 or so, and exact for no uncertainty.
TEST(RvmModel, ModeratedProbabilitiesApproximateTheIntegral) {
  for (const double variance : {0.01, 0.1, 1.0, 4.0, 25.0, 400.0}) {
    for (const double y : {-6.0, -2.0, -0.5, 0.25, 1.0, 3.0, 9.0}) {
      RvmModel model = constants({y}, {5, 5});
      model.machines[0].covariance.values = {variance};
      const auto prediction = predict_one(model);
      const double exact = integrated(y, std::sqrt(variance));
      EXPECT_NEAR(prediction.moderated.row(0)[1], exact, 0.021) << y << ", variance " << variance;
      if (variance >= 4 && std::abs(y) > 0.5 && std::abs(y) <= 3)
        EXPECT_LT(std::abs(prediction.moderated.row(0)[1] - exact), std::abs(naive_expit(y) - exact));
      EXPECT_NEAR(prediction.moderated.row(0)[0] + prediction.moderated.row(0)[1], 1, 1e-15);
    }
  }
}

TEST(RvmModel, LargeValuesGiveNumbersOrASentence) {
  Surroundings surroundings;
  RvmModel model = random_rvm(KernelType::linear, 2);
  data::DenseMatrix rows(1, test::rvm_columns);
  rows.values.assign(test::rvm_columns, 1e200);  // its square is no number, but y and its deviation are
  const auto prediction = model.predict_preprocessed(rows, surroundings.context);
  const data::DenseMatrix small(1, test::rvm_columns);
  for (const double p : prediction.moderated.values) EXPECT_TRUE(p >= 0 && p <= 1);
  model.kernel.type = KernelType::polynomial;
  expect_error(ErrorCode::invalid_data, "so large", [&] { model.predict_preprocessed(rows, surroundings.context); });
}

TEST(RvmModel, RefusesRowsOfOtherWidthAndStopsWhenAsked) {
  Surroundings surroundings;
  const RvmModel model = random_rvm(KernelType::rbf, 2);
  expect_error(ErrorCode::invalid_data, "3 numbers",
               [&] { model.predict_preprocessed(data::DenseMatrix(2, 4), surroundings.context); });
  expect_error(ErrorCode::invalid_data, "20 numbers", [&] {
    random_rvm(KernelType::precomputed, 2).predict_preprocessed(data::DenseMatrix(2, 19), surroundings.context);
  });
  surroundings.monitor.cancel();
  expect_error(ErrorCode::interrupted, "stopped",
               [&] { model.predict_preprocessed(rvm_rows(KernelType::rbf, 4), surroundings.context); });
}

TEST(RvmModel, PredictsNoRows) {
  Surroundings surroundings;
  EXPECT_TRUE(
      random_rvm(KernelType::rbf, 3).predict_preprocessed(data::DenseMatrix(0, 3), surroundings.context).label.empty());
}

}  // namespace model_vs_naive_tests
}  // namespace credence::rvm
