#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "conformal/classifiers.hpp"
#include "credence/conformal/inductive.hpp"
#include "support/expect_error.hpp"

namespace credence::conformal {
namespace inductive_vs_naive_tests {

using test::expect_error;
using test::Sample;
using test::Surroundings;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What a classifier of the test says: how well a class fits a row.
using Score = std::function<double(std::span<const double> x, int label)>;

/// One fold: its classifier as the test knows it, and the examples kept from its training.
struct Fold {
  Score score;
  Sample kept;
};

/// By the definition: the kept examples of all folds are as strange, or stranger, under their own fold's classifier.
Rank counted(const std::vector<Fold>& folds, std::span<const double> x, int label, bool label_conditional) {
  Rank rank;
  for (const Fold& fold : folds) {
    const double nonconformity = -fold.score(x, label);
    for (std::size_t i = 0; i < fold.kept.labels.size(); ++i) {
      if (label_conditional && fold.kept.labels[i] != label) continue;
      const double other = -fold.score(fold.kept.x.row(i), fold.kept.labels[i]);
      ++rank.of;
      rank.greater += other > nonconformity ? 1U : 0U;
      rank.equal += other == nonconformity ? 1U : 0U;
    }
  }
  return rank;
}

void expect_counted_ranks(const Inductive& machine, const std::vector<Fold>& folds, const data::DenseMatrix& rows) {
  const Surroundings surroundings(2);
  const std::size_t classes = machine.class_counts().size();
  std::size_t tied = 0;
  for (const bool label_conditional : {false, true}) {
    const Ranks ranks = machine.ranks(rows, label_conditional, surroundings.context);
    ASSERT_EQ(ranks.rows, rows.rows);
    ASSERT_EQ(ranks.classes, classes);
    for (std::size_t row = 0; row < rows.rows; ++row) {
      for (std::size_t c = 0; c < classes; ++c) {
        EXPECT_EQ(ranks.at(row, c), counted(folds, rows.row(row), static_cast<int>(c), label_conditional))
            << "row " << row << " class " << c << " conditional " << label_conditional;
        tied += ranks.at(row, c).equal > 0 ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(tied, 0U);
}

/// From the model's own decision values: the worst pair of a class.
Score score_of(const svm::SvmModel& model) {
  return [model, surroundings = std::make_shared<Surroundings>()](std::span<const double> x, int label) {
    data::DenseMatrix row(1, x.size());
    std::copy(x.begin(), x.end(), row.values.begin());
    const model::Prediction prediction = model.predict_preprocessed(row, surroundings->context);
    double worst = infinity;
    for (std::size_t m = 0; m < model.machines.size(); ++m) {
      const double decision = prediction.decision.row(0)[m];
      if (model.machines[m].positive == label) worst = std::min(worst, decision);
      if (model.machines[m].negative == label) worst = std::min(worst, -decision);
    }
    return worst;
  };
}

/// Sums of the k smallest distances, whole numbers apart, so that squares are exact. Every class has k rows.
Score score_of(const Sample& training, int k) {
  return [training, k](std::span<const double> x, int label) {
    std::vector<double> own;
    std::vector<double> others;
    for (std::size_t i = 0; i < training.labels.size(); ++i) {
      const auto z = training.x.row(i);
      const double square = (x[0] - z[0]) * (x[0] - z[0]) + (x[1] - z[1]) * (x[1] - z[1]);
      (training.labels[i] == label ? own : others).push_back(std::sqrt(square));
    }
    std::sort(own.begin(), own.end());
    std::sort(others.begin(), others.end());
    double a = 0;
    double b = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      a += own[i];
      b += others[i];
    }
    return a == b ? 0 : (b - a) / (b + a);
  };
}

/// Every `count`-th run of five rows, or all the others.
Sample fold_of(const Sample& sample, std::size_t fold, std::size_t count, bool kept) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.labels.size(); ++i)
    if ((i / 5 % count == fold) == kept) rows.push_back(i);
  return sample.rows(rows);
}

/// Three classes in which normal clouds are rounded to whole numbers; class 2 is rare.
Sample rounded_clouds(std::size_t n, std::size_t classes, std::uint64_t seed) {
  const test::Clouds clouds = test::random_clouds(n, 2, static_cast<int>(classes), 1.5, seed);
  Sample sample{clouds.x, {}};
  for (double& value : sample.x.values) value = std::round(value);
  for (std::size_t i = 0; i < n; ++i) {
    const bool rare = clouds.classes[i] == 2 && i % 4 != 0;
    sample.labels.push_back(rare ? 0 : clouds.classes[i]);
  }
  return sample;
}

struct Parts {
  std::vector<Fold> folds;
  std::vector<CalibratedClassifier> calibrated;

  void add(const Score& score, std::shared_ptr<const model::ClassifierFamily> family, const Sample& kept) {
    const Surroundings surroundings;
    folds.push_back({score, kept});
    calibrated.push_back(calibrate(std::move(family), kept.x, kept.labels, surroundings.context));
  }
};

Parts svm_parts(const Sample& sample, std::size_t classes, std::size_t count, std::size_t used) {
  Parts parts;
  for (std::size_t fold = 0; fold < used; ++fold) {
    const Sample training = fold_of(sample, fold, count, false);
    const svm::SvmModel model = test::trained_svm(training.x, training.labels);
    parts.add(score_of(model), test::family_of(model, classes), fold_of(sample, fold, count, true));
  }
  return parts;
}

Parts neighbour_parts(const Sample& sample, std::size_t classes, std::size_t count, std::size_t used, int k) {
  Parts parts;
  for (std::size_t fold = 0; fold < used; ++fold) {
    const Sample training = fold_of(sample, fold, count, false);
    parts.add(score_of(training, k), test::neighbours_of(training.x, training.labels, classes, {k}),
              fold_of(sample, fold, count, true));
  }
  return parts;
}

TEST(CrossConformalBound, EqualsTheFormula) {
  EXPECT_DOUBLE_EQ(cross_conformal_bound(0.05, 20, 5), 0.1 + 1.9 * 4 / 25);
  EXPECT_DOUBLE_EQ(cross_conformal_bound(0.1, 100, 1), 0.2);
}

TEST(Inductive, OfAnSvmEqualsItsDefinition) {
  for (const std::size_t classes : {2U, 3U}) {
    const Sample sample = rounded_clouds(48, classes, classes);
    const data::DenseMatrix rows = rounded_clouds(12, classes, 31 + classes).x;
    const Parts split = svm_parts(sample, classes, 2, 1);
    expect_counted_ranks(Inductive(split.calibrated), split.folds, rows);
    const Parts cross = svm_parts(sample, classes, 3, 3);
    expect_counted_ranks(Inductive(cross.calibrated), cross.folds, rows);
  }
}

TEST(Inductive, OfNearestNeighboursEqualsItsDefinition) {
  for (const int k : {1, 2}) {
    const Sample sample = rounded_clouds(70, 3, 5);
    const data::DenseMatrix rows = rounded_clouds(30, 3, 36).x;
    const Parts split = neighbour_parts(sample, 3, 2, 1, k);
    expect_counted_ranks(Inductive(split.calibrated), split.folds, rows);
    const Parts cross = neighbour_parts(sample, 3, 4, 4, k);
    expect_counted_ranks(Inductive(cross.calibrated), cross.folds, rows);
  }
}

TEST(Inductive, RanksOfManyRowsAreThoseOfEachAlone) {
  const Surroundings surroundings(2);
  const Inductive machine(svm_parts(rounded_clouds(48, 3, 3), 3, 2, 2).calibrated);
  const data::Features rows = test::random_matrix(600, 2, 11);  // more than a block
  const Ranks together = machine.ranks(rows, false, surroundings.context);
  for (std::size_t row = 0; row < 600; ++row) {
    const Ranks alone = machine.ranks(rows.select_rows(std::vector<std::size_t>{row}), false, surroundings.context);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(together.at(row, c), alone.at(0, c));
  }
}

TEST(Inductive, KnowsItsCountsAndItsValidity) {
  const Sample sample = rounded_clouds(70, 3, 5);
  std::vector<std::size_t> counts(3, 0);
  for (const int label : sample.labels) ++counts[static_cast<std::size_t>(label)];
  const Inductive cross(neighbour_parts(sample, 3, 4, 4, 1).calibrated);
  EXPECT_EQ(cross.class_counts(), counts);  // every example was kept once
  EXPECT_EQ(cross.validity(), Validity::twice);
  EXPECT_EQ(cross.parts().size(), 4U);
  const Inductive split(neighbour_parts(sample, 3, 4, 1, 1).calibrated);
  EXPECT_EQ(split.validity(), Validity::exact);
  EXPECT_LT(split.class_counts()[0], counts[0]);
}

TEST(ScoreCalibration, OfScoresFromOutsideEqualsItsDefinition) {
  core::RandomStream random(8);
  const std::vector<double> possible{-infinity, -1, -0.0, 0, 0.3, 0.7, infinity};
  const auto draw = [&](std::size_t rows) {
    data::DenseMatrix scores(rows, 4);
    for (double& score : scores.values) score = possible[random.below(possible.size())];
    return scores;
  };
  const data::DenseMatrix known = draw(50);
  std::vector<int> labels(50);
  for (int& label : labels) label = static_cast<int>(random.below(3));  // class 3 has no example
  const ScoreCalibration calibration(known, labels);
  const data::DenseMatrix rows = draw(40);
  for (const bool label_conditional : {false, true}) {
    const Ranks ranks = calibration.ranks(rows, label_conditional);
    for (std::size_t row = 0; row < 40; ++row) {
      for (std::size_t c = 0; c < 4; ++c) {
        Rank expected;
        for (std::size_t i = 0; i < 50; ++i) {
          if (label_conditional && labels[i] != static_cast<int>(c)) continue;
          const double own = known.row(i)[static_cast<std::size_t>(labels[i])];
          ++expected.of;
          expected.greater += own < rows.row(row)[c] ? 1U : 0U;  // fits less well
          expected.equal += own == rows.row(row)[c] ? 1U : 0U;
        }
        EXPECT_EQ(ranks.at(row, c), expected);
      }
    }
  }
  std::vector<std::size_t> counts(4, 0);
  for (const int label : labels) ++counts[static_cast<std::size_t>(label)];
  EXPECT_EQ(calibration.class_counts(), counts);
  EXPECT_EQ(calibration.ranks(rows, true).at(0, 3), Rank{});
}

TEST(ScoreCalibration, FromNonconformityIsTheSame) {
  const data::DenseMatrix scores = test::random_matrix(20, 2, 3);
  std::vector<int> labels;
  std::vector<double> nonconformity;
  for (std::size_t i = 0; i < 20; ++i) {
    labels.push_back(static_cast<int>(i % 2));
    nonconformity.push_back(-scores.row(i)[i % 2]);
  }
  EXPECT_EQ(ScoreCalibration(scores, labels).table(), ScoreCalibration(nonconformity, labels, 2).table());
}

TEST(ScoreCalibration, RefusesWhatDoesNotFit) {
  data::DenseMatrix scores = test::random_matrix(3, 2, 3);
  const auto calibrate_with = [&](const std::vector<int>& labels) { ScoreCalibration(scores, labels); };
  expect_error(ErrorCode::invalid_argument, "2 have labels", [&] { calibrate_with({0, 1}); });
  expect_error(ErrorCode::invalid_argument, "example 2", [&] { calibrate_with({0, 1, 2}); });
  expect_error(ErrorCode::invalid_argument, "class -1", [&] { calibrate_with({0, -1, 0}); });
  expect_error(ErrorCode::invalid_data, "no held-out example", [&] { ScoreCalibration(data::DenseMatrix(0, 2), {}); });
  expect_error(ErrorCode::invalid_data, "no held-out example",
               [&] { ScoreCalibration(std::span<const double>(), {}, 2); });
  const ScoreCalibration good(scores, std::vector<int>{0, 1, 1});
  expect_error(ErrorCode::invalid_argument, "has 2 classes", [&] { good.ranks(data::DenseMatrix(1, 3), false); });
  scores.values[3] = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::invalid_argument, "row 1 for class 1", [&] { calibrate_with({0, 1, 1}); });
  expect_error(ErrorCode::invalid_argument, "row 1 for class 1", [&] { good.ranks(scores, true); });
}

TEST(Inductive, RefusesWhatDoesNotFit) {
  const Surroundings surroundings;
  const Sample sample = rounded_clouds(30, 3, 5);
  const auto one = test::neighbours_of(sample.x, sample.labels, 3);
  const auto several = test::neighbours_of(sample.x, sample.labels, 3, {1, 2});
  const auto of_four = test::neighbours_of(sample.x, sample.labels, 4);
  const auto with = [&](std::shared_ptr<const model::ClassifierFamily> family) {
    return calibrate(std::move(family), sample.x, sample.labels, surroundings.context);
  };
  const CalibratedClassifier good = with(one);
  expect_error(ErrorCode::invalid_argument, "no classifier", [&] { with(nullptr); });
  expect_error(ErrorCode::invalid_argument, "has 2", [&] { with(several); });
  expect_error(ErrorCode::invalid_argument, "has 2", [&] { scores_of(*several, sample.x, surroundings.context); });
  expect_error(ErrorCode::invalid_argument, "2 have labels",
               [&] { calibrate(one, sample.x, std::vector<int>{0, 1}, surroundings.context); });
  expect_error(ErrorCode::invalid_argument, "at least one", [] { Inductive({}); });
  expect_error(ErrorCode::invalid_argument, "differ in classes", [&] { Inductive({good, with(of_four)}); });
  CalibratedClassifier bad = good;
  bad.labels.pop_back();
  expect_error(ErrorCode::invalid_argument, "have labels", [&] { Inductive({good, bad}); });
  bad = good;
  bad.classifier = several;
  expect_error(ErrorCode::invalid_argument, "more than one", [&] { Inductive({bad}); });
  bad.classifier = nullptr;
  expect_error(ErrorCode::invalid_argument, "no classifier", [&] { Inductive({bad}); });
  bad = {one, {}, {}};
  expect_error(ErrorCode::invalid_data, "no held-out example", [&] { Inductive({bad}); });
  expect_error(ErrorCode::invalid_data, "features",
               [&] { Inductive({good}).ranks(data::DenseMatrix(2, 5), false, surroundings.context); });
}

}  // namespace inductive_vs_naive_tests
}  // namespace credence::conformal
