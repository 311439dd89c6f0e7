#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/io/model_file.hpp"
#include "credence/selection/ensemble.hpp"
#include "credence/selection/selector.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/refit_losses.hpp"
#include "support/selection_fields.hpp"
#include "support/temporary_folder.hpp"

namespace draw_vs_members_tests {

using namespace credence;
using selection::Ensemble;
using selection::Selection;
using test::expect_error;
using test::random_clouds;
using test::Surroundings;

selection::Options options_of(const std::string& method) {
  selection::Options options;
  options.method = selection::method_named(method);
  test::set_final(options, selection::FinalClassifier::random);
  test::set_folds(options, 4);
  test::set_resamples(options, 7);
  options.costs.C = {0.02, 0.5, 20};
  options.kernels.gamma = kernel::parse_gammas("0.05,scale");
  options.costs.solver.tolerance = 1e-6;
  options.estimate = selection::Estimate::none;
  options.seed = 3;
  options.choose_one_svm();
  return options;
}

Selection select(const data::Dataset& dataset, const selection::Options& options, int threads = 1) {
  Surroundings surroundings(threads);
  return selection::Selector(options).select(dataset, surroundings.context);
}

const Ensemble& predictor_of(const Selection& selection) {
  return dynamic_cast<const Ensemble&>(*selection.predictor);
}

/// What a member says by itself.
model::Prediction said_by(const Ensemble& random, std::size_t member, const data::Dataset& rows) {
  Ensemble alone = random;
  alone.members.parts = {random.members.parts[member]};
  alone.preprocessing = *alone.members.parts.front().preprocessing;
  alone.members.parts.front().preprocessing.reset();
  alone.rule = selection::VoteRule{{0}};
  const Surroundings surroundings;
  return alone.predict(rows, surroundings.context);
}

/// Rows that trained each member (with repeats), by the contracts of the methods.
std::vector<std::vector<std::size_t>> training_rows(const data::Dataset& dataset, const selection::Options& options) {
  std::vector<std::vector<std::size_t>> result;
  const std::size_t n = dataset.rows();
  if (options.is<selection::Bootstrap>()) {
    for (std::size_t b = 0; b < static_cast<std::size_t>(options.as<selection::Bootstrap>().resamples); ++b) {
      const auto drawn = data::bootstrap(n, core::random_choice(options.seed, 632, b, ~std::uint64_t{0}));
      auto& rows = result.emplace_back();
      for (std::size_t i = 0; i < n; ++i) rows.insert(rows.end(), drawn[i], i);
    }
    return result;
  }
  std::vector<int> folds = data::stratified_k_fold(dataset.labels, test::folds_of(options), options.seed);
  if (options.is<selection::LeaveOneOut>()) std::iota(folds.begin(), folds.end(), 0);
  for (int fold = 0; fold < test::fold_count(folds); ++fold) result.push_back(test::fold_rows(folds, fold, false));
  return result;
}

TEST(DrawVsMembers, MembersAreTheModelsThatWereJudged) {
  for (const int classes : {2, 3}) {
    data::Dataset dataset = random_clouds(40, 3, classes, 0.6, 31).dataset();
    for (std::size_t i = 0; i < 40; ++i) dataset.features.dense().row(i)[0] *= i < 10 ? 20 : 1;
    const data::Dataset fresh = random_clouds(50, 3, classes, 0.6, 31).dataset();
    std::set<std::string> scalings;
    for (const std::string name : {"kfold-nested", "loo", "bootstrap", "kfold-nested, several", "bootstrap, several"}) {
      const std::string method = name.substr(0, name.find(','));
      selection::Options options = options_of(method);
      options.preparation.scope = selection::ScaleScope::fold;
      if (name != method) {  // each resample has a choice of its own
        options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
        options.preparation.scalings = {data::Scaling::quantile, data::Scaling::standard};
        if (options.is<selection::Bootstrap>()) options.as<selection::Bootstrap>().two_samples = true;
      }
      const Selection selection = select(dataset, options);
      const Ensemble& random = predictor_of(selection);
      const auto rows = training_rows(dataset, options);
      ASSERT_EQ(random.members.count(), rows.size()) << method;
      EXPECT_TRUE(selection.calibration.empty());
      EXPECT_EQ(selection.estimation()->final_classifier, selection::FinalClassifier::random);
      Surroundings surroundings;
      for (std::size_t m = 0; m < rows.size(); ++m) {
        const std::size_t setting = *selection.estimation()->judgements[m].setting;
        svm::TrainOptions train = test::train_options_of_setting(options, selection.grid[setting]);
        train.gamma = options.kernels.gamma[setting / options.costs.C.size() % options.kernels.gamma.size()];
        if (name != method) scalings.insert(core::word(train.scaling));
        const auto explicit_model = svm::train(dataset.select_rows(rows[m]), train, surroundings.context).model;
        const auto expected = explicit_model.predict(fresh, surroundings.context);
        const auto ours = said_by(random, m, fresh);
        for (std::size_t k = 0; k < expected.score.values.size(); ++k)
          ASSERT_NEAR(ours.score.values[k], expected.score.values[k], 1e-3) << name << ", member " << m;
      }
      const test::TemporaryFolder folder;
      io::save_model(random, folder.path() + "/model.credence");
      EXPECT_EQ(io::load_model(folder.path() + "/model.credence")->predict(fresh, surroundings.context).label,
                random.predict(fresh, surroundings.context).label);
    }
    EXPECT_EQ(scalings.size(), 2U);
  }
}

TEST(DrawVsMembers, DrawsAMemberForEachRow) {
  const data::Dataset dataset = random_clouds(60, 3, 2, 0.2, 32).dataset();
  const Selection selection = select(dataset, options_of("bootstrap"));
  const Ensemble& random = predictor_of(selection);
  const data::Dataset fresh = random_clouds(80, 3, 2, 0.2, 32).dataset();
  Surroundings surroundings;
  const model::Prediction prediction = random.predict(fresh, surroundings.context);
  ASSERT_EQ(prediction.chosen.size(), 80U);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_EQ(prediction.chosen[i], random.drawn(fresh.features, i));
    const std::vector<std::size_t> row{i};
    const auto own = said_by(random, random.drawn(fresh.features, i), fresh.select_rows(row));
    EXPECT_EQ(prediction.label[i], own.label[0]) << i;
    EXPECT_EQ(random.predict(fresh.select_rows(row), surroundings.context).chosen[0], prediction.chosen[i]) << i;
  }
  EXPECT_LT(std::ranges::count(prediction.chosen, prediction.chosen[0]), 80);
  EXPECT_EQ(random.predict(fresh, surroundings.context).chosen, prediction.chosen);
  Ensemble other = random;
  std::get<selection::DrawRule>(other.rule).seed += 1;
  EXPECT_NE(other.predict(fresh, surroundings.context).chosen, prediction.chosen);
}

TEST(DrawVsMembers, ExpectedErrorIsTheMeanOfTheMembers) {
  // 4,000 seeds on 60 rows: the standard error of the mean error is below 0.5 / sqrt(240,000), about 0.001.
  const data::Dataset dataset = random_clouds(40, 3, 2, 0.2, 33).dataset();
  const Selection selection = select(dataset, options_of("bootstrap"));
  Ensemble random = predictor_of(selection);
  const data::Dataset fresh = random_clouds(60, 3, 2, 0.2, 33).dataset();
  std::vector<std::vector<int>> wrong;
  double mean = 0;
  for (std::size_t m = 0; m < random.members.count(); ++m) {
    const auto prediction = said_by(random, m, fresh);
    auto& of_member = wrong.emplace_back();
    for (std::size_t i = 0; i < 60; ++i) {
      of_member.push_back(prediction.label[i] != fresh.labels[i] ? 1 : 0);
      mean += of_member.back() / 60.0 / static_cast<double>(random.members.count());
    }
  }
  double drawn = 0;
  std::vector<double> times(random.members.count(), 0);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    random.rule = selection::DrawRule{seed};
    for (std::size_t i = 0; i < 60; ++i) {
      drawn += wrong[random.drawn(fresh.features, i)][i] / 60.0 / 4000;
      times[random.drawn(fresh.features, i)] += 1;
    }
  }
  EXPECT_NEAR(drawn, mean, 0.005);
  EXPECT_GT(mean, 0.05);
  for (const double count : times) EXPECT_NEAR(count * static_cast<double>(times.size()) / 240000, 1, 0.05);
}

TEST(DrawVsMembers, PrecomputedKernels) {
  const data::Dataset points = random_clouds(30, 3, 2, 0.6, 34).dataset();
  data::Dataset square = points;
  square.features = data::Features(kernel::kernel_block({.gamma = 0.3}, points.features, points.features));
  square.schema.columns.assign(30, {"k", data::ColumnKind::numeric, {}});
  selection::Options options = options_of("kfold-nested");
  options.kernels.types = {kernel::KernelType::precomputed};
  options.kernels.gamma = kernel::parse_gammas("scale");
  const Selection given = select(square, options);
  options.kernels.types = {kernel::KernelType::rbf};
  options.kernels.gamma = kernel::parse_gammas("0.3");
  options.preparation.scalings = {data::Scaling::none};
  const Selection computed = select(points, options);
  Surroundings surroundings;
  // Other numbers in a row draw another member, but each member is the same one.
  const Ensemble& of_given = predictor_of(given);
  const Ensemble& of_computed = predictor_of(computed);
  ASSERT_EQ(of_given.members.count(), of_computed.members.count());
  for (std::size_t m = 0; m < of_given.members.count(); ++m)
    EXPECT_EQ(said_by(of_given, m, square).label, said_by(of_computed, m, points).label);
  const model::Prediction drawn = of_given.predict(square, surroundings.context);
  for (std::size_t i = 0; i < 30; ++i) {
    const auto own = said_by(of_given, drawn.chosen[i], square);
    EXPECT_EQ(drawn.chosen[i], of_given.drawn(square.features, i));
    EXPECT_EQ(drawn.label[i], own.label[i]);
  }
}

TEST(DrawVsMembers, ThreadsDoNotMatter) {
  const data::Dataset dataset = random_clouds(50, 3, 3, 0.3, 35).dataset();
  for (const std::string method : {"kfold-nested", "loo", "bootstrap"}) {
    const Selection one = select(dataset, options_of(method), 1);
    const Selection two = select(dataset, options_of(method), 2);
    for (std::size_t m = 0; m < predictor_of(one).members.count(); ++m) {
      const auto a = said_by(predictor_of(one), m, dataset);
      const auto b = said_by(predictor_of(two), m, dataset);
      EXPECT_EQ(a.score.values, b.score.values) << method;
    }
  }
}

/// Members with scalings of their own answer together, by whatever rule.
TEST(EnsembleOfScalings, ComparesItsMembersVsByHand) {
  const data::Dataset dataset = random_clouds(60, 3, 3, 0.3, 39).dataset();
  selection::Options options = options_of("kfold-nested");
  options.preparation.scope = selection::ScaleScope::fold;
  Ensemble ensemble = predictor_of(select(dataset, options));
  const std::vector<std::uint32_t> all{0, 1, 2, 3};
  std::vector<model::Prediction> said;
  for (std::size_t m = 0; m < 4; ++m) said.push_back(said_by(ensemble, m, dataset));
  const Surroundings surroundings(2);
  ensemble.rule = selection::AverageRule{all};
  const model::Prediction average = ensemble.predict(dataset, surroundings.context);
  ensemble.rule = selection::VoteRule{all};
  const model::Prediction vote = ensemble.predict(dataset, surroundings.context);
  ensemble.rule = selection::MaxMarginRule{};
  const model::Prediction largest = ensemble.predict(dataset, surroundings.context);
  ensemble.rule = selection::FirstRule{};
  expect_error(ErrorCode::invalid_argument, "from raw rows", [&] { ensemble.predict(dataset, surroundings.context); });
  for (std::size_t i = 0; i < dataset.rows(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      double mean = 0;
      for (const model::Prediction& one : said) mean += std::clamp(one.score.row(i)[c], -3.0, 3.0) / 4;
      EXPECT_NEAR(average.score.row(i)[c], mean, 1e-12);
    }
    std::array<int, 3> votes{};
    for (const model::Prediction& one : said) ++votes[static_cast<std::size_t>(one.label[i])];
    EXPECT_EQ(votes[static_cast<std::size_t>(vote.label[i])], *std::ranges::max_element(votes));
    const std::span<const double> own = said[largest.chosen[i]].score.row(i);
    for (const model::Prediction& one : said)
      EXPECT_LE(*std::ranges::max_element(one.score.row(i)), own[static_cast<std::size_t>(largest.label[i])]);
  }
}

TEST(DrawVsMembers, RefusesWhatItCannotDo) {
  const data::Dataset dataset = random_clouds(60, 3, 2, 0.3, 36).dataset();
  Surroundings surroundings;
  const Selection selection = select(dataset, options_of("kfold-nested"));
  const Ensemble& random = predictor_of(selection);
  const data::Dataset wide = random_clouds(5, 4, 2, 0.3, 36).dataset();
  expect_error(ErrorCode::invalid_data, "3 feature columns", [&] { random.predict(wide, surroundings.context); });
  expect_error(ErrorCode::invalid_argument, "raw rows",
               [&] { random.predict_preprocessed(dataset.features, surroundings.context); });
  Ensemble nobody = random;
  nobody.members.parts.clear();
  expect_error(ErrorCode::invalid_argument, "no members", [&] { nobody.predict(dataset, surroundings.context); });
}

TEST(DrawVsMembers, RefusesMoreSupportVectorsThanMemoryHolds) {
  const data::Dataset dataset = random_clouds(60, 200, 2, 0.05, 37).dataset();
  const core::Threads threads(1);
  core::Monitor monitor;
  selection::Options options = options_of("loo");
  options.kernels.types = {kernel::KernelType::linear};
  expect_error(ErrorCode::memory, "support vectors",
               [&] { selection::Selector(options).select(dataset, {threads, monitor, 1U << 20U}); });
  test::set_final(options, selection::FinalClassifier::retrained);
  EXPECT_TRUE(selection::Selector(options).select(dataset, {threads, monitor, 1U << 20U}).best);
}

TEST(DrawVsMembers, IsWhatComparisonsAndFitsUse) {
  const data::Dataset dataset = random_clouds(60, 3, 2, 0.3, 38).dataset();
  const selection::Options options = options_of("kfold-nested");
  Surroundings surroundings;
  const Selection selection = select(dataset, options);
  EXPECT_EQ(selection::fitted(dataset, selection, surroundings.context), selection.predictor);
  EXPECT_EQ(selection.predictor->record.method, "kfold-nested");
  EXPECT_EQ(selection.predictor->record.resamples, std::optional(4));
}

}  // namespace draw_vs_members_tests
