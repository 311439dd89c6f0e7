#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/conformal_command.hpp"

/// --groups, --weight-column and --by of `conformal fit`, and what predict and evaluate make of them.
namespace credence {
namespace conformal_counted_rows_tests {

using nlohmann::json;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;

/// Writes groups.csv, weights.csv, new.csv: data.csv and test.csv with a column of each kind before the others.
class CountedRows : public test::ConformalCommand {
 protected:
  void SetUp() override {
    ConformalCommand::SetUp();
    write("counted.csv", "data.csv", 2);
    write("new.csv", "test.csv", 3);
  }
  void write(const char* name, const char* from, int categories) {
    std::istringstream lines(test::read_text(command_.folder().file(from)));
    std::string text;
    std::string line;
    for (int i = -1; std::getline(lines, line); ++i) {
      const std::string row = std::to_string(i);
      text += i < 0 ? "site,w,kind," + line
                    : "s" + std::to_string(i % 30) + ',' + std::to_string(1 + i % 4) + ",k" +
                          std::to_string(i / 3 % categories) + ',' + line;
      text += '\n';
    }
    command_.folder().write(name, text);
  }
  CommandResult fit_counted(const std::vector<std::string>& options) const {
    return command_.run(with({"conformal", "fit", "counted.csv", "-o", "m"}, options));
  }
  CommandResult predict_new(const std::vector<std::string>& options = {}) const {
    return command_.run(with({"predict", "m", "new.csv"}, options));
  }
};

TEST_F(CountedRows, OfNewGroupsCountGroups) {
  const CommandResult fitted =
      fit_counted({"--groups", "site", "--drop", "w,kind", "--mode", "inductive", "--json", "j"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_NE(fitted.err.find("(90 more groups are needed at 0.99, 10 more at 0.95)"), std::string::npos) << fitted.err;
  const json said = json::parse(test::read_text(command_.folder().file("j")));
  EXPECT_EQ(said["groups"], 9);
  EXPECT_DOUBLE_EQ(said["smallest_p_value"], 1.0 / 10);
  EXPECT_TRUE(said["effective_rows"].is_null());
  EXPECT_TRUE(said["may_miss"].is_null());
  const Table table(predict_new({"--quiet"}).out);
  for (const auto& row : table.rows) EXPECT_GE(number(row, "p_class 0"), 0.1 - 1e-12);
}

TEST_F(CountedRows, OfNewGroupsCompareWithOneRowOfEachInTransductiveMode) {
  const CommandResult fitted = fit_counted({"--groups", "site", "--drop", "w,kind", "--json", "j"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_NE(fitted.err.find("groups are exchangeable"), std::string::npos) << fitted.err;
  const json said = json::parse(test::read_text(command_.folder().file("j")));
  EXPECT_EQ(said["groups"], 27);
  EXPECT_DOUBLE_EQ(said["smallest_p_value"], 1.0 / 28);
  EXPECT_EQ(said["apart"], 15);
  EXPECT_EQ(predict_new({"--quiet"}).code, 0);
}

TEST_F(CountedRows, WeighedNeedTheWeightOfNewRows) {
  const std::vector<std::string> weighed{"--weight-column", "w", "--drop", "site,kind", "--mode", "inductive"};
  const CommandResult fitted = fit_counted(with(weighed, {"--json", "j"}));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const json said = json::parse(test::read_text(command_.folder().file("j")));
  EXPECT_EQ(said["weight_column"], "w");
  EXPECT_GT(said["effective_rows"], 30);
  EXPECT_LT(said["effective_rows"], 45);
  EXPECT_NE(fitted.err.find("by their weights alone"), std::string::npos) << fitted.err;
  const CommandResult blocks = predict_new({"--quiet", "--block", "7"});
  ASSERT_EQ(blocks.code, 0) << blocks.err;
  EXPECT_EQ(blocks.out, predict_new({"--quiet"}).out);
  const CommandResult without = command_.run({"predict", "m", "test.csv"});
  EXPECT_EQ(without.code, 2) << without.err;
  EXPECT_NE(without.err.find("the weights column \"w\""), std::string::npos) << without.err;
  const CommandResult both = fit_counted(with(weighed, {"--weights", "w"}));
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("give one of them"), std::string::npos) << both.err;
  const CommandResult full = fit_counted({"--weight-column", "w", "--drop", "site,kind"});
  ASSERT_EQ(full.code, 0) << full.err;
  EXPECT_NE(full.out.find("weighed by 'w' as "), std::string::npos) << full.out;
  EXPECT_NE(full.err.find("by their weights alone"), std::string::npos) << full.err;
  EXPECT_EQ(predict_new({"--quiet", "--block", "7"}).out, predict_new({"--quiet"}).out);
  EXPECT_EQ(command_.run({"predict", "m", "test.csv"}).code, 2);
  const CommandResult crossed =
      fit_counted({"--weight-column", "w", "--drop", "site,kind", "--mode", "cross", "--folds", "4"});
  ASSERT_EQ(crossed.code, 0) << crossed.err;
  EXPECT_NE(crossed.out.find("weighed by 'w' as 124.8"), std::string::npos) << crossed.out;
  EXPECT_NE(crossed.err.find("; the bound is "), std::string::npos) << crossed.err;
  EXPECT_NE(crossed.err.find("weigh no more"), std::string::npos) << crossed.err;
  EXPECT_EQ(predict_new({"--quiet"}).code, 0);
}

TEST_F(CountedRows, OfACategoryThatWasNotComparedHoldEveryClass) {
  const CommandResult fitted = fit_counted({"--by", "kind", "--drop", "site,w", "--mode", "inductive"});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_NE(fitted.out.find("in 2 levels of 'kind'"), std::string::npos) << fitted.out;
  EXPECT_NE(fitted.err.find("in each category"), std::string::npos) << fitted.err;
  const CommandResult predicted = predict_new({"--unseen", "other"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_NE(predicted.err.find(" 66 rows "), std::string::npos) << predicted.err;
  const Table table(predicted.out);
  for (std::size_t i = 6; i < 9; ++i) EXPECT_EQ(table.rows[i].at("set_0.95"), "class 0|class 1|class 2");
  EXPECT_NE(fit_counted({"--by", "kind"}).err.find("inductive and cross do"), std::string::npos);
}

}  // namespace conformal_counted_rows_tests
}  // namespace credence
