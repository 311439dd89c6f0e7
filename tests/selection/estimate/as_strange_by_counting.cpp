#include "credence/selection/as_strange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "credence/bounds/uniform.hpp"
#include "credence/core/random.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::selection {
namespace as_strange_by_counting_tests {

/// f_k(x) = the k-th column, rounded if asked so that ties abound; class 1 has the score f, class 0 has -f, others
/// something between. Rows come in blocks of seven.
class ColumnFamily final : public model::ClassifierFamily {
 public:
  ColumnFamily(std::size_t models, std::size_t classes, double step)
      : models_(models), classes_(classes), step_(step) {}
  std::size_t models() const override { return models_; }
  std::size_t classes() const override { return classes_; }
  void score(const data::Features& rows, const core::Context& context,
             const std::function<void(std::size_t first, const model::Scores& block)>& visit) const override {
    context.threads.for_each((rows.rows() + 6) / 7, [&](std::size_t b) {
      model::Scores block(std::min<std::size_t>(7, rows.rows() - 7 * b), models_, classes_);
      for (std::size_t r = 0; r < block.rows; ++r) {
        for (std::size_t k = 0; k < models_; ++k) {
          const double x = rows.dense().row(7 * b + r)[k];
          const double f = step_ > 0 ? std::round(x / step_) * step_ : x;
          for (std::size_t y = 0; y < classes_; ++y)
            block.at(r, k)[y] = y == 1 ? f : -f * (1 - 0.3 * static_cast<double>(y));
        }
      }
      block.label_by_score();
      visit(7 * b, block);
    });
  }

 private:
  std::size_t models_;
  std::size_t classes_;
  double step_;
};

/// Rows whose labels are drawn without a look at their columns: every classifier errs on about 1 - 1 / classes of them.
data::Dataset noise(std::size_t rows, std::size_t columns, std::size_t classes, std::uint64_t seed) {
  core::RandomStream random(seed);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < rows; ++i)
    labels.push_back(i < classes ? std::to_string(i) : std::to_string(random.below(classes)));
  return data::make_dataset(test::random_matrix(rows, columns, seed), labels);
}

struct Case {
  test::Surroundings surroundings{2};
  Ensemble predictor;
  data::Dataset population;
  model::Scores scores;  ///< of the population

  Case(std::size_t rows, std::size_t models, std::size_t classes, double step, std::uint64_t seed)
      : population(noise(rows, models, classes, seed)) {
    predictor.set_family(std::make_shared<ColumnFamily>(models, classes, step));
    predictor.schema = population.schema;
    predictor.preprocessing = data::Preprocessing::fit(population, data::Scaling::none);
    scores = predictor.family().score_all(population.features, surroundings.context);
  }

  /// Validation rows drawn from the population with replacement: shares of the population are then probabilities.
  void draw_validation(std::size_t n, const NonconformityOptions& options, core::RandomStream& random) {
    model::Scores drawn(n, scores.models, scores.classes);
    std::vector<int> labels(n);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t from = random.below(population.rows());
      std::copy_n(scores.at(from, 0), scores.models * scores.classes, drawn.at(j, 0));
      labels[j] = population.labels[from];
    }
    drawn.label_by_score();
    predictor.rule = NonconformityRule(drawn, labels, options);
  }

  const NonconformityRule& rule() const { return std::get<NonconformityRule>(predictor.rule); }
  model::Prediction predict() const { return predictor.predict(population, surroundings.context); }
  PredictedAndCounted count() const { return predict_and_count(predictor, population, surroundings.context); }
};

/// p_k of the true class of each row by a loop over the validation margins.
std::size_t naive_rows(const Case& example, double frequency) {
  std::size_t most = 0;
  const auto& margins = example.rule().margins();
  const auto n = static_cast<double>(margins.columns);
  for (std::size_t k = 0; k < margins.rows; ++k) {
    std::size_t rows = 0;
    for (std::size_t i = 0; i < example.population.rows(); ++i) {
      const double score = example.scores.at(i, k)[example.population.labels[i]];
      double p = 0;
      for (const double margin : margins.row(k)) p += margin <= score ? 1 : 0;
      rows += p / n <= frequency + 1e-9 ? 1U : 0U;
    }
    most = std::max(most, rows);
  }
  return most;
}

TEST(AsStrange, CountsVsNaiveLoop) {
  core::RandomStream random(1);
  for (const std::size_t classes : {2U, 3U}) {
    for (const PValue kind : {PValue::paper, PValue::conformal}) {
      Case example(97, 4, classes, 0.5, classes);
      example.draw_validation(11, {.p_value = kind}, random);
      const model::Prediction prediction = example.predict();
      const auto [counted, lines] = example.count();
      EXPECT_EQ(counted.label, prediction.label);
      EXPECT_EQ(counted.chosen, prediction.chosen);
      EXPECT_EQ(counted.p_value.values, prediction.p_value.values);
      EXPECT_EQ(counted.eps_crit, prediction.eps_crit);
      EXPECT_EQ(counted.bound_vc, prediction.bound_vc);
      EXPECT_EQ(counted.bound_dkw, prediction.bound_dkw);
      const std::set<double> levels(prediction.eps_crit.begin(), prediction.eps_crit.end());
      ASSERT_EQ(lines.size(), levels.size());
      ASSERT_GT(lines.size(), 1U);
      std::size_t line = 0;
      for (const double eps : levels) {
        const double frequency = kind == PValue::paper ? eps : (eps * 12 - 1) / 11;
        EXPECT_EQ(lines[line].eps_crit, eps);
        EXPECT_EQ(lines[line].rows, naive_rows(example, frequency)) << eps;
        EXPECT_NEAR(lines[line].at_most_dkw, frequency + bounds::dkw_deviation(11, 0.05 / 4), 1e-12);
        EXPECT_NEAR(lines[line].at_most_vc, frequency + bounds::vc_deviation(11, 1, 0.05 / 4), 1e-12);
        ++line;
      }
    }
  }
}

/// The statement that is printed holds; the reading that it is about the error of rows does not.
TEST(AsStrange, OnCoinsTheLimitHoldsOfStrangeRowsAndFailsOfErrors) {
  constexpr int draws = 500;
  constexpr double delta = 0.2;
  constexpr std::size_t n = 200;
  Case example(400, 5, 2, 0, 7);
  const auto rows = static_cast<double>(example.population.rows());
  core::RandomStream random(2);
  int wrong = 0;
  int wrong_by_half = 0;
  int error_above = 0;
  for (int draw = 0; draw < draws; ++draw) {
    example.draw_validation(n, {.delta = delta}, random);
    const auto [prediction, lines] = example.count();
    const double deviation = bounds::dkw_deviation(n, delta / 5);
    bool exceeded = false;
    bool exceeded_by_half = false;
    for (const AsStrange& line : lines) {
      const double probability = static_cast<double>(line.rows) / rows;
      exceeded = exceeded || probability > line.at_most_dkw;
      exceeded_by_half = exceeded_by_half || probability > line.at_most_dkw - deviation / 2;
    }
    wrong += exceeded ? 1 : 0;
    wrong_by_half += exceeded_by_half ? 1 : 0;
    // The other reading: of the rows whose limit is at most 0.2, at most a fifth is wrong.
    std::size_t small = 0;
    std::size_t errors = 0;
    for (std::size_t i = 0; i < example.population.rows(); ++i) {
      if (prediction.bound_dkw[i] > 0.2) continue;
      ++small;
      errors += prediction.label[i] != example.population.labels[i] ? 1U : 0U;
    }
    ASSERT_GT(small, 100U);
    error_above += static_cast<double>(errors) > 0.2 * static_cast<double>(small) ? 1 : 0;
  }
  EXPECT_LE(wrong, draws * delta + 4 * std::sqrt(draws * delta * (1 - delta)));
  EXPECT_GT(wrong_by_half, draws * delta / 4) << "a limit that never comes near says nothing about this test";
  EXPECT_EQ(error_above, draws) << "the labels are coins, so half of all labels are wrong";
}

TEST(AsStrange, RefusesOtherRulesAndRowsWithoutAClass) {
  Case example(20, 2, 2, 0, 1);
  const auto refused = [&](const char* part) {
    test::expect_error(ErrorCode::invalid_argument, part, [&] { example.count(); });
  };
  refused("nonconformity only");
  core::RandomStream random(1);
  example.draw_validation(5, {}, random);
  EXPECT_FALSE(example.count().as_strange.empty());
  example.population.labels[3] = -1;
  refused("no class");
}

}  // namespace as_strange_by_counting_tests
}  // namespace credence::selection
