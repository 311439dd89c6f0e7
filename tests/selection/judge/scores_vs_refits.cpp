#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "credence/data/splits.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/score_oracle.hpp"

namespace scores_vs_refits_tests {

using namespace credence;
using selection::Score;
using test::Foresight;
using test::Surroundings;

constexpr Score all_scores[] = {Score::accuracy, Score::balanced_accuracy, Score::roc_auc, Score::f1,
                                Score::f1_macro, Score::log_loss,          Score::cost};

/// Two thirds of the rows are of the first class.
data::Dataset uneven_clouds(std::size_t n, int classes, std::uint64_t seed) {
  const data::Dataset even = test::random_clouds(n + n / 2, 3, classes, 0.7, seed).dataset();
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < even.rows() && rows.size() < n; ++i)
    if (even.labels[i] != 1 || i % 3 != 0) rows.push_back(i);
  return even.select_rows(rows);
}

/// @param dataset  whose classes have the costs of Score::cost
selection::Options svm_options(Score score, const data::Dataset& dataset) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 4};
  test::set_score(options, score, dataset);
  options.costs.C = {0.1, 1, 10};
  options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  options.costs.solver.tolerance = 1e-7;
  options.preparation.scalings = {data::Scaling::none};
  options.seed = 5;
  options.estimate_samples = 60;
  options.choose_one_svm();
  return options;
}

selection::Options rvm_options(Score score, const data::Dataset& dataset) {
  selection::Options options;
  options.method = selection::CrossValidation{.folds = 3};
  test::set_score(options, score, dataset);
  options.choose_from(selection::Learner::rvm);
  options.kernels.gamma = kernel::parse_gammas("0.1,1");
  options.seed = 5;
  options.estimate = selection::Estimate::none;
  return options;
}

selection::Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

/// Every setting's score, from the definition.
void expect_definition(const data::Dataset& dataset, const std::vector<data::Split>& splits,
                       const selection::Options& options, double tolerance) {
  const Score score = options.score;
  const auto classes = static_cast<int>(dataset.class_count());
  const selection::Selection selection = select(dataset, options);
  ASSERT_TRUE(selection.best.has_value());
  for (const selection::Setting& setting : selection.grid) {
    Foresight all = test::foresee(dataset, splits, options, setting);
    if (score == Score::log_loss && options.learner() == selection::Learner::svm) test::judge_by_other_splits(all);
    std::vector<double> losses;
    ASSERT_EQ(setting.split_scores.size(), splits.size());
    EXPECT_EQ(setting.fit_seconds.size(), splits.size());
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const Foresight part = test::of_split(all, s);
      const double loss = test::naive_loss(score, part, classes);
      const std::string where =
          std::string(core::word(score)) + ", C " + std::to_string(setting.C) + ", split " + std::to_string(s);
      if (std::isnan(loss)) {
        EXPECT_TRUE(std::isnan(setting.split_scores[s])) << where;
        continue;
      }
      EXPECT_NEAR(setting.split_scores[s], test::naive_score(score, part, classes), tolerance) << where;
      losses.push_back(loss);
    }
    EXPECT_NEAR(setting.error, test::naive_pooled_loss(score, all, classes), tolerance);
    double mean = 0;
    double squares = 0;
    for (const double loss : losses) mean += loss / static_cast<double>(losses.size());
    for (const double loss : losses) squares += (loss - mean) * (loss - mean);
    const auto count = static_cast<double>(losses.size());
    EXPECT_NEAR(setting.error_std, std::sqrt(squares / (count - 1)), 3 * tolerance);
    EXPECT_NEAR(setting.error_se, setting.error_std / std::sqrt(count), 1e-12);
  }
}

TEST(Scores, OfSvmsAreThoseOfRefits) {
  const data::Dataset dataset = uneven_clouds(72, 2, 1);
  for (const Score score : all_scores) {
    const selection::Options options = svm_options(score, dataset);
    const auto folds = data::stratified_k_fold(dataset.labels, 4, options.seed);
    expect_definition(dataset, test::splits_of_folds(folds), options, 1e-4);
  }
}

TEST(Scores, OfManyClassesAreThoseOfRefits) {
  const data::Dataset dataset = uneven_clouds(90, 4, 2);
  for (const Score score : {Score::balanced_accuracy, Score::f1_macro, Score::cost}) {
    const selection::Options options = svm_options(score, dataset);
    const auto folds = data::stratified_k_fold(dataset.labels, 4, options.seed);
    expect_definition(dataset, test::splits_of_folds(folds), options, 1e-9);
  }
}

TEST(Scores, OfRelevanceVectorMachinesAreThoseOfRefits) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = uneven_clouds(54, classes, 3);
    for (const Score score : {Score::log_loss, Score::f1_macro, Score::cost}) {
      const selection::Options options = rvm_options(score, dataset);
      const auto folds = data::stratified_k_fold(dataset.labels, 3, options.seed);
      expect_definition(dataset, test::splits_of_folds(folds), options, 1e-4);
    }
  }
}

/// Folds that hold out one class only have no AUC.
TEST(Scores, FoldsWithoutAScoreDoNotCount) {
  data::Dataset dataset = uneven_clouds(60, 2, 4);
  dataset.folds.assign(dataset.rows(), 0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < dataset.rows(); ++i)
    dataset.folds[i] = dataset.labels[i] == 0 && first++ < 10 ? 2 : static_cast<int>(i % 2);
  const selection::Options options = svm_options(Score::roc_auc, dataset);
  expect_definition(dataset, test::splits_of_folds(dataset.folds), options, 1e-4);
  const selection::Selection selection = select(dataset, options);
  EXPECT_TRUE(std::any_of(selection.warnings.begin(), selection.warnings.end(), [](const std::string& warning) {
    return warning.find("1 of 3 resamples") != std::string::npos;
  }));
}

std::vector<data::Split> overlapping(std::size_t n, std::uint64_t seed) {
  std::vector<data::Split> splits;
  for (std::uint64_t s = 0; s < 5; ++s) {
    const std::vector<int> folds = data::k_fold(n, 4, seed + s);
    data::Split& split = splits.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      if (folds[i] == 0 && i % 11 != 0) split.held_out.push_back(i);
      if (folds[i] > 1) split.training.push_back(i);
    }
  }
  return splits;
}

TEST(GivenSplits, AreThoseOfRefits) {
  data::Dataset dataset = uneven_clouds(80, 2, 6);
  dataset.splits = overlapping(dataset.rows(), 3);
  for (const Score score : all_scores) expect_definition(dataset, dataset.splits, svm_options(score, dataset), 1e-4);
}

TEST(GivenSplits, CalibrateByTheRowsHeldOut) {
  data::Dataset dataset = uneven_clouds(80, 2, 6);
  dataset.splits = overlapping(dataset.rows(), 3);
  std::set<std::size_t> held_out;
  for (const data::Split& split : dataset.splits) held_out.insert(split.held_out.begin(), split.held_out.end());
  ASSERT_LT(held_out.size(), dataset.rows());
  for (const Score score : {Score::accuracy, Score::roc_auc}) {
    const selection::Selection selection = select(dataset, svm_options(score, dataset));
    EXPECT_EQ(selection.calibration.nonconformity_scores.size(), held_out.size());
    EXPECT_EQ(selection.honest.value().rows, held_out.size());
  }
}

void expect_same(const selection::Selection& a, const selection::Selection& b) {
  ASSERT_EQ(a.grid.size(), b.grid.size());
  EXPECT_EQ(a.best, b.best);
  for (std::size_t k = 0; k < a.grid.size(); ++k) {
    EXPECT_EQ(a.grid[k].error, b.grid[k].error);
    EXPECT_EQ(a.grid[k].error_std, b.grid[k].error_std);
    EXPECT_EQ(a.grid[k].split_scores, b.grid[k].split_scores);
  }
  EXPECT_EQ(a.honest.value().error, b.honest.value().error);
  EXPECT_EQ(a.honest.value().lower, b.honest.value().lower);
  EXPECT_EQ(a.honest.value().upper, b.honest.value().upper);
  EXPECT_EQ(a.calibration.nonconformity_scores, b.calibration.nonconformity_scores);
}

TEST(GivenSplits, ThatAreTheFoldsChangeNothing) {
  data::Dataset dataset = uneven_clouds(80, 2, 7);
  for (const Score score : all_scores) {
    for (const selection::Rule rule : {selection::Rule::best, selection::Rule::one_se}) {
      selection::Options options = svm_options(score, dataset);
      options.preparation.scalings = {data::Scaling::standard};
      options.rule = rule;
      dataset.splits.clear();
      const selection::Selection by_folds = select(dataset, options);
      dataset.splits = test::splits_of_folds(data::stratified_k_fold(dataset.labels, 4, options.seed));
      expect_same(select(dataset, options), by_folds);
    }
  }
}

TEST(Scores, DoNotDependOnThreads) {
  data::Dataset dataset = uneven_clouds(80, 2, 8);
  for (const bool given : {false, true}) {
    if (given) dataset.splits = overlapping(dataset.rows(), 9);
    for (const Score score : all_scores) {
      selection::Options options = svm_options(score, dataset);
      options.rule = selection::Rule::one_se;
      expect_same(select(dataset, options, 4), select(dataset, options, 1));
    }
  }
}

TEST(LeaveOneOutScores, ArePooledOverRefits) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = uneven_clouds(48, classes, 10);
    std::vector<int> each(dataset.rows());
    for (std::size_t i = 0; i < each.size(); ++i) each[i] = static_cast<int>(i);
    for (const Score score : all_scores) {
      const bool of_two = score == Score::roc_auc || score == Score::f1 || score == Score::log_loss;
      if (classes > 2 && of_two) continue;
      selection::Options options = svm_options(score, dataset);
      options.method = selection::LeaveOneOut{};
      test::set_score(options, score, dataset);
      for (const bool refits : {false, true}) {
        if (refits && score == Score::accuracy) continue;  // weighs errors
        options.costs.class_weights.balanced = refits;     // which makes n fits
        const selection::Selection selection = select(dataset, options);
        for (const selection::Setting& setting : selection.grid) {
          Foresight all = test::foresee(dataset, test::splits_of_folds(each), options, setting);
          if (score == Score::log_loss) {
            const auto folds = data::stratified_k_fold(dataset.labels, 10, options.seed);
            for (test::Foreseen& one : all) one.split = static_cast<std::size_t>(folds[one.row]);
            test::judge_by_other_splits(all);
          }
          EXPECT_NEAR(setting.error, test::naive_loss(score, all, classes), 1e-4)
              << core::word(score) << ", C " << setting.C << ", " << classes << " classes";
          EXPECT_TRUE(setting.split_scores.empty());
        }
      }
    }
  }
}

TEST(HoldOutScores, AreThoseOfARefit) {
  const data::Dataset dataset = uneven_clouds(100, 2, 11);
  for (const Score score : all_scores) {
    selection::Options options = svm_options(score, dataset);
    options.method = selection::HoldOut{};
    options.validation_rows = 30;
    test::set_score(options, score, dataset);
    const std::vector<bool> held_out = selection::validation_split(dataset, options);
    data::Split split;
    for (std::size_t i = 0; i < held_out.size(); ++i) (held_out[i] ? split.held_out : split.training).push_back(i);
    const selection::Selection selection = select(dataset, options);
    for (const selection::Setting& setting : selection.grid) {
      Foresight all = test::foresee(dataset, {split}, options, setting);
      if (score == Score::log_loss) {
        std::vector<int> labels;
        for (const test::Foreseen& one : all) labels.push_back(one.truth);
        const auto folds = data::stratified_k_fold(labels, 10, options.seed);
        for (std::size_t i = 0; i < all.size(); ++i) all[i].split = static_cast<std::size_t>(folds[i]);
        test::judge_by_other_splits(all);
      }
      EXPECT_NEAR(setting.error, test::naive_loss(score, all, 2), 1e-4) << core::word(score) << ", C " << setting.C;
    }
    EXPECT_TRUE(selection.honest.has_value());
    const std::string wanted = score == Score::log_loss   ? "log loss"
                               : score == Score::cost     ? "mean cost"
                               : score == Score::accuracy ? "error"
                                                          : "1 - ";
    EXPECT_EQ(selection.honest->score.rfind(wanted, 0), 0U);
  }
}

TEST(NestedScores, AreThoseOfAllOuterFoldsTogether) {
  data::Dataset dataset = uneven_clouds(90, 2, 12);
  dataset.folds = data::stratified_k_fold(dataset.labels, 3, 1);
  for (const Score score : {Score::balanced_accuracy, Score::roc_auc, Score::cost}) {
    selection::Options options = svm_options(score, dataset);
    options.estimate = selection::Estimate::nested;
    const selection::Selection selection = select(dataset, options);
    Foresight all;
    const std::vector<data::Split> splits = test::splits_of_folds(dataset.folds);
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const data::Split& split = splits[s];
      selection::Options inner = options;
      inner.estimate = selection::Estimate::none;
      const selection::Selection chosen = select(dataset.select_rows(split.training), inner);
      for (test::Foreseen& one : test::foresee(dataset, {split}, options, chosen.grid[*chosen.best])) {
        one.split = s;
        all.push_back(one);
      }
    }
    ASSERT_TRUE(selection.honest.has_value());
    EXPECT_NEAR(selection.honest->error, test::naive_pooled_loss(score, all, 2), 1e-4);
    EXPECT_EQ(selection.honest->interval, "Student t");
    EXPECT_LT(selection.honest->lower.value(), selection.honest->error);
  }
  selection::Options options = svm_options(Score::log_loss, dataset);
  options.estimate = selection::Estimate::nested;
  const selection::Selection by_sigmoid = select(dataset, options);
  ASSERT_TRUE(by_sigmoid.honest.has_value());
  EXPECT_NEAR(by_sigmoid.honest->error, by_sigmoid.grid[*by_sigmoid.best].error, 0.15);
}

TEST(Scores, RefuseWhatTheyCannotJudge) {
  const auto code = ErrorCode::invalid_argument;
  const data::Dataset three = uneven_clouds(60, 3, 13);
  for (const Score score : {Score::roc_auc, Score::f1, Score::log_loss}) {
    test::expect_error(code, "of two classes, and the data have 3", [&] { select(three, svm_options(score, three)); });
    selection::Options loo = svm_options(score, three);
    loo.method = selection::LeaveOneOut{};
    loo.score = score;
    test::expect_error(code, "of two classes, and the data have 3", [&] { select(three, loo); });
  }
  selection::Options soft = svm_options(Score::f1_macro, three);
  soft.loss = selection::Loss::soft;
  test::expect_error(code, "macro F1 or by the soft loss, not by both", [&] { select(three, soft); });
  selection::Options regression;
  regression.task = data::Task::regression;
  regression.score = Score::roc_auc;
  test::expect_error(code, "the AUC is a score of classifiers", [&] { selection::Selector{regression}; });
  selection::Options neighbours;
  neighbours.method = selection::HoldOut{};
  neighbours.score = Score::log_loss;
  neighbours.choose_from(selection::Learner::knn);
  test::expect_error(code, "nearest neighbours do not give", [&] { selection::Selector{neighbours}; });
}

TEST(GivenSplits, RefuseWhatIsNoSplit) {
  data::Dataset dataset = uneven_clouds(30, 2, 14);
  const auto refuse = [&](const std::string& part, data::Split split) {
    dataset.splits = {{{0, 1, 2, 3, 4, 5}, {6, 7}}, std::move(split)};
    test::expect_error(ErrorCode::invalid_data, part, [&] { select(dataset, svm_options(Score::accuracy, dataset)); });
  };
  refuse("split 2 has no training rows", {{}, {1}});
  refuse("split 2 holds no row out", {{1}, {}});
  refuse("split 2 names row 30", {{1, 30}, {2}});
  refuse("split 2 trains on row 2 and holds it out", {{1, 2}, {2}});
  refuse("split 2 holds row 4 out twice", {{1, 2}, {4, 4}});
  dataset.splits = overlapping(dataset.rows(), 1);
  EXPECT_TRUE(dataset.select_rows(std::vector<std::size_t>{0, 1, 2}).splits.empty());
  selection::Options nested = svm_options(Score::accuracy, dataset);
  nested.estimate = selection::Estimate::nested;
  const selection::Selection selection = select(dataset, nested);
  EXPECT_FALSE(selection.honest.has_value());
  ASSERT_FALSE(selection.warnings.empty());
  EXPECT_NE(selection.warnings.back().find("splits of the data keep together"), std::string::npos);
}

}  // namespace scores_vs_refits_tests
