#include <gtest/gtest.h>

#include "report/selection/selection_report.hpp"
#include "report/setting_words.hpp"

namespace costs_of_any_unit_tests {

using namespace credence;

selection::Selection grid_of_costs(double least, double most) {
  selection::Selection selection;
  selection.options.method = selection::CrossValidation{};
  selection.options.score = selection::Score::cost;
  selection.options.label_costs = "a:b=50";
  selection.options = selection.options.resolved();
  for (const double gamma : {0.5, 1.0}) {
    for (const double C : {1.0, 2.0}) {
      selection::Setting& setting = selection.grid.emplace_back();
      setting.C = C;
      setting.gamma = gamma;
      setting.complete = true;
      setting.error = C == 1 ? most : least;
    }
  }
  selection.best = 1;
  return selection;
}

/// The numbers of the map times the unit of its legend are the costs, to three digits of the largest.
TEST(CostsOfAnyUnit, HaveMapsWithTwoDigitsBeforeThePoint) {
  const auto expect_parts = [](double least, double most, std::initializer_list<const char*> parts) {
    const std::string map = report::heat_map(grid_of_costs(least, most), true, 80);
    for (const char* part : parts) EXPECT_NE(map.find(part), std::string::npos) << part << " in\n" << map;
  };
  expect_parts(7029.89, 186291, {" 18.6", "  0.7", "mean cost 7030", "1.863e+05; in units of 1e+04,"});
  expect_parts(0.7118, 18.63, {" 18.6", "  0.7", "mean cost 0.7118", "18.63; in units of 1,"});
  expect_parts(0.002, 0.04, {" 40.0", "  2.0", "mean cost 0.002", "0.04; in units of 0.001,"});
  expect_parts(0, 0, {"  0.0", "in units of 0.01,"});
}

TEST(CostsOfAnyUnit, AreShownAsTheyAre) {
  const report::Scale scale = report::scale_of(selection::ScoreKind::cost, "CV mean cost");
  EXPECT_EQ(scale.name, "CV mean cost");
  EXPECT_EQ(scale.text(7029.89), "7029.89");
  EXPECT_EQ(scale.spread(0.00012345), "0.00012345");
  EXPECT_EQ(scale.ends(0.25, 1754.5), "0.25 to 1754.5");
  EXPECT_FALSE(scale.is_share());
}

}  // namespace costs_of_any_unit_tests
