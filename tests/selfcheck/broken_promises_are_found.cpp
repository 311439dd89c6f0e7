#include <gtest/gtest.h>

#include <cmath>

#include "credence/bounds/binomial.hpp"
#include "credence/bounds/mean.hpp"
#include "credence/bounds/split_conformal.hpp"
#include "credence/conformal/inductive.hpp"
#include "credence/conformal/neighbours.hpp"
#include "credence/svm/train.hpp"
#include "selfcheck/bounds.hpp"
#include "selfcheck/decisions.hpp"
#include "selfcheck/p_values.hpp"
#include "selfcheck/run.hpp"
#include "support/context.hpp"

/// Promises that are broken on purpose, registered in the same way as those of the library, with its quick numbers of
/// trials. Each must be found, and its sound sister must pass.
namespace credence::selfcheck {
namespace broken_promises_are_found_tests {

const std::vector<Place> places{{"noise", 19}, {"ties", 19}};

const Check& check_named(const std::vector<Check>& all, const std::string& name) {
  for (const Check& check : all)
    if (check.name == name) return check;
  throw std::runtime_error("no check " + name);
}

/// The library's check with a double in the place of what it holds.
Report judged(const std::string& name, Promise promise, std::vector<Setting> settings) {
  Check check = check_named(checks(), name);
  check.promise = promise;
  check.settings = std::move(settings);
  const test::Surroundings surroundings(2);
  return run({check}, {.quick = true}, surroundings.context);
}

/// A p-value of the scores whose place among the known ones is given.
using FromRank = std::function<double(const conformal::Rank& rank, std::uint64_t seed)>;

std::vector<Setting> from_ranks(const FromRank& from_rank) {
  return for_true_class(
      places, {}, [from_rank](const Example& example, const conformal::PValueOptions& options, const core::Context&) {
        const auto scores_of = [](const data::Dataset& rows) {
          data::DenseMatrix scores(rows.rows(), 2);
          for (std::size_t i = 0; i < rows.rows(); ++i)
            scores.row(i)[static_cast<std::size_t>(rows.labels[i])] = -rows.features.dense().row(i)[0];
          return scores;
        };
        const conformal::ScoreCalibration calibration(scores_of(example.known), example.known.labels);
        const double score = scores_of(example.fresh).row(0)[example.truth()];
        return from_rank(calibration.rank(score, example.fresh.labels[0], false), options.seed);
      });
}

double tau(std::uint64_t seed) {
  return conformal::smoothing_tau(seed, 1);
}

TEST(BrokenPromises, TheSoundDoublesPass) {
  EXPECT_EQ(judged("split-scores", Promise::conservative,
                   from_ranks([](const auto& rank, auto) { return conformal::p_value(rank); }))
                .broken(),
            0U);
  EXPECT_EQ(judged("split-scores-classes", Promise::exact, from_ranks([](const auto& rank, std::uint64_t seed) {
                     return conformal::smoothed_p_value(rank, tau(seed));
                   }))
                .broken(),
            0U);
}

TEST(BrokenPromises, APValueThatForgetsTheNewRow) {
  const Report report =
      judged("split-scores", Promise::conservative, from_ranks([](const conformal::Rank& rank, std::uint64_t) {
               return static_cast<double>(rank.greater + rank.equal) / static_cast<double>(rank.of);
             }));
  EXPECT_GE(report.broken(), 1U);
}

TEST(BrokenPromises, APValueThatForgetsTies) {
  const Report report =
      judged("split-scores", Promise::conservative, from_ranks([](const conformal::Rank& rank, std::uint64_t) {
               return static_cast<double>(rank.greater + 1) / static_cast<double>(rank.of + 1);
             }));
  ASSERT_EQ(report.checks.at(0).lines.size(), 2U);
  EXPECT_FALSE(report.checks[0].lines[0].broken());  // noise has none
  EXPECT_TRUE(report.checks[0].lines[1].broken());
}

TEST(BrokenPromises, ASmoothedPValueWhoseTauIsNotUniform) {
  for (const double power : {0.5, 2.0}) {
    const Report report =
        judged("split-scores-classes", Promise::exact, from_ranks([&](const auto& rank, std::uint64_t seed) {
                 return conformal::smoothed_p_value(rank, std::pow(tau(seed), power));
               }));
    EXPECT_GE(report.broken(), 1U) << power;
  }
  // A plain p-value is above a uniform one, and hence not exact.
  EXPECT_GE(judged("split-scores-classes", Promise::exact,
                   from_ranks([](const auto& rank, auto) { return conformal::p_value(rank); }))
                .broken(),
            1U);
}

/// New groups, known weights and other class shares, which p-values do not know.
TEST(BrokenPromises, RowsThatCountAlike) {
  const std::vector<std::pair<const char*, Weighted>> promises{
      {"new-groups", Weighted::new_groups},
      {"known-weights", Weighted::known_weights},
      {"new-groups-nn", Weighted::new_groups_transductive},
      {"known-weights-nn", Weighted::known_weights_transductive},
      {"class-shares", Weighted::class_shares}};
  for (const auto& [name, weighted] : promises) {
    const Style style{.smoothed = weighted != Weighted::new_groups && weighted != Weighted::known_weights};
    const Promise promise = style.smoothed ? Promise::exact : Promise::conservative;
    EXPECT_EQ(judged(name, promise, of_weighted(weighted, style)).broken(), 0U) << name;
    EXPECT_GE(judged(name, promise, of_weighted(weighted, style, true)).broken(), 1U) << name;
  }
}

TEST(BrokenPromises, LimitsByPValuesOfAllClasses) {
  EXPECT_EQ(judged("limits", Promise::conservative, of_limits({20})).broken(), 0U);
  const Report report = judged("limits", Promise::conservative, of_limits({20, 200}, false));
  EXPECT_GE(report.broken(), 4U);  // the rare class, with and without ties
}

/// The limit itself as the level, and the level of one row more.
TEST(BrokenPromises, LevelsThatHoldOnAverageOrOneRankTooFar) {
  EXPECT_EQ(judged("limits-certainty", Promise::conservative, of_certainty(bounds::level_with_certainty)).broken(), 0U);
  const LevelOf average = [](std::size_t, double limit, double) { return limit; };
  EXPECT_GE(judged("limits-certainty", Promise::conservative, of_certainty(average)).broken(), 3U);
  const LevelOf too_far = [](std::size_t m, double limit, double delta) {
    return bounds::level_with_certainty(m, limit, delta) + 1 / static_cast<double>(m + 1);
  };
  EXPECT_GE(judged("limits-certainty", Promise::conservative, of_certainty(too_far)).broken(), 3U);
}

TEST(BrokenPromises, ListsOfAllRowsWithASmallPValue) {
  const Discover all = [](std::span<const double> p, double q) {
    std::vector<bool> found;
    for (const double value : p) found.push_back(value <= q);
    return found;
  };
  EXPECT_GE(judged("list-find", Promise::conservative, of_split_lists({60, 300}, all)).broken(), 2U);
  EXPECT_GE(judged("list-unfamiliar", Promise::conservative, of_unfamiliar_lists({200}, all)).broken(), 1U);
}

TEST(BrokenPromises, IntervalsOfGroupsThatHoldOneByOne) {
  const auto trial = [](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
    core::RandomStream random(seed, 2);
    bool missed = false;
    for (int group = 0; group < 12; ++group) {
      std::size_t errors = 0;
      for (int row = 0; row < 40; ++row) errors += random.uniform() < 0.3 ? 1U : 0U;
      const bounds::Interval limits = bounds::clopper_pearson(errors, 40, 0.05);
      missed = missed || limits.lower > 0.3 || limits.upper < 0.3;
    }
    values.push_back(missed ? 0.05 : never);
  };
  EXPECT_EQ(judged("group-intervals", Promise::conservative, of_group_intervals({60, 600})).broken(), 0U);
  EXPECT_EQ(judged("group-intervals", Promise::conservative, {{"one by one", 40, trial}}).broken(), 1U);
}

/// A plausible shortcut: known rows keep the nonconformity score that they had without the new row.
TEST(BrokenPromises, TransductivePValuesThatDoNotRecompute) {
  const conformal::NeighbourOptions own_class = conformal::OwnClassDistance{};
  const auto stale = [&](const Example& example, const conformal::PValueOptions& options,
                         const core::Context& context) {
    const conformal::TransductiveNeighbours machine(example.known.features, example.known.labels, 2, own_class,
                                                    context);
    conformal::TransductiveNeighbours with_it(example.known.features, example.known.labels, 2, own_class, context);
    with_it.add(example.fresh.features, 0, example.fresh.labels[0]);
    const double own = with_it.nonconformity(with_it.size() - 1);
    conformal::Rank rank{.of = static_cast<double>(machine.size())};
    for (std::size_t i = 0; i < machine.size(); ++i) {
      rank.greater += machine.nonconformity(i) > own ? 1U : 0U;
      rank.equal += machine.nonconformity(i) == own ? 1U : 0U;
    }
    return conformal::smoothed_p_value(rank, tau(options.seed));
  };
  const std::vector<Setting> settings = for_true_class({{"clouds", 5}, {"noise", 9}}, {.least = 2}, stale);
  EXPECT_GE(judged("nn-own-class-smoothed", Promise::exact, settings).broken(), 1U);
}

/// A classifier that follows its training rows closely, compared with these very rows.
TEST(BrokenPromises, RowsForComparisonThatWereTrainedOn) {
  const auto leaking = [](const Example& example, const conformal::PValueOptions& options,
                          const core::Context& context) {
    svm::TrainOptions training;
    training.C = 100;
    training.gamma.value = 20;
    training.scaling = data::Scaling::none;
    const auto trained = conformal::classifier_of(svm::train(example.known, training, context).model);
    const conformal::Inductive machine(
        {conformal::calibrate(trained.classifier, example.known.features, example.known.labels, context)});
    return conformal::p_values(machine.ranks(example.fresh.features, options.label_conditional, context), {})
        .row(0)[example.truth()];
  };
  const std::vector<Setting> settings = for_true_class({{"noise", 20}}, {.least = 2}, leaking);
  EXPECT_EQ(judged("split-svm", Promise::conservative, settings).broken(), 1U);
}

TEST(BrokenPromises, OnlineStepsThatRepeatThemselves) {
  const auto trial = [](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
    core::RandomStream random(seed, 1);
    for (int pair = 0; pair < 30; ++pair) {
      const double u = random.uniform();
      const double v = 0.5 * u + 0.5 * random.uniform();  // leans on the step before
      values.push_back(u * v * (1 - std::log(u * v)));
    }
  };
  EXPECT_EQ(judged("online-pairs", Promise::exact, {{"leaning steps", 60, trial}}).broken(), 1U);
}

TEST(BrokenPromises, ABoundWithTwiceTheDelta) {
  const bounds::Bound bold{"bold", "twice the delta", {"n", "delta", "errors"}, [](const bounds::Sample& sample) {
                             return bounds::Limits{bounds::binomial_upper_limit(
                                 sample.at("errors"), sample.at("n"), 2 * std::min(0.49, sample.at("delta")))};
                           }};
  EXPECT_GE(judged("bound-clopper-pearson", Promise::conservative, settings_of(bold)).broken(), 1U);
}

/// Hoeffding's bound is loose: a part of the distance that it allows is enough. A quarter of it is not.
TEST(BrokenPromises, ABoundThatLostAFactor) {
  const bounds::Bound near{"near", "a quarter", {"n", "delta", "loss"}, [](const bounds::Sample& sample) {
                             const double loss = sample.at("loss");
                             const double limit =
                                 bounds::hoeffding_upper_limit(loss, sample.at("n"), sample.at("delta"));
                             return bounds::Limits{loss + (limit - loss) / 4};
                           }};
  EXPECT_GE(judged("bound-hoeffding", Promise::conservative, settings_of(near)).broken(), 1U);
}

TEST(BrokenPromises, WhatIsApproximateIsMeasuredAndNeverFails) {
  const auto zero = [](std::uint64_t, const core::Context&, std::vector<double>& values) { values.push_back(0); };
  const Report report = judged("clusters", Promise::approximate, {{"always", 1, zero}});
  EXPECT_EQ(report.broken(), 0U);
  EXPECT_EQ(report.checks.at(0).lines.at(0).shown().share, 1);
  EXPECT_NE(report_text(report).find("measured"), std::string::npos);
}

TEST(BrokenPromises, ATrialThatThrowsIsABrokenLineAndTheOthersGoOn) {
  const auto thrower = [](std::uint64_t, const core::Context&, std::vector<double>& values) {
    values.push_back(1);
    if (values.size() == 30) throw Error(ErrorCode::invalid_data, "a row is missing");
  };
  const auto one = [](std::uint64_t, const core::Context&, std::vector<double>& values) { values.push_back(1); };
  for (const Promise promise : {Promise::conservative, Promise::approximate}) {
    const Report report = judged("dkw", promise, {{"thrower", 1, thrower}, {"one", 1, one}});
    EXPECT_EQ(report.broken(), 1U);
    EXPECT_NE(report_text(report).find("BROKEN: a row is missing"), std::string::npos) << report_text(report);
  }
}

TEST(BrokenPromises, TheReportNamesTheLevelAndTheChance) {
  const auto zero = [](std::uint64_t, const core::Context&, std::vector<double>& values) { values.push_back(0); };
  const std::string text = report_text(judged("dkw", Promise::conservative, {{"always", 7, zero}}));
  for (const char* part : {"BROKEN", "at 1.00 %: 100.00 % of 3000 instead of 1.00 %; by chance with probability",
                           "1 of 1 lines are BROKEN, judged together"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

}  // namespace broken_promises_are_found_tests
}  // namespace credence::selfcheck
