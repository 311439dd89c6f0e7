#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "credence/core/checkpoint.hpp"
#include "credence/core/random.hpp"
#include "credence/selection/comparison.hpp"
#include "support/checkpoint_records.hpp"
#include "support/context.hpp"
#include "support/in_sample_runs.hpp"
#include "support/random_data.hpp"
#include "support/same_selection.hpp"
#include "support/selection_fields.hpp"
#include "support/temporary_folder.hpp"

namespace credence {
namespace checkpoint_vs_undisturbed_tests {

using selection::Options;
using selection::Selection;
using selection::Selector;
using test::expect_same;
using test::TemporaryFolder;

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

/// What a run with a checkpoint did.
struct Counts {
  std::size_t recalled = 0;
  std::size_t kept = 0;
  bool stopped = false;
};

/// Runs the work with the checkpoint of the folder, with a monitor that says stop once so many results were kept.
Counts run(const TemporaryFolder& folder, std::size_t stop_after, int threads,
           const std::function<void(const core::Context&)>& work) {
  const core::Threads pool(threads);
  core::Checkpoint checkpoint(folder.file("run.checkpoint"), {"test", "options", "data"});
  core::Monitor monitor([&](const core::Monitor::Progress&) { return checkpoint.kept() < stop_after; });
  work({.threads = pool, .monitor = monitor, .checkpoint = &checkpoint});
  return {checkpoint.recalled(), checkpoint.kept(), monitor.should_stop()};
}

Options small_options(const std::string& method = "cv") {
  Options options;
  options.method = selection::method_named(method);
  options.costs.C = core::parse_list("0.1:100:x10");
  options.kernels.gamma = kernel::parse_gammas("0.01:10:x10");
  options.estimate_samples = 50;
  options.seed = 3;
  test::set_folds(options, 4);
  options.choose_one_svm();
  return options;
}

Selection undisturbed(const data::Dataset& dataset, const Options& options) {
  test::Surroundings surroundings(2);
  return Selector(options).select(dataset, surroundings.context);
}

/// Stops a selection again and again, each time after so many further tasks, until it comes to its end.
/// @return results that were kept in all
std::size_t expect_resumed(const data::Dataset& dataset, const Options& options, std::size_t step, int threads) {
  const Selection expected = undisturbed(dataset, options);
  const TemporaryFolder folder;
  std::size_t kept = 0;
  for (int attempt = 0; attempt < 200; ++attempt) {
    Selection selection;
    const Counts counts = run(folder, attempt == 199 ? never : step, threads, [&](const core::Context& context) {
      selection = Selector(options).select(dataset, context);
    });
    EXPECT_LE(counts.recalled, kept);
    kept += counts.kept;
    // What was in flight on other threads comes to its end too.
    if (step != never) EXPECT_LE(counts.kept, step + static_cast<std::size_t>(threads));
    if (counts.stopped) continue;
    expect_same(selection, expected);
    return kept;
  }
  ADD_FAILURE() << "never at its end";
  return kept;
}

/// 4 gammas and 4 folds are 16 tasks, each of which is done once: nothing is redone.
TEST(CheckpointVsUndisturbed, EveryTaskOfAGridIsDoneOnce) {
  for (const int classes : {2, 3}) {
    const data::Dataset dataset = test::random_clouds(97, 3, static_cast<std::size_t>(classes), 0.7, 5).dataset();
    for (const std::size_t step : {1U, 3U, 7U})
      for (const int threads : {1, 2}) EXPECT_EQ(expect_resumed(dataset, small_options(), step, threads), 16U);
  }
}

/// 2 kernels, 2 scalings, 3 gammas and 4 folds.
TEST(CheckpointVsUndisturbed, TasksOfSeveralKernelsAndScalingsAreDoneOnce) {
  Options options = small_options();
  options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  options.kernels.gamma = kernel::parse_gammas("0.01,median*0.5,median");
  options.preparation.scalings = {data::Scaling::standard, data::Scaling::quantile};
  for (const selection::Rule rule : {selection::Rule::best, selection::Rule::average}) {
    options.rule = rule;
    for (const int classes : {2, 3}) {
      const data::Dataset dataset = test::random_clouds(97, 3, static_cast<std::size_t>(classes), 0.7, 5).dataset();
      for (const int threads : {1, 2}) EXPECT_EQ(expect_resumed(dataset, options, 7, threads), 48U);
    }
  }
}

/// A run that came to its end leaves nothing to do but what follows from the results.
TEST(CheckpointVsUndisturbed, ACompleteOneIsRecalledWhole) {
  const data::Dataset dataset = test::random_clouds(97, 3, 2, 0.7, 5).dataset();
  const TemporaryFolder folder;
  Selection first;
  Selection second;
  run(folder, never, 2,
      [&](const core::Context& context) { first = Selector(small_options()).select(dataset, context); });
  const Counts counts = run(folder, never, 1, [&](const core::Context& context) {
    second = Selector(small_options()).select(dataset, context);
  });
  EXPECT_EQ(counts.recalled, 16U);
  EXPECT_EQ(counts.kept, 0U);
  expect_same(second, first);
}

TEST(CheckpointVsUndisturbed, OtherScoresLossesModelsAndEstimatesToo) {
  const data::Dataset dataset = test::random_clouds(80, 2, 2, 0.9, 6).dataset();
  Options soft = small_options();
  soft.loss = selection::Loss::soft;
  EXPECT_EQ(expect_resumed(dataset, soft, 5, 2), 16U);
  Options by_area = small_options();
  by_area.score = selection::Score::roc_auc;
  EXPECT_EQ(expect_resumed(dataset, by_area, 5, 2), 16U);
  Options by_log_loss = small_options();
  by_log_loss.score = selection::Score::log_loss;
  EXPECT_EQ(expect_resumed(dataset, by_log_loss, 5, 2), 16U);
  Options by_cost = small_options();
  by_cost.score = selection::Score::cost;
  by_cost.label_costs = "a:b=50";
  EXPECT_EQ(expect_resumed(dataset, by_cost, 5, 2), 16U);
  Options nested = small_options();
  nested.estimate = selection::Estimate::nested;
  EXPECT_EQ(expect_resumed(dataset, nested, 6, 2), 16U + 4 * 16U + 4);
  Options giving_up = small_options();
  giving_up.costs.give_up = 1;
  EXPECT_EQ(expect_resumed(dataset, giving_up, 3, 2), 16U);
  Options relevance;
  relevance.choose_from(selection::Learner::rvm);
  relevance.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  relevance.estimate_samples = 50;
  test::set_folds(relevance, 3);
  EXPECT_GE(expect_resumed(dataset, relevance, 2, 2), 6U);
  EXPECT_EQ(expect_resumed(dataset, small_options("bootstrap"), 150, 2),
            expect_resumed(dataset, small_options("bootstrap"), 70, 1));
}

/// Tasks of methods that train one family, or judge each gamma by itself: 4 gammas, and 4 shares of each in loo.
TEST(CheckpointVsUndisturbed, EveryMethodGoesOnWhereItWas) {
  const data::Dataset dataset = test::random_clouds(60, 2, 2, 0.9, 7).dataset();
  for (const char* const method : {"nonconformity", "holdout", "holdout-vote", "max-margin"}) {
    SCOPED_TRACE(method);
    Options options = small_options(method);
    EXPECT_EQ(expect_resumed(dataset, options, 1, 2), 4U);
    options.choose_from(selection::Learner::rvm);
    options.kernels.gamma = kernel::parse_gammas("0.05,0.5");
    if (std::string(method) != "max-margin") EXPECT_EQ(expect_resumed(dataset, options, 1, 1), 2U);
  }
  Options left_out = small_options();
  left_out.method = selection::LeaveOneOut{};
  left_out.preparation.scalings = {data::Scaling::none};
  EXPECT_EQ(expect_resumed(dataset, left_out, 3, 2), 16U);
  left_out.loss = selection::Loss::soft;
  EXPECT_EQ(expect_resumed(dataset, left_out, 1, 1), 16U);
  for (const char* const method : {"rademacher", "maximal-discrepancy"}) {
    SCOPED_TRACE(method);
    Options options = test::in_sample_options(method, {0.1, 1, 10});
    options.kernels.types = {kernel::KernelType::rbf};
    EXPECT_EQ(expect_resumed(test::random_clouds(30, 2, 2, 0.9, 7).dataset(), options, 1, 2), 3U);
  }
  for (const char* const method : {"kernel-validity", "evidence"}) {
    SCOPED_TRACE(method);
    Options options;
    options.method = selection::method_named(method);
    options.choose_from(selection::Learner::rvm);
    options.kernels.gamma = kernel::parse_gammas("0.05,0.5,5");
    EXPECT_GE(expect_resumed(dataset, options, 1, 2), 3U);
  }
}

/// The rungs of a race and its last judging, and the regions of the feature space with the exact grid beside them.
TEST(CheckpointVsUndisturbed, RacesAndSettingsToo) {
  Options race;
  race.method = selection::CrossValidation{.folds = 3};
  race.race = selection::Race::yes;
  race.choose_one_svm();
  race.costs.C = {0.1, 1};
  race.kernels.gamma = kernel::parse_gammas("0.03,0.5");
  race.estimate = selection::Estimate::none;
  const data::Dataset many = test::random_clouds(4000, 2, 2, 0.5, 8).dataset();
  EXPECT_EQ(expect_resumed(many, race, 4, 2), expect_resumed(many, race, never, 1));
  Options settings = small_options();
  settings.method = selection::Regions{.region_size = 60, .partitions = 1};
  const data::Dataset some = test::random_clouds(200, 2, 2, 0.9, 6).dataset();
  EXPECT_EQ(expect_resumed(some, settings, 20, 2), expect_resumed(some, settings, never, 1));
}

/// Further partitions keep the machines of the folds that judged the chosen setting. A checkpoint holds no machines, so
/// they are trained anew, and must be the same to the last bit.
TEST(CheckpointVsUndisturbed, MachinesOfFoldsInRegionsAreTheSameKeptOrTrainedAnew) {
  for (const int classes : {2, 3}) {
    Options averaged = small_options();
    averaged.method = selection::Regions{.region_size = 80, .partitions = 3, .folds = 4};
    averaged.estimate = selection::Estimate::none;
    const data::Dataset dataset = test::random_clouds(320, 2, classes, 0.9, 6).dataset();
    EXPECT_GT(expect_resumed(dataset, averaged, never, 2), 0U) << classes;
  }
}

/// Other data, other options and other folds find nothing in the file, even if it is handed to them.
TEST(CheckpointVsUndisturbed, OtherWorkFindsNothing) {
  const TemporaryFolder folder;
  const auto recalled = [&](const data::Dataset& dataset, const Options& options) {
    return run(folder, never, 1, [&](const core::Context& context) { Selector(options).select(dataset, context); })
        .recalled;
  };
  const data::Dataset dataset = test::random_clouds(60, 2, 2, 0.9, 6).dataset();
  EXPECT_EQ(recalled(dataset, small_options()), 0U);
  EXPECT_EQ(recalled(dataset, small_options()), 16U);
  data::Dataset other = dataset;
  other.features = test::random_clouds(60, 2, 2, 0.9, 7).dataset().features;
  EXPECT_EQ(recalled(other, small_options()), 0U);
  Options options = small_options();
  options.seed = 4;
  EXPECT_EQ(recalled(dataset, options), 0U);
  options = small_options();
  options.costs.C = core::parse_list("0.1:1000:x10");
  EXPECT_EQ(recalled(dataset, options), 0U);
  options = small_options();
  options.preparation.scalings = {data::Scaling::minmax};
  EXPECT_EQ(recalled(dataset, options), 0U);
  const Options in_sample = test::in_sample_options("rademacher", {0.1, 1});
  data::Dataset hinted = test::random_clouds(30, 2, 2, 0.9, 7).dataset();
  hinted.schema.hint_name = "f0";
  hinted.hint.assign(hinted.rows(), 0.5);
  EXPECT_EQ(recalled(hinted, in_sample), 0U);
  EXPECT_EQ(recalled(hinted, in_sample), 1U);
  hinted.hint.front() = -0.5;
  EXPECT_EQ(recalled(hinted, in_sample), 0U);
}

/// Options of each kind of task that small clouds are soon through with.
std::vector<Options> options_of_every_kind() {
  std::vector<Options> all{small_options(), small_options("holdout"), small_options("loo")};
  all.back().preparation.scalings = {data::Scaling::none};
  all.push_back(test::in_sample_options("maximal-discrepancy", {0.1, 1}));
  all.back().kernels.types = {kernel::KernelType::rbf};
  Options validity;
  validity.method = selection::KernelValidity{};
  validity.choose_from(selection::Learner::rvm);
  validity.kernels.gamma = kernel::parse_gammas("0.05,0.5");
  all.push_back(validity);
  return all;
}

/// Anybody can make a checksum: a record whose contents were changed under right checksums is refused, or gives a
/// result; no run crashes, hangs or asks for memory out of proportion.
TEST(CheckpointVsUndisturbed, ChangedRecordsUnderRightChecksumsDoNoHarm) {
  const data::Dataset dataset = test::random_clouds(40, 2, 2, 0.9, 7).dataset();
  for (const Options& options : options_of_every_kind()) {
    SCOPED_TRACE(options.name());
    const auto select = [&](const core::Context& context) { Selector(options).select(dataset, context); };
    const TemporaryFolder folder;
    run(folder, never, 1, select);
    const std::string path = folder.file("run.checkpoint");
    const std::string whole = test::read_text(path);
    const std::vector<std::string> records = test::contents_of(whole);
    core::RandomStream random(5, 9);
    std::size_t refused = 0;
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<std::string> changed = records;
      constexpr std::size_t key = 16;
      std::string& record = changed[1 + random.below(records.size() - 1)];
      const std::size_t at = key + random.below(record.size() - key);
      constexpr std::uint64_t words[] = {0, 1, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff, 0x7ff8000000000000};
      const std::uint64_t word = words[random.below(std::size(words))];
      const std::size_t size = std::min<std::size_t>(trial % 2 == 0 ? 8 : 4, record.size() - at);
      if (trial % 10 == 0)
        record.resize(at);
      else
        std::memcpy(record.data() + at, &word, size);
      std::string text = test::magic_of(whole);
      for (const std::string& content : changed) text += test::record_of(content);
      folder.write("run.checkpoint", text);
      try {
        run(folder, never, 1, select);
      } catch (const Error& error) {
        refused += error.code() == ErrorCode::format ? 1U : 0U;
      }
    }
    EXPECT_GE(refused, 6U);
  }
}

/// The runs of a comparison, of a grid on folds and of one family, and the tasks of both.
TEST(CheckpointVsUndisturbed, RunsOfAComparisonAreDoneOnce) {
  const data::Dataset dataset = test::random_clouds(80, 2, 2, 0.9, 6).dataset();
  const std::vector<selection::Contestant> contestants{{"cv", small_options(), {}},
                                                       {"nonconformity", small_options("nonconformity"), {}}};
  const selection::ComparisonOptions folds{3, 1};
  test::Surroundings surroundings(2);
  const selection::Comparison expected = selection::compare(dataset, contestants, folds, surroundings.context);
  const TemporaryFolder folder;
  std::size_t kept = 0;
  for (int attempt = 0; attempt < 100; ++attempt) {
    selection::Comparison comparison;
    const Counts counts = run(folder, attempt == 99 ? never : 5, 2, [&](const core::Context& context) {
      comparison = selection::compare(dataset, contestants, folds, context);
    });
    kept += counts.kept;
    if (counts.stopped) continue;
    EXPECT_EQ(kept, 3 * (16U + 4U) + 2 * 3U);
    ASSERT_EQ(comparison.methods.size(), expected.methods.size());
    for (std::size_t m = 0; m < expected.methods.size(); ++m) {
      EXPECT_EQ(comparison.methods[m].mean_error, expected.methods[m].mean_error);
      EXPECT_EQ(comparison.methods[m].mean_honest, expected.methods[m].mean_honest);
      EXPECT_EQ(comparison.methods[m].mean_bound, expected.methods[m].mean_bound);
      EXPECT_EQ(comparison.methods[m].warnings, expected.methods[m].warnings);
    }
    return;
  }
  ADD_FAILURE() << "never at its end";
}

}  // namespace checkpoint_vs_undisturbed_tests
}  // namespace credence
