#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/race/race.hpp"
#include "selection/race/rule.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"

namespace race_vs_exact_grid_tests {

using namespace credence;
using namespace credence::selection;
using test::Surroundings;

/// Two classes inside and outside a circle, with some labels turned round.
data::Dataset rings(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 17);
  data::DenseMatrix x(n, 2);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) {
    x.row(i)[0] = random.normal();
    x.row(i)[1] = random.normal();
    const bool outside = x.row(i)[0] * x.row(i)[0] + x.row(i)[1] * x.row(i)[1] > 1.4;
    labels.emplace_back(outside == (random.uniform() < 0.95) ? "out" : "in");
  }
  return data::make_dataset(std::move(x), labels);
}

selection::Options small_grid(Race race, std::uint64_t seed = 1) {
  selection::Options options;
  options.method = CrossValidation{.folds = 5};
  options.race = race;
  options.costs.C = core::parse_list("0.01,0.1,1,10");
  options.kernels.gamma = kernel::parse_gammas("0.001,0.03,1,30");
  options.estimate = Estimate::none;
  options.seed = seed;
  options.choose_one_svm();
  return options;
}

selection::Selection run(const data::Dataset& dataset, const selection::Options& options, int threads = 2) {
  Surroundings surroundings(threads);
  return Selector(options).select(dataset, surroundings.context);
}

TEST(Race, RungsAreThatOfThePilotAndQuartersOfTheNext) {
  EXPECT_EQ(rung_sizes(3999), (std::vector<std::size_t>{3999}));
  EXPECT_EQ(rung_sizes(4000), (std::vector<std::size_t>{1000, 4000}));
  EXPECT_EQ(rung_sizes(7999), (std::vector<std::size_t>{1000, 7999}));
  EXPECT_EQ(rung_sizes(8000), (std::vector<std::size_t>{1000, 2000, 8000}));
  EXPECT_EQ(rung_sizes(20000), (std::vector<std::size_t>{2000, 5000, 20000}));
  EXPECT_EQ(growth_after(2000, 20000), 2.5);
  EXPECT_EQ(growth_after(5000, 20000), 4);
  EXPECT_EQ(growth_after(20000, 20000), 1);
  // A quarter that is rounded down is a quarter: the best setting of 3 x 4 has one neighbour with a larger C.
  const std::vector<bool> wanted = settings_after(std::vector<std::size_t>{4}, growth_after(5000, 20003), 12, 4, {});
  EXPECT_TRUE(wanted[5]);
  EXPECT_FALSE(wanted[6]);
  EXPECT_EQ(rung_sizes(1000000), (std::vector<std::size_t>{2000, 15625, 62500, 250000, 1000000}));
}

TEST(Race, EveryBeginningOfTheOrderHasItsShareOfEachClassAndFold) {
  const data::Dataset dataset = rings(1000, 3);
  const std::vector<int> folds = data::stratified_k_fold(dataset.labels, 5, 3);
  const std::vector<std::size_t> order = stratified_order(dataset, resamples_of_folds(folds), 3);
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 1000U);
  for (const std::size_t count : {100U, 250U, 500U}) {
    for (int label = 0; label < 2; ++label) {
      for (int fold = 0; fold < 5; ++fold) {
        const auto is_in = [&](std::size_t i) { return dataset.labels[i] == label && folds[i] == fold; };
        const auto begin = order.begin();
        const auto taken = static_cast<double>(std::count_if(begin, begin + static_cast<std::ptrdiff_t>(count), is_in));
        const auto all = static_cast<double>(std::count_if(begin, order.end(), is_in));
        EXPECT_NEAR(taken, all * static_cast<double>(count) / 1000, 1.0) << count << ' ' << label << ' ' << fold;
      }
    }
  }
  EXPECT_NE(order, stratified_order(dataset, resamples_of_folds(folds), 4));
}

TEST(Race, ChoosesASettingWithinAStandardErrorOfTheExactGridsBest) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const data::Dataset dataset = rings(4200, seed);
    const selection::Selection exact = run(dataset, small_grid(Race::no, seed));
    const selection::Selection raced = run(dataset, small_grid(Race::yes, seed));
    EXPECT_FALSE(exact.race);
    ASSERT_TRUE(raced.race && raced.best && exact.best);
    const double least = exact.grid[*exact.best].error;
    const double se = std::sqrt(least * (1 - least) / 4200);
    EXPECT_LE(exact.grid[*raced.best].error, least + se);
    std::size_t dropped = 0;
    std::uint64_t steps = 0;
    std::uint64_t all_steps = 0;
    for (std::size_t k = 0; k < exact.grid.size(); ++k) {
      const Setting& setting = raced.grid[k];
      EXPECT_EQ(setting.complete, setting.rung == 0);
      dropped += setting.complete ? 0 : 1;
      steps += setting.steps;
      all_steps += exact.grid[k].steps;
      // The same folds and rows, from another point of the path: the solver's tolerance moves a row at most.
      if (setting.complete) EXPECT_NEAR(setting.error, exact.grid[k].error, 1.01 / 4200);
    }
    EXPECT_GE(dropped, 8U);
    EXPECT_LT(2 * steps, all_steps);
    EXPECT_EQ(raced.race->rungs.front().judged, 16U);
    EXPECT_EQ(raced.race->rungs.back().rows, 4200U);
    EXPECT_EQ(raced.calibration.nonconformity_scores.size(), 4200U);
  }
}

TEST(Race, GivesTheSameBitsOnAnyNumberOfThreads) {
  const data::Dataset dataset = rings(4000, 5);
  selection::Options options = small_grid(Race::yes);
  options.as<CrossValidation>().folds = 10;
  options.estimate = Estimate::bbc;
  options.estimate_samples = 20;
  const selection::Selection one = run(dataset, options, 1);
  for (const int threads : {2, 4}) {
    const selection::Selection more = run(dataset, options, threads);
    ASSERT_EQ(one.best, more.best);
    for (std::size_t k = 0; k < one.grid.size(); ++k) {
      EXPECT_EQ(one.grid[k].error, more.grid[k].error);
      EXPECT_EQ(one.grid[k].rung, more.grid[k].rung);
    }
    EXPECT_EQ(one.calibration.nonconformity_scores, more.calibration.nonconformity_scores);
    EXPECT_EQ(one.honest->error, more.honest->error);
  }
}

void expect_same_race(const selection::Selection& one, const selection::Selection& other) {
  ASSERT_TRUE(one.race && other.race);
  EXPECT_EQ(one.best, other.best);
  for (std::size_t k = 0; k < one.grid.size(); ++k) {
    EXPECT_EQ(one.grid[k].error, other.grid[k].error);
    EXPECT_EQ(one.grid[k].rung, other.grid[k].rung);
  }
  EXPECT_EQ(one.calibration.nonconformity_scores, other.calibration.nonconformity_scores);
}

std::shared_ptr<const selection::Forecast> forecast_of(const data::Dataset& dataset,
                                                       const selection::Options& options) {
  Surroundings surroundings(2);
  return forecast(dataset, options.resolved(), surroundings.context);
}

selection::Selection run_with(const selection::Forecast& forecast, const data::Dataset& dataset,
                              const selection::Options& options) {
  Surroundings surroundings(2);
  return selection::Selector(options).select(dataset, surroundings.context, &forecast);
}

/// The forecast with another smallest rung: on every row all settings err but one.
std::shared_ptr<const selection::Forecast> turned_round(const selection::Forecast& made, std::size_t right) {
  JudgedRung rung = *made.first_rung;
  selection::Predictions& predictions = rung.judged.predictions;
  for (std::size_t setting = 0; setting < predictions.settings; ++setting) {
    for (std::size_t p = 0; p < predictions.places(); ++p) {
      const int label = setting == right ? predictions.truth[p] : 1 - predictions.truth[p];
      predictions.labels[predictions.at(setting, p)] = static_cast<std::uint16_t>(label);
    }
  }
  selection::Forecast turned = made;
  turned.first_rung = std::make_shared<const JudgedRung>(std::move(rung));
  return std::make_shared<const selection::Forecast>(std::move(turned));
}

/// What a forecast has judged need not be judged again: the race goes on from there, and ends with the same bits.
TEST(Race, BeginsWithThePilotOfItsForecast) {
  const data::Dataset dataset = rings(5200, 8);
  selection::Options options = small_grid(Race::yes);
  const selection::Selection alone = run(dataset, options);
  const auto made = forecast_of(dataset, options);
  ASSERT_TRUE(made && made->first_rung);
  expect_same_race(alone, run_with(*made, dataset, options));
  const auto wrong = turned_round(*made, alone.grid.size() - 1);
  const selection::Selection turned = run_with(*wrong, dataset, options);
  EXPECT_EQ(turned.grid[*alone.best].rung, 1000U);  // the race believed that the best setting always errs
  // What was judged on other features, or with other options, is not believed.
  data::Dataset other = dataset;
  other.features.dense().row(wrong->first_rung->rows.front())[0] += 1e-9;
  expect_same_race(run(other, options), run_with(*wrong, other, options));
  options.costs.C = core::parse_list("0.01,0.1,1,20");
  expect_same_race(run(dataset, options), run_with(*wrong, dataset, options));
}

TEST(Race, ThePilotDoesNotLookAtRowsThatAreSetAside) {
  const data::Dataset dataset = rings(5600, 8);
  selection::Options options = small_grid(Race::yes);
  options.estimate = Estimate::holdout;
  const selection::Selection alone = run(dataset, options);
  const auto made = forecast_of(dataset, options);
  EXPECT_EQ(made->rows, 5040U);
  EXPECT_EQ(made->set_aside, 560U);
  const selection::Selection with_forecast = run_with(*made, dataset, options);
  expect_same_race(alone, with_forecast);
  EXPECT_EQ(alone.honest->error, with_forecast.honest->error);
  EXPECT_EQ(run_with(*turned_round(*made, 0), dataset, options).grid[*alone.best].rung, 1000U);
}

TEST(Race, DropsSettingsWithinTheLastRung) {
  selection::Options options = small_grid(Race::yes);
  options.as<CrossValidation>().folds = 10;
  options.costs.C = core::parse_list("0.5,0.6,0.7,0.8,0.9,1,1.2,1.5");
  options.kernels.gamma = kernel::parse_gammas("0.5,0.6,0.8,1,1.2,1.5");
  const selection::Selection raced = run(rings(4000, 5), options);
  const std::vector<Rung>& rungs = raced.race->rungs;
  ASSERT_EQ(rungs.size(), 5U);
  const std::array<std::size_t, 5> resamples{10, 1, 2, 5, 10};
  const std::array<std::size_t, 4> most{24, 24, 16, 8};
  for (std::size_t r = 0; r < rungs.size(); ++r) {
    EXPECT_EQ(rungs[r].resamples, resamples[r]);
    EXPECT_EQ(rungs[r].rows, r == 0 ? 1000U : 4000U);
    if (r + 1 < rungs.size()) EXPECT_GE(rungs[r].survived, std::min(most[r], rungs.back().judged));
    if (r > 1) EXPECT_EQ(rungs[r].judged, rungs[r - 1].survived);
  }
  EXPECT_LT(rungs.back().judged, 16U);  // most of these settings are alike, so that the caps do the work
}

/// A quarter of the rows is a board of small squares, the others have a smooth boundary; some labels are turned. On
/// 1,000 rows the squares are too small to be learnt, and a large gamma pays for trying on the smooth part.
data::Dataset fine_detail(std::size_t n, std::uint64_t seed) {
  core::RandomStream random(seed, 18);
  data::DenseMatrix x(n, 4);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < n; ++i) {
    const std::span<double> row = x.row(i);
    row[0] = random.uniform();
    row[1] = random.uniform();
    row[2] = random.normal();
    const bool on_board = random.uniform() < 0.25;
    row[3] = random.uniform() + (on_board ? 3 : 0);
    const bool board = (static_cast<int>(7 * row[0]) + static_cast<int>(7 * row[1])) % 2 == 0;
    const bool is_one = on_board ? board : row[2] + 2 * (row[0] - 0.5) > 0;
    labels.emplace_back(is_one == (random.uniform() < 0.97) ? "one" : "other");
  }
  return data::make_dataset(std::move(x), labels);
}

/// The best gamma of all rows is two to four steps above that of the smallest rung, where it is clearly worse.
TEST(Race, FindsFineDetailThatTheSmallestRungCannotShow) {
  selection::Options options = small_grid(Race::no);
  options.costs.C = core::parse_list("0.5,2,8");
  options.kernels.gamma = kernel::parse_gammas("2^-5:2^3:x4");
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const data::Dataset dataset = fine_detail(4500, seed);
    options.seed = seed;
    options.race = Race::no;
    const selection::Selection exact = run(dataset, options);
    options.race = Race::yes;
    const selection::Selection raced = run(dataset, options);
    const double least = exact.grid[*exact.best].error;
    const double se = std::sqrt(least * (1 - least) / 4500);
    EXPECT_LE(exact.grid[*raced.best].error, least + se) << seed;
    EXPECT_EQ(exact.grid[*exact.best].gamma, 8);
    const auto of_finest = [](const Setting& setting) { return setting.gamma == 8 && setting.complete; };
    EXPECT_GE(std::count_if(raced.grid.begin(), raced.grid.end(), of_finest), 1) << seed;
  }
}

/// Twelve rows of one class, apart from the others: on 1,000 rows every setting calls them all the other class, and
/// none is better than another.
TEST(Race, DropsNothingThatItCannotTellApart) {
  data::Dataset dataset = rings(6000, 9);
  for (std::size_t i = 0; i < 6000; ++i) {
    const bool rare = i % 500 == 0;
    dataset.labels[i] = rare ? 1 : 0;
    if (rare) dataset.features.dense().row(i)[0] += 12;
  }
  selection::Options options = small_grid(Race::no);
  options.as<CrossValidation>().folds = 10;
  options.costs.C = core::parse_list("2^-9:2^9:x8");
  options.kernels.gamma = kernel::parse_gammas("2^-15:2:x16");
  const selection::Selection exact = run(dataset, options);
  options.race = Race::yes;
  const selection::Selection raced = run(dataset, options);
  EXPECT_LT(exact.grid[*exact.best].error, 0.5 * 12 / 6000);
  EXPECT_EQ(exact.grid[*raced.best].error, exact.grid[*exact.best].error);
}

/// Widths beyond the grid are for an exact grid: a race is over the settings of the grid alone.
TEST(Race, StaysWithinItsGrid) {
  core::RandomStream random(3, 5);
  data::DenseMatrix x(4000, 1);
  std::vector<double> targets;
  for (std::size_t i = 0; i < 4000; ++i) {
    x.row(i)[0] = 10 * random.uniform();
    targets.push_back(std::sin(4 * x.row(i)[0]) + 0.1 * random.normal());
  }
  selection::Options options;
  options.task = data::Task::regression;
  options.method = CrossValidation{.folds = 3};
  options.race = Race::yes;
  options.choose_from(Learner::rvm);
  options.rvms.centres = 20;
  options.rvms.further = 2;
  options.kernels.gamma = kernel::parse_gammas("0.0001,0.001");
  options.estimate = Estimate::bbc;
  options.estimate_samples = 20;
  const selection::Selection found = run(data::make_regression_dataset(std::move(x), targets), options);
  ASSERT_TRUE(found.race && found.best && found.honest);
  EXPECT_TRUE(found.best_on_border);
  EXPECT_EQ(found.grid.size(), 2U);
}

TEST(Race, RacesBootstrapSamplesAndRelevanceVectorMachinesToo) {
  const data::Dataset dataset = rings(4000, 6);
  selection::Options bootstrap = small_grid(Race::no);
  bootstrap.method = Bootstrap{.resamples = 5};
  bootstrap.race = Race::yes;
  const selection::Selection by_bootstrap = run(dataset, bootstrap);
  ASSERT_TRUE(by_bootstrap.race && by_bootstrap.best);
  EXPECT_LT(by_bootstrap.grid[*by_bootstrap.best].error, 0.12);
  EXPECT_GT(
      std::count_if(by_bootstrap.grid.begin(), by_bootstrap.grid.end(), [](const Setting& c) { return c.rung > 0; }),
      4);

  selection::Options machines;
  machines.method = CrossValidation{.folds = 3};
  machines.race = Race::yes;
  machines.choose_from(Learner::rvm);
  machines.rvms.centres = 30;
  machines.kernels.gamma = kernel::parse_gammas("0.0001,0.03,1,300");
  machines.estimate = Estimate::none;
  const selection::Selection by_evidence = run(dataset, machines);
  ASSERT_TRUE(by_evidence.race && by_evidence.best);
  EXPECT_LT(by_evidence.grid[*by_evidence.best].error, 0.12);
  EXPECT_EQ(by_evidence.race->rungs.front().judged, 4U);
}

/// A monitor that says stop once so many seconds' worth of progress was made.
TEST(Race, LeavesTheBestOfTheLastCompleteRungWhenStopped) {
  const data::Dataset dataset = rings(4000, 7);
  const core::Threads threads(1);
  std::size_t calls = 0;
  core::Monitor monitor([&](const core::Monitor::Progress& progress) {
    ++calls;
    return progress.done < 2;  // the first rung is one unit; the second begins the last
  });
  const core::Context context{.threads = threads, .monitor = monitor};
  const selection::Selection found = Selector(small_grid(Race::yes)).select(dataset, context);
  EXPECT_EQ(found.stopped, core::StopReason::cancelled);
  ASSERT_TRUE(found.best);
  EXPECT_EQ(found.grid[*found.best].rung, 1000U);
  EXPECT_LT(found.grid[*found.best].error, 0.15);
  ASSERT_EQ(found.race->rungs.size(), 1U);
  EXPECT_FALSE(found.honest);
  EXPECT_TRUE(found.calibration.empty());
}

TEST(Race, AnExactGridThatIsStoppedAtOnceLeavesWhatThePilotFound) {
  const data::Dataset dataset = rings(5200, 8);
  const core::Threads threads(1);
  core::Monitor monitor([](const core::Monitor::Progress&) { return false; });  // after the first fold of a gamma
  const core::Context context{.threads = threads, .monitor = monitor};
  const selection::Selection found = Selector(small_grid(Race::automatic)).select(dataset, context);
  EXPECT_EQ(found.stopped, core::StopReason::cancelled);
  ASSERT_TRUE(found.best);
  EXPECT_EQ(found.grid[*found.best].rung, 1000U);
  EXPECT_LT(found.grid[*found.best].error, 0.15);
  EXPECT_FALSE(found.race);
}

TEST(Race, AStopWithinThePilotLeavesItsSmallerSample) {
  Surroundings surroundings(1);
  const data::Dataset dataset = rings(6000, 2);
  for (const Race race : {Race::automatic, Race::yes}) {
    selection::Options options = small_grid(race);
    selection::Forecast unfinished = *forecast_of(dataset, options);
    unfinished.finished = false;
    unfinished.updates = 0;
    unfinished.gammas.clear();
    unfinished.first_rung.reset();
    for (Setting& setting : unfinished.grid) setting.rung = 500;
    core::Monitor stopped;
    stopped.cancel();
    const selection::Selection found =
        selection::Selector(options).select(dataset, {surroundings.context.threads, stopped}, &unfinished);
    EXPECT_EQ(found.stopped, core::StopReason::cancelled);
    ASSERT_TRUE(found.best);
    EXPECT_EQ(found.grid[*found.best].rung, 500U);
  }
}

TEST(Race, IsRefusedWhereItCannotBe) {
  test::expect_error(ErrorCode::invalid_argument, "race: a race needs at least 4000 rows, and there are 300",
                     [] { run(rings(300, 1), small_grid(Race::yes)); });
  selection::Options area = small_grid(Race::yes);
  area.score = Score::roc_auc;
  test::expect_error(ErrorCode::invalid_argument,
                     "race: a race judges row by row, by errors or soft losses, and chooses the best settings",
                     [&] { run(rings(4000, 1), area); });
}

TEST(Race, IsNotTakenWhereTheExactGridIsCheap) {
  const selection::Selection found = run(rings(5200, 2), small_grid(Race::automatic));
  EXPECT_FALSE(found.race);
  EXPECT_TRUE(
      std::all_of(found.grid.begin(), found.grid.end(), [](const Setting& setting) { return setting.complete; }));
}

TEST(Forecast, CountsGrowWithThePowerBetweenThePilotsAndTwo) {
  Surroundings surroundings(1);
  const selection::Options options = small_grid(Race::automatic).resolved();
  EXPECT_EQ(forecast(rings(selection::Regions::default_from - 1, 2), options, surroundings.context), nullptr);
  const auto made = forecast(rings(6000, 2), options, surroundings.context);
  ASSERT_TRUE(made && made->race_seconds && made->regions_seconds);
  EXPECT_EQ(made->pilot_rows, 1000U);
  EXPECT_GE(made->growth, 1.65);  // the means of 2 and the limits 1.3 and 2.5
  EXPECT_LE(made->growth, 2.25);
  // Of 16 settings all are judged on the first three of five folds, and eight on the others.
  EXPECT_NEAR(*made->race_seconds, made->exact_seconds * (3 * 16 + 2 * 8) / (5 * 16), 1e-9 * made->exact_seconds);
  // Twelve regions of 500 rows, with five folds as the grid has; of 16 settings seven further partitions judge about as
  // many as the first one.
  EXPECT_NEAR(*made->regions_seconds, 8.0 * 12 * made->exact_seconds / std::pow(12, made->growth),
              1e-9 * made->exact_seconds);
  EXPECT_FALSE(made->races);
  EXPECT_EQ(made->gammas.size(), 4U);
  // What the exact grid then counts lies within a factor of 2.
  const selection::Selection found = run(rings(6000, 2), small_grid(Race::no), 1);
  double updates = 0;
  for (const Setting& setting : found.grid) updates += static_cast<double>(setting.steps) * 6000;
  EXPECT_GT(made->updates, updates / 2);
  EXPECT_LT(made->updates, updates * 2);
}

/// Features know nothing of the labels, half of which are of each class: every setting errs on half of new rows, the
/// selected error flatters, and the honest estimate, which repeats the whole race, does not.
void expect_no_flattery(selection::Options options) {
  constexpr std::size_t repetitions = 12;
  double selected = 0;
  double honest = 0;
  for (std::size_t r = 0; r < repetitions; ++r) {
    data::DenseMatrix x = test::random_matrix(4000, 3, 50 + r);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 4000; ++i) labels.emplace_back(i % 2 == 0 ? "a" : "b");
    options.seed = r;
    options.costs.C = core::parse_list("0.05,0.2,0.8");
    options.as<CrossValidation>().folds = 10;
    options.estimate = Estimate::bbc;
    options.estimate_samples = 100;
    const selection::Selection found = run(data::make_dataset(std::move(x), labels), options);
    selected += found.chosen_error().value() / repetitions;
    honest += found.honest->error / repetitions;
  }
  const double se = 0.5 / std::sqrt(4000.0 * repetitions);
  EXPECT_LT(selected, 0.5 - 2 * se);
  EXPECT_GT(honest, 0.5 - 3 * se);
}

TEST(Race, HonestEstimateDoesNotFlatterOnNoise) {
  expect_no_flattery(small_grid(Race::yes));
}

TEST(Race, HonestEstimateOfAnAverageOverKernelsDoesNotFlatterOnNoise) {
  selection::Options options = small_grid(Race::yes);
  options.rule = Rule::average;
  options.kernels.types = {kernel::KernelType::rbf, kernel::KernelType::laplacian};
  options.kernels.gamma = kernel::parse_gammas("0.03,1");
  expect_no_flattery(options);
}

}  // namespace race_vs_exact_grid_tests
