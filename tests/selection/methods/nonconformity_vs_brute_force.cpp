#include "credence/selection/nonconformity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "credence/bounds/uniform.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"

namespace credence {
namespace nonconformity_vs_brute_force_tests {

using selection::NonconformityOptions;
using selection::NonconformityRule;
using selection::PValue;
using selection::Tie;
using test::expect_error;

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Sample {
  model::Scores scores;
  std::vector<int> labels;
};

/// Integer scores in a small range, so that ties abound; with two classes those of a decision value f.
Sample random_sample(std::size_t rows, std::size_t models, std::size_t classes, int range, std::uint64_t seed) {
  core::RandomStream random(seed, 77);
  Sample sample{model::Scores(rows, models, classes), {}};
  const auto draw = [&] { return static_cast<double>(random.below(2 * static_cast<unsigned>(range) + 1)) - range; };
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < models; ++k) {
      double* const scores = sample.scores.at(r, k);
      for (std::size_t y = 0; y < classes; ++y) scores[y] = draw();
      if (classes == 2) scores[0] = -scores[1];
    }
    sample.labels.push_back(static_cast<int>(random.below(classes)));
  }
  sample.scores.label_by_score();
  return sample;
}

/// What a row may be given: (model, class).
using Pairs = std::set<std::pair<std::size_t, int>>;

struct Expected {
  std::size_t critical = 0;                      ///< n times eps_crit
  std::vector<std::vector<std::size_t>> counts;  ///< n times p_k(x, y)
  Pairs pairs;
};

/// Algorithm 1 of the paper, word for word: y in {-1, +1}, f_k(x) = score of the second class.
Expected algorithm_1(const Sample& validation, const model::Scores& rows, std::size_t r) {
  const auto f = [](const model::Scores& scores, std::size_t row, std::size_t k) { return scores.at(row, k)[1]; };
  const auto count = [&](std::size_t k, int y) {
    std::size_t total = 0;
    for (std::size_t j = 0; j < validation.labels.size(); ++j) {
      const int y_j = validation.labels[j] == 1 ? 1 : -1;
      if (y_j * f(validation.scores, j, k) <= y * f(rows, r, k)) ++total;
    }
    return total;
  };
  Expected expected;
  expected.critical = validation.labels.size() + 1;
  for (std::size_t k = 0; k < rows.models; ++k)
    for (const int y : {-1, 1}) expected.critical = std::min(expected.critical, count(k, y));
  for (std::size_t k = 0; k < rows.models; ++k) {
    expected.counts.push_back({count(k, -1), count(k, 1)});
    for (const int y_crit : {-1, 1})
      if (count(k, y_crit) == expected.critical) expected.pairs.insert({k, -y_crit == 1 ? 1 : 0});
  }
  return expected;
}

/// The header's formulas for any number of classes.
Expected by_the_header(const Sample& validation, const model::Scores& rows, std::size_t r) {
  Expected expected;
  std::vector<std::size_t> eps;
  for (std::size_t k = 0; k < rows.models; ++k) {
    std::vector<std::size_t> counts(rows.classes, 0);
    for (std::size_t y = 0; y < rows.classes; ++y) {
      for (std::size_t j = 0; j < validation.labels.size(); ++j)
        if (validation.scores.at(j, k)[validation.labels[j]] <= rows.at(r, k)[y]) ++counts[y];
    }
    expected.counts.push_back(counts);
    std::sort(counts.rbegin(), counts.rend());
    eps.push_back(counts[1]);
  }
  expected.critical = *std::min_element(eps.begin(), eps.end());
  for (std::size_t k = 0; k < rows.models; ++k) {
    const auto& counts = expected.counts[k];
    for (std::size_t y = 0; y < rows.classes; ++y) {
      const bool largest = counts[y] == *std::max_element(counts.begin(), counts.end());
      if (eps[k] == expected.critical && largest) expected.pairs.insert({k, static_cast<int>(y)});
    }
  }
  return expected;
}

std::vector<std::size_t> validation_errors(const Sample& validation) {
  std::vector<std::size_t> errors(validation.scores.models, 0);
  for (std::size_t k = 0; k < errors.size(); ++k) {
    for (std::size_t j = 0; j < validation.labels.size(); ++j)
      if (validation.scores.label(j, k) != validation.labels[j]) ++errors[k];
  }
  return errors;
}

/// Fewest errors, then lowest model, then larger score, then lowest class.
std::pair<std::size_t, int> first_of(const Pairs& pairs, const std::vector<std::size_t>& errors,
                                     const model::Scores& rows, std::size_t r) {
  std::vector<std::tuple<std::size_t, std::size_t, double, int>> order;
  for (const auto& [k, y] : pairs) order.emplace_back(errors[k], k, -rows.at(r, k)[y], y);
  const auto first = *std::min_element(order.begin(), order.end());
  return {std::get<1>(first), std::get<3>(first)};
}

/// The pairs of the classes that most pairs give.
Pairs with_most_votes(const Pairs& pairs, std::size_t classes) {
  std::vector<int> votes(classes, 0);
  for (const auto& pair : pairs) ++votes[static_cast<std::size_t>(pair.second)];
  Pairs best;
  for (const auto& pair : pairs)
    if (votes[static_cast<std::size_t>(pair.second)] == *std::max_element(votes.begin(), votes.end()))
      best.insert(pair);
  return best;
}

void expect_choice(const model::Prediction& prediction, std::size_t r, const Expected& expected, Tie tie,
                   const std::vector<std::size_t>& errors, const model::Scores& rows) {
  const std::pair<std::size_t, int> chosen{prediction.chosen[r], prediction.label[r]};
  if (tie == Tie::random) {
    EXPECT_TRUE(expected.pairs.contains(chosen));
  } else {
    const Pairs pairs = tie == Tie::vote ? with_most_votes(expected.pairs, rows.classes) : expected.pairs;
    EXPECT_EQ(chosen, first_of(pairs, errors, rows, r));
  }
}

void expect_numbers(const model::Prediction& prediction, std::size_t r, const Expected& expected, std::size_t n,
                    const NonconformityOptions& options) {
  const auto p = [&](std::size_t count, PValue kind) {
    return kind == PValue::paper ? static_cast<double>(count) / static_cast<double>(n)
                                 : static_cast<double>(count + 1) / static_cast<double>(n + 1);
  };
  const auto models = static_cast<double>(expected.counts.size());
  EXPECT_EQ(prediction.eps_crit[r], p(expected.critical, options.p_value));
  EXPECT_DOUBLE_EQ(prediction.bound_vc[r],
                   p(expected.critical, PValue::paper) + bounds::vc_deviation(n, 1, options.delta / models));
  EXPECT_DOUBLE_EQ(prediction.bound_dkw[r],
                   p(expected.critical, PValue::paper) + bounds::dkw_deviation(n, options.delta / models));
  const auto& counts = expected.counts[prediction.chosen[r]];
  for (const double eps : {0.0, 0.02, 0.1, 0.25, 0.5, 0.9, 1.0, prediction.eps_crit[r]}) {
    std::vector<int> set;
    for (std::size_t y = 0; y < counts.size(); ++y)
      if (p(counts[y], options.p_value) > eps) set.push_back(static_cast<int>(y));
    EXPECT_EQ(prediction.prediction_set(r, eps), set) << "eps " << eps;
  }
  EXPECT_LE(prediction.prediction_set(r, prediction.eps_crit[r]).size(), 1U);
}

template <class Twin>
void expect_like(Twin&& twin, const Sample& validation, const model::Scores& rows,
                 const NonconformityOptions& options) {
  const model::Prediction prediction = selection::nonconformity(validation.scores, validation.labels, rows, options);
  const std::vector<std::size_t> errors = validation_errors(validation);
  ASSERT_EQ(prediction.label.size(), rows.rows);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    SCOPED_TRACE("row " + std::to_string(r));
    const Expected expected = twin(validation, rows, r);
    expect_choice(prediction, r, expected, options.tie, errors, rows);
    expect_numbers(prediction, r, expected, validation.labels.size(), options);
    if (testing::Test::HasFailure()) return;
  }
}

template <class Visit>
void with_all_options(std::uint64_t seed, Visit&& visit) {
  for (const Tie tie : {Tie::random, Tie::validation_error, Tie::vote})
    for (const PValue p_value : {PValue::paper, PValue::conformal})
      visit(NonconformityOptions{.tie = tie, .p_value = p_value, .delta = 0.1, .seed = seed});
}

TEST(Nonconformity, TwoClassesVsAlgorithm1) {
  for (std::size_t n = 1; n <= 50; ++n) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const std::size_t models = 1 + n % 9;
    const int range = 1 + static_cast<int>(n % 4) * 2;
    const Sample validation = random_sample(n, models, 2, range, n);
    const Sample rows = random_sample(25, models, 2, range + 1, 1000 + n);
    with_all_options(n, [&](const NonconformityOptions& options) {
      expect_like(algorithm_1, validation, rows.scores, options);
      expect_like(by_the_header, validation, rows.scores, options);
    });
    if (HasFailure()) return;
  }
}

TEST(Nonconformity, ManyClassesVsHeader) {
  for (std::size_t n = 1; n <= 50; n += 3) {
    SCOPED_TRACE("n = " + std::to_string(n));
    const std::size_t classes = 3 + n % 4;
    const Sample validation = random_sample(n, 6, classes, 3, 50 + n);
    const Sample rows = random_sample(25, 6, classes, 4, 2000 + n);
    with_all_options(
        n, [&](const NonconformityOptions& options) { expect_like(by_the_header, validation, rows.scores, options); });
    if (HasFailure()) return;
  }
}

TEST(Nonconformity, InfiniteScoresAreScoresLikeOthers) {
  Sample validation = random_sample(12, 4, 3, 2, 5);
  Sample rows = random_sample(40, 4, 3, 2, 6);
  for (Sample* sample : {&validation, &rows})
    for (double& score : sample->scores.values) score = std::abs(score) == 2 ? score * infinity : score;
  with_all_options(
      3, [&](const NonconformityOptions& options) { expect_like(by_the_header, validation, rows.scores, options); });
}

/// One model, decision values f; class 1 is +1.
model::Scores decisions(const std::vector<double>& values) {
  model::Scores scores(values.size(), 1, 2);
  for (std::size_t r = 0; r < values.size(); ++r) {
    scores.at(r, 0)[0] = -values[r];
    scores.at(r, 0)[1] = values[r];
  }
  scores.label_by_score();
  return scores;
}

TEST(Nonconformity, PicturedExampleOfThePaper) {
  // Figure 1: six validation margins y f, two of them negative; the row has f > 0.
  const std::vector<int> labels{1, 0, 1, 0, 1, 1};
  const std::vector<double> f{-2.0, 0.5, 1.0, -2.0, 3.0, 4.0};  // margins -2, -0.5, 1, 2, 3, 4
  const model::Prediction prediction =
      selection::nonconformity(decisions(f), labels, decisions({1.5}), {.delta = 0.05});
  EXPECT_EQ(prediction.label[0], 1);
  EXPECT_DOUBLE_EQ(prediction.p_value.row(0)[1], 3.0 / 6);
  EXPECT_DOUBLE_EQ(prediction.p_value.row(0)[0], 1.0 / 6);
  EXPECT_DOUBLE_EQ(prediction.eps_crit[0], 1.0 / 6);
  EXPECT_EQ(prediction.prediction_set(0, 0.1), (std::vector<int>{0, 1}));
  EXPECT_EQ(prediction.prediction_set(0, 1.0 / 6), (std::vector<int>{1}));
  EXPECT_EQ(prediction.prediction_set(0, 0.5), (std::vector<int>{}));
  // Prop. 4.2 with K = 1, and DKW, written out; not cut at 1.
  EXPECT_NEAR(prediction.bound_vc[0], 1.0 / 6 + 5.66 * std::sqrt((std::log(std::exp(1.0) * 6) + std::log(160.0)) / 6),
              1e-12);
  EXPECT_NEAR(prediction.bound_dkw[0], 1.0 / 6 + std::sqrt(std::log(40.0) / 12), 1e-12);
  EXPECT_GT(prediction.bound_vc[0], 1);
}

/// Three models that say f = 0 of everything: six tied pairs.
struct Undecided {
  model::Scores validation{4, 3, 2};
  std::vector<int> labels{0, 1, 0, 1};
};

TEST(Nonconformity, RandomTiesAreUniformOverPairs) {
  const Undecided undecided;
  const std::size_t n = 60'000;
  const model::Prediction prediction = selection::nonconformity(
      undecided.validation, undecided.labels, model::Scores(n, 3, 2), {.tie = Tie::random, .seed = 11});
  std::array<double, 6> counts{};
  double repeats = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const auto pair = [&](std::size_t row) {
      return 2 * prediction.chosen[row] + static_cast<unsigned>(prediction.label[row]);
    };
    counts[pair(r)] += 1;
    if (r > 0 && pair(r) == pair(r - 1)) repeats += 1;
  }
  const double mean = static_cast<double>(n) / 6;
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - mean) * (count - mean) / mean;
  EXPECT_LT(chi_square, 20.52) << "99.9 % quantile with 5 degrees of freedom";
  EXPECT_NEAR(repeats, mean, 4 * std::sqrt(mean)) << "neighbouring rows do not choose alike";
}

TEST(Nonconformity, RandomTiesFollowSeedAndRowNumberAlone) {
  const Sample validation = random_sample(10, 5, 2, 1, 1);
  const Sample rows = random_sample(300, 5, 2, 1, 2);
  NonconformityOptions options{.tie = Tie::random, .seed = 4};
  const model::Prediction whole = selection::nonconformity(validation.scores, validation.labels, rows.scores, options);
  const NonconformityRule rule(validation.scores, validation.labels, options);
  model::Prediction pieces = rule.prepare(300);
  for (std::size_t first = 300; first > 0;) {  // backwards, in uneven blocks
    const std::size_t start = first > 37 ? first - 37 : 0;
    model::Scores block(first - start, 5, 2);
    std::copy(rows.scores.at(start, 0), rows.scores.at(start, 0) + block.values.size(), block.values.begin());
    rule.predict(block, start, pieces);
    first = start;
  }
  EXPECT_EQ(pieces.label, whole.label);
  EXPECT_EQ(pieces.chosen, whole.chosen);
  EXPECT_EQ(pieces.p_value.values, whole.p_value.values);
  options.seed = 5;
  EXPECT_NE(selection::nonconformity(validation.scores, validation.labels, rows.scores, options).chosen, whole.chosen);
}

TEST(Nonconformity, DecidesTheSameFromItsParts) {
  const Sample validation = random_sample(23, 7, 3, 3, 8);
  const Sample rows = random_sample(60, 7, 3, 3, 9);
  with_all_options(2, [&](const NonconformityOptions& options) {
    const NonconformityRule rule(validation.scores, validation.labels, options);
    const NonconformityRule copy(rule.margins(), rule.validation_errors(), rule.classes(), rule.options());
    model::Prediction a = rule.prepare(60);
    model::Prediction b = copy.prepare(60);
    rule.predict(rows.scores, 0, a);
    copy.predict(rows.scores, 0, b);
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.chosen, b.chosen);
    EXPECT_EQ(a.p_value.values, b.p_value.values);
    EXPECT_EQ(a.bound_dkw, b.bound_dkw);
  });
}

TEST(Nonconformity, RefusesWhatItCannotUse) {
  const Undecided good;
  const auto refused = [&](const std::string& part, model::Scores validation, std::vector<int> labels,
                           NonconformityOptions options = {}) {
    expect_error(ErrorCode::invalid_argument, part, [&] { NonconformityRule(validation, labels, options); });
  };
  ASSERT_NO_THROW(NonconformityRule(good.validation, good.labels, {}));
  for (const double delta : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    refused("delta", good.validation, good.labels, {.delta = delta});
  refused("at least one", model::Scores(0, 3, 2), {});
  refused("at least one", model::Scores(4, 0, 2), good.labels);
  refused("2 classes", model::Scores(4, 3, 1), {0, 0, 0, 0});
  refused("labels", good.validation, {0, 1, 0});
  refused("class 2", good.validation, {0, 1, 0, 2});
  refused("class -1", good.validation, {0, 1, 0, -1});
  model::Scores scores = good.validation;
  scores.values.back() = std::numeric_limits<double>::quiet_NaN();
  refused("not a number", scores, good.labels);
  scores = good.validation;
  scores.values.pop_back();
  refused("rows x models x classes", scores, good.labels);
}

TEST(Nonconformity, RefusesPartsThatContradictEachOther) {
  const Undecided good;
  const NonconformityRule rule(good.validation, good.labels, {});
  const auto refused = [&](const std::string& part, data::DenseMatrix margins, std::vector<std::size_t> errors,
                           std::size_t classes = 2) {
    expect_error(ErrorCode::invalid_argument, part, [&] { NonconformityRule(margins, errors, classes, {}); });
  };
  data::DenseMatrix margins = rule.margins();
  margins.values[5] = -1;
  refused("ascend", margins, {0, 0, 0});
  margins.values[5] = std::numeric_limits<double>::quiet_NaN();
  refused("not a number", margins, {0, 0, 0});
  margins.values.pop_back();
  refused("a row for each", margins, {0, 0, 0});
  refused("one number", rule.margins(), {0, 0});
  refused("more validation errors", rule.margins(), {0, 5, 0});
  refused("2 classes", rule.margins(), {0, 0, 0}, 1);
  refused("at least one", data::DenseMatrix(), {});
}

TEST(Nonconformity, RefusesRowsOfOthers) {
  const Undecided good;
  const NonconformityRule rule(good.validation, good.labels, {});
  const auto refused = [&](const std::string& part, const model::Scores& rows) {
    model::Prediction prediction = rule.prepare(rows.rows);
    expect_error(ErrorCode::invalid_argument, part, [&] { rule.predict(rows, 0, prediction); });
  };
  refused("3 classifiers", model::Scores(2, 4, 2));
  refused("2 classes", model::Scores(2, 3, 3));
  model::Scores rows(2, 3, 2);
  rows.values[3] = std::numeric_limits<double>::quiet_NaN();
  refused("not a number", rows);
}

}  // namespace nonconformity_vs_brute_force_tests
}  // namespace credence
