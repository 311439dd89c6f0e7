#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "credence/core/random.hpp"
#include "credence/data/splits.hpp"
#include "credence/selection/forecast.hpp"
#include "credence/selection/selector.hpp"
#include "selection/race/nested_rows.hpp"
#include "selection/race/pilot.hpp"
#include "selection/race/rule.hpp"
#include "selection/race/stages.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"
#include "support/random_data.hpp"
#include "support/selection_fields.hpp"

namespace {

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
  options.method = CrossValidation{.folds = 5, .racing = {race}};
  options.costs().C = core::parse_list("0.01,0.1,1,10");
  options.kernels().gamma = kernel::parse_gammas("0.001,0.03,1,30");
  options.estimate = Estimate::none;
  options.seed = seed;
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

/// Losses of 0 and 1: cell k errs where `errs[k]` says.
RungLosses losses_of(const std::vector<std::vector<int>>& errs, std::size_t most = 99) {
  RungLosses rung{{}, {}, LossTable(errs[0].size(), errs.size()), most, true};
  for (std::size_t i = 0; i < errs[0].size(); ++i) rung.rows.push_back(i);
  for (std::size_t k = 0; k < errs.size(); ++k) {
    rung.cells.push_back(k);
    for (std::size_t i = 0; i < errs[k].size(); ++i) rung.losses.row(i)[k] = static_cast<float>(errs[k][i]);
  }
  return rung;
}

/// McNemar's statistic by counting: b rows on which the cell alone errs, c on which the best alone errs.
TEST(RaceRule, IsMcNemarsForErrors) {
  constexpr std::size_t n = 400;
  for (int b = 0; b < 30; ++b) {
    for (const int c : {0, 1, 3, 8}) {
      std::vector<int> best(n, 0);
      std::vector<int> other(n, 0);
      for (int i = 0; i < c; ++i) best[static_cast<std::size_t>(i)] = 1;
      for (int i = 0; i < b; ++i) other[static_cast<std::size_t>(c + i)] = 1;
      if (b < c) continue;
      const double excess = b - c;
      const bool dropped = excess > 2 * std::sqrt(b + c - excess * excess / static_cast<double>(n));
      EXPECT_EQ(survivors(losses_of({best, other})).size(), dropped ? 1U : 2U) << b << ' ' << c;
    }
  }
}

TEST(RaceRule, RowsCountAsOftenAsTheyAreDrawnAndCellsOnlyIfAllowed) {
  const RungLosses rung = losses_of({{1, 1, 1, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(survivors(rung).front(), 2U);
  EXPECT_EQ(survivors(rung, {}, {true, true, false}).front(), 1U);
  const std::vector<std::uint32_t> last_alone{0, 0, 0, 0, 0, 0, 9};
  EXPECT_EQ(survivors(rung, last_alone, {true, true, false}), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(survivors(rung, {}, {false, false, false}).empty());
}

TEST(RaceRule, NoMoreThanTheBestFewGoOnAndTheNeighboursOfTheBestJoin) {
  RungLosses rung = losses_of({{1, 0, 0, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 1}}, 2);
  const std::vector<std::size_t> kept = survivors(rung);
  EXPECT_EQ(kept, (std::vector<std::size_t>{3, 0}));
  // Two costs for each of three gammas: cell 3 is the second of gamma 1, and all others but 0 and 1 of its sides touch.
  EXPECT_EQ(cells_after(rung, kept, 6, 2), std::vector<bool>(6, true));
  rung.grows = false;
  EXPECT_EQ(cells_after(rung, kept, 6, 2), (std::vector<bool>{true, false, false, true, false, false}));
}

TEST(RaceRule, CellsAsGoodAsTheLastOfTheFewGoOnToo) {
  const std::vector<std::vector<int>> errs{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}};
  EXPECT_EQ(survivors(losses_of(errs, 1)), (std::vector<std::size_t>{3}));
  EXPECT_EQ(survivors(losses_of(errs, 2)), (std::vector<std::size_t>{3, 0, 1, 2}));
  EXPECT_EQ(survivors(losses_of(errs, 4)), (std::vector<std::size_t>{3, 0, 1, 2}));
  EXPECT_EQ(survivors(losses_of(errs, 5)), (std::vector<std::size_t>{3, 0, 1, 2, 4}));
  const std::vector<int> alike{0, 0, 1, 0};
  EXPECT_EQ(survivors(losses_of({alike, alike, alike, alike, alike, alike}, 2)).size(), 4U);
}

TEST(Race, ChoosesACellWithinAStandardErrorOfTheExactGridsBest) {
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
      const Cell& cell = raced.grid[k];
      EXPECT_EQ(cell.complete, cell.rung == 0);
      dropped += cell.complete ? 0 : 1;
      steps += cell.steps;
      all_steps += exact.grid[k].steps;
      // The same folds and rows, from another point of the path: the solver's tolerance moves a row at most.
      if (cell.complete) EXPECT_NEAR(cell.error, exact.grid[k].error, 1.01 / 4200);
    }
    EXPECT_GE(dropped, 8U);
    EXPECT_LT(2 * steps, all_steps);
    EXPECT_EQ(raced.race->rungs.front().judged, 16U);
    EXPECT_EQ(raced.race->rungs.back().rows, 4200U);
    EXPECT_EQ(raced.calibration.strangeness.size(), 4200U);
  }
}

TEST(Race, GivesTheSameBitsOnAnyNumberOfThreads) {
  const data::Dataset dataset = rings(4000, 5);
  selection::Options options = small_grid(Race::yes);
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
    EXPECT_EQ(one.calibration.strangeness, more.calibration.strangeness);
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
  EXPECT_EQ(one.calibration.strangeness, other.calibration.strangeness);
}

/// What a forecast has judged need not be judged again: the race goes on from there, and ends with the same bits.
TEST(Race, BeginsWithThePilotOfItsForecast) {
  const data::Dataset dataset = rings(5200, 8);
  const selection::Selection alone = run(dataset, small_grid(Race::yes));
  Surroundings surroundings(2);
  selection::Options options = small_grid(Race::yes);
  options.forecast = forecast(dataset, options.resolved(), surroundings.context);
  ASSERT_TRUE(options.forecast && options.forecast->first_rung);
  expect_same_race(alone, run(dataset, options));
  // A forecast of other data is not believed.
  options.forecast = forecast(rings(5200, 9), options.resolved(), surroundings.context);
  expect_same_race(alone, run(dataset, options));
}

/// Of five folds the first is more than a tenth and a fifth: the stricter cap holds after one.
TEST(Race, DropsCellsWithinTheLastRung) {
  const selection::Selection found = run(rings(4000, 5), small_grid(Race::yes));
  std::vector<std::size_t> resamples;
  for (const Rung& rung : found.race->rungs)
    if (rung.rows == 4000) resamples.push_back(rung.resamples);
  EXPECT_EQ(resamples, (std::vector<std::size_t>{1, 3, 5}));
  selection::Options options = small_grid(Race::yes);
  options.as<CrossValidation>().folds = 10;
  options.costs().C = core::parse_list("0.5,0.6,0.7,0.8,0.9,1,1.2,1.5");
  options.kernels().gamma = kernel::parse_gammas("0.5,0.6,0.8,1,1.2,1.5");
  resamples.clear();
  std::vector<std::size_t> survived;
  const selection::Selection many = run(rings(4000, 5), options);
  for (const Rung& rung : many.race->rungs) {
    resamples.push_back(rung.resamples);
    survived.push_back(rung.survived);
  }
  EXPECT_EQ(resamples, (std::vector<std::size_t>{10, 1, 2, 5, 10}));
  for (std::size_t rung = 0; rung < 4; ++rung) {  // most of these cells are alike, so that the caps hold, ties apart
    const std::size_t most = std::array<std::size_t, 4>{24, 24, 16, 8}[rung];
    EXPECT_GE(survived[rung], std::min<std::size_t>(most, survived.back()));
    EXPECT_LE(survived[rung], 2 * most);
  }
}

TEST(Race, RacesBootstrapSamplesAndRelevanceVectorMachinesToo) {
  const data::Dataset dataset = rings(4000, 6);
  selection::Options bootstrap = small_grid(Race::no);
  bootstrap.method = Bootstrap{.resamples = 5, .racing = {Race::yes}};
  const selection::Selection by_bootstrap = run(dataset, bootstrap);
  ASSERT_TRUE(by_bootstrap.race && by_bootstrap.best);
  EXPECT_LT(by_bootstrap.grid[*by_bootstrap.best].error, 0.12);
  EXPECT_GT(std::count_if(by_bootstrap.grid.begin(), by_bootstrap.grid.end(), [](const Cell& c) { return c.rung > 0; }),
            4);

  selection::Options machines;
  machines.method = CrossValidation{.folds = 3, .racing = {Race::yes}};
  machines.choose_from(Learner::rvm);
  machines.machines().centres = 30;
  machines.kernels().gamma = kernel::parse_gammas("0.0001,0.03,1,300");
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
  selection::Options options = small_grid(Race::automatic);
  selection::Forecast unfinished = *forecast(rings(6000, 2), options.resolved(), surroundings.context);
  unfinished.finished = false;
  unfinished.exact = {};
  unfinished.gammas.clear();
  for (Cell& cell : unfinished.grid) cell.rung = 500;
  options.forecast = std::make_shared<const selection::Forecast>(unfinished);
  core::Monitor stopped;
  stopped.cancel();
  const selection::Selection found =
      selection::Selector(options).select(rings(6000, 2), {surroundings.context.threads, stopped});
  EXPECT_EQ(found.stopped, core::StopReason::cancelled);
  ASSERT_TRUE(found.best);
  EXPECT_EQ(found.grid[*found.best].rung, 500U);
}

TEST(Race, IsRefusedWhereItCannotBe) {
  test::expect_error(ErrorCode::invalid_argument, "race: a race needs at least 4000 rows, and there are 300",
                     [] { run(rings(300, 1), small_grid(Race::yes)); });
  selection::Options area = small_grid(Race::yes);
  area.as<CrossValidation>().scoring.score = Score::roc_auc;
  test::expect_error(ErrorCode::invalid_argument,
                     "race: a race judges row by row, by errors or soft losses, and chooses the best cell",
                     [&] { run(rings(4000, 1), area); });
}

TEST(Race, IsNotTakenWhereTheExactGridIsCheap) {
  const selection::Selection found = run(rings(5200, 2), small_grid(Race::automatic));
  EXPECT_FALSE(found.race);
  EXPECT_TRUE(std::all_of(found.grid.begin(), found.grid.end(), [](const Cell& cell) { return cell.complete; }));
}

TEST(Forecast, CountsGrowWithThePowerBetweenThePilotsAndTwo) {
  Surroundings surroundings(1);
  const selection::Options options = small_grid(Race::automatic).resolved();
  EXPECT_EQ(forecast(rings(4999, 2), options, surroundings.context), nullptr);
  const auto made = forecast(rings(6000, 2), options, surroundings.context);
  ASSERT_TRUE(made && made->race && made->cells);
  EXPECT_EQ(made->pilot_rows, 1000U);
  EXPECT_GE(made->growth, 1.65);  // the means of 2 and the limits 1.3 and 2.5
  EXPECT_LE(made->growth, 2.25);
  EXPECT_LT(made->race->updates, made->exact.updates);
  EXPECT_FALSE(made->races);
  EXPECT_EQ(made->gammas.size(), 4U);
  // What the exact grid then counts lies within a factor of 2.
  const selection::Selection found = run(rings(6000, 2), small_grid(Race::no), 1);
  double updates = 0;
  for (const Cell& cell : found.grid) updates += static_cast<double>(cell.steps) * 6000;
  EXPECT_GT(made->exact.updates, updates / 2);
  EXPECT_LT(made->exact.updates, updates * 2);
}

/// A sketch of a race from its smallest rung, beside the race.
TEST(Forecast, SketchesTheStagesOfARace) {
  const data::Dataset dataset = rings(6000, 4);
  Surroundings surroundings(2);
  const selection::Options options = small_grid(Race::yes).resolved();
  const std::optional<PilotPlan> plan = plan_of_pilot(dataset, options, true);
  const std::optional<Pilot> pilot = pilot_on(dataset, *plan, 1000, options, surroundings.context);
  ASSERT_TRUE(pilot && pilot->rung);
  const std::vector<Stage> stages = stages_of_race(*pilot, options, 6000);
  ASSERT_EQ(stages.size(), 5U);
  EXPECT_EQ(stages[0].rows, 1000U);
  EXPECT_EQ(stages[0].cells, std::vector<bool>(16, true));
  const auto count = [](const Stage& stage) { return std::count(stage.cells.begin(), stage.cells.end(), true); };
  double resamples = 0;
  for (std::size_t s = 1; s < stages.size(); ++s) {
    EXPECT_EQ(stages[s].rows, 6000U);
    EXPECT_EQ(stages[s].begins_rung, s == 1);
    resamples += stages[s].resamples;
    if (s > 1) EXPECT_LE(count(stages[s]), count(stages[s - 1]));
  }
  EXPECT_DOUBLE_EQ(resamples, 1);
  const selection::Selection raced = run(dataset, options);
  // The race judged the same rung, so that the same cells went on.
  const auto after_first = static_cast<std::ptrdiff_t>(raced.race->rungs[1].judged);
  EXPECT_EQ(count(stages[1]), after_first);
  EXPECT_NEAR(static_cast<double>(count(stages.back())), static_cast<double>(raced.race->rungs.back().judged), 3);
  // The cells of the last rung alone are part of the updates that are forecast.
  double updates = 0;
  for (const Cell& cell : raced.grid)
    if (cell.rung == 0) updates += static_cast<double>(cell.steps) * 6000;
  const auto made = forecast(dataset, options, surroundings.context);
  EXPECT_GT(made->race->updates, updates / 2);
  EXPECT_LT(made->race->updates, updates * 2);
}

/// Features know nothing of the labels, half of which are of each class: every cell errs on half of new rows, the
/// selected error flatters, and the honest estimate, which repeats the whole race, does not.
TEST(Race, HonestEstimateDoesNotFlatterOnNoise) {
  constexpr std::size_t repetitions = 12;
  double selected = 0;
  double honest = 0;
  for (std::size_t r = 0; r < repetitions; ++r) {
    data::DenseMatrix x = test::random_matrix(4000, 3, 50 + r);
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < 4000; ++i) labels.emplace_back(i % 2 == 0 ? "a" : "b");
    selection::Options options = small_grid(Race::yes, r);
    options.costs().C = core::parse_list("0.05,0.2,0.8");
    options.estimate = Estimate::bbc;
    options.estimate_samples = 100;
    const selection::Selection found = run(data::make_dataset(std::move(x), labels), options);
    selected += found.grid[*found.best].error / repetitions;
    honest += found.honest->error / repetitions;
  }
  const double se = 0.5 / std::sqrt(4000.0 * repetitions);
  EXPECT_LT(selected, 0.5 - 2 * se);
  EXPECT_GT(honest, 0.5 - 3 * se);
}

}  // namespace
