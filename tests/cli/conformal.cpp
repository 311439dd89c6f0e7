#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/conformal_command.hpp"
#include "credence/bounds/binomial.hpp"
#include "credence/conformal/evaluation.hpp"
#include "credence/core/list.hpp"

namespace credence {
namespace conformal_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::number;
using test::Table;
using test::with;
using test::without;

using Conformal = test::ConformalCommand;

const std::vector<std::string> classes{"class 0", "class 1", "class 2"};

/// p-values of a table of predictions, and the true classes of the test file.
data::DenseMatrix p_values(const Table& table) {
  data::DenseMatrix p(table.rows.size(), 3);
  for (std::size_t i = 0; i < p.rows; ++i)
    for (std::size_t c = 0; c < 3; ++c) p.row(i)[c] = number(table.rows[i], "p_" + classes[c]);
  return p;
}

std::vector<int> truths(std::size_t rows) {
  std::vector<int> labels;
  for (std::size_t i = 0; i < rows; ++i) labels.push_back(static_cast<int>(i % 3));
  return labels;
}

const std::vector<std::vector<std::string>> ways{
    {},
    {"--k", "3", "--metric", "manhattan", "--label-conditional"},
    {"--measure", "nn-own", "--metric", "cosine", "--scale", "minmax"},
    {"--mode", "inductive", "--k", "5"},
    {"--mode", "cross", "--folds", "4", "--smoothed", "--seed", "9"},
    {"--measure", "margin", "--C", "2", "--gamma", "0.1"},
    {"--measure", "margin", "--mode", "inductive", "--calibration", "0.4", "--class-weight", "balanced"},
    {"--measure", "margin", "--mode", "inductive", "--select", "--C", "0.5,8", "--gamma", "0.01,0.1"},
    {"--measure", "margin", "--mode", "cross", "--kernel", "linear", "--label-conditional"},
    {"--measure", "margin", "--mode", "cross", "--folds", "3", "--select", "--C", "0.5,8", "--gamma", "0.01,0.1"},
};

/// What evaluate says is what the evaluation of predict's columns is, for every way to fit.
/// What the notes promise is what is proved.
TEST_F(Conformal, PromisesWhatIsProved) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> promises{
      {{}, "at most 1 - confidence level, if all rows"},
      {{"--scale", "standard"}, "at most 1 - confidence level, if all rows"},
      {{"--apart", "0"}, "near 1 - confidence level; nothing is proved, as at least one of scaling"},
      {{"--measure", "margin", "--scale", "none"},
       "near 1 - confidence level; nothing is proved, as at least one of scaling, medians and gamma"},
      {{"--measure", "margin", "--scale", "none", "--gamma", "0.1"}, "at most 1 - confidence level, if all rows"},
      {{"--measure", "margin", "--scale", "none", "--kernel", "sigmoid", "--gamma", "0.1"}, "not positive definite"},
      {{"--measure", "margin", "--mode", "inductive"},
       "at most 1 - confidence level, on average over the rows held out, if all rows"},
      {{"--mode", "cross"}, "the bound is 0.15 at 0.95 with 5 folds and 150 rows ("},
      {{"--mode", "cross", "--label-conditional"}, "and 50 rows of the smallest class"}};
  for (const auto& [way, words] : promises) {
    const CommandResult result = fit(way);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }
  for (const bool label_conditional : {false, true}) {
    std::vector<std::string> way{"--mode", "inductive"};
    if (label_conditional) way.emplace_back("--label-conditional");
    const CommandResult result = fit(way);
    const std::size_t start = result.err.find("note: ");
    ASSERT_NE(start, std::string::npos) << result.err;
    const std::string note = result.err.substr(start, result.err.find('\n', start) - start);
    EXPECT_LE(std::count(note.begin(), note.end(), ' '), 25 + 3) << note;  // a blank before each word; 1 - level is one
  }
  ASSERT_EQ(fit({"--mode", "inductive", "--label-conditional"}).code, 0);
  const CommandResult all = command_.run({"predict", "m", "test.csv", "--no-label-conditional"});
  EXPECT_NE(all.err.find("held out class by class"), std::string::npos) << all.err;
}

TEST_F(Conformal, FitOfManyRowsSaysBeforeWhatItWillTake) {
  command_.folder().write("many.csv", clouds_csv(5001, 3, 1));
  command_.folder().write("few.csv", clouds_csv(5000, 3, 1));
  const auto starts_with_forecast = [&](const std::vector<std::string>& options) {
    const CommandResult result = command_.run(with({"conformal", "fit", "-o", "m"}, options));
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out.find("forecast"), std::string::npos);
    return result.err.find("forecast: about ") == 0;
  };
  EXPECT_TRUE(starts_with_forecast({"many.csv"}));
  EXPECT_FALSE(starts_with_forecast({"many.csv", "--quiet"}));
  EXPECT_FALSE(starts_with_forecast({"few.csv"}));
  EXPECT_FALSE(starts_with_forecast({"many.csv", "--mode", "inductive"}));
}

TEST_F(Conformal, FitOfMarginsOfManyRowsSaysBeforeWhatItWillTake) {
  command_.folder().write("many.csv", clouds_csv(6000, 2, 3));
  const auto said = [&](const std::vector<std::string>& more) {
    const CommandResult result = command_.run(with(
        {"conformal", "fit", "many.csv", "--measure", "margin", "--C", "1", "--gamma", "0.5", "-o", "margins"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  EXPECT_NE(said({"--mode", "inductive", "--calibration", "0.1"}).find("forecast for 5400 rows"), std::string::npos);
  EXPECT_NE(said({"--mode", "cross", "--folds", "8"}).find("forecast for 5250 rows"), std::string::npos);
  EXPECT_NE(said({"--mode", "inductive", "--calibration", "0.1", "--select"}).find("forecast for 5400 rows"),
            std::string::npos);
  EXPECT_EQ(said({"--mode", "inductive", "--quiet"}), "");
}

TEST_F(Conformal, TheTransductiveSvmTellsItsCost) {
  ASSERT_EQ(fit({"--measure", "margin"}).code, 0);
  const CommandResult result = command_.run({"predict", "m", "test.csv", "--verbose"});
  EXPECT_NE(result.err.find(" SMO steps"), std::string::npos) << result.err;
  const CommandResult refused = fit({"--measure", "margin", "--max-steps", "2"});
  EXPECT_EQ(refused.code, 5);
  EXPECT_NE(refused.err.find("step limit"), std::string::npos) << refused.err;
}

TEST_F(Conformal, FitPredictEvaluateAgreeInEveryWay) {
  for (const auto& way : ways) {
    std::string name;
    for (const std::string& word : way) name += word + ' ';
    SCOPED_TRACE(name);
    const CommandResult result = fit(way);
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* part : {"data ", "measure ", "p-values ", "model "})
      EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
    EXPECT_NE(result.err.find("a prediction set misses "), std::string::npos) << result.err;

    const Table table = predictions({"--confidence-level", "0.95,0.8"});
    ASSERT_EQ(table.rows.size(), 200U);
    const data::DenseMatrix p = p_values(table);
    const bool smoothed = std::find(way.begin(), way.end(), "--smoothed") != way.end();
    const double levels[] = {0.05, 0.2};
    const conformal::Evaluation expected = conformal::evaluate(p, truths(200), levels, smoothed);
    const json found = evaluation({"--confidence-level", "0.95,0.8"});
    EXPECT_EQ(found["errors"], expected.errors);
    EXPECT_EQ(found["errors_of_largest_p_value"], expected.errors);
    EXPECT_NEAR(found["criteria"]["S"], expected.efficiency.s, 1e-12);
    EXPECT_NEAR(found["criteria"]["U"], expected.efficiency.u, 1e-12);
    EXPECT_NEAR(found["criteria"]["F"], expected.efficiency.f, 1e-12);
    EXPECT_NEAR(found["criteria"]["OU"], expected.efficiency.ou, 1e-12);
    EXPECT_NEAR(found["criteria"]["OF"], expected.efficiency.of, 1e-12);
    EXPECT_NEAR(found["mean_confidence"], expected.efficiency.mean_confidence, 1e-12);
    EXPECT_NEAR(found["mean_credibility"], expected.efficiency.mean_credibility, 1e-12);
    ASSERT_EQ(found["calibration"].size(), 100U);
    EXPECT_EQ(found["calibration"][19]["error"], expected.calibration[19].error);
    EXPECT_NEAR(found["uniformity"]["statistic"], expected.uniformity.statistic, 1e-12);
    EXPECT_NEAR(found["uniformity"]["p_value"], expected.uniformity.p_value, 1e-9);
    EXPECT_EQ(found["p_values"]["smoothed"], smoothed);
    for (std::size_t e = 0; e < 2; ++e) {
      const conformal::LevelCounts& level = expected.levels[e];
      const json& shown = found["prediction_sets"][e];
      EXPECT_EQ(shown["confidence_level"], core::confidence_level_of(level.significance));
      EXPECT_EQ(shown["errors"], level.errors);
      EXPECT_EQ(shown["single"], level.single);
      EXPECT_EQ(shown["single_errors"], level.single_errors);
      for (const auto& [field, value] :
           {std::pair{"N", level.n}, {"M", level.m}, {"E", level.e}, {"OM", level.om}, {"OE", level.oe}}) {
        EXPECT_NEAR(shown[field], value, 1e-12) << field;
      }
      // Half again as many as promised, of 200 rows: a band that only a wrong p-value leaves.
      EXPECT_LE(level.errors, bounds::central_counts(200, std::min(1.0, 1.5 * level.significance), 0.01).upper);
    }
    EXPECT_LT(found["error"], 0.6);
  }
}

TEST_F(Conformal, RegionsAreTheClassesAboveTheLevel) {
  ASSERT_EQ(fit({}).code, 0);
  const Table table = predictions({"--confidence-level", "0.9"});
  std::set<std::size_t> sizes;
  for (const auto& row : table.rows) {
    std::string set;
    std::vector<double> p;
    for (const std::string& name : classes) {
      p.push_back(number(row, "p_" + name));
      if (p.back() > 0.1) set += (set.empty() ? "" : "|") + name;
    }
    EXPECT_EQ(row.at("set_0.9"), set);
    sizes.insert(static_cast<std::size_t>(std::count_if(p.begin(), p.end(), [](double value) { return value > 0.1; })));
    std::sort(p.begin(), p.end());
    EXPECT_EQ(number(row, "credibility"), p[2]);
    EXPECT_EQ(number(row, "confidence"), 1 - p[1]);
  }
  EXPECT_GT(sizes.size(), 2U) << "all prediction sets are alike, so this shows little";
}

TEST_F(Conformal, FitJsonSaysWhatWasFitted) {
  const json found = fitted({"--measure", "margin", "--mode", "inductive", "--seed", "7", "--label-conditional"});
  EXPECT_EQ(found["rows"], 150);
  EXPECT_EQ(found["classes"], classes);
  EXPECT_EQ(found["class_counts"], (std::vector<int>{50, 50, 50}));
  EXPECT_EQ(found["compared_with"], (std::vector<int>{15, 15, 15}));
  EXPECT_EQ(found["smallest_p_value"], 1.0 / 16);
  EXPECT_EQ(found["seed"], 7);
  EXPECT_EQ(found["mode"], "inductive");
  EXPECT_EQ(found["scaling"], "standard");
  EXPECT_EQ(found["label_conditional"], true);
  EXPECT_EQ(found["version"], "0.1.0");
  EXPECT_NE(found["guarantee"].get<std::string>().find("exchangeable"), std::string::npos);
  EXPECT_NE(found["guarantee"].get<std::string>().find("on average"), std::string::npos);
}

/// scipy.stats.beta(k, m + 1 - k).ppf(0.95), k = floor(eps (m + 1)): m = 15 of a class, 45 of all.
TEST_F(Conformal, SplitPredictorsSayWhatOneModelMayMiss) {
  const json found = fitted({"--measure", "margin", "--mode", "inductive", "--label-conditional"});
  ASSERT_EQ(found["may_miss"].size(), 9U);
  EXPECT_EQ(found["may_miss"][2]["class"], classes[0]);
  EXPECT_EQ(found["may_miss"][2]["rows"], 15);
  EXPECT_EQ(found["may_miss"][2]["confidence_level"], 0.9);
  EXPECT_NEAR(found["may_miss"][2]["limit"].get<double>(), 0.181036, 1e-6);
  const json whole = fitted({"--measure", "margin", "--mode", "inductive", "--confidence-level", "0.8"});
  ASSERT_EQ(whole["may_miss"].size(), 1U);
  EXPECT_TRUE(whole["may_miss"][0]["class"].is_null());
  EXPECT_NEAR(whole["may_miss"][0]["limit"].get<double>(), 0.297974, 1e-6);
  const CommandResult printed = fit({"--measure", "margin", "--mode", "inductive", "--confidence-level", "0.8"});
  EXPECT_NE(printed.out.find("29.80 %"), std::string::npos) << printed.out;
  // Transductive and cross-conformal predictors have no rows held out.
  EXPECT_TRUE(fitted({"--mode", "transductive"})["may_miss"].is_null());
  EXPECT_TRUE(fitted({"--mode", "cross"})["may_miss"].is_null());
}

TEST_F(Conformal, WarnsWhereNoPValueCanBeSoSmall) {
  const CommandResult few = fit({"--mode", "inductive", "--calibration", "0.2"});
  EXPECT_NE(few.err.find("warning: no p-value"), std::string::npos) << few.err;
  EXPECT_NE(few.err.find("0.99"), std::string::npos) << few.err;
  const CommandResult enough = fit({"--mode", "inductive", "--calibration", "0.2", "--confidence-level", "0.95"});
  EXPECT_EQ(enough.err.find("warning"), std::string::npos) << enough.err;
  const CommandResult quiet = fit({"--mode", "inductive", "--calibration", "0.2", "--quiet"});
  EXPECT_EQ(quiet.err + quiet.out, "");
}

TEST_F(Conformal, EqualSeedsGiveEqualModelsWhateverTheThreads) {
  for (const auto& way : ways) {
    for (const char* threads : {"1", "2"})
      ASSERT_EQ(command_.run(with({"conformal", "fit", "data.csv", "-o", threads, "--threads", threads}, way)).code, 0);
    EXPECT_TRUE(test::read_text(command_.folder().file("1")) == test::read_text(command_.folder().file("2")));
  }
}

TEST_F(Conformal, EvaluateTakesOtherPValuesThanTheModels) {
  ASSERT_EQ(fit({"--label-conditional"}).code, 0);
  const json own = evaluation({});
  const json smoothed = evaluation({"--smoothed", "--seed", "4"});
  const json all = evaluation({"--no-label-conditional"});
  EXPECT_EQ(own["p_values"]["label_conditional"], true);
  EXPECT_EQ(all["p_values"]["label_conditional"], false);
  EXPECT_EQ(smoothed["p_values"]["seed"], 4);
  EXPECT_LT(smoothed["criteria"]["S"], own["criteria"]["S"]);
  EXPECT_NE(all["criteria"]["S"], own["criteria"]["S"]);
  EXPECT_EQ(own["prediction_sets"].size(), 3U);
}

TEST_F(Conformal, EvaluatePrintsAllCriteriaWhenAskedTo) {
  ASSERT_EQ(fit({}).code, 0);
  const CommandResult usual = command_.run({"evaluate", "m", "test.csv"});
  const CommandResult result = command_.run({"evaluate", "m", "test.csv", "--verbose"});
  EXPECT_EQ(result.code, 0);
  for (const char* part : {"errors ", "baseline ", "recall", "allowed error", "several"})
    EXPECT_NE(usual.out.find(part), std::string::npos) << part << " in " << usual.out;
  for (const char* part : {" OE", "criteria        S ", "calibration", "uniformity      Kolmogorov-Smirnov D+"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << " in " << result.out;
    EXPECT_EQ(usual.out.find(part), std::string::npos) << part << " in " << usual.out;
  }
  EXPECT_NE(result.err.find("exchangeable"), std::string::npos) << result.err;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

class Online : public Conformal {
 protected:
  CommandResult online(const std::vector<std::string>& options) const {
    return command_.run(with({"conformal", "online", "data.csv"}, options));
  }
};

TEST_F(Online, StepsAndTableCountTheSameErrors) {
  const CommandResult result =
      online({"--shuffle", "--seed", "3", "--confidence-level", "0.9,0.7", "-o", "steps.csv", "--json", "-"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("95 % band"), std::string::npos) << "the table goes to standard error beside JSON";
  const Table steps(test::read_text(command_.folder().file("steps.csv")));
  ASSERT_EQ(steps.rows.size(), 150U);
  const json document = json::parse(result.out);
  EXPECT_EQ(document["levels"].size(), 2U);
  std::set<double> seen;
  for (std::size_t e = 0; e < 2; ++e) {
    const json& level = document["levels"][e];
    const std::string name = e == 0 ? "0.9" : "0.7";
    const double significance = core::significance_of(std::stod(name));
    ASSERT_EQ(level["checkpoints"].size(), 10U);
    std::size_t errors = 0;
    std::size_t point = 0;
    for (std::size_t t = 1; t <= 150; ++t) {
      const auto& row = steps.rows[t - 1];
      EXPECT_EQ(number(row, "t"), static_cast<double>(t));
      seen.insert(number(row, "row"));
      const bool error = number(row, "p_" + row.at("truth")) <= significance;
      errors += error ? 1U : 0U;
      EXPECT_EQ(number(row, "error_" + name), error ? 1 : 0);
      EXPECT_EQ(number(row, "errors_" + name), static_cast<double>(errors));
      EXPECT_NEAR(number(row, "line_" + name), significance * static_cast<double>(t), 1e-7);
      if (t % 15 != 0) continue;
      const json& at = level["checkpoints"][point++];
      EXPECT_EQ(at["t"], t);
      EXPECT_EQ(at["errors"], errors);
      const bounds::CountInterval band = bounds::central_counts(t, significance, 0.05);
      EXPECT_EQ(at["lower"], band.lower);
      EXPECT_EQ(at["upper"], band.upper);
      EXPECT_LE(at["empty"].get<std::size_t>() + at["multiple"].get<std::size_t>(), t);
    }
    const bounds::CountInterval wide = bounds::central_counts(150, significance, 1e-3);
    EXPECT_LE(errors, wide.upper);
    EXPECT_GE(errors, wide.lower);
  }
  EXPECT_EQ(seen.size(), 150U) << "each row of the file once";
}

TEST_F(Online, TheOrderIsThatOfTheFileUnlessShuffled) {
  const Table in_order(online({"-o", "-", "--quiet"}).out);
  for (std::size_t t = 0; t < 150; ++t) EXPECT_EQ(number(in_order.rows[t], "row"), static_cast<double>(t + 1));
  const CommandResult shuffled = online({"-o", "-", "--quiet", "--shuffle"});
  EXPECT_NE(Table(shuffled.out).rows[0].at("row"), "1");
  EXPECT_EQ(online({"-o", "-", "--quiet", "--shuffle", "--threads", "2"}).out, shuffled.out);
  EXPECT_NE(online({"-o", "-", "--quiet", "--shuffle", "--seed", "1"}).out, shuffled.out);
  EXPECT_NE(online({}).err.find("--shuffle"), std::string::npos);
}

TEST_F(Online, PlainPValuesAreTheRanks) {
  const Table table(online({"-o", "-", "--quiet", "--no-smoothed", "--k", "2"}).out);
  for (std::size_t t = 0; t < 150; ++t) {
    for (const std::string& name : classes) {
      const double count = number(table.rows[t], "p_" + name) * static_cast<double>(t + 1);
      EXPECT_NEAR(count, std::round(count), 1e-9) << t;
      EXPECT_GE(count, 0.5) << t;
    }
  }
}

TEST_F(Online, CategoricalColumnsAreTaken) {
  command_.folder().write("data.csv", "a,colour,label\n1,red,x\n2,blue,y\n1,red,x\n3,blue,y\n2,red,x\n");
  EXPECT_EQ(online({"--shuffle"}).code, 0);
}

/// Shown: what everybody needs; of a measure and a mode what they look at; with --help-all every option.
TEST(ConformalHelp, ShowsWhatAMeasureLooksAt) {
  const Command command;
  const auto help = [&](const std::vector<std::string>& options) {
    const CommandResult result = command.run(with({"conformal", "fit"}, options));
    EXPECT_EQ(result.code, 0) << result.err;
    for (std::istringstream lines(result.out); lines;) {
      std::string line;
      std::getline(lines, line);
      EXPECT_LE(line.size(), 80U) << line;
    }
    return result.out;
  };
  const auto shows = [](const std::string& text, const std::string& option) {
    return text.find("  --" + option + " ") != std::string::npos;
  };
  const std::string brief = help({"--help"});
  EXPECT_LE(std::ranges::count(brief, '\n'), 40);
  for (const char* word : {"nn-ratio", "nn-own", "margin", "transductive", "inductive", "cross"})
    EXPECT_NE(brief.find(word), std::string::npos) << word;
  const std::string all = help({"--help-all"});
  const std::vector<std::pair<std::string, std::vector<std::string>>> owned{
      {"nn-ratio", {"k", "metric"}},
      {"margin", {"C", "gamma", "sigma", "kernel", "class-weight", "tolerance", "model"}}};
  for (const auto& [measure, options] : owned) {
    for (const auto& [other, names] : owned) {
      const std::string text = help({"--measure", other, "--help"});
      for (const std::string& name : options) {
        EXPECT_EQ(shows(text, name), measure == other) << name << " of " << other;
        EXPECT_TRUE(shows(all, name)) << name;
      }
    }
  }
  EXPECT_TRUE(shows(help({"--measure", "margin", "--model", "rvm", "--help"}), "centres"));
  EXPECT_TRUE(shows(help({"--mode", "cross", "--help"}), "folds"));
  EXPECT_FALSE(shows(help({"--mode", "inductive", "--help"}), "folds"));
}

TEST(ConformalHelp, HasExamplesAndFitsTheScreen) {
  const Command command;
  for (const std::vector<std::string>& name : {std::vector<std::string>{"conformal", "--help"},
                                               {"conformal", "fit", "--help-all"},
                                               {"conformal", "online", "--help"},
                                               {"evaluate", "--help"}}) {
    const CommandResult help = command.run(name);
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Example"), std::string::npos) << name.back();
    EXPECT_NE(help.out.find("Usage: credence " + name.front()), std::string::npos) << help.out;
    EXPECT_NE(help.out.find("Exit codes"), std::string::npos) << help.out;
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

}  // namespace conformal_tests
}  // namespace credence
