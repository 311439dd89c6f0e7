#include "credence/conformal/grouped.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "credence/core/random.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"

namespace credence::conformal {
namespace grouped_vs_one_calibration_each_tests {

using test::expect_error;
using Numbers = std::vector<double>;

constexpr std::size_t examples = 80;
constexpr std::array codes{7, -3, 0};

/// Scores on a grid, with the group of each row: one of the first `used` codes.
struct Drawn {
  Drawn(std::size_t rows, std::uint64_t seed, std::size_t used = codes.size())
      : scores(test::random_matrix(rows, 3, seed)), difficulties(rows) {
    core::RandomStream random(seed, 5);
    for (double& score : scores.values) score = std::round(2 * score);
    for (std::size_t i = 0; i < rows; ++i) {
      labels.push_back(static_cast<int>(random.below(3)));
      groups.push_back(codes[random.below(used)]);
      targets.push_back(std::round(3 * random.normal()));
      predictions.push_back(std::round(random.normal()));
      difficulties[i] = static_cast<double>(random.below(3));
    }
  }
  /// Of the rows of one group.
  std::vector<std::size_t> of(int group) const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i] == group) rows.push_back(i);
    return rows;
  }
  data::DenseMatrix scores;
  Numbers difficulties;
  std::vector<int> labels;
  std::vector<int> groups;
  Numbers targets;
  Numbers predictions;
};

template <class T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> picked;
  for (const std::size_t i : rows) picked.push_back(values[i]);
  return picked;
}

TEST(GroupedCalibration, RanksAsOneCalibrationForEachGroup) {
  const Drawn known(examples, 1);
  const Drawn fresh(50, 2);
  const GroupedCalibration grouped(known.scores, known.labels, known.groups);
  EXPECT_EQ(grouped.groups().size(), codes.size());
  for (const bool label_conditional : {false, true}) {
    const Ranks found = grouped.ranks(fresh.scores, fresh.groups, label_conditional);
    for (const int group : codes) {
      const auto own = known.of(group);
      const auto rows = fresh.of(group);
      const ScoreCalibration one(test::rows_of_matrix(known.scores, own), pick(known.labels, own));
      const Ranks expected = one.ranks(test::rows_of_matrix(fresh.scores, rows), label_conditional);
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(found.at(rows[i], c), expected.at(i, c)) << group;
    }
  }
}

TEST(GroupedRegression, IsOneRegressionForEachGroup) {
  const Drawn known(examples, 3);
  const Drawn fresh(50, 4);
  for (const bool normalised : {false, true}) {
    const Numbers of_known = normalised ? known.difficulties : Numbers();
    const Numbers of_fresh = normalised ? fresh.difficulties : Numbers();
    const GroupedRegression grouped(known.targets, known.predictions, known.groups, of_known, {.beta = 0.5});
    const Ranks ranks = grouped.ranks(fresh.targets, fresh.predictions, fresh.groups, of_fresh);
    const auto intervals = grouped.intervals(fresh.predictions, fresh.groups, of_fresh, 0.2);
    for (const int group : codes) {
      const auto own = known.of(group);
      const auto rows = fresh.of(group);
      const InductiveRegression one(pick(known.targets, own), pick(known.predictions, own),
                                    normalised ? pick(of_known, own) : Numbers(), {.beta = 0.5});
      const Numbers difficulties = normalised ? pick(of_fresh, rows) : Numbers();
      const auto expected = one.intervals(pick(fresh.predictions, rows), difficulties, 0.2);
      const Numbers p = one.p_values(pick(fresh.targets, rows), pick(fresh.predictions, rows), difficulties);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(p_value(ranks.at(rows[i], 0)), p[i]);
        EXPECT_EQ(intervals[rows[i]].lower, expected[i].lower);
        EXPECT_EQ(intervals[rows[i]].upper, expected[i].upper);
      }
    }
  }
}

TEST(Grouped, ARowOfAGroupWithoutExamplesHasThePValueOne) {
  const Drawn known(examples, 5, 2);
  const Drawn fresh(50, 6);
  const GroupedCalibration calibration(known.scores, known.labels, known.groups);
  const GroupedRegression regression(known.targets, known.predictions, known.groups);
  const Ranks classes = calibration.ranks(fresh.scores, fresh.groups, true);
  const Ranks targets = regression.ranks(fresh.targets, fresh.predictions, fresh.groups);
  const auto intervals = regression.intervals(fresh.predictions, fresh.groups, {}, 0.1);
  ASSERT_FALSE(fresh.of(0).empty());
  for (const std::size_t i : fresh.of(0)) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(classes.at(i, c), Rank());
    EXPECT_EQ(targets.at(i, 0), Rank());
    EXPECT_EQ(intervals[i].lower, whole_line.lower);
    EXPECT_EQ(intervals[i].upper, whole_line.upper);
  }
  EXPECT_EQ(p_value(Rank()), 1);
}

TEST(Grouped, RefusesSizesThatDiffer) {
  const Drawn known(examples, 7);
  const std::vector<int> few(3, 0);
  expect_error(ErrorCode::invalid_argument, "80 rows, but 3 groups",
               [&] { GroupedCalibration(known.scores, known.labels, few); });
  expect_error(ErrorCode::invalid_argument, "80 rows, but 3 groups",
               [&] { GroupedRegression(known.targets, known.predictions, few); });
  const GroupedCalibration calibration(known.scores, known.labels, known.groups);
  expect_error(ErrorCode::invalid_argument, "80 rows, but 3 groups",
               [&] { calibration.ranks(known.scores, few, false); });
  expect_error(ErrorCode::invalid_argument, "3 classes, but the scores have 2",
               [&] { calibration.ranks(test::random_matrix(3, 2, 1), few, false); });
  expect_error(ErrorCode::invalid_data, "no held-out example",
               [&] { GroupedCalibration(data::DenseMatrix(0, 3), {}, {}); });
}

/// The first group is easy and frequent, the second hard and rare: a common calibration errs far too often there.
struct World {
  core::RandomStream random{99, 3};
  struct Row {
    int group;
    double residual;
  };
  Row draw() {
    const int group = random.below(5) == 0 ? 1 : 0;
    return {group, (group == 1 ? 3 : 1) * random.normal()};
  }
};

TEST(Grouped, RegionsAndIntervalsErrWithProbabilityEpsInEachGroup) {
  constexpr std::size_t calibration_rows = 99;
  constexpr std::size_t trials = 8000;
  constexpr double significance = 0.1;
  World world;
  std::array<double, 2> rows{};
  std::array<double, 2> missed{};
  std::array<double, 2> outside{};
  std::array<double, 2> missed_in_common{};
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    data::DenseMatrix scores(calibration_rows, 1);
    Numbers targets(calibration_rows);
    std::vector<int> groups(calibration_rows);
    for (std::size_t i = 0; i < calibration_rows; ++i) {
      const World::Row row = world.draw();
      groups[i] = row.group;
      targets[i] = row.residual;
      scores.row(i)[0] = -std::abs(row.residual);
    }
    const std::vector<int> labels(calibration_rows, 0);
    const Numbers zeros(calibration_rows, 0.0);
    const World::Row fresh = world.draw();
    const std::vector<int> group{fresh.group};
    const auto g = static_cast<std::size_t>(fresh.group);
    data::DenseMatrix score(1, 1);
    score.values = {-std::abs(fresh.residual)};
    const PValueOptions options{.smoothed = true, .seed = trial};
    const std::vector<std::uint64_t> key{trial};
    rows[g] += 1;
    const auto grouped = GroupedCalibration(scores, labels, groups).ranks(score, group, false);
    missed[g] += in_set(p_values(grouped, options, key).values[0], significance) ? 0 : 1;
    const auto common = ScoreCalibration(scores, labels).ranks(score, false);
    missed_in_common[g] += in_set(p_values(common, options, key).values[0], significance) ? 0 : 1;
    const auto interval = GroupedRegression(targets, zeros, groups).intervals(Numbers{0}, group, {}, significance)[0];
    outside[g] += std::abs(fresh.residual) > interval.upper ? 1 : 0;
  }
  for (std::size_t g = 0; g < 2; ++g) {
    const double four_deviations = 4 * std::sqrt(significance * (1 - significance) / rows[g]);
    EXPECT_NEAR(missed[g] / rows[g], significance, four_deviations) << g;
    EXPECT_LE(outside[g] / rows[g], significance + four_deviations) << g;
  }
  EXPECT_GT(missed_in_common[1] / rows[1], 0.3) << "the simulation would show a calibration that mixes groups";
}

}  // namespace grouped_vs_one_calibration_each_tests
}  // namespace credence::conformal
