#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "credence/conformal/evaluation.hpp"
#include "credence/conformal/p_value.hpp"
#include "credence/conformal/predictor.hpp"
#include "credence/core/random.hpp"
#include "credence/data/row_key.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace p_value_vs_brute_force_tests {

using test::expect_error;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t classes = 3;

/// Few values, so that most are tied; class 2 is rare.
struct Examples {
  std::vector<double> nonconformity_scores;
  std::vector<int> labels;

  void add(double value, int label) {
    nonconformity_scores.push_back(value);
    labels.push_back(label);
  }
  void take_out(std::size_t i) {
    nonconformity_scores.erase(nonconformity_scores.begin() + static_cast<std::ptrdiff_t>(i));
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
  }
  NonconformityTable table() const { return {nonconformity_scores, labels, classes}; }
};

const std::vector<double> possible{-infinity, -2, -0.0, 0, 0.1, std::nextafter(0.1, 1.0), 1.0 / 3, 5, infinity};

double draw_nonconformity(core::RandomStream& random) {
  return possible[random.below(possible.size())];
}

int draw_label(core::RandomStream& random) {
  return random.below(12) == 0 ? 2 : static_cast<int>(random.below(2));
}

Examples random_examples(std::size_t n, core::RandomStream& random) {
  Examples examples;
  for (std::size_t i = 0; i < n; ++i) examples.add(draw_nonconformity(random), draw_label(random));
  return examples;
}

/// By looking at every example. @param label  -1: of all classes
Rank counted(const Examples& examples, double nonconformity, int label) {
  Rank rank;
  for (std::size_t i = 0; i < examples.labels.size(); ++i) {
    if (label >= 0 && examples.labels[i] != label) continue;
    ++rank.of;
    if (examples.nonconformity_scores[i] > nonconformity) ++rank.greater;
    if (examples.nonconformity_scores[i] == nonconformity) ++rank.equal;
  }
  return rank;
}

void expect_counted_ranks(const NonconformityTable& table, const Examples& examples) {
  ASSERT_EQ(table.size(), examples.labels.size());
  std::vector<double> questions = possible;
  questions.insert(questions.end(), {-3, 0.05, 0.2, 1e300});
  for (const double nonconformity : questions) {
    EXPECT_EQ(table.rank(nonconformity), counted(examples, nonconformity, -1)) << nonconformity;
    for (int label = 0; label < static_cast<int>(classes); ++label)
      EXPECT_EQ(table.rank(nonconformity, label), counted(examples, nonconformity, label)) << nonconformity;
  }
}

TEST(NonconformityTable, RanksEqualCountsOverAllExamples) {
  core::RandomStream random(1);
  for (const std::size_t n : {0U, 1U, 2U, 17U, 200U}) {
    const Examples examples = random_examples(n, random);
    expect_counted_ranks(examples.table(), examples);
  }
}

TEST(NonconformityTable, InsertionAndRemovalEqualATableMadeAnew) {
  core::RandomStream random(2);
  Examples examples = random_examples(30, random);
  NonconformityTable table = examples.table();
  for (int step = 0; step < 300; ++step) {
    if (random.below(2) == 0 || examples.labels.empty()) {
      examples.add(draw_nonconformity(random), draw_label(random));
      table.insert(examples.nonconformity_scores.back(), examples.labels.back());
    } else {
      const std::size_t i = random.below(examples.labels.size());
      table.erase(examples.nonconformity_scores[i], examples.labels[i]);
      examples.take_out(i);
    }
    ASSERT_EQ(table, examples.table()) << step;
  }
  expect_counted_ranks(table, examples);
  while (!examples.labels.empty()) {
    table.erase(examples.nonconformity_scores.back(), examples.labels.back());
    examples.take_out(examples.labels.size() - 1);
  }
  EXPECT_EQ(table.size(), 0U);
  EXPECT_EQ(table, NonconformityTable({}, {}, classes));
}

TEST(NonconformityTable, RefusesWhatItCannotHoldAndStaysAsItWas) {
  const std::vector<double> values{1, 2};
  const std::vector<int> labels{0, 1};
  const auto make = [](std::vector<double> v, std::vector<int> l) { return NonconformityTable(v, l, classes); };
  expect_error(ErrorCode::invalid_argument, "not a number", [&] { make({1, not_a_number}, labels); });
  expect_error(ErrorCode::invalid_argument, "class 3", [&] { make(values, {0, 3}); });
  expect_error(ErrorCode::invalid_argument, "class -1", [&] { make(values, {0, -1}); });
  expect_error(ErrorCode::invalid_argument, "2 examples", [&] { make(values, {0}); });

  NonconformityTable table(values, labels, classes);
  const NonconformityTable before = table;
  expect_error(ErrorCode::invalid_argument, "not a number", [&] { table.insert(not_a_number, 0); });
  expect_error(ErrorCode::invalid_argument, "class 3", [&] { table.insert(1, 3); });
  expect_error(ErrorCode::invalid_argument, "class 1", [&] { table.erase(1, 1); });  // 1 is of class 0
  expect_error(ErrorCode::invalid_argument, "not a number", [&] { table.erase(not_a_number, 1); });
  expect_error(ErrorCode::invalid_argument, "class 7", [&] { table.erase(1, 7); });
  expect_error(ErrorCode::invalid_argument, "not a number", [&] { table.rank(not_a_number); });
  expect_error(ErrorCode::invalid_argument, "class 3", [&] { table.rank(1, 3); });
  EXPECT_EQ(table, before);
}

TEST(PValue, CountsTheNewExampleItself) {
  EXPECT_EQ(p_value({0, 0, 0}), 1);
  EXPECT_EQ(p_value({0, 0, 9}), 0.1);
  EXPECT_EQ(p_value({2, 3, 9}), 0.6);
  EXPECT_EQ(p_value({4, 5, 9}), 1);
  EXPECT_EQ(smoothed_p_value({2, 3, 9}, 0), 0.2);
  EXPECT_EQ(smoothed_p_value({2, 3, 9}, 0.5), 0.4);
  EXPECT_EQ(smoothed_p_value({0, 0, 0}, 0.25), 0.25);
}

/// p-values from the examples and the new one, all in one list.
double listed_p_value(const Examples& examples, double nonconformity, double tau) {
  std::vector<double> all = examples.nonconformity_scores;
  all.push_back(nonconformity);
  double sum = 0;
  for (const double alpha : all) sum += alpha > nonconformity ? 1 : alpha == nonconformity ? tau : 0;
  return sum / static_cast<double>(all.size());
}

TEST(PValue, OfRanksEqualsTheListOfAll) {
  core::RandomStream random(3);
  const Examples examples = random_examples(41, random);
  const NonconformityTable table = examples.table();
  Ranks ranks(8, classes);
  for (Rank& rank : ranks.values) rank = table.rank(draw_nonconformity(random));
  random = core::RandomStream(3);
  random_examples(41, random);
  const data::DenseMatrix plain = p_values(ranks, {});
  const std::vector<std::uint64_t> keys{5, 17, 2, 2, 0, 90, 1, 8};
  const data::DenseMatrix smoothed = p_values(ranks, {.smoothed = true, .seed = 9}, keys);
  expect_error(ErrorCode::invalid_argument, "a key for each of the 8 rows",
               [&] { p_values(ranks, {.smoothed = true}); });
  ASSERT_EQ(plain.rows, 8U);
  ASSERT_EQ(plain.columns, classes);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t c = 0; c < classes; ++c) {
      const double nonconformity = draw_nonconformity(random);
      EXPECT_NEAR(plain.row(row)[c], listed_p_value(examples, nonconformity, 1), 1e-15);
      EXPECT_NEAR(smoothed.row(row)[c], listed_p_value(examples, nonconformity, smoothing_tau(9, keys[row])), 1e-15);
    }
  }
}

TEST(SmoothingTau, IsUniformAndDependsOnSeedAndKeyAlone) {
  std::set<double> distinct;
  std::vector<double> taus;
  for (std::size_t row = 0; row < 1000; ++row) {
    taus.push_back(smoothing_tau(4, row));
    distinct.insert({taus.back(), smoothing_tau(5, row)});
    EXPECT_EQ(taus.back(), smoothing_tau(4, row));
    EXPECT_TRUE(taus.back() >= 0 && taus.back() < 1);
  }
  EXPECT_EQ(distinct.size(), 2000U);
  EXPECT_GT(test_uniform(taus).p_value, 0.01);
  // The stream of a seed is part of what a version promises.
  EXPECT_EQ(smoothing_tau(0, 0), 0x1.0fdc74498944cp-2);
  EXPECT_EQ(smoothing_tau(1, 2), 0x1.9d2664f8d36bp-3);
}

model::Prediction prediction_of(std::vector<double> p, std::size_t class_count) {
  model::Prediction prediction;
  prediction.p_value = data::DenseMatrix(p.size() / class_count, class_count);
  prediction.p_value.values = std::move(p);
  return prediction;
}

TEST(Conclude, TakesTheLargestAndTheSecondLargest) {
  model::Prediction prediction = prediction_of({0.1, 0.5, 0.25, /**/ 0.5, 0.1, 0.5, /**/ 0.2, 0.2, 0.2}, 3);
  conclude(prediction);
  EXPECT_EQ(prediction.label, (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(prediction.credibility, (std::vector<double>{0.5, 0.5, 0.2}));
  EXPECT_EQ(prediction.confidence, (std::vector<double>{0.75, 0.5, 0.8}));
}

TEST(Conclude, KeepsLabelsIfAskedAndSpeaksOfThem) {
  model::Prediction prediction = prediction_of({0.1, 0.5, 0.25, 0.75}, 2);
  prediction.label = {0, 0};
  conclude(prediction, true);
  EXPECT_EQ(prediction.label, (std::vector<int>{0, 0}));
  EXPECT_EQ(prediction.credibility, (std::vector<double>{0.1, 0.25}));
  EXPECT_EQ(prediction.confidence, (std::vector<double>{0.5, 0.25}));
}

TEST(Conclude, OfOneClassOrNone) {
  model::Prediction one = prediction_of({0.3}, 1);
  conclude(one);
  EXPECT_EQ(one.confidence, std::vector<double>{1});
  model::Prediction nothing;
  conclude(nothing);
  EXPECT_TRUE(nothing.label.empty());
  model::Prediction without_class;
  without_class.p_value.rows = 2;
  expect_error(ErrorCode::invalid_argument, "no class", [&] { conclude(without_class); });
}

/// Says of each row what its numbers say: (greater, equal) for each class, of 9.
struct ToldMachine final : Machine {
  std::vector<std::size_t> class_counts() const override { return {5, 4}; }
  Validity validity() const override { return Validity::exact; }
  Ranks ranks(const data::Features& rows, bool label_conditional, const core::Context&) const override {
    Ranks ranks(rows.rows(), 2);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      for (std::size_t c = 0; c < 2; ++c) {
        const auto numbers = rows.dense().row(row).subspan(2 * c, 2);
        ranks.at(row, c) = {std::trunc(numbers[0]), std::trunc(numbers[1]),
                            label_conditional ? static_cast<double>(class_counts()[c]) : 9};
      }
    }
    return ranks;
  }
};

TEST(ConformalPredictor, RanksThenPValuesThenConclusion) {
  const test::Surroundings surroundings;
  ConformalPredictor predictor;
  data::DenseMatrix rows(2, 4);
  rows.values = {0, 0, 3, 1, /**/ 2, 1, 0, 1};
  expect_error(ErrorCode::invalid_argument, "no machine",
               [&] { predictor.predict_preprocessed(rows, surroundings.context); });
  predictor.machine = std::make_shared<ToldMachine>();
  predictor.schema.classes = {"a", "b"};
  const model::Prediction plain = predictor.predict_preprocessed(rows, surroundings.context);
  EXPECT_EQ(plain.p_value.values, (std::vector<double>{0.1, 0.5, 0.4, 0.2}));
  EXPECT_EQ(plain.label, (std::vector<int>{1, 0}));
  EXPECT_EQ(plain.credibility, (std::vector<double>{0.5, 0.4}));
  EXPECT_EQ(plain.confidence, (std::vector<double>{0.9, 0.8}));

  predictor.options = {.smoothed = true, .label_conditional = true, .seed = 6};
  const model::Prediction smoothed = predictor.predict_preprocessed(rows, surroundings.context);
  const double tau = smoothing_tau(6, data::row_key(rows.row(1)));
  EXPECT_EQ(smoothed.p_value.row(1)[0], (2 + tau * 2) / 6);
  EXPECT_EQ(smoothed.p_value.row(1)[1], (0 + tau * 2) / 5);

  predictor.schema.classes = {"a", "b", "c"};
  expect_error(ErrorCode::invalid_argument, "names 3 classes",
               [&] { predictor.predict_preprocessed(rows, surroundings.context); });
}

TEST(SmallestPValue, IsThatOfTheSmallestClassIfLabelConditional) {
  const std::vector<std::size_t> counts{12, 3, 84};
  EXPECT_EQ(smallest_p_value(counts, false), 0.01);
  EXPECT_EQ(smallest_p_value(counts, true), 0.25);
  EXPECT_EQ(smallest_p_value(std::vector<std::size_t>{7, 0}, true), 1);
  EXPECT_EQ(smallest_p_value({}, false), 1);
}

}  // namespace p_value_vs_brute_force_tests
}  // namespace credence::conformal
