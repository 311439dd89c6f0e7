#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"
#include "support/selection_oracle.hpp"

namespace bootstrap_vs_refits_tests {

using namespace credence;
using test::random_clouds;
using test::Surroundings;

selection::Options bootstrap_options() {
  selection::Options options;
  options.method = selection::Bootstrap{};
  test::set_resamples(options, 12);
  options.costs.C = {0.5, 50};
  options.kernels.gamma = kernel::parse_gammas("0.1,1");
  options.costs.solver.tolerance = 1e-5;
  options.estimate = selection::Estimate::none;
  options.seed = 4;
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// The samples of the method, by its contract: seeded, n draws with replacement.
std::vector<std::uint32_t> sample(std::size_t n, std::uint64_t seed, std::uint64_t b) {
  return data::bootstrap(n, core::random_choice(seed, 632, b, ~std::uint64_t{0}));
}

struct Twin {
  double out_of_bag = 0;
  double training = 0;
  double no_information = 0;
  double doubtful = 0;  ///< share of judgements that rounding may turn
};

/// A setting by its definition: duplicated rows, one training for each sample, mean over rows of the mean loss.
Twin twin(const data::Dataset& dataset, const selection::Options& options, const selection::Setting& setting) {
  Surroundings surroundings;
  const svm::TrainOptions train =
      test::train_options_of(options, setting.C, {kernel::GammaRule::Kind::value, setting.gamma});
  const std::size_t n = dataset.rows();
  std::vector<double> wrong(n, 0);
  std::vector<double> judged(n, 0);
  double doubts = 0;
  double judgements = 0;
  const auto is_doubtful = [&](const model::Prediction& prediction, std::size_t row) {
    double nearest = 1;
    for (const double decision : prediction.decision.row(row)) nearest = std::min(nearest, std::abs(decision));
    return nearest < 200 * options.costs.solver.tolerance;
  };
  for (int b = 0; b < options.as<selection::Bootstrap>().resamples; ++b) {
    const auto drawn = sample(n, options.seed, static_cast<std::uint64_t>(b));
    std::vector<std::size_t> in;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < n; ++i) {
      in.insert(in.end(), drawn[i], i);
      if (drawn[i] == 0) out.push_back(i);
    }
    const svm::SvmModel model = svm::train(dataset.select_rows(in), train, surroundings.context).model;
    const model::Prediction prediction = model.predict(dataset.select_rows(out), surroundings.context);
    for (std::size_t r = 0; r < out.size(); ++r) {
      wrong[out[r]] += prediction.label[r] != dataset.labels[out[r]] ? 1 : 0;
      judged[out[r]] += 1;
      doubts += is_doubtful(prediction, r) ? 1 : 0;
      judgements += 1;
    }
  }
  Twin result;
  double rows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (judged[i] == 0) continue;
    result.out_of_bag += wrong[i] / judged[i];
    rows += 1;
  }
  result.out_of_bag /= rows;
  result.doubtful = doubts / judgements;
  const svm::SvmModel whole = svm::train(dataset, train, surroundings.context).model;
  const model::Prediction own = whole.predict(dataset, surroundings.context);
  for (std::size_t c = 0; c < dataset.class_count(); ++c) {
    const auto label = static_cast<int>(c);
    const double p = static_cast<double>(std::count(dataset.labels.begin(), dataset.labels.end(), label));
    const double q = static_cast<double>(std::count(own.label.begin(), own.label.end(), label));
    result.no_information += p / static_cast<double>(n) * (1 - q / static_cast<double>(n));
  }
  for (std::size_t i = 0; i < n; ++i)
    result.training += own.label[i] != dataset.labels[i] ? 1.0 / static_cast<double>(n) : 0.0;
  return result;
}

/// Efron and Tibshirani (1997): weight 0.632 / (1 - 0.368 R) on the out-of-bag error (their equation 29) where that is
/// at most the no-information rate.
double e632_plus(const Twin& t) {
  EXPECT_LE(t.out_of_bag, t.no_information);
  const double r = t.out_of_bag > t.training ? (t.out_of_bag - t.training) / (t.no_information - t.training) : 0.0;
  const double weight = 0.632 / (1 - 0.368 * r);
  return (1 - weight) * t.training + weight * t.out_of_bag;
}

TEST(Bootstrap, EveryEstimatorEqualsRefits) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = random_clouds(80, 3, classes, 1.0, 11).dataset();
    selection::Options options = bootstrap_options();
    const selection::Selection oob = select(dataset, options);
    options.as<selection::Bootstrap>().error = selection::BootstrapError::e632;
    const selection::Selection e632 = select(dataset, options);
    options.as<selection::Bootstrap>().error = selection::BootstrapError::e632_plus;
    const selection::Selection plus = select(dataset, options);
    for (std::size_t k = 0; k < oob.grid.size(); ++k) {
      const Twin t = twin(dataset, options, oob.grid[k]);
      const double slack = 3 * t.doubtful + 1e-7;
      EXPECT_LT(t.doubtful, 0.01);
      EXPECT_TRUE(oob.grid[k].complete);
      EXPECT_NEAR(oob.grid[k].error, t.out_of_bag, slack);
      EXPECT_NEAR(e632.grid[k].error, 0.368 * t.training + 0.632 * t.out_of_bag, slack);
      EXPECT_NEAR(plus.grid[k].error, e632_plus(t), slack);
    }
  }
}

TEST(Bootstrap, GroupsAreDrawnWhole) {
  // Rows of a group are copies, so any leak would make the error of 1-NN-like settings vanish on pure noise.
  test::Clouds clouds = random_clouds(30, 6, 2, 0, 3);
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < 30; ++i) copies.insert(copies.end(), 4, i);
  data::Dataset dataset = clouds.dataset().select_rows(copies);
  selection::Options options = bootstrap_options();
  options.costs.C = {1000};
  options.kernels.gamma = kernel::parse_gammas("2");
  options.copies = data::Copies::keep;
  EXPECT_LT(select(dataset, options).grid[0].error, 0.2);
  for (const std::size_t i : copies) dataset.groups.push_back(static_cast<int>(i));
  EXPECT_GT(select(dataset, options).grid[0].error, 0.35);
}

TEST(Bootstrap, ThreadsDoNotMatter) {
  const data::Dataset dataset = random_clouds(60, 3, 3, 0.5, 12).dataset();
  selection::Options options = bootstrap_options();
  options.as<selection::Bootstrap>().error = selection::BootstrapError::e632_plus;
  options.estimate = selection::Estimate::bbc;
  const selection::Selection one = select(dataset, options, 1);
  const selection::Selection two = select(dataset, options, 2);
  for (std::size_t k = 0; k < one.grid.size(); ++k) EXPECT_EQ(one.grid[k].error, two.grid[k].error);
  ASSERT_TRUE(one.honest && two.honest);
  EXPECT_EQ(one.honest->error, two.honest->error);
  EXPECT_EQ(one.honest->lower, two.honest->lower);
}

}  // namespace bootstrap_vs_refits_tests
