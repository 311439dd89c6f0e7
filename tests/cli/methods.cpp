#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "cli/helpers.hpp"
#include "credence/bounds/uniform.hpp"
#include "credence/core/list.hpp"
#include "credence/model/predictor.hpp"
#include "support/command.hpp"

namespace credence {
namespace methods_tests {

using nlohmann::json;
using test::clouds_csv;
using test::Command;
using test::CommandResult;
using test::line_count;
using test::number;
using test::one_svm;
using test::Table;
using test::with;
using test::without;

const std::string shipped = std::string(CREDENCE_SOURCE_DIR) + "/data/breast_cancer.csv";
const std::vector<std::string> small_grid{"--C", "0.5,8", "--gamma", "0.01,0.1"};

/// A way to select: its options, and what it is expected to say of itself.
struct Way {
  const char* name;  ///< for the test's name
  std::vector<std::string> options;
  std::size_t settings;
  std::string score;
  std::string honest;  ///< method of the honest estimate
  bool has_best;
  bool keeps_models;
};

Way svm_way(const char* name, std::vector<std::string> options, const char* score, bool has_best, bool keeps_models,
            const char* honest = "bbc") {
  return {name, with(small_grid, options), 4, score, honest, has_best, keeps_models};
}

const std::vector<Way> ways{
    svm_way("cv", one_svm, "CV error", true, false),
    svm_way("cv_nested", with(one_svm, {"--folds", "3", "--estimate", "nested"}), "CV error", true, false, "nested"),
    svm_way("loo", {"--method", "loo"}, "leave-one-out error", true, false),
    svm_way("bootstrap", {"--method", "bootstrap", "--resamples", "7"}, "out-of-bag error", true, false),
    svm_way("bootstrap_632", {"--method", "bootstrap", "--resamples", "5", "--bootstrap", "632+"},
            "0.632+ bootstrap error", true, false),
    svm_way("kfold_nested", {"--method", "kfold-nested", "--folds", "4"}, "inner CV error", true, false, "nested"),
    svm_way("kfold_nested_random", {"--method", "kfold-nested", "--folds", "4", "--final", "random"}, "inner CV error",
            true, true, "nested"),
    svm_way("holdout", {"--method", "holdout", "--validation", "80"}, "validation error", true, false),
    svm_way("holdout_training", {"--method", "holdout", "--refit", "training"}, "validation error", true, true),
    svm_way("holdout_vote", {"--method", "holdout-vote"}, "validation error", true, true),
    svm_way("max_margin", {"--method", "max-margin"}, "validation error", false, true, "hold-out"),
    svm_way("max_margin_geometric", {"--method", "max-margin", "--margin", "geometric"}, "validation error", false,
            true, "hold-out"),
    svm_way("nonconformity", {"--method", "nonconformity"}, "validation error", false, true),
    svm_way("nonconformity_random",
            {"--method", "nonconformity", "--tie", "random", "--p-value", "conformal", "--delta", "0.1"},
            "validation error", false, true),
    Way{"nonconformity_nu",
        {"--method", "nonconformity", "--nu", "0.05,0.2", "--gamma", "0.01,0.03"},
        4,
        "validation error",
        "bbc",
        false,
        true},
    Way{"cv_nu", with(one_svm, {"--nu", "0.05:0.2:x2", "--gamma", "0.03"}), 3, "CV error", "bbc", true, false},
    Way{"cv_average", {"--C", "0.5,8"}, 48, "CV error", "bbc", true, false},
    Way{"nonconformity_knn",
        {"--method", "nonconformity", "--model", "knn", "--k", "1,5,9"},
        3,
        "validation error",
        "bbc",
        false,
        true},
    Way{"holdout_knn", {"--method", "holdout", "--model", "knn"}, 8, "validation error", "bbc", true, true},
};

class Methods : public testing::TestWithParam<Way> {
 protected:
  CommandResult select(const std::vector<std::string>& more) const {
    return command_.run(with(with({"select", shipped}, GetParam().options), more));
  }
  json document(const std::vector<std::string>& more = {}) const {
    const CommandResult result = select(with({"--json", "-"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  }
  Command command_;
};

TEST_P(Methods, SelectSavePredictEvaluate) {
  const Way& way = GetParam();
  const CommandResult selected = select({"-o", "m.credence"});
  ASSERT_EQ(selected.code, 0) << selected.err;
  EXPECT_NE(selected.out.find("\nmodel            m.credence: "), std::string::npos) << selected.out;
  const CommandResult predicted = command_.run({"predict", "m.credence", shipped, "--quiet"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(line_count(predicted.out), 570U);
  const CommandResult evaluated = command_.run({"evaluate", "m.credence", shipped, "--json", "-"});
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  const json evaluation = json::parse(evaluated.out);
  EXPECT_EQ(evaluation["n"], 569);
  EXPECT_LT(evaluation["error"], 0.12) << way.name;
}

TEST_P(Methods, JsonHasEveryPromisedField) {
  const Way& way = GetParam();
  const json found = document();
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["score"], way.score);
  EXPECT_EQ(found["best"].is_object(), way.has_best);
  EXPECT_EQ(found["kept"].is_object(), way.keeps_models);
  EXPECT_EQ(found["seed"], 0);
  EXPECT_EQ(found["version"], "0.1.0");
  EXPECT_TRUE(found["options"].is_object());

  ASSERT_EQ(found["grid"].size(), way.settings);
  double least = 1;
  for (const json& setting : found["grid"]) {
    EXPECT_EQ(setting["infeasible"], false);
    for (const char* field : {"error", "error_std", "n_sv", "steps", "factorisations"})
      EXPECT_TRUE(setting[field].is_number()) << field;
    EXPECT_EQ(setting["C"].is_number() + setting["nu"].is_number() + setting["k"].is_number(), 1);
    EXPECT_EQ(setting["gamma"].is_number(), setting["k"].is_null());
    least = std::min(least, setting["error"].get<double>());
  }
  if (way.has_best) EXPECT_EQ(found["best"]["error"], least);

  const json& honest = found["honest"];
  ASSERT_TRUE(honest.is_object());
  EXPECT_EQ(honest["method"], way.honest);
  EXPECT_LT(honest["error"], 0.3);
  EXPECT_GT(honest["rows"], 0);
  if (way.honest != "nested") {
    EXPECT_GE(honest["lower"], 0);
    EXPECT_LE(honest["lower"], honest["upper"]);
    EXPECT_LE(honest["upper"], 1);
  }
}

TEST_P(Methods, EqualSeedsGiveEqualDocumentsAndModels) {
  const json one = document({"--threads", "1", "-o", "one"});
  const json two = document({"--threads", "2", "-o", "two"});
  EXPECT_EQ(without(one, {"seconds", "threads"}), without(two, {"seconds", "threads"}));
  const std::string bytes = test::read_text(command_.folder().file("one"));
  EXPECT_FALSE(bytes.empty());
  EXPECT_TRUE(bytes == test::read_text(command_.folder().file("two"))) << "the models differ";
}

TEST_P(Methods, TheTableSetsTheSelectedScoreApartFromTheHonestEstimate) {
  const Way& way = GetParam();
  const CommandResult result = select({});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string said = test::flat(result.out);
  EXPECT_EQ(said.find(" % " + way.score) != std::string::npos, way.has_best) << result.out;
  EXPECT_EQ(said.find("judged it also chose") != std::string::npos, way.has_best) << result.out;
  EXPECT_NE(result.out.find("\nhonest estimate  "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("\nlabel            'diagnosis' (the"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("models are kept") != std::string::npos, !way.has_best) << result.out;
  for (const char* word : {"SMO step", "factorisation", " trials", "resample"})
    EXPECT_EQ(result.out.find(word), std::string::npos) << word << " is for --verbose: " << result.out;
  EXPECT_EQ(select({"--verbose"}).out.find("SMO step") != std::string::npos,
            std::string(way.name).find("knn") == std::string::npos);
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 132U) << line;
}

INSTANTIATE_TEST_SUITE_P(Every, Methods, testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way>& way) { return way.param.name; });

TEST(Methods, HelpDescribesEachOfThem) {
  Command command;
  const std::string help = command.run({"select", "--help"}).out;
  for (const char* method : {"cv", "nonconformity", "max-margin", "holdout", "holdout-vote", "loo", "bootstrap",
                             "kfold-nested", "rademacher", "maximal-discrepancy"}) {
    EXPECT_NE(help.find("\n  " + std::string(method) + "  "), std::string::npos) << method << "\n" << help;
  }
}

TEST(Methods, OptionsWithoutEffectAreRefused) {
  Command command;
  command.folder().write("data.csv", clouds_csv(80, 2, 1));
  const std::vector<std::string> words =
      with({"select", "data.csv", "--resamples", "9", "--tie", "random"}, small_grid);
  const CommandResult result = command.run(words);
  EXPECT_EQ(result.code, 2);
  for (const char* part : {"--resamples: ", "--tie: "})
    EXPECT_NE(result.err.find(part), std::string::npos) << part << result.err;
  EXPECT_EQ(command.run(with(words, {"--quiet"})).err, result.err);
  EXPECT_EQ(command.run(with(words, {"--method", "bootstrap"})).err.find("--resamples"), std::string::npos);
}

TEST(Methods, LeaveOneOutSaysWhereItsScalingWasFitted) {
  Command command;
  command.folder().write("data.csv", clouds_csv(60, 2, 1));
  const std::vector<std::string> words = with({"select", "data.csv", "--method", "loo"}, small_grid);
  const CommandResult once = command.run(words);
  EXPECT_NE(test::flat(once.out).find("fitted once on all rows"), std::string::npos) << once.out;
  const CommandResult each = command.run(with(words, {"--scale-scope", "fold"}));
  EXPECT_EQ(test::flat(each.out).find("fitted once on all rows"), std::string::npos) << each.out;
}

TEST(Methods, EstimateNone) {
  Command command;
  command.folder().write("data.csv", clouds_csv(60, 2, 1));
  const std::vector<std::string> words = with({"select", "data.csv", "--estimate", "none"}, small_grid);
  EXPECT_NE(command.run(words).out.find("none was asked for"), std::string::npos);
  EXPECT_TRUE(json::parse(command.run(with(words, {"--json", "-"})).out)["honest"].is_null());
}

TEST(Methods, TimeLimitGivesAMarkedPartialResult) {
  Command command;
  command.folder().write("large.csv", clouds_csv(4000, 4, 2));
  for (const char* method : {"nonconformity", "holdout", "loo", "bootstrap"}) {
    const CommandResult result = command.run(
        {"select", "large.csv", "--method", method, "--time-limit", "0.15", "-o", "m.credence", "--json", "-"});
    EXPECT_EQ(result.code, 5) << method << result.err;
    EXPECT_NE(result.err.find("partial result"), std::string::npos) << result.err;
    EXPECT_EQ(json::parse(result.out)["status"], "time limit");
    const bool none = result.err.find("the model is its best setting") == std::string::npos;
    EXPECT_EQ(none, test::read_text(command.folder().file("m.credence")).empty()) << result.err;
    std::filesystem::remove(command.folder().file("m.credence"));
  }
}

class Nonconformity : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    command_.folder().write("train.csv", clouds_csv(200, GetParam(), 3));
    command_.folder().write("test.csv", clouds_csv(150, GetParam(), 4));
    const CommandResult result = command_.run(
        with({"select", "train.csv", "--method", "nonconformity", "--validation", "40", "-o", "m"}, small_grid));
    ASSERT_EQ(result.code, 0) << result.err;
  }
  Table predictions(const std::vector<std::string>& more = {}) const {
    const CommandResult result = command_.run(with({"predict", "m", "test.csv"}, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return Table(result.out);
  }
  std::vector<std::string> classes() const {
    std::vector<std::string> names;
    for (int c = 0; c < GetParam(); ++c) names.push_back("class " + std::to_string(c));
    return names;
  }
  Command command_;
};

TEST_P(Nonconformity, PredictHasTheDocumentedColumns) {
  std::vector<std::string> expected{"row",
                                    "label",
                                    "eps_crit",
                                    "C",
                                    "gamma",
                                    "confidence",
                                    "credibility",
                                    "familiarity",
                                    "set_0.95",
                                    "set_0.7",
                                    "as_strange_at_most_vc",
                                    "as_strange_at_most_dkw",
                                    "vacuous"};
  for (const std::string& name : classes()) expected.push_back("p_" + name);
  EXPECT_EQ(predictions({"--confidence-level", "0.95,0.7"}).names, expected);
  const Table usual = predictions();
  EXPECT_NE(std::find(usual.names.begin(), usual.names.end(), "set_0.95"), usual.names.end());
}

/// Everything that a row says follows from its p-values, as the formulas say.
TEST_P(Nonconformity, LabelSetAndBoundsFollowFromThePValues) {
  constexpr std::size_t models = 4;
  constexpr std::size_t n = 40;
  const double vc = bounds::vc_deviation(n, 1, 0.05 / models);
  const double dkw = bounds::dkw_deviation(n, 0.05 / models);
  const Table table = predictions({"--confidence-level", "0.3:0.9:+0.1"});
  ASSERT_EQ(table.rows.size(), 150U);
  std::set<std::string> sets;
  for (const auto& row : table.rows) {
    EXPECT_TRUE(row.at("C") == "0.5" || row.at("C") == "8") << row.at("C");
    EXPECT_TRUE(row.at("gamma") == "0.01" || row.at("gamma") == "0.1") << row.at("gamma");
    std::vector<double> p;
    for (const std::string& name : classes()) p.push_back(number(row, "p_" + name));
    for (const double value : p) EXPECT_NEAR(value * n, std::round(value * n), 1e-9);
    std::vector<double> sorted = p;
    std::sort(sorted.rbegin(), sorted.rend());
    EXPECT_EQ(number(row, "eps_crit"), sorted[1]);
    EXPECT_EQ(number(row, "p_" + row.at("label")), sorted[0]);
    EXPECT_NEAR(number(row, "as_strange_at_most_vc"), sorted[1] + vc, 1e-12);
    EXPECT_NEAR(number(row, "as_strange_at_most_dkw"), sorted[1] + dkw, 1e-12);
    const bool both = sorted[1] + dkw >= 1;
    EXPECT_EQ(row.at("vacuous"), both ? "vc|dkw" : sorted[1] + vc >= 1 ? "vc" : "") << sorted[1];
    for (const char* level : {"0.9", "0.7", "0.3"}) {
      std::string set;
      for (std::size_t c = 0; c < p.size(); ++c)
        if (model::in_set(p[c], core::significance_of(std::stod(level))))
          set += (set.empty() ? "" : "|") + classes()[c];
      EXPECT_EQ(row.at(std::string("set_") + level), set);
      sets.insert(set);
    }
  }
  EXPECT_TRUE(sets.contains("")) << "no set is empty, so this test shows less than it should";
  EXPECT_TRUE(sets.contains("class 1"));
}

TEST_P(Nonconformity, EvaluateAgreesWithPredict) {
  const CommandResult result =
      command_.run({"evaluate", "m", "test.csv", "--confidence-level", "0.95,0.7", "--json", "-", "--quiet"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(result.out);
  const Table predicted = predictions({"--confidence-level", "0.95,0.7"});
  const Table truth(clouds_csv(150, GetParam(), 4));

  const json& curve = document["error_by_eps_crit"];
  const json& as_strange = document["as_strange"];
  ASSERT_GT(curve.size(), 1U);
  std::set<std::string> values;
  for (const auto& row : predicted.rows) values.insert(row.at("eps_crit"));
  EXPECT_EQ(curve.size(), values.size());
  ASSERT_EQ(as_strange.size(), values.size());
  double before = -1;
  for (std::size_t point = 0; point < curve.size(); ++point) {
    EXPECT_GT(curve[point]["eps_crit"], before);
    before = curve[point]["eps_crit"].get<double>();
    std::size_t rows = 0;
    std::size_t errors = 0;
    for (std::size_t i = 0; i < 150; ++i) {
      if (number(predicted.rows[i], "eps_crit") > before) continue;
      ++rows;
      if (predicted.rows[i].at("label") != truth.rows[i].at("label")) ++errors;
    }
    EXPECT_EQ(curve[point]["n"], rows);
    EXPECT_EQ(curve[point]["errors"], errors);
    EXPECT_EQ(as_strange[point]["eps_crit"], before);
    EXPECT_NEAR(as_strange[point]["at_most_vc"].get<double>(), before + bounds::vc_deviation(40, 1, 0.05 / 4), 1e-12);
    EXPECT_NEAR(as_strange[point]["at_most_dkw"].get<double>(), before + bounds::dkw_deviation(40, 0.05 / 4), 1e-12);
  }
  EXPECT_EQ(curve.back()["error"], document["error"]);
  EXPECT_EQ(curve.back()["n"], 150);

  ASSERT_EQ(document["prediction_sets"].size(), 2U);
  for (const json& level : document["prediction_sets"]) {
    const std::string column = level["confidence_level"] == 0.95 ? "set_0.95" : "set_0.7";
    std::size_t missing = 0;
    std::size_t single = 0;
    for (std::size_t i = 0; i < 150; ++i) {
      const std::string set = "|" + predicted.rows[i].at(column) + "|";
      if (set.find("|" + truth.rows[i].at("label") + "|") == std::string::npos) ++missing;
      if (set != "||" && std::count(set.begin(), set.end(), '|') == 2) ++single;
    }
    EXPECT_EQ(level["errors"], missing);
    EXPECT_EQ(level["single"], single);
    EXPECT_EQ(level["empty"].get<int>() + level["single"].get<int>() + level["multiple"].get<int>(), 150);
  }
  const CommandResult table = command_.run({"evaluate", "m", "test.csv"});
  EXPECT_NE(table.out.find("wrong where one class"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("eps_crit <="), std::string::npos) << table.out;
}

TEST_P(Nonconformity, VacuousBoundsAreNotedOnce) {
  const CommandResult result = command_.run({"predict", "m", "test.csv"});
  const std::string note = "credence: note: every as_strange_at_most_vc is vacuous (>= 1) with 40 validation rows\n";
  EXPECT_EQ(result.err.substr(0, note.size()), note);
  EXPECT_EQ(result.err.find("vacuous", note.size()), std::string::npos);
  EXPECT_NE(result.err.find("far more often than 1 - confidence level"), std::string::npos);
  EXPECT_EQ(command_.run({"predict", "m", "test.csv", "--quiet"}).err, "");
}

INSTANTIATE_TEST_SUITE_P(Classes, Nonconformity, testing::Values(2, 3));

TEST(Bounds, ThatSaySomethingAreNotNoted) {
  Command command;
  command.folder().write("data.csv", clouds_csv(4400, 2, 5));
  ASSERT_EQ(command
                .run({"select", "data.csv", "--method", "nonconformity", "--validation", "4000", "--C", "1", "--gamma",
                      "0.2", "-o", "m", "--estimate", "none"})
                .code,
            0);
  const CommandResult result = command.run({"predict", "m", "data.csv"});
  EXPECT_EQ(result.err.find("vacuous"), std::string::npos) << result.err;
  for (const auto& row : Table(result.out).rows) EXPECT_LT(number(row, "as_strange_at_most_vc"), 1.5);
}

TEST(Predict, ColumnsOfTheOtherRules) {
  Command command;
  command.folder().write("data.csv", clouds_csv(120, 2, 3));
  const auto header = [&](const std::vector<std::string>& options) {
    const CommandResult selected = command.run(with({"select", "data.csv", "-o", "m"}, options));
    EXPECT_EQ(selected.code, 0) << selected.err;
    const CommandResult result = command.run({"predict", "m", "data.csv", "--quiet"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out.substr(0, result.out.find('\n'));
  };
  EXPECT_EQ(header(with({"--method", "max-margin"}, small_grid)), "row,label,C,gamma,familiarity");
  EXPECT_EQ(header({"--method", "max-margin", "--nu", "0.3,0.5", "--gamma", "0.1"}), "row,label,nu,gamma,familiarity");
  EXPECT_EQ(header({"--method", "max-margin", "--model", "knn"}), "row,label,k,familiarity");
  EXPECT_EQ(header({"--method", "max-margin", "--kernel", "linear"}), "row,label,C,familiarity");
  EXPECT_EQ(header(with({"--method", "holdout-vote"}, small_grid)), "row,label,familiarity");
  EXPECT_EQ(header(with({"--method", "holdout"}, small_grid)),
            "row,label,decision_value,confidence,credibility,familiarity,set_0.95,p_class 0,p_class 1");
  EXPECT_EQ(header({"--method", "holdout", "--model", "knn"}),
            "row,label,confidence,credibility,familiarity,set_0.95,p_class 0,p_class 1");
  EXPECT_EQ(header({"--method", "nonconformity", "--model", "knn"}),
            "row,label,eps_crit,k,confidence,credibility,familiarity,set_0.95,as_strange_at_most_vc,as_strange_at_most_"
            "dkw,vacuous,p_class "
            "0,p_class 1");
}

TEST(Predict, CellsAreQuotedWhereTheyMustBe) {
  Command command;
  std::string text = clouds_csv(60, 2, 3);
  for (std::size_t at = 0; (at = text.find("class 1", at)) != std::string::npos;)
    text.replace(at, 7, "\"1, \"\"q\"\"\"");
  command.folder().write("data.csv", text);
  ASSERT_EQ(command.run(with({"select", "data.csv", "--method", "nonconformity", "-o", "m"}, small_grid)).code, 0);
  const std::string out = command.run({"predict", "m", "data.csv", "--confidence-level", "1", "--quiet"}).out;
  EXPECT_NE(out.find(",\"p_1, \"\"q\"\"\","), std::string::npos) << out.substr(0, 200);
  EXPECT_NE(out.find(",1,0.9166666666666666,0.21311475409836064,\"1, \"\"q\"\"\","), std::string::npos)
      << "the region's cell: " << out.substr(0, 400);
  EXPECT_NE(out.find("\n2,\"1, \"\"q\"\"\","), std::string::npos) << "the label's cell: " << out.substr(0, 400);
}

TEST(Predict, InterruptEndsWithoutAnOutputFile) {
  Command command;
  command.folder().write("train.csv", clouds_csv(3000, 4, 2));
  command.folder().write("many.csv", clouds_csv(150000, 4, 4));
  ASSERT_EQ(command
                .run({"select", "train.csv", "--method", "nonconformity", "--C", "1,2,4,8", "--gamma", "2^-6:2^3:x2",
                      "-o", "m", "--estimate", "none"})
                .code,
            0);
  const pid_t child = command.start({"predict", "m", "many.csv", "-o", "p.csv", "--threads", "1"});
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(::kill(child, SIGINT), 0);
  const CommandResult result = command.finish(child);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1.0);
  EXPECT_EQ(result.code, 130) << result.err;
  EXPECT_EQ(test::read_text(command.folder().file("p.csv")), "");
}

TEST(Convert, AFamilyGivesItsPreprocessingButIsNoLibsvmModel) {
  Command command;
  command.folder().write("data.csv", clouds_csv(60, 2, 3));
  ASSERT_EQ(command.run(with({"select", "data.csv", "--method", "max-margin", "-o", "m"}, small_grid)).code, 0);
  EXPECT_EQ(command.run({"convert", "data.csv", "data.svm", "--preprocess", "m"}).code, 0);
  EXPECT_EQ(line_count(test::read_text(command.folder().file("data.svm"))), 60U);
  const CommandResult result = command.run({"convert", "m", "m.model"});
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_EQ(test::read_text(command.folder().file("m.model")), "");
}

TEST(Evaluate, LabelsFromAnotherColumn) {
  Command command;
  command.folder().write("data.csv", clouds_csv(60, 2, 3));
  ASSERT_EQ(command.run({"train", "data.csv", "--gamma", "0.2", "-o", "m"}).code, 0);
  std::string renamed = clouds_csv(60, 2, 3);
  renamed.replace(renamed.find("label"), 5, "truth");
  command.folder().write("renamed.csv", renamed);
  EXPECT_EQ(command.run({"evaluate", "m", "renamed.csv"}).code, 3);
  const auto after_the_name = [&](const std::vector<std::string>& arguments) {
    const std::string out = command.run(arguments).out;
    return out.substr(std::min(out.size(), out.find("\nerrors ")));
  };
  const std::string shown = after_the_name({"evaluate", "m", "data.csv"});
  EXPECT_FALSE(shown.empty());
  EXPECT_EQ(after_the_name({"evaluate", "m", "renamed.csv", "--label", "truth"}), shown);
}

TEST(Train, NuNamesTheSameMachineAsItsC) {
  Command command;
  command.folder().write("data.csv", clouds_csv(150, 2, 3));
  const CommandResult result = command.run({"train", "data.csv", "--nu", "0.4", "--gamma", "0.2", "-o", "nu"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string mark = "the C-SVC with C = ";
  const std::size_t at = result.out.find(mark);
  ASSERT_NE(at, std::string::npos) << result.out;
  const std::string c = std::to_string(std::stod(result.out.substr(at + mark.size())));
  ASSERT_EQ(command.run({"train", "data.csv", "--C", c, "--gamma", "0.2", "-o", "c"}).code, 0);
  const Table by_nu(command.run({"predict", "nu", "data.csv"}).out);
  const Table by_c(command.run({"predict", "c", "data.csv"}).out);
  for (std::size_t i = 0; i < 150; ++i)
    EXPECT_NEAR(number(by_nu.rows[i], "decision_value"), number(by_c.rows[i], "decision_value"), 0.02);
}

}  // namespace methods_tests
}  // namespace credence
