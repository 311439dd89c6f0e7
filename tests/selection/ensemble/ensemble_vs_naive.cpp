#include "credence/selection/ensemble.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence {
namespace ensemble_vs_naive_tests {

using selection::Ensemble;
using selection::MaxMarginRule;
using selection::NonconformityRule;
using selection::Tie;
using selection::VoteRule;
using test::expect_error;

/// Rounded linear scores, so that ties abound, returned in blocks of seven rows; a model's own label need not be
/// the class with its largest score.
class RoundedFamily final : public model::ClassifierFamily {
 public:
  RoundedFamily(std::size_t models, std::size_t classes) : models_(models), classes_(classes) {}
  std::size_t models() const override { return models_; }
  std::size_t classes() const override { return classes_; }
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override {
    const std::size_t n = rows.rows();
    context.threads.for_each((n + 6) / 7, [&](std::size_t b) {
      model::Scores block(std::min<std::size_t>(7, n - 7 * b), models_, classes_);
      for (std::size_t r = 0; r < block.rows; ++r) {
        const auto x = rows.dense().row(7 * b + r);
        for (std::size_t k = 0; k < models_; ++k) {
          for (std::size_t y = 0; y < classes_; ++y) {
            const double angle = static_cast<double>(3 * k + 5 * y);
            block.at(r, k)[y] = std::round(x[0] * std::cos(angle) + x[1] * std::sin(angle));
          }
          block.labels[r * models_ + k] = static_cast<int>(
              (std::llround(std::abs(x[0]) * 3) + std::llround(std::abs(x[1])) * static_cast<long long>(k)) %
              static_cast<long long>(classes_));
        }
      }
      visit(7 * b, block);
    });
  }

 private:
  std::size_t models_;
  std::size_t classes_;
};

model::Scores all_scores(const model::ClassifierFamily& family, const data::Features& rows) {
  test::Surroundings surroundings;
  return family.score_all(rows, surroundings.context);
}

struct Case {
  Ensemble predictor;
  data::Features rows{test::random_matrix(200, 2, 3, 2)};
  model::Scores scores;

  explicit Case(decltype(Ensemble::rule) rule, std::size_t classes = 3) {
    predictor.set_family(std::make_shared<RoundedFamily>(5, classes));
    predictor.rule = std::move(rule);
    scores = all_scores(predictor.family(), rows);
  }

  /// The same from one thread and from four.
  model::Prediction predict() const {
    const auto predict_with = [&](int threads) {
      test::Surroundings surroundings(threads);
      return predictor.predict_preprocessed(rows, surroundings.context);
    };
    model::Prediction a = predict_with(1);
    const model::Prediction b = predict_with(4);
    EXPECT_EQ(a.label, b.label);
    EXPECT_EQ(a.chosen, b.chosen);
    EXPECT_EQ(a.p_value.values, b.p_value.values);
    EXPECT_EQ(a.eps_crit, b.eps_crit);
    return a;
  }
};

TEST(EnsembleVsNaive, MaxMarginVsNaive) {
  const Case test_case{MaxMarginRule{}};
  const model::Prediction prediction = test_case.predict();
  for (std::size_t r = 0; r < 200; ++r) {
    std::size_t best_model = 0;
    int best_class = 0;
    double best = -1e9;
    for (std::size_t k = 0; k < 5; ++k) {
      for (std::size_t y = 0; y < 3; ++y) {
        if (test_case.scores.at(r, k)[y] > best) {
          best = test_case.scores.at(r, k)[y];
          best_model = k;
          best_class = static_cast<int>(y);
        }
      }
    }
    ASSERT_EQ(prediction.chosen[r], best_model);
    ASSERT_EQ(prediction.label[r], best_class);
  }
  EXPECT_TRUE(prediction.eps_crit.empty());
  EXPECT_TRUE(prediction.p_value.values.empty());
}

TEST(EnsembleVsNaive, VoteVsNaive) {
  const std::vector<std::uint32_t> members{2, 0, 1, 3, 4};  // where there is a tie, the first is outvoted
  const Case test_case{VoteRule{members}};
  const model::Prediction prediction = test_case.predict();
  int ties = 0;
  for (std::size_t r = 0; r < 200; ++r) {
    std::map<int, int> votes;
    for (const std::uint32_t member : members) ++votes[test_case.scores.label(r, member)];
    int most = 0;
    for (const auto& [label, count] : votes) most = std::max(most, count);
    int expected = test_case.scores.label(r, members.front());
    if (votes[expected] < most) {
      expected = 0;
      while (votes[expected] < most) ++expected;
    }
    ASSERT_EQ(prediction.label[r], expected);
    ties += std::count_if(votes.begin(), votes.end(), [&](const auto& entry) { return entry.second == most; }) > 1;
  }
  EXPECT_GT(ties, 10);
  EXPECT_TRUE(prediction.chosen.empty());
}

TEST(EnsembleVsNaive, TiedVotesGoToTheFirstMemberIfItIsAmongTheTied) {
  const std::vector<std::uint32_t> members{2, 0, 1};
  const Case test_case{VoteRule{members}};
  const model::Prediction prediction = test_case.predict();
  int ties = 0;
  for (std::size_t r = 0; r < 200; ++r) {
    const int a = test_case.scores.label(r, 2), b = test_case.scores.label(r, 0), c = test_case.scores.label(r, 1);
    ASSERT_EQ(prediction.label[r], b == c ? b : a);
    ties += a != b && b != c && a != c && a != 0;
  }
  EXPECT_GT(ties, 10);
}

TEST(EnsembleVsNaive, NonconformityVsAllScoresAtOnce) {
  const model::Scores validation = all_scores(RoundedFamily(5, 3), test::random_matrix(30, 2, 4, 2));
  std::vector<int> labels;
  for (std::size_t j = 0; j < 30; ++j) labels.push_back(static_cast<int>(j % 3));
  for (const Tie tie : {Tie::random, Tie::validation_error, Tie::vote}) {
    const selection::NonconformityOptions options{.tie = tie, .seed = 9};
    const Case test_case{NonconformityRule(validation, labels, options)};
    const model::Prediction prediction = test_case.predict();
    const model::Prediction expected = selection::nonconformity(validation, labels, test_case.scores, options);
    EXPECT_EQ(prediction.label, expected.label);
    EXPECT_EQ(prediction.chosen, expected.chosen);
    EXPECT_EQ(prediction.p_value.values, expected.p_value.values);
    EXPECT_EQ(prediction.eps_crit, expected.eps_crit);
    EXPECT_EQ(prediction.bound_vc, expected.bound_vc);
    EXPECT_EQ(prediction.bound_dkw, expected.bound_dkw);
  }
}

TEST(EnsembleVsNaive, RefusesWhatCannotDecide) {
  test::Surroundings surroundings;
  const auto refused = [&](const std::string& part, const Case& test_case) {
    expect_error(ErrorCode::invalid_argument, part,
                 [&] { test_case.predictor.predict_preprocessed(test_case.rows, surroundings.context); });
  };
  refused("take part", Case{VoteRule{}});
  refused("take part", Case{VoteRule{{0, 5}}});
  refused("3 classifiers", Case{NonconformityRule(model::Scores(4, 3, 3), std::vector<int>{0, 1, 2, 0}, {})});
  Case no_family{MaxMarginRule{}};
  no_family.predictor.members.parts.clear();
  refused("no members", no_family);
}

}  // namespace ensemble_vs_naive_tests
}  // namespace credence
