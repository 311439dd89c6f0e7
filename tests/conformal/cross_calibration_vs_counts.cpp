#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "credence/conformal/inductive.hpp"
#include "credence/core/random.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace cross_calibration_vs_counts_tests {

using test::expect_error;

constexpr std::size_t classes = 3;

data::DenseMatrix tied_scores(std::size_t rows, std::uint64_t seed) {
  data::DenseMatrix scores = test::random_matrix(rows, classes, seed);
  for (double& score : scores.values) score = std::round(2 * score);
  return scores;
}

std::vector<int> random_labels(std::size_t rows, std::uint64_t seed) {
  core::RandomStream random(seed, 8);
  std::vector<int> labels(rows);
  for (int& label : labels) label = static_cast<int>(random.below(classes));
  return labels;
}

TEST(CrossCalibration, SumsTheCountsOfAllFolds) {
  const std::vector<std::size_t> sizes{11, 12, 4};
  std::vector<ScoreCalibration> folds;
  std::vector<data::DenseMatrix> fresh;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    folds.emplace_back(tied_scores(sizes[k], k), random_labels(sizes[k], k));
    fresh.push_back(tied_scores(20, 100 + k));
  }
  const CrossCalibration cross(folds);
  for (const bool label_conditional : {false, true}) {
    const Ranks ranks = cross.ranks(fresh, label_conditional);
    const data::DenseMatrix p = p_values(ranks, {});
    for (std::size_t row = 0; row < 20; ++row) {
      for (std::size_t c = 0; c < classes; ++c) {
        double at_least = 1;
        double of = 1;
        for (std::size_t k = 0; k < sizes.size(); ++k) {
          const data::DenseMatrix known = tied_scores(sizes[k], k);
          const std::vector<int> labels = random_labels(sizes[k], k);
          for (std::size_t i = 0; i < sizes[k]; ++i) {
            if (label_conditional && labels[i] != static_cast<int>(c)) continue;
            of += 1;
            at_least += known.row(i)[static_cast<std::size_t>(labels[i])] <= fresh[k].row(row)[c] ? 1 : 0;
          }
        }
        EXPECT_EQ(p.row(row)[c], at_least / of) << row << ' ' << c;
      }
    }
  }
  std::vector<std::size_t> counts(classes, 0);
  for (std::size_t k = 0; k < sizes.size(); ++k)
    for (const int label : random_labels(sizes[k], k)) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(cross.class_counts(), counts);
}

TEST(CrossCalibration, OfOneFoldIsThatCalibration) {
  const ScoreCalibration one(tied_scores(15, 1), random_labels(15, 1));
  const std::vector<data::DenseMatrix> fresh{tied_scores(9, 2)};
  EXPECT_EQ(CrossCalibration({one}).ranks(fresh, true).values, one.ranks(fresh[0], true).values);
}

TEST(CrossCalibration, RefusesWhatDoesNotFit) {
  expect_error(ErrorCode::invalid_argument, "at least one fold", [] { CrossCalibration({}); });
  const ScoreCalibration three(tied_scores(15, 1), random_labels(15, 1));
  const ScoreCalibration two(std::vector<double>{1, 2}, std::vector<int>{0, 1}, 2);
  expect_error(ErrorCode::invalid_argument, "differ in classes: 3 and 2", [&] { CrossCalibration({three, two}); });
  const CrossCalibration cross({three, three});
  const auto ranks = [&](const std::vector<data::DenseMatrix>& scores) { cross.ranks(scores, false); };
  expect_error(ErrorCode::invalid_argument, "1 classifiers, but 2 folds", [&] { ranks({tied_scores(4, 3)}); });
  expect_error(ErrorCode::invalid_argument, "different numbers of rows: 4 and 5",
               [&] { ranks({tied_scores(4, 3), tied_scores(5, 3)}); });
  expect_error(ErrorCode::invalid_argument, "3 classes, but the scores have 2",
               [&] { ranks({tied_scores(4, 3), data::DenseMatrix(4, 2)}); });
}

}  // namespace cross_calibration_vs_counts_tests
}  // namespace credence::conformal
