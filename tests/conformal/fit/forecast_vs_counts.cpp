#include <gtest/gtest.h>

#include <vector>

#include "conformal/fit/set_apart.hpp"
#include "conformal/neighbours/neighbour_examples.hpp"
#include "credence/conformal/forecast.hpp"
#include "credence/core/random.hpp"
#include "support/context.hpp"

/// What a forecast says beside the distances that are then counted. No clock is looked at.
namespace credence::conformal {
namespace forecast_vs_counts_tests {

using credence::test::Surroundings;

/// Rows of two classes, whose numbers follow from `factors` hidden ones.
data::Dataset generated(std::size_t rows, std::size_t columns, std::size_t factors) {
  core::RandomStream random(5, 77);
  std::vector<double> mixing(columns * factors);
  for (double& value : mixing) value = random.normal();
  data::Dataset dataset;
  data::DenseMatrix matrix(rows, columns);
  std::vector<double> hidden(factors);
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& value : hidden) value = random.normal();
    for (std::size_t f = 0; f < columns; ++f)
      for (std::size_t h = 0; h < factors; ++h) matrix.row(i)[f] += mixing[f * factors + h] * hidden[h];
    dataset.labels.push_back(hidden[0] + random.normal() > 0 ? 1 : 0);
  }
  dataset.features = matrix;
  dataset.schema.classes = {"a", "b"};
  for (std::size_t f = 0; f < columns; ++f) dataset.schema.columns.push_back({"x", {}, {}});
  return dataset;
}

double counted(const data::Dataset& dataset, const FitOptions& options, const core::Context& context) {
  const Apart apart = set_apart(dataset, options);
  const data::Dataset& compared = apart.compared(dataset);
  NeighbourExamples examples(NeighbourOptions{}, dataset.features.columns(), 2);
  examples.put(preprocessing_of(dataset, options, apart).apply(compared), compared.labels, &context);
  std::size_t distances = 0;
  examples.search(context, &distances);
  return static_cast<double>(distances);
}

TEST(ConformalForecast, NamesTheDistancesThatAreThenComputed) {
  const Surroundings one;  // with more threads, how many are counted depends on how they meet
  FitOptions options;
  for (const std::size_t factors : {2U, 12U}) {
    options.scaling = factors == 2 ? data::Scaling::none : data::Scaling::standard;
    const data::Dataset dataset = generated(24000, 12, factors);
    const auto said = forecast(dataset, options, one.context);
    ASSERT_TRUE(said);
    const double done = counted(dataset, options, one.context);
    EXPECT_GT(said->values, done / 2) << factors;
    EXPECT_LT(said->values, done * 2) << factors;
    EXPECT_GT(said->seconds, 0);
    EXPECT_GT(said->bytes, 24000.0 * 12 * 12);
    EXPECT_LT(said->bytes, 24000.0 * (12 * 14 + 200));
  }
}

TEST(ConformalForecast, IsForNearestNeighboursOfManyRows) {
  const Surroundings one;
  const data::Dataset few = generated(Forecast::from_rows, 2, 2);
  EXPECT_FALSE(forecast(few, {}, one.context));
  const data::Dataset many = generated(Forecast::from_rows + 1, 2, 2);
  EXPECT_TRUE(forecast(many, {}, one.context));
  FitOptions inductive;
  inductive.mode = mode::Inductive{};
  EXPECT_FALSE(forecast(many, inductive, one.context));
  FitOptions margin;
  margin.measure = SvmMargin{};
  EXPECT_FALSE(forecast(many, margin, one.context));
}

}  // namespace forecast_vs_counts_tests
}  // namespace credence::conformal
