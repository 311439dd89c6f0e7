#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "credence/bounds/registry.hpp"
#include "credence/core/random.hpp"
#include "selfcheck/run.hpp"
#include "support/context.hpp"
#include "support/expect_error.hpp"

namespace credence::selfcheck {
namespace verdicts_vs_closed_form_tests {

TEST(Verdicts, PValuesAreTailsOfTheBinomial) {
  EXPECT_NEAR(p_value_of(Promise::conservative, 3, 3, 0.1), 1e-3, 1e-15);
  EXPECT_NEAR(p_value_of(Promise::conservative, 1, 3, 0.1), 1 - 0.9 * 0.9 * 0.9, 1e-15);
  EXPECT_EQ(p_value_of(Promise::conservative, 0, 3, 0.1), 1);
  EXPECT_NEAR(p_value_of(Promise::exact, 0, 3, 0.1), 1, 1e-15);
  EXPECT_NEAR(p_value_of(Promise::exact, 0, 30, 0.5), 2 * std::pow(0.5, 30), 1e-20);
  EXPECT_EQ(p_value_of(Promise::conservative, 3, 3, 1), 1);  // a bound that says nothing
  EXPECT_EQ(p_value_of(Promise::approximate, 3, 3, 0.1), 1);
}

/// Holm: the i-th smallest of m is held against 0.001 / (m - i + 1), until the first that is larger.
TEST(Verdicts, HolmByHand) {
  Report report;
  CheckResult check{"a", "", "", Promise::conservative, {}};
  for (const double p : {0.00049, 0.00033, 0.00099}) {
    Line line;
    LevelResult result;
    result.p_value = p;
    line.levels.push_back(result);
    check.lines.push_back(line);
  }
  report.checks = {check};
  judge(report);
  EXPECT_EQ(report.tests, 3U);
  EXPECT_EQ(report.broken(), 3U);
  report.checks = {check};
  report.checks[0].lines[0].levels[0].p_value = 0.00051;
  judge(report);
  EXPECT_TRUE(report.checks[0].lines[1].broken());
  EXPECT_FALSE(report.checks[0].lines[0].broken());
  EXPECT_FALSE(report.checks[0].lines[2].broken());
}

/// By simulation: runs of sound promises say that one is broken at most as often as stated; here the rate is raised by
/// looking at unadjusted p-values below 0.05.
TEST(Verdicts, SoundPromisesPass) {
  const auto uniform = [](std::uint64_t seed, const core::Context&, std::vector<double>& values) {
    core::RandomStream random(seed, 3);
    for (int i = 0; i < 5; ++i) values.push_back(random.uniform());
  };
  Check check{"uniform", "", "", Promise::exact, {100, 100}, {}};
  for (std::size_t n = 1; n <= 100; ++n) check.settings.push_back({"uniform", n, uniform});
  const test::Surroundings surroundings;
  const Report report = run({check}, {}, surroundings.context);
  EXPECT_EQ(report.broken(), 0U);
  std::size_t low = 0;
  for (const Line& line : report.checks[0].lines) {
    EXPECT_EQ(line.values, 500U);
    for (const LevelResult& result : line.levels) low += result.p_value < 0.05 ? 1U : 0U;
    low += line.curve->p_value < 0.05 ? 1U : 0U;
  }
  EXPECT_LE(low, 50U);  // of 600; 30 are expected at most
  EXPECT_GE(low, 8U);
}

TEST(Verdicts, DependOnTheSeedAndNotOnThreadsOrOtherChecks) {
  std::vector<Check> all = chosen(checks(), "online-smoothed,selected-cv,kfold-nested,dkw");
  const auto text = [&](const std::vector<Check>& some, int threads, std::uint64_t seed) {
    const test::Surroundings surroundings(threads);
    Report report = run(some, {.quick = true, .seed = seed}, surroundings.context);
    report.threads = 0;
    report.seconds = 0;
    return report::json_text(report_json(report));
  };
  for (Check& check : all) check.trials.quick = 20;
  EXPECT_EQ(text(all, 1, 4), text(all, 3, 4));
  EXPECT_NE(text(all, 1, 4), text(all, 1, 5));
  const test::Surroundings surroundings;
  const Report together = run(all, {.quick = true}, surroundings.context);
  const Report alone = run({all.back()}, {.quick = true}, surroundings.context);
  for (std::size_t i = 0; i < alone.checks[0].lines.size(); ++i)
    for (std::size_t k = 0; k < all_levels.size(); ++k)
      EXPECT_EQ(alone.checks[0].lines[i].levels[k].count, together.checks.back().lines[i].levels[k].count);
}

TEST(Verdicts, AStopIsOneSentence) {
  test::Surroundings surroundings;
  surroundings.monitor.cancel();
  test::expect_error(ErrorCode::interrupted, "stopped", [&] { run(checks(), {.quick = true}, surroundings.context); });
}

TEST(Registry, HasEveryBoundAndNamesOfItsOwn) {
  const std::vector<Check> all = checks();
  std::set<std::string> names;
  for (const Check& check : all) {
    EXPECT_TRUE(names.insert(check.name).second) << check.name;
    EXPECT_FALSE(check.source.empty()) << check.name;
    EXPECT_FALSE(check.settings.empty()) << check.name;
    EXPECT_GE(check.trials.quick, 2U) << check.name;
    EXPECT_GE(check.trials.full, check.trials.quick) << check.name;
    EXPECT_TRUE(check.independent || check.promise == Promise::approximate) << check.name;
    EXPECT_TRUE(std::ranges::is_sorted(check.levels)) << check.name;
    std::set<std::pair<std::string, std::size_t>> settings;
    for (const Setting& setting : check.settings)
      EXPECT_TRUE(settings.insert({setting.problem, setting.n}).second) << check.name << ", " << setting.problem;
  }
  for (const bounds::Bound& bound : bounds::bounds()) {
    std::string name = "bound-" + std::string(bound.name);
    std::ranges::replace(name, '_', '-');
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Registry, NamesAreChosenOneByOneOrByTheirStart) {
  EXPECT_EQ(chosen(checks(), "").size(), checks().size());
  const std::vector<Check> some = chosen(checks(), "online*,dkw,online");
  EXPECT_EQ(some.front().name, "dkw");
  for (const Check& check : some) EXPECT_TRUE(check.name == "dkw" || check.name.starts_with("online")) << check.name;
  test::expect_error(ErrorCode::invalid_argument, "no check has the name 'onlin'",
                     [] { chosen(checks(), "dkw,onlin"); });
  test::expect_error(ErrorCode::invalid_argument, "no check has the name 'x*'", [] { chosen(checks(), "x*"); });
}

}  // namespace verdicts_vs_closed_form_tests
}  // namespace credence::selfcheck
