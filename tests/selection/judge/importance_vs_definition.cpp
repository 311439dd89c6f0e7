#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "credence/core/list.hpp"
#include "credence/core/random.hpp"
#include "credence/model/probability.hpp"
#include "credence/selection/importance.hpp"
#include "credence/selection/selector.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::selection {
namespace {

using test::Surroundings;

/// Two classes by the first two of the columns; the others are noise.
data::Dataset two_of(std::size_t n, std::size_t columns, std::uint64_t seed, bool sparse = false) {
  data::DenseMatrix x = test::random_matrix(n, columns, seed);
  std::vector<std::string> labels;
  core::RandomStream random(seed, 5);
  for (std::size_t i = 0; i < n; ++i)
    labels.emplace_back(x.row(i)[0] + 0.7 * x.row(i)[1] + 0.6 * random.normal() > 0 ? "b" : "a");
  labels[0] = "a";
  labels[1] = "b";
  return data::make_dataset(sparse ? data::Features(test::sparse_of(x)) : data::Features(x), labels);
}

/// The fourth column says what the second does.
data::Dataset with_copy(const data::Dataset& rows) {
  data::DenseMatrix x = rows.features.to_dense();
  for (std::size_t i = 0; i < x.rows; ++i) x.row(i)[3] = 2 * x.row(i)[1];
  if (rows.features.is_sparse()) return rows.with_features(test::sparse_of(x));
  return rows.with_features(std::move(x));
}

std::shared_ptr<const model::Predictor> chosen(const data::Dataset& dataset, const core::Context& context,
                                               Selection* selection = nullptr) {
  Options options;
  options.method = CrossValidation{.folds = 5};
  options.estimate = Estimate::none;
  options.kernels.types = {kernel::KernelType::rbf};
  options.kernels.gamma = kernel::parse_gammas("0.2");
  options.preparation.scalings = {data::Scaling::standard};
  options.costs.C = {10};
  options.rule = Rule::best;
  const Selection found = Selector(options).select(dataset, context);
  if (selection != nullptr) *selection = found;
  return fitted(dataset, found, context);
}

/// The rows with the given order of the values of some columns.
data::Dataset reordered(const data::Dataset& rows, const std::vector<std::size_t>& columns,
                        const std::vector<std::size_t>& order) {
  const data::DenseMatrix before = rows.features.to_dense();
  data::DenseMatrix after = before;
  for (std::size_t i = 0; i < after.rows; ++i)
    for (const std::size_t column : columns) after.row(i)[column] = before.row(order[i])[column];
  return rows.with_features(std::move(after));
}

/// What is to be small, by the formulas of the scores.
double loss_by_formula(Score score, const std::vector<int>& truth, const model::Prediction& said) {
  if (score == Score::roc_auc) {
    const auto margins = core::made(truth.size(), [&](std::size_t i) { return said.score.row(i)[1]; });
    return 1 - roc_auc(margins, truth);
  }
  LabelCounts counts(2);
  for (std::size_t i = 0; i < truth.size(); ++i)
    counts.add(static_cast<std::size_t>(truth[i]), static_cast<std::size_t>(said.label[i]));
  return 1 - counts.score(score);
}

TEST(Importance, RisesVsOnePredictionForEachShuffle) {
  for (const bool sparse : {false, true}) {
    Surroundings around(2);
    const auto model = chosen(two_of(80, 4, 1, sparse), around.context);
    const data::Dataset rows = with_copy(two_of(50, 4, 2, sparse));
    std::vector<std::size_t> turned = core::numbers_below(rows.rows());
    std::ranges::rotate(turned, turned.begin() + 7);
    std::vector<std::size_t> reversed(turned.rbegin(), turned.rend());
    for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::f1, Score::roc_auc}) {
      const Importance found = permutation_importance(
          *model, rows, {.correlated = 0.99, .score = score, .permutations = {turned, reversed}}, around.context);
      ASSERT_EQ(found.columns.size(), 3u);
      EXPECT_EQ(found.columns[1].name, "x2 + x4");
      const double loss = loss_by_formula(score, rows.labels, model->predict(rows, around.context));
      EXPECT_NEAR(found.loss, loss, 1e-12);
      for (const ColumnImportance& one : found.columns) {
        for (std::size_t r = 0; r < 2; ++r) {
          const data::Dataset shuffled = reordered(rows, one.columns, r == 0 ? turned : reversed);
          const double risen = loss_by_formula(score, rows.labels, model->predict(shuffled, around.context));
          EXPECT_NEAR(one.rises[r], risen - loss, 1e-12) << one.name;
        }
        EXPECT_NEAR(one.rise, (one.rises[0] + one.rises[1]) / 2, 1e-12);
      }
    }
  }
}

TEST(Importance, LeftOutVsFoldModelsOneByOne) {
  Surroundings around(2);
  const data::Dataset dataset = two_of(60, 3, 3);
  Selection selection;
  const auto model = chosen(dataset, around.context, &selection);
  const Importance found = importance_left_out(*model, dataset, selection, {.repeats = 1}, around.context);
  EXPECT_TRUE(found.left_out);
  EXPECT_NEAR(found.loss, selection.grid[*selection.best].error, 1e-12);  // the error that chose
  const std::vector<int>& fold_of = model->calibration.fold_model_of;
  const std::vector<int> folds{fold_of};
  const auto errors = [&](const data::Dataset& rows) {
    const model::Scores all = model->fold_models.score_all(rows, model->preprocessing, around.context);
    double wrong = 0;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      wrong += all.label(i, static_cast<std::size_t>(folds[i])) == rows.labels[i] ? 0 : 1;
    return wrong / static_cast<double>(rows.rows());
  };
  std::vector<std::size_t> within(dataset.rows());  // each row gets the value of the next one of its fold
  for (std::size_t i = 0; i < within.size(); ++i) {
    within[i] = i;
    for (std::size_t step = 1; step < within.size() && within[i] == i; ++step)
      if (folds[(i + step) % within.size()] == folds[i]) within[i] = (i + step) % within.size();
  }
  const Importance given =
      permutation_importance(*model, dataset, {.left_out = true, .permutations = {within}}, around.context);
  for (const ColumnImportance& one : given.columns)
    EXPECT_NEAR(one.rise, errors(reordered(dataset, one.columns, within)) - errors(dataset), 1e-12);
}

TEST(Importance, AreTheSameOnAnyThreads) {
  Surroundings one(1);
  Surroundings three(3);
  const auto model = chosen(two_of(80, 4, 1), one.context);
  const data::Dataset rows = two_of(300, 4, 2);
  const Importance first = permutation_importance(*model, rows, {}, one.context);
  const Importance second = permutation_importance(*model, rows, {}, three.context);
  for (std::size_t k = 0; k < first.columns.size(); ++k) {
    EXPECT_EQ(first.columns[k].rises, second.columns[k].rises);
    EXPECT_EQ(first.columns[k].standard_error, second.columns[k].standard_error);
  }
}

/// How often the noise of some models lies above two standard errors.
double share_above(std::size_t trials, bool left_out, Score score) {
  Surroundings around(1);
  std::size_t above = 0;
  std::size_t judged = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    const data::Dataset training = two_of(60, 4, 1000 + t);
    const auto model = chosen(training, around.context);
    const data::Dataset rows = left_out ? training : two_of(60, 4, 900'000 + t);
    const Importance found =
        permutation_importance(*model, rows, {.seed = t, .left_out = left_out, .score = score}, around.context);
    for (const std::size_t noise : {std::size_t{2}, std::size_t{3}}) {
      ++judged;
      above += found.columns[noise].rise > 2 * found.columns[noise].standard_error ? 1U : 0U;
    }
    EXPECT_GT(found.columns[0].standard_error, 0);
  }
  const double share = static_cast<double>(above) / static_cast<double>(judged);
  ::testing::Test::RecordProperty(title(score) + (left_out ? " left out" : ""), std::to_string(share));
  return share;
}

TEST(Importance, NoiseIsSeldomAboveTwoStandardErrorsBySimulation) {
  constexpr std::size_t trials = 1000;
  EXPECT_LE(share_above(trials, false, Score::accuracy), 0.05);
  EXPECT_LE(share_above(trials, false, Score::roc_auc), 0.05);
  EXPECT_LE(share_above(trials, true, Score::accuracy), 0.05);
}

/// Standard errors against the spread of the same figure over many draws of rows.
TEST(Importance, StandardErrorVsSpreadOverDrawsOfRows) {
  Surroundings around(1);
  const auto model = chosen(two_of(100, 3, 1), around.context);
  for (const Score score : {Score::accuracy, Score::balanced_accuracy, Score::roc_auc}) {
    std::vector<double> rises;
    double variance = 0;
    constexpr std::size_t draws = 200;
    for (std::size_t t = 0; t < draws; ++t) {
      const auto found =
          permutation_importance(*model, two_of(100, 3, 5000 + t), {.seed = t, .score = score}, around.context);
      rises.push_back(found.columns[0].rise);
      variance += std::pow(found.columns[0].standard_error, 2) / draws;
    }
    const double mean = std::accumulate(rises.begin(), rises.end(), 0.0) / draws;
    double spread = 0;
    for (const double rise : rises) spread += std::pow(rise - mean, 2) / (draws - 1);
    EXPECT_GT(std::sqrt(variance / spread), 0.85) << title(score);
    EXPECT_LT(std::sqrt(variance / spread), 1.35) << title(score);
  }
}

TEST(Importance, LinksColumnsByRankCorrelationAndScreensMany) {
  Surroundings around(2);
  data::DenseMatrix x = test::random_matrix(60, 210, 1);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < x.rows; ++i) {
    x.row(i)[1] = std::exp(x.row(i)[0]);  // the same ranks
    x.row(i)[2] = -x.row(i)[0] + 0.01 * x.row(i)[2];
    labels.emplace_back(x.row(i)[0] > 0 ? "b" : "a");
  }
  const data::Dataset dataset = data::make_dataset(x, labels);
  const auto model = chosen(dataset, around.context);
  const Importance found = permutation_importance(*model, dataset, {.correlated = 0.99, .repeats = 3}, around.context);
  EXPECT_EQ(found.columns.front().columns, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(found.asked, 208u);
  EXPECT_TRUE(found.screened);
  const auto again = [](const ColumnImportance& one) { return one.rises.size() == 3; };
  EXPECT_EQ(std::ranges::count_if(found.columns, again), static_cast<long>(ImportanceOptions::most_leading));
  EXPECT_TRUE(again(found.columns.front()));
}

TEST(Importance, SaysWhyNot) {
  Surroundings around(1);
  const auto model = chosen(two_of(60, 3, 1), around.context);
  const data::Dataset rows = two_of(40, 3, 2);
  const auto refused = [&](const ImportanceOptions& options) {
    return [&, options] { permutation_importance(*model, rows, options, around.context); };
  };
  test::expect_error(ErrorCode::invalid_argument, "'x9' is none of the columns",
                     [&] { column_named(rows.schema, "x9"); });
  test::expect_error(ErrorCode::invalid_argument, "a correlation lies above 0", refused({.correlated = 1.5}));
  test::expect_error(ErrorCode::invalid_argument, "60 rows, not 40", refused({.left_out = true}));
  core::Monitor stopped;
  stopped.cancel();
  test::expect_error(ErrorCode::interrupted, "",
                     [&] { permutation_importance(*model, rows, {}, around.context.with(stopped)); });
}

TEST(Dependence, VsOnePredictionForEachValue) {
  Surroundings around(2);
  const auto model = chosen(two_of(80, 3, 1), around.context);
  const data::Dataset rows = two_of(50, 3, 2);
  const Dependence found = partial_dependence(*model, rows, 1, around.context);
  EXPECT_EQ(found.response, "probability");
  EXPECT_EQ(found.classes, std::vector<std::string>{"b"});
  ASSERT_EQ(found.values.size(), 50u);  // fewer than 100 different ones: all of them
  for (const std::size_t k : {0u, 21u, 49u}) {
    data::DenseMatrix same = rows.features.to_dense();
    for (std::size_t i = 0; i < same.rows; ++i) same.row(i)[1] = found.values[k];
    model::Prediction said = model->predict(rows.with_features(same), around.context);
    model::add_probabilities(*model, {}, said);
    double mean = 0;
    for (std::size_t i = 0; i < same.rows; ++i) mean += said.probability.row(i)[1] / static_cast<double>(same.rows);
    EXPECT_NEAR(found.average.row(k)[0], mean, 1e-12);
  }
}

TEST(Dependence, LeavesOutLevelsThatTheModelDoesNotKnow) {
  Surroundings around(1);
  data::Dataset known = two_of(80, 3, 1);
  data::Dataset rows = two_of(50, 3, 2);
  for (data::Dataset* one : {&known, &rows}) {
    one->schema.columns[1] = {"ward", data::ColumnKind::categorical, {"A", "B"}};
    data::DenseMatrix values = one->features.to_dense();
    for (std::size_t i = 0; i < values.rows; ++i) values.row(i)[1] = static_cast<double>(i % 2);
    one->features = std::move(values);
  }
  const auto model = chosen(known, around.context);
  data::DenseMatrix values = rows.features.to_dense();
  values.row(7)[1] = 2;  // none of the levels, as `--unseen other` reads it
  rows.features = std::move(values);
  EXPECT_EQ(partial_dependence(*model, rows, 1, around.context).levels, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(permutation_importance(*model, rows, {.correlated = 0.9}, around.context).columns.size(), 3u);
}

}  // namespace
}  // namespace credence::selection
