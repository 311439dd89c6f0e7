#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "helpers.hpp"
#include "support/command.hpp"

/// Decisions with limits, lists, groups and class shares of a data set: the columns of `predict` against its own
/// p-values and probabilities, what `evaluate` counts against these columns, and what is refused.
namespace credence::test {
namespace decisions_tests {

using nlohmann::json;

/// Clouds with two columns that no model uses.
std::string with_groups(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  std::string text = "sex,age," + line + '\n';
  for (int i = 0; std::getline(lines, line); ++i)
    text += std::string(i % 5 < 2 ? "f" : "m") + ',' + std::to_string(20 + (i * 7) % 50) + ',' + line + '\n';
  return text;
}

class DecisionsOfTheCommand : public testing::Test {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(160, 2, 3));
    command_.folder().write("new.csv", with_groups(clouds_csv(90, 2, 4)));
  }
  CommandResult run(const std::vector<std::string>& arguments, int code = 0) const {
    CommandResult result = command_.run(with(arguments, {"--threads", "1"}));
    EXPECT_EQ(result.code, code) << result.err;
    return result;
  }
  void refused(const std::vector<std::string>& arguments, const std::string& sentence, int code = 2) const {
    const CommandResult result = command_.run(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(line_count(result.err), 1U) << result.err;
    EXPECT_NE(result.err.find(sentence), std::string::npos) << result.err;
  }
  Table predicted(const std::vector<std::string>& arguments) const {
    return Table(run(with({"predict", "m", "new.csv", "--quiet"}, arguments)).out);
  }
  json evaluated(const std::vector<std::string>& arguments) const {
    run(with({"evaluate", "m", "new.csv", "--quiet", "--json", "e.json"}, arguments));
    return json::parse(read_text(command_.folder().file("e.json")));
  }
  void select(const std::vector<std::string>& more = {}) const {
    run(with({"select", "train.csv", "--C", "1", "--gamma", "0.1", "-o", "m", "--quiet"}, more));
  }
  void split() const {
    run({"conformal", "fit", "train.csv", "--mode", "inductive", "--measure", "margin", "-o", "m", "--quiet"});
  }
  Command command_;
};

/// The class that is left by the p-values of a row; "ask" where none or both are.
std::string left_of(const std::map<std::string, std::string>& row, double first, double second) {
  const bool a = number(row, "p_class 0") > first + 1e-12;
  const bool b = number(row, "p_class 1") > second + 1e-12;
  return a == b ? "ask" : a ? "class 0" : "class 1";
}

/// The text of the column `review` that the other columns of a marked row ask for.
std::string reason_of(const std::map<std::string, std::string>& row) {
  if (number(row, "familiarity") <= 0.01) return "unlike the training rows";
  return left_of(row, 0.05, 0.05) == "ask" && number(row, "p_class 0") <= 0.05 ? "fits no class" : "between classes";
}

TEST_F(DecisionsOfTheCommand, AReviewMarksTheLeastProbableLabels) {
  select();
  const Table table = predicted({"--review", "0.1", "--id", "age"});
  std::vector<std::map<std::string, std::string>> order = table.rows;
  const auto of_label = [](const auto& row) { return number(row, "probability_" + row.at("label")); };
  std::ranges::stable_sort(order, {}, of_label);
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].at("review"), i < 9 ? reason_of(order[i]) : "");
  order.resize(9);
  EXPECT_EQ(predicted({"--review", "0.1", "--id", "age", "--only", "review"}).rows, order);
  EXPECT_EQ(predicted({"--review", "0.1", "--id", "age", "--block", "7"}).rows, table.rows);
  const json found = evaluated({})["review"];
  const Table all = predicted({"--review", "0.1", "--append"});
  const auto errors = [](const auto& rows) {
    return std::ranges::count_if(rows, [](const auto& row) { return row.at("label") != row.at("predicted_label"); });
  };
  EXPECT_EQ(found["errors"], errors(all.rows));
  EXPECT_EQ(found["found"], errors(predicted({"--review", "0.1", "--append", "--only", "review"}).rows));
  EXPECT_EQ(found["marked"], 9);
  std::vector<std::string> listed;  // on the page, beside the column by which rows are divided
  const json document = evaluated({"--id", "age", "--by", "sex"});
  for (const json& section : document["report"]["sections"])
    for (const json& block : section["blocks"])
      if (block.contains("table") && block["table"]["columns"].back()["title"] == "review")
        for (const json& row : block["table"]["rows"]) listed.push_back(row[2]);
  std::vector<std::string> ages;
  for (const auto& row : order) ages.push_back(row.at("age"));
  EXPECT_EQ(listed, ages);
}

TEST_F(DecisionsOfTheCommand, AReviewWithoutAShareMarksWhatLimitsLeaveToAPerson) {
  select();
  const std::vector<std::pair<std::vector<std::string>, double>> cases{{{}, 0.05}, {{"--limit", "0.2"}, 0.2}};
  for (const auto& [limits, level] : cases) {
    const Table table = predicted(with({"--review", "--block", "11"}, limits));
    for (const auto& row : table.rows) EXPECT_EQ(row.at("review").empty(), left_of(row, level, level) != "ask");
    EXPECT_EQ(table.rows.front().contains("decision"), !limits.empty());
  }
  EXPECT_NE(run({"predict", "m", "new.csv", "--review", "-o", "p.csv"}).err.find(" to review: "), std::string::npos);
  refused({"predict", "m", "new.csv", "--review", "1.5"}, "--review: a share of the rows lies above 0");
  refused({"predict", "m", "new.csv", "--only", "review"}, "--only review needs --review");
  split();
  refused({"predict", "m", "new.csv", "--review", "0.1"}, "--review: rows are marked by the probability");
}

TEST_F(DecisionsOfTheCommand, OnlineDecidesByThePValuesOfEachStep) {
  run({"conformal", "online", "train.csv", "--limit", "class 0=0.1,class 1=0.3", "-o", "steps.csv", "--json",
       "o.json"});
  const Table steps(read_text(command_.folder().file("steps.csv")));
  std::map<std::string, std::size_t> missed;
  std::size_t decided = 0;
  for (const auto& row : steps.rows) {
    EXPECT_EQ(row.at("decision"), left_of(row, 0.1, 0.3));
    decided += row.at("decision") != "ask" ? 1U : 0U;
    const std::string& truth = row.at("truth");
    missed[truth] += number(row, "p_" + truth) <= (truth == "class 0" ? 0.1 : 0.3) ? 1U : 0U;
  }
  EXPECT_GT(decided, 60U);
  const json limits = json::parse(read_text(command_.folder().file("o.json")))["limits"];
  EXPECT_EQ(limits["decided"], decided);
  for (const json& own : limits["per_class"]) EXPECT_EQ(own["missed"], missed[own["class"]]);
  const CommandResult rare = run({"conformal", "online", "train.csv", "--limit", "0.001", "--shuffle"});
  EXPECT_NE(rare.err.find("needs 999 rows"), std::string::npos) << rare.err;
  refused({"conformal", "online", "train.csv", "--limit", "class 7=0.1,class 1=0.3"}, "--limit: ");
  refused({"conformal", "online", "train.csv", "--limit", "0.1", "--certainty", "0.9"}, "--certainty");
}

TEST_F(DecisionsOfTheCommand, PredictDecidesByItsPValuesOfEachClass) {
  select();
  const std::vector<std::string> limits{"--limit", "class 0=0.05,class 1=0.2"};
  const Table table = predicted(limits);
  const Table plain = predicted({"--label-conditional"});
  std::size_t decided = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(table.rows[i].at("decision"), left_of(table.rows[i], 0.05, 0.2));
    EXPECT_EQ(table.rows[i].at("p_class 0"), plain.rows[i].at("p_class 0")) << "p-values of each class";
    EXPECT_EQ(table.rows[i].at("label"), plain.rows[i].at("label"));
    decided += table.rows[i].at("decision") != "ask" ? 1U : 0U;
  }
  EXPECT_GT(decided, 45U);
  EXPECT_LT(decided, 90U);
  const CommandResult said = run(with({"predict", "m", "new.csv"}, limits));
  EXPECT_NE(said.err.find(std::to_string(decided) + " of 90 rows decided; the others go to a person"),
            std::string::npos)
      << said.err;
  EXPECT_EQ(run(with({"predict", "m", "new.csv", "--quiet", "--block", "7"}, limits)).out,
            run(with({"predict", "m", "new.csv", "--quiet"}, limits)).out);
  for (const auto& row : predicted({"--limit", "0"}).rows) EXPECT_EQ(row.at("decision"), "ask");
}

/// What changes p-values is said once, where it changes them, and what was written where.
TEST_F(DecisionsOfTheCommand, ALimitThatChangesPValuesSaysSo) {
  select();
  const std::string changed = "--limit makes p-values label-conditional";
  const CommandResult asked = run({"predict", "m", "new.csv", "--limit", "0.1", "-o", "p.csv"});
  EXPECT_NE(asked.err.find(changed), std::string::npos) << asked.err;
  EXPECT_NE(asked.err.find("p.csv: 90 rows written, with columns label, decision, decision_value"), std::string::npos)
      << asked.err;
  EXPECT_EQ(run({"predict", "m", "new.csv", "--limit", "0.1", "-o", "p.csv", "--quiet"}).err, "");
  for (const std::string other : {"--label-conditional", "--smoothed"}) {
    const CommandResult result = run({"predict", "m", "new.csv", "--limit", "0.1", other});
    EXPECT_EQ(result.err.find(changed) == std::string::npos, other == "--label-conditional") << result.err;
    EXPECT_EQ(result.err.find("written"), std::string::npos);
  }
}

/// One name alone is the same limit for all, and a note says so.
TEST_F(DecisionsOfTheCommand, AClassWithoutALimitHasTheSmallestOne) {
  select();
  const CommandResult one = run({"predict", "m", "new.csv", "--limit", "class 1=0.1"});
  EXPECT_EQ(one.out, run({"predict", "m", "new.csv", "--limit", "0.1"}).out);
  EXPECT_NE(one.err.find("no limit was given for 'class 0'"), std::string::npos) << one.err;
  command_.folder().write("few.csv", clouds_csv(60, 2, 3));
  const CommandResult few = run({"select", "few.csv", "--C", "1", "--gamma", "0.1", "-o", "few"});
  EXPECT_NE(few.err.find("class 'class 0' has at most 30 rows to compare with"), std::string::npos) << few.err;
  EXPECT_EQ(run({"select", "few.csv", "--C", "1", "--gamma", "0.1"}).err.find("compare with"), std::string::npos);
}

TEST_F(DecisionsOfTheCommand, EvaluateCountsWhatPredictDecides) {
  select();
  const std::vector<std::string> limits{"--limit", "class 0=0.05,class 1=0.2"};
  const json found = evaluated(limits)["limits"];
  const Table table = predicted(limits);
  std::size_t decided = 0, wrong = 0, missed[2] = {0, 0}, decided_of[2] = {0, 0};
  for (std::size_t i = 0; i < 90; ++i) {
    const std::size_t truth = i % 2;
    const std::string name = "class " + std::to_string(truth);
    const std::string& decision = table.rows[i].at("decision");
    decided += decision != "ask" ? 1U : 0U;
    decided_of[truth] += decision != "ask" ? 1U : 0U;
    wrong += decision != "ask" && decision != name ? 1U : 0U;
    missed[truth] += number(table.rows[i], "p_" + name) <= (truth == 0 ? 0.05 : 0.2) + 1e-12 ? 1U : 0U;
  }
  EXPECT_EQ(found["n"], 90);
  EXPECT_EQ(found["decided"], decided);
  EXPECT_EQ(found["wrong"], wrong);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(found["per_class"][c]["missed"], missed[c]);
    EXPECT_EQ(found["per_class"][c]["decided"], decided_of[c]);
    EXPECT_EQ(found["per_class"][c]["n"], 45);
    EXPECT_EQ(found["per_class"][c]["compared_with"], 80);
    EXPECT_EQ(found["per_class"][c]["rows_missing"], 0);
  }
  const CommandResult text = run(with({"evaluate", "m", "new.csv"}, limits));
  EXPECT_NE(text.err.find("nothing is proved"), std::string::npos) << text.err;
}

TEST_F(DecisionsOfTheCommand, ALimitBelowOneInTheRowsAsksAndSaysHowManyAreMissing) {
  select();
  const CommandResult few = run({"predict", "m", "new.csv", "--limit", "class 0=0.01,class 1=0.2"});
  for (const char* part : {"'class 0'", "needs 99 rows", "19 are missing"})
    EXPECT_NE(few.err.find(part), std::string::npos) << part << few.err;
  for (const auto& row : Table(few.out).rows) EXPECT_NE(row.at("decision"), "class 1");
  EXPECT_EQ(evaluated({"--limit", "class 0=0.01,class 1=0.2"})["limits"]["per_class"][0]["rows_missing"], 19);
}

/// 36 rows in 9 groups and two categories, of which a part is compared with.
TEST_F(DecisionsOfTheCommand, GroupsAndCategoriesAreCountedAsTheyAreCompared) {
  std::istringstream lines(clouds_csv(36, 2, 8));
  std::string line;
  std::getline(lines, line);
  std::string text = "visit,ward," + line + '\n';
  for (int i = 0; std::getline(lines, line); ++i)
    text += "g" + std::to_string(i / 4) + (i < 24 ? ",p," : ",q,") + line + '\n';
  command_.folder().write("grouped.csv", text);
  const std::string never = "class 'class 0' is never ruled out";
  run({"conformal", "fit", "grouped.csv", "--mode", "inductive", "--groups", "visit", "-o", "m", "--quiet"});
  const CommandResult groups = run({"predict", "m", "grouped.csv", "--limit", "0.05"});
  EXPECT_NE(groups.err.find(never + ": its limit 0.05 needs 19 groups of the class to compare with"), std::string::npos)
      << groups.err;
  run({"conformal", "fit", "grouped.csv", "--mode", "inductive", "--by", "ward", "-o", "m", "--quiet"});
  const CommandResult categories = run({"predict", "m", "grouped.csv", "--limit", "0.1"});
  EXPECT_NE(categories.err.find(never + " in the smallest category: its limit 0.1 needs 9 rows of the class"),
            std::string::npos)
      << categories.err;
}

TEST_F(DecisionsOfTheCommand, ACertaintyTakesARankAmongRowsSetAside) {
  split();
  const json found = evaluated({"--limit", "0.2", "--certainty", "0.95"});
  const json plain = evaluated({"--limit", "0.2"});
  for (std::size_t c = 0; c < 2; ++c) {
    const json& own = found["limits"]["per_class"][c];
    const auto m = own["compared_with"].get<double>();
    const double rank = own["level"].get<double>() * (m + 1);
    EXPECT_NEAR(rank, std::round(rank), 1e-9);
    // P(Bin(m, 0.2) < k) <= 0.05 for the rank and above for the next one, summed term by term.
    const auto below = [&](double k) {
      double sum = 0;
      for (double j = 0; j < k - 0.5; ++j) {
        sum += std::exp(std::lgamma(m + 1) - std::lgamma(j + 1) - std::lgamma(m - j + 1) + j * std::log(0.2) +
                        (m - j) * std::log(0.8));
      }
      return sum;
    };
    EXPECT_LE(below(std::round(rank)), 0.05);
    EXPECT_GT(below(std::round(rank) + 1), 0.05);
    EXPECT_EQ(plain["limits"]["per_class"][c]["level"], 0.2);
  }
  EXPECT_EQ(found["limits"]["certainty"], 0.95);
  EXPECT_LE(found["limits"]["decided"], plain["limits"]["decided"]);
  const CommandResult said = run({"predict", "m", "new.csv", "--limit", "0.2", "--certainty", "0.95"});
  EXPECT_NE(said.err.find("with probability 0.95"), std::string::npos) << said.err;
  select();
  refused({"predict", "m", "new.csv", "--limit", "0.2", "--certainty", "0.95"}, "also trained it");
}

TEST_F(DecisionsOfTheCommand, FindMarksByTheRuleOfBenjaminiAndHochberg) {
  split();
  const Table table = predicted({"--find", "class 1", "--fdr", "0.3"});
  std::vector<double> p;
  for (const auto& row : table.rows) p.push_back(number(row, "p_class 0"));
  std::vector<double> ascending = p;
  std::ranges::sort(ascending);
  double largest = -1;
  for (std::size_t k = 1; k <= p.size(); ++k)
    if (ascending[k - 1] <= 0.3 * static_cast<double>(k) / 90 + 1e-12) largest = ascending[k - 1];
  std::size_t count = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_EQ(table.rows[i].at("found"), p[i] <= largest ? "yes" : "no");
    count += p[i] <= largest ? 1U : 0U;
  }
  EXPECT_GT(count, 5U);
  EXPECT_EQ(run({"predict", "m", "new.csv", "--quiet", "--find", "class 1", "--fdr", "0.3", "--block", "7"}).out,
            run({"predict", "m", "new.csv", "--quiet", "--find", "class 1", "--fdr", "0.3"}).out)
      << "a list is of all rows";
  select();
  refused({"predict", "m", "new.csv", "--find", "class 1", "--fdr", "0.3"}, "nothing is proved of the rate");
}

TEST_F(DecisionsOfTheCommand, UnfamiliarMarksFarRowsForClassesAndForNumbers) {
  select();
  command_.folder().write("new.csv", clouds_csv(40, 2, 4) + "1000,0,0,class 0\n0,-1000,0,class 1\n");
  const Table table = predicted({"--unfamiliar", "--fdr", "0.6"});
  for (std::size_t i = 0; i < 42; ++i) EXPECT_EQ(table.rows[i].at("found"), i < 40 ? "no" : "yes") << i;
  std::string numbers = "x,y\n";
  for (int i = 0; i < 300; ++i) numbers += std::to_string(i) + ',' + std::to_string(2 * i) + '\n';
  command_.folder().write("numbers.csv", numbers);
  run({"train", "numbers.csv", "--task", "regression", "-o", "m", "--quiet"});
  command_.folder().write("new.csv", "x,y\n7,14\n90000,3\n");
  const Table of_numbers = predicted({"--unfamiliar", "--fdr", "0.2"});
  EXPECT_EQ(of_numbers.rows[0].at("found"), "no");
  EXPECT_EQ(of_numbers.rows[1].at("found"), "yes");
}

TEST_F(DecisionsOfTheCommand, PriorMovesProbabilitiesByBayes) {
  select();
  const Table here = predicted({"--probability"});
  const Table there = predicted({"--probability", "--prior", "class 1=0.02"});
  for (std::size_t i = 0; i < 90; ++i) {
    const double odds = number(here.rows[i], "probability_class 1") / number(here.rows[i], "probability_class 0");
    const double moved = odds * 0.02 / 0.98;  // half of the rows of the training have each class
    EXPECT_NEAR(number(there.rows[i], "probability_class 1"), moved / (1 + moved), 1e-9);
    EXPECT_EQ(here.rows[i].at("label"), there.rows[i].at("label"));
  }
  const CommandResult said = run({"predict", "m", "new.csv", "--probability", "--prior", "class 1=0.02"});
  EXPECT_NE(said.err.find("class 1 2.00 %"), std::string::npos) << said.err;
  EXPECT_EQ(said.err.find("the most probable class of a row is its label"), std::string::npos) << said.err;
  const CommandResult estimated = run({"predict", "m", "new.csv", "--probability", "--prior", "estimate"});
  EXPECT_NE(estimated.err.find("nothing is proved of the estimate"), std::string::npos) << estimated.err;
}

TEST_F(DecisionsOfTheCommand, EvaluateWeighsErrorsAndCostsByTheShares) {
  select();
  const json found = evaluated({"--prior", "class 1=0.02", "--cost", "class 1:class 0=50"});
  double error = 0, cost = 0;
  const Table table = predicted({});
  for (std::size_t i = 0; i < 90; ++i) {
    if (table.rows[i].at("label") == "class " + std::to_string(i % 2)) continue;
    error += (i % 2 == 0 ? 0.98 : 0.02) / 45;
    cost += (i % 2 == 0 ? 0.98 : 0.02 * 50) / 45;
  }
  EXPECT_NEAR(found["prior"]["error"].get<double>(), error, 1e-12);
  EXPECT_NEAR(found["prior"]["cost"].get<double>(), cost, 1e-12);
  EXPECT_EQ(found["prior"]["class_shares"]["class 1"], 0.02);
  const CommandResult text = run({"evaluate", "m", "new.csv", "--prior", "class 1=0.02"});
  EXPECT_NE(text.out.find("class 1 2.00 %\n"), std::string::npos) << text.out;
}

TEST_F(DecisionsOfTheCommand, EvaluateCountsGroupsOfColumnsThatTheModelDoesNotUse) {
  select();
  const json found = evaluated({"--by", "sex,age=30:50,sex*age=40", "--limit", "0.1"})["parts"];
  const Table table = predicted({"--limit", "0.1"});
  std::map<std::string, std::size_t> rows, errors, decided;
  for (int i = 0; i < 90; ++i) {
    const std::string sex = i % 5 < 2 ? "f" : "m";
    const int age = 20 + (i * 7) % 50;
    const auto& row = table.rows[static_cast<std::size_t>(i)];
    for (const std::string& key : {sex,
                                   std::string(age < 30   ? "below 30"
                                               : age < 50 ? "30 to 50"
                                                          : "50 and above"),
                                   sex + (age < 40 ? ", below 40" : ", 40 and above")}) {
      ++rows[key];
      errors[key] += row.at("label") != "class " + std::to_string(i % 2) ? 1U : 0U;
      decided[key] += row.at("decision") != "ask" ? 1U : 0U;
    }
  }
  std::size_t parts = 0;
  for (const json& way : found["divisions"]) {
    for (const json& part : way["parts"]) {
      const std::string key = part["value"];
      EXPECT_EQ(part["n"], rows.at(key)) << key;
      EXPECT_EQ(part["errors"], errors[key]) << key;
      EXPECT_EQ(part["decided"], decided[key]) << key;
      EXPECT_NEAR(part["interval"]["confidence"].get<double>(), 1 - 0.05 / 36, 1e-12) << "errors, regions, two classes";
      ++parts;
    }
  }
  EXPECT_EQ(parts, 9U);
  EXPECT_EQ(rows.size(), 9U);
  EXPECT_EQ(evaluated({"--by", "1,2=30:50,1*2=40", "--limit", "0.1"})["parts"], found) << "positions";
}

TEST_F(DecisionsOfTheCommand, RefusesWithOneSentence) {
  select();
  refused({"predict", "m", "new.csv", "--limit", "1"}, "--limit: a limit must lie in [0, 1), not 1");
  refused({"predict", "m", "new.csv", "--limit", "sick=0.1,class 1=0.1"}, "'sick' is no class");
  refused({"predict", "m", "new.csv", "--limit", "0.1", "--no-label-conditional"}, "p-values of each class");
  refused({"predict", "m", "new.csv", "--certainty", "0.9"}, "--certainty needs --limit");
  refused({"predict", "m", "new.csv", "--fdr", "0.1"}, "--fdr needs --find or --unfamiliar");
  refused({"predict", "m", "new.csv", "--unfamiliar"}, "need --fdr");
  refused({"predict", "m", "new.csv", "--prior", "class 1=0.1"}, "add --probability");
  refused({"predict", "m", "new.csv", "--probability", "--prior", "class 1=1.5"}, "--prior: a class share must lie");
  refused({"evaluate", "m", "new.csv", "--prior", "estimate"},
          "--prior: class shares are estimated from probabilities");
  refused({"evaluate", "m", "new.csv", "--cost", "class 1:class 0=5"}, "--cost needs --prior");
  refused({"evaluate", "m", "new.csv", "--prior", "class 1=0.1", "--cost", "class 1=5"}, "not TRUTH:DECISION");
  refused({"evaluate", "m", "new.csv", "--by", "height"}, "\"height\" is neither a name in its header");
  refused({"evaluate", "m", "new.csv", "--by", ""}, "--by: the empty text is no value");
  refused({"evaluate", "m", "new.csv", "--by", "sex=3"}, "'sex' cannot be cut", 3);
  refused({"evaluate", "m", "new.csv", "--by", "age=50:30"}, "--by: the cuts of 'age' must rise");
  run({"train", "train.csv", "-o", "m", "--quiet"});
  refused({"predict", "m", "new.csv", "--limit", "0.1"}, "--limit: limits need p-values, and this model has none");
  refused({"evaluate", "m", "new.csv", "--prior", "class 1=0.1"}, "--prior: the model keeps no rows left out");
  command_.folder().write("numbers.csv", "x,y\n1,2\n2,3.9\n3,6.1\n4,8\n5,10.2\n6,11.9\n7,14\n8,16.1\n9,18\n10,20.2\n");
  run({"train", "numbers.csv", "--task", "regression", "-o", "m", "--quiet"});
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--limit", "0.1"}, {"--find", "a", "--fdr", "0.1"}, {"--prior", "a=0.1"}}) {
    refused(with({"predict", "m", "numbers.csv"}, option), option[0] + ": this model predicts numbers");
  }
  refused({"evaluate", "m", "numbers.csv", "--cost", "a:b=1"}, "--cost: this model predicts numbers");
  refused({"evaluate", "m", "numbers.csv", "--by", "x"}, "--by: this model predicts numbers");
}

}  // namespace decisions_tests
}  // namespace credence::test
