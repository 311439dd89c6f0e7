#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/helpers.hpp"
#include "credence/core/random.hpp"
#include "support/command.hpp"

/// --groups and --weight-column of `conformal scores` and `conformal intervals`, against sums over the rows.
namespace credence {
namespace conformal_outside_counts_tests {

using nlohmann::json;
using test::Command;
using test::CommandResult;
using test::number;
using test::Table;
using test::with;

/// Group i % 7 of uneven sizes, weights 1 to 4, scores of two classes and a regression; multiples of 1/4.
struct Rows {
  struct Row {
    int group;
    double weight;
    double a;
    double b;
    int label;
    double target;
    double prediction;
  };
  std::vector<Row> rows;

  Rows(int count, std::uint64_t seed) {
    core::RandomStream random(seed);
    const auto quarter = [&] { return std::round(4 * random.normal()) / 4; };
    for (int i = 0; i < count; ++i) {
      Row row{i * i % 11, 1 + static_cast<double>(i % 4), quarter(), quarter(), i % 2, 0, quarter()};
      (row.label == 0 ? row.a : row.b) += 1;
      row.target = row.prediction + quarter();
      rows.push_back(row);
    }
  }
  std::string csv(bool scores, const std::string& counted) const {
    std::ostringstream text;
    text << (counted.empty() ? "" : counted + ',') << (scores ? "a,b,label\n" : "target,prediction\n");
    for (const Row& row : rows) {
      if (counted == "site") text << 's' << row.group << ',';
      if (counted == "w") text << row.weight << ',';
      if (scores)
        text << row.a << ',' << row.b << ',' << (row.label == 0 ? 'a' : 'b') << '\n';
      else
        text << row.target << ',' << row.prediction << '\n';
    }
    return text.str();
  }
  /// 1 / size of the group, or the weight.
  std::vector<double> counts(bool groups) const {
    std::map<int, int> sizes;
    for (const Row& row : rows) ++sizes[row.group];
    std::vector<double> counts;
    for (const Row& row : rows) counts.push_back(groups ? 1.0 / sizes[row.group] : row.weight);
    return counts;
  }
};

class OutsideCounts : public testing::Test {
 protected:
  CommandResult run(const char* command, bool scores, bool groups, const std::vector<std::string>& more = {}) const {
    const std::string column = groups ? "site" : "w";
    command_.folder().write("cal.csv", kept_.csv(scores, column));
    command_.folder().write("new.csv", fresh_.csv(scores, groups ? "" : column));
    const CommandResult result = command_.run(
        with({"conformal", command, "cal.csv", "new.csv", groups ? "--groups" : "--weight-column", column}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  }
  /// (sum w [kept row counts and is as strange] + own) / (sum w [it counts] + own)
  static double share(const std::vector<double>& weights, double own, const std::function<bool(std::size_t)>& counts,
                      const std::function<bool(std::size_t)>& as_strange) {
    double above = own;
    double all = own;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!counts(i)) continue;
      all += weights[i];
      if (as_strange(i)) above += weights[i];
    }
    return above / all;
  }
  Rows kept_{80, 1};
  Rows fresh_{40, 2};
  Command command_;
};

TEST_F(OutsideCounts, PValuesOfScoresAreSumsOfWeights) {
  for (const bool groups : {true, false}) {
    const std::vector<double> weights = kept_.counts(groups);
    for (const bool conditional : {false, true}) {
      const Table table(run("scores", true, groups,
                            conditional ? std::vector<std::string>{"--label-conditional"} : std::vector<std::string>{})
                            .out);
      ASSERT_EQ(table.rows.size(), fresh_.rows.size());
      for (std::size_t i = 0; i < table.rows.size(); ++i) {
        for (const int label : {0, 1}) {
          const Rows::Row& row = fresh_.rows[i];
          const double expected = share(
              weights, groups ? 1 : row.weight,
              [&](std::size_t j) { return !conditional || kept_.rows[j].label == label; },
              [&](std::size_t j) {
                const Rows::Row& other = kept_.rows[j];
                return (other.label == 0 ? other.a : other.b) <= (label == 0 ? row.a : row.b);
              });
          EXPECT_NEAR(number(table.rows[i], label == 0 ? "p_a" : "p_b"), expected, 1e-12);
        }
      }
    }
  }
}

TEST_F(OutsideCounts, IntervalsHoldTheTargetsWhoseSumsAreAboveTheLevel) {
  for (const bool groups : {true, false}) {
    const std::vector<double> weights = kept_.counts(groups);
    const Table table(run("intervals", false, groups, {"--confidence-level", "0.8", "-o", "out.csv"}).out.empty()
                          ? ""
                          : test::read_text(command_.folder().file("out.csv")));
    ASSERT_EQ(table.rows.size(), fresh_.rows.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const Rows::Row& row = fresh_.rows[i];
      const auto held = [&](double y) {
        return share(
                   weights, groups ? 1 : row.weight, [](std::size_t) { return true; },
                   [&](std::size_t j) {
                     return std::abs(kept_.rows[j].target - kept_.rows[j].prediction) >= std::abs(y - row.prediction);
                   }) > 0.2 + 1e-12;
      };
      const double upper = number(table.rows[i], "upper_0.8");
      EXPECT_TRUE(held(upper)) << i;
      EXPECT_FALSE(held(upper + 1.0 / 1024)) << i;
      EXPECT_TRUE(held(number(table.rows[i], "lower_0.8"))) << i;
    }
  }
}

TEST_F(OutsideCounts, WordsAndNumbersSayWhatIsCompared) {
  const CommandResult groups = run("scores", true, true, {"--evaluate", "--json", "j", "--confidence-level", "0.95"});
  for (const char* part : {"1 / (6 + 1)", " 0.95 ", "13 more groups"})
    EXPECT_NE(groups.err.find(part), std::string::npos) << part << groups.err;
  EXPECT_NE(
      groups.err.find(
          "of a row of a new group with probability at most 1 - confidence level, if the rows of cal.csv were not used "
          "in training and their groups are exchangeable with those of new.csv"),
      std::string::npos)
      << groups.err;
  json said = json::parse(test::read_text(command_.folder().file("j")));
  EXPECT_EQ(said["groups"], 6);
  EXPECT_TRUE(said["may_miss"].is_null());
  EXPECT_TRUE(said["effective_rows"].is_null());
  const CommandResult weights = run("intervals", false, false, {"-o", "out.csv", "--json", "j"});
  EXPECT_NE(weights.err.find("by their weights alone"), std::string::npos) << weights.err;
  EXPECT_EQ(weights.err.find("certainty 95 %"), std::string::npos) << weights.err;
  said = json::parse(test::read_text(command_.folder().file("j")));
  EXPECT_TRUE(said["groups"].is_null());
  EXPECT_EQ(said["weight_column"], "w");
  EXPECT_NEAR(said["effective_rows"].get<double>(), 200.0 * 200 / 600, 1e-9);  // 20 each of 1, 2, 3 and 4
  const CommandResult intervals = run("intervals", false, true, {"-o", "out.csv", "--json", "j"});
  EXPECT_NE(intervals.err.find("1 / (6 + 1)"), std::string::npos) << intervals.err;
  said = json::parse(test::read_text(command_.folder().file("j")));
  EXPECT_EQ(said["groups"], 6);
  EXPECT_EQ(said["compared_with"], 80);
}

TEST_F(OutsideCounts, RefuseWhatIsMissing) {
  run("scores", true, false);
  command_.folder().write("new.csv", fresh_.csv(true, ""));
  const CommandResult result = command_.run({"conformal", "scores", "cal.csv", "new.csv", "--weight-column", "w"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("the weights column \"w\""), std::string::npos) << result.err;
  const CommandResult both =
      command_.run({"conformal", "scores", "cal.csv", "new.csv", "--weight-column", "w", "--groups", "a"});
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.err.find("--weight-column"), std::string::npos) << both.err;
}

}  // namespace conformal_outside_counts_tests
}  // namespace credence
