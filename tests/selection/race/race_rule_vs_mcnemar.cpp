#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "selection/race/rule.hpp"

namespace race_rule_vs_mcnemar_tests {

using namespace credence::selection;

/// Losses of 0 and 1: setting k errs where `errs[k]` says.
RungLosses losses_of(const std::vector<std::vector<int>>& errs, std::size_t most = 99) {
  RungLosses rung{{}, {}, LossTable(errs[0].size(), errs.size()), most, 4};
  for (std::size_t i = 0; i < errs[0].size(); ++i) rung.rows.push_back(i);
  for (std::size_t k = 0; k < errs.size(); ++k) {
    rung.settings.push_back(k);
    for (std::size_t i = 0; i < errs[k].size(); ++i) rung.losses.row(i)[k] = static_cast<float>(errs[k][i]);
  }
  return rung;
}

/// McNemar's statistic by counting: b rows on which the setting alone errs, c on which the best alone errs.
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

TEST(RaceRule, RowsCountAsOftenAsTheyAreDrawnAndSettingsOnlyIfAllowed) {
  const RungLosses rung = losses_of({{1, 1, 1, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 0}});
  EXPECT_EQ(survivors(rung).front(), 2U);
  EXPECT_EQ(survivors(rung, {}, {true, true, false}).front(), 1U);
  const std::vector<std::uint32_t> last_alone{0, 0, 0, 0, 0, 0, 9};
  EXPECT_EQ(survivors(rung, last_alone, {true, true, false}), (std::vector<std::size_t>{0}));
  EXPECT_TRUE(survivors(rung, {}, {false, false, false}).empty());
}

TEST(RaceRule, NoMoreThanTheBestFewGoOnAndTheNeighboursOfTheBestJoin) {
  const RungLosses rung =
      losses_of({{1, 0, 0, 0}, {0, 1, 1, 0}, {1, 0, 1, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}, {0, 1, 0, 1}}, 2);
  const std::vector<std::size_t> kept = survivors(rung);
  EXPECT_EQ(kept, (std::vector<std::size_t>{3, 0}));
  // Two costs for each of three gammas: setting 3 is the second of gamma 1, and all others but 0 and 1 of its sides
  // touch.
  EXPECT_EQ(settings_after(kept, 4, 6, 2, {}), std::vector<bool>(6, true));
  // Four costs for each of three gammas: setting 4 has the smallest cost of gamma 1. One step leads to larger ones, and
  // two where the next rung has more than four times the rows.
  EXPECT_EQ(settings_after(std::vector<std::size_t>{4}, 4, 12, 4, {}),
            (std::vector<bool>{true, true, false, false, true, true, false, false, true, true, false, false}));
  EXPECT_EQ(settings_after(std::vector<std::size_t>{4}, 4.1, 12, 4, {}),
            (std::vector<bool>{true, true, true, false, true, true, true, false, true, true, true, false}));
  EXPECT_EQ(settings_after(kept, 1, 6, 2, {}), (std::vector<bool>{true, false, false, true, false, false}));
}

/// By hand: three costs for each of four gammas. Setting 1 of the first gamma is the best by far. The best settings of
/// the others are 4, 6 and 11; the last has no larger cost.
TEST(RaceRule, LargerGammasKeepTheirBestSettingWhereTheNextRungIsMuchLarger) {
  std::vector<std::vector<int>> errs(12, std::vector<int>(400, 1));
  const auto right = [&](std::size_t setting, std::size_t rows) { std::fill_n(errs[setting].begin(), rows, 0); };
  right(1, 380);
  right(4, 90);
  right(6, 80);
  right(11, 70);
  RungLosses rung = losses_of(errs);
  rung.growth = 4;
  const std::vector<bool> near{true, true, true, true, true, true, false, false, false, false, false, false};
  EXPECT_EQ(settings_after(rung, 12, 3), near);
  rung.growth = 4.5;
  EXPECT_EQ(settings_after(rung, 12, 3),
            (std::vector<bool>{true, true, true, true, true, true, true, true, false, false, false, true}));
  EXPECT_EQ(best_of_gammas(sums_of_losses(rung, 12), 3), (std::vector<std::size_t>{1, 4, 6, 11}));
  // A gamma of which no setting is allowed has no best one.
  std::vector<bool> allowed(12, true);
  allowed[6] = allowed[7] = allowed[8] = false;
  EXPECT_EQ(best_of_gammas(sums_of_losses(rung, 12, {}, allowed), 3), (std::vector<std::size_t>{1, 4, 11}));
}

TEST(RaceRule, SettingsAsGoodAsTheLastOfTheFewGoOnToo) {
  const std::vector<std::vector<int>> errs{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}, {1, 1, 0, 0}};
  EXPECT_EQ(survivors(losses_of(errs, 1)), (std::vector<std::size_t>{3}));
  EXPECT_EQ(survivors(losses_of(errs, 2)), (std::vector<std::size_t>{3, 0, 1, 2}));
  EXPECT_EQ(survivors(losses_of(errs, 4)), (std::vector<std::size_t>{3, 0, 1, 2}));
  EXPECT_EQ(survivors(losses_of(errs, 5)), (std::vector<std::size_t>{3, 0, 1, 2, 4}));
  const std::vector<int> alike{0, 0, 1, 0};
  EXPECT_EQ(survivors(losses_of({alike, alike, alike, alike, alike, alike}, 2)).size(), 6U);
}

/// Of five folds the first is more than a tenth and a fifth: the stricter cap holds after one.
TEST(RaceRule, PartsOfTheLastRungEndAtWholeResamples) {
  const auto until = [](std::size_t resamples) {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (const LastRungPart& part : parts_of_last_rung(resamples, Rule::best))
      parts.emplace_back(part.until, part.most);
    return parts;
  };
  using Parts = std::vector<std::pair<std::size_t, std::size_t>>;
  EXPECT_EQ(until(10), (Parts{{1, 24}, {2, 16}, {5, 8}, {10, 8}}));
  EXPECT_EQ(until(5), (Parts{{1, 16}, {3, 8}, {5, 8}}));
  EXPECT_EQ(until(3), (Parts{{1, 16}, {2, 8}, {3, 8}}));
  EXPECT_EQ(until(2), (Parts{{1, 8}, {2, 8}}));
  EXPECT_EQ(until(1), (Parts{{1, 8}}));
}

}  // namespace race_rule_vs_mcnemar_tests
