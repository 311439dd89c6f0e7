#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/rvm/train.hpp"
#include "support/context.hpp"

// Problems that break fits. The oracle is the share of the classes where nothing but the share can be known, the true
// labels where the rows can be told apart; every number is finite and every fit ends with a status.
namespace credence::rvm {
namespace pathological_fits_tests {

using test::Surroundings;

struct Problem {
  std::string name;
  std::size_t rows;
  std::function<double(std::size_t row, std::size_t column, core::RandomStream&)> value;
  std::function<int(std::size_t row)> label;
  double gamma;
};

data::Dataset dataset_of(const Problem& problem) {
  core::RandomStream random(17, 5);
  data::DenseMatrix x(problem.rows, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < problem.rows; ++i) {
    for (std::size_t j = 0; j < 2; ++j) x.row(i)[j] = problem.value(i, j, random);
    labels.push_back(problem.label(i) == 1 ? "p" : "n");
  }
  return data::make_dataset(data::Features(x), labels);
}

/// Fits both algorithms, and calls check(prediction of the training rows, labels).
void expect_ends(const Problem& problem,
                 const std::function<void(const model::Prediction&, const std::vector<int>&)>& check) {
  const data::Dataset rows = dataset_of(problem);
  for (const Algorithm algorithm : {Algorithm::batch, Algorithm::sequential}) {
    SCOPED_TRACE(problem.name + (algorithm == Algorithm::batch ? ", batch" : ", sequential"));
    Surroundings surroundings;
    TrainOptions options;
    options.gamma.value = problem.gamma;
    options.scaling = data::Scaling::none;
    options.index = false;
    options.fit.algorithm = algorithm;
    const TrainResult result = train(rows, options, surroundings.context);
    EXPECT_NE(result.fit.machines.front().status, Status::stopped);
    EXPECT_TRUE(std::isfinite(result.fit.log_evidence));
    const model::Prediction prediction = result.model.predict(rows, surroundings.context);
    for (const auto* table : {&prediction.probability, &prediction.moderated})
      for (const double p : table->values) ASSERT_TRUE(p >= 0 && p <= 1) << p;
    check(prediction, rows.labels);
  }
}

/// The probability of class p is its share, up to the prior's pull.
auto expects_share(double share) {
  return [=](const model::Prediction& prediction, const std::vector<int>&) {
    for (std::size_t i = 0; i < prediction.probability.rows; ++i)
      ASSERT_NEAR(prediction.probability.row(i)[1], share, 0.02) << i;
  };
}

void expect_right(const model::Prediction& prediction, const std::vector<int>& labels) {
  EXPECT_EQ(prediction.label, labels);
}

TEST(RvmPathological, RowsThatCannotBeToldApartHaveTheShareOfTheClasses) {
  const auto almost = [](std::size_t i, std::size_t, core::RandomStream&) { return i == 400 ? 1.1 : 1.0; };
  const auto corner = [](std::size_t i, std::size_t j, core::RandomStream&) {
    return static_cast<double>(j == 0 ? i % 2 : (i / 2) % 2);
  };
  const auto tiny = [](std::size_t, std::size_t, core::RandomStream& random) { return 1e-300 * random.normal(); };
  expect_ends({"all rows but one equal", 401, almost, [](std::size_t i) { return i % 4 == 0 ? 1 : 0; }, 1e-6},
              expects_share(0.25));
  expect_ends({"duplicates that contradict each other", 2000, corner,
               [](std::size_t i) { return static_cast<int>((i / 4) % 2); }, 1},
              expects_share(0.5));
  expect_ends({"features of 1e-300", 200, tiny, [](std::size_t i) { return i % 2 == 0 ? 1 : 0; }, 1},
              expects_share(0.5));
}

TEST(RvmPathological, RowsThatCanBeToldApartAreToldApart) {
  const auto apart = [](std::size_t i, std::size_t, core::RandomStream& random) {
    return (i % 2 == 0 ? 3.0 : -3.0) + 0.1 * random.normal();
  };
  const auto lone = [](std::size_t i, std::size_t, core::RandomStream& random) {
    return i == 0 ? 20.0 : random.normal();
  };
  const auto even = [](std::size_t i) { return i % 2 == 0 ? 1 : 0; };
  expect_ends({"separable", 200, apart, even, 0.1}, expect_right);
  expect_ends({"1 against 1,500", 1501, lone, [](std::size_t i) { return i == 0 ? 1 : 0; }, 0.1},
              [](const model::Prediction& prediction, const std::vector<int>& labels) {
                // One row may or may not be worth a kernel; the many are never taken for it.
                for (std::size_t i = 1; i < labels.size(); ++i) ASSERT_EQ(prediction.label[i], 0) << i;
              });
}

/// A kernel matrix that is the identity: each row has only itself to speak for it.
TEST(RvmPathological, AKernelThatIsTheIdentityEnds) {
  const auto far = [](std::size_t i, std::size_t j, core::RandomStream&) {
    return 1e300 * static_cast<double>(i + 1) / 300 * (j == 0 ? 1 : -1);
  };
  expect_ends({"features of 1e300", 60, far, [](std::size_t i) { return i % 3 == 0 ? 1 : 0; }, 1},
              [](const model::Prediction&, const std::vector<int>&) {});
}

}  // namespace pathological_fits_tests
}  // namespace credence::rvm
